//===- Normalize.cpp - From a loaded module to normal form ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Pipelines/Pipelines.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// Canonical forms and no duplicates. One round of the pattern driver: its own work list reaches
/// the fixed point, a second round would find nothing to do; there are no branches to simplify.
static void addCleanUp(OpPassManager &pm) {
  GreedyRewriteConfig config;
  config.setMaxIterations(1);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  pm.addPass(createCanonicalizerPass(config));
  pm.addPass(createCSEPass());
}

void anneal::populateNormalizePipeline(OpPassManager &pm, const NormalizeOptions &options) {
  pm.addPass(createLowerInputs());
  pm.addPass(createInlineCalls());

  OpPassManager &lower = pm.nest<func::FuncOp>();
  lower.addPass(createLowerParallelLoops());
  lower.addPass(createLowerScalars());
  lower.addPass(createSimplifyShapes());
  lower.addPass(createResolveReshape());
  lower.addPass(createLowerTensorOps());
  lower.addPass(createFoldViews());
  lower.addPass(createRaiseBroadcastGather());
  lower.addPass(createSplitTransposedConv());
  lower.addPass(createFoldBroadcastMatmul());
  lower.addPass(createDropDeadResults());
  lower.addPass(createRaiseOneHot());
  lower.addPass(createFoldOperands());
  lower.addPass(createHoistIndexMath());
  addCleanUp(lower);
  lower.addPass(createLoopInvariantCodeMotionPass());
  lower.addPass(createMergeContractions());
  lower.addPass(createHoistContractions());

  pm.addPass(createOutlineConstants());

  OpPassManager &fuse = pm.nest<func::FuncOp>();
  fuse.addPass(createFoldTransposes());
  fuse.addPass(createSinkReshapes());
  fuse.addPass(createFuseElementwise());
  addCleanUp(fuse);
}
