//===- SizeTies.h - Sizes that operations take to be equal ------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ANALYSIS_SIZETIES_H
#define ANNEAL_LIB_ANALYSIS_SIZETIES_H

#include "anneal/Analysis/OpCost.h"

#include "mlir/IR/BuiltinOps.h"

namespace anneal {

/// Two sizes that the structured operation `op` takes to be equal, and that are not.
struct SizeContradiction {
  mlir::Operation *op = nullptr;
  /// "dim 1 of %arg0, which is 8".
  std::string first, second;
};

/// The first contradiction in a function, and in what it calls with these sizes; nothing if there
/// is none. What can't be evaluated contradicts nothing, nor does what runs only under a condition.
std::optional<SizeContradiction> findContradiction(mlir::ModuleOp module,
                                                   mlir::FunctionOpInterface function,
                                                   const ArgumentSizes &sizes);

} // namespace anneal

#endif // ANNEAL_LIB_ANALYSIS_SIZETIES_H
