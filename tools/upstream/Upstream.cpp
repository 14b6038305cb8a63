//===- Upstream.cpp - Dialects and passes of MLIR that tools offer -----===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Upstream.h"

#include "anneal/Analysis/OpCost.h"
#include "anneal/Analysis/Passes.h"
#include "anneal/IR/JitDialect.h"
#include "anneal/Pipelines/Pipelines.h"
#include "anneal/Pipelines/Tiers.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"

using namespace mlir;

void anneal::registerToolDialects(DialectRegistry &registry) {
  // Functions that are compiled whole may have operations of any dialect.
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registry.insert<jit::JitDialect>();
  registerBaselineDialects(registry);
  registerCostModels(registry);
}

void anneal::registerToolPasses() {
  registerAnalysisPasses();
  registerTierPasses();
  registerStockPipeline();
}
