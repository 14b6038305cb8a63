//===- Diagnostics.h - Messages of MLIR as plain text -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_DIAGNOSTICS_H
#define ANNEAL_LIB_COMPILER_DIAGNOSTICS_H

#include "mlir/IR/Diagnostics.h"

#include <string>
#include <vector>

namespace anneal::compiler {

/// While it lives, errors, warnings and their notes of a context are appended to `messages`, as
/// "file:line:col: error: text", without the place where none is known.
class DiagnosticCollector {
public:
  DiagnosticCollector(mlir::MLIRContext *context, std::vector<std::string> &messages);

private:
  mlir::ScopedDiagnosticHandler handler;
};

/// "file:line:col: ", "file: " for a place in what has no lines, "" for an unknown one.
std::string prefixOf(mlir::Location location);

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_DIAGNOSTICS_H
