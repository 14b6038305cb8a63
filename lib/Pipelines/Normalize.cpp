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
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(createSimplifyShapes());
  function.addPass(createResolveReshape());
  function.addPass(createFoldBroadcastMatmul());
  function.addPass(createDropDeadResults());
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
}
