//===- StockModule.h - What the stock lowering leaves -*- C++ -*- ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_STOCK_STOCKMODULE_H
#define ANNEAL_LIB_COMPILER_STOCK_STOCKMODULE_H

#include "mlir/IR/BuiltinOps.h"

namespace anneal::compiler::stock {

/// What is left of other dialects after lowering: an error that names it and its dialect.
llvm::LogicalResult checkIsLowered(mlir::ModuleOp module);

} // namespace anneal::compiler::stock

#endif // ANNEAL_LIB_COMPILER_STOCK_STOCKMODULE_H
