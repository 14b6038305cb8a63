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
  lower.addPass(createFoldBroadcastMatmul());
  lower.addPass(createDropDeadResults());
  lower.addPass(createRaiseOneHot());
  lower.addPass(createFoldOperands());
  lower.addPass(createCanonicalizerPass());
  lower.addPass(createCSEPass());
  lower.addPass(createLoopInvariantCodeMotionPass());

  pm.addPass(createOutlineConstants());

  OpPassManager &fuse = pm.nest<func::FuncOp>();
  fuse.addPass(createSinkReshapes());
  fuse.addPass(createFuseElementwise());
  fuse.addPass(createCanonicalizerPass());
  fuse.addPass(createCSEPass());
}
