//===- StockApi.cpp - The one symbol of the stock library ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Compiler/StockApi.h"

#include "StockCompiler.h"

static constexpr anneal::compiler::StockApi kApi = {anneal::compiler::kStockApiVersion,
                                                    anneal::compiler::stock::read,
                                                    anneal::compiler::stock::compile};

extern "C" __attribute__((visibility("default"))) const anneal::compiler::StockApi *
annealGetStockApi() {
  return &kApi;
}
