//===- StockModule.h - Before and after the stock lowering -*- C++ -*- ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_STOCK_STOCKMODULE_H
#define ANNEAL_LIB_COMPILER_STOCK_STOCKMODULE_H

#include "mlir/IR/BuiltinOps.h"

namespace anneal::compiler::stock {

/// Removes transform scripts, with a remark.
void dropTransformScripts(mlir::ModuleOp module);

/// Functions that are in the LLVM dialect already, and take and give numbers only, become what a
/// function of the same name calls, so that they can be entries like others.
void wrapLoweredFunctions(mlir::ModuleOp module);

/// What is left of other dialects after lowering: an error that names it and its dialect.
llvm::LogicalResult checkIsLowered(mlir::ModuleOp module);

} // namespace anneal::compiler::stock

#endif // ANNEAL_LIB_COMPILER_STOCK_STOCKMODULE_H
