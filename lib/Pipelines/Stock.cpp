//===- Stock.cpp - From whole functions to the LLVM dialect ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Pipelines/Passes.h"
#include "anneal/Pipelines/Pipelines.h"
#include "anneal/Pipelines/Tiers.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/InitAllPasses.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

void anneal::registerStockPasses() {
  registerAllPasses();
  // Another library of this process may have brought its own, which does the same.
  if (PassInfo::lookup("jit-stock-prepare"))
    return;
  // Under a name of its own: the other library may bring the pass itself later.
  PassPipelineRegistration<>("jit-stock-tensor-ops", "--jit-lower-tensor-ops, for tier 'stock'",
                             [](OpPassManager &pm) { pm.addPass(createLowerTensorOps()); });
  registerPass([] { return createExtractFunction(); });
  registerPass([] { return createStockPrepare(); });
  registerPass([] { return createStockCheckTensors(); });
  registerPass([] { return createStockLocateChecks(); });
  registerPass([] { return createStockExpandShapes(); });
}

void anneal::registerStockPipeline() {
  registerStockPasses();
  PassPipelineRegistration<StockOptions>(
      "jit-tier-stock", "Compile whole functions to the LLVM dialect by MLIR's own lowerings",
      [](OpPassManager &pm, const StockOptions &options) {
        std::string error;
        if (failed(parseTierPipeline(stockPipeline(options.deallocate), pm, error)))
          llvm::report_fatal_error(StringRef("jit-tier-stock: " + error));
      });
}
