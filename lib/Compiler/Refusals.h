//===- Refusals.h - What the ordinary route refused -------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_REFUSALS_H
#define ANNEAL_LIB_COMPILER_REFUSALS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace anneal::compiler {

/// Why the ordinary route refused a function.
struct Refusal {
  /// "file:line:col: error: ...".
  std::string reason;
  /// It would not end in other code either.
  bool isHopeless = false;
};

/// What earlier attempts at planning a module have brought out.
struct Refusals {
  llvm::StringMap<Refusal> functions;
  /// The reason of all other functions, if not empty.
  std::string all;

  /// Notes the first error in `diagnostics` for the functions of `module` that have an operation at
  /// its place. False if there are none, or none that is new.
  bool note(mlir::ModuleOp module, const std::vector<std::string> &diagnostics);
};

/// The first error, as a refusal; empty if there is none.
Refusal refusalIn(const std::vector<std::string> &diagnostics);

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_REFUSALS_H
