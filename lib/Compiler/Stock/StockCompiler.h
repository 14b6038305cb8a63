//===- StockCompiler.h - Whole functions by MLIR's own passes -*- C++ -*- ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_STOCK_STOCKCOMPILER_H
#define ANNEAL_LIB_COMPILER_STOCK_STOCKCOMPILER_H

#include "anneal/Compiler/StockApi.h"

namespace anneal::compiler::stock {

/// Entry `read` of the table (StockApi.h).
bool read(const std::string &bytes, const std::string &name, std::string &text,
          std::vector<std::string> &diagnostics);

/// Entry `compile` of the table.
std::unique_ptr<StockFunction> compile(const std::string &ir, const std::string &entry,
                                       const UnitCompileOptions &options,
                                       std::vector<std::string> &diagnostics);

} // namespace anneal::compiler::stock

#endif // ANNEAL_LIB_COMPILER_STOCK_STOCKCOMPILER_H
