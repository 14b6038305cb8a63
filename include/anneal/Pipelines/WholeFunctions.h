//===- WholeFunctions.h - Modules of functions compiled whole ---*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PIPELINES_WHOLEFUNCTIONS_H
#define ANNEAL_PIPELINES_WHOLEFUNCTIONS_H

#include "mlir/IR/BuiltinOps.h"

namespace anneal {

/// Removes transform scripts, with a remark.
void dropTransformScripts(mlir::ModuleOp module);

/// Functions that are in the LLVM dialect already, and take and give numbers only, become what a
/// function of the same name calls, so that they can be entries like others. Those that were made
/// so before stay as they are.
void wrapLoweredFunctions(mlir::ModuleOp module);

} // namespace anneal

#endif // ANNEAL_PIPELINES_WHOLEFUNCTIONS_H
