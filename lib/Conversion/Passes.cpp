//===- Passes.cpp - Registration of the conversion passes -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace anneal {
#define GEN_PASS_REGISTRATION
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

void anneal::populateFormUnitsPipeline(OpPassManager &pm, const FormUnitsOptions &) {
  pm.addNestedPass<func::FuncOp>(createFormRegions());
  pm.addPass(createOutlineUnits());
  pm.addPass(createOutlineLoops());
}

void anneal::populateBufferizeHostPipeline(OpPassManager &pm, const BufferizeHostOptions &) {
  pm.addPass(createInlineLoops());
  pm.addNestedPass<func::FuncOp>(createLowerGuards());
  pm.addNestedPass<func::FuncOp>(createUpdateLoopsInPlace());
  pm.addNestedPass<func::FuncOp>(createWriteSlicesInPlace());
  pm.addPass(createBufferizeFunctions());
  OpPassManager &function = pm.nest<func::FuncOp>();
  function.addPass(createCSEPass());
  // The driver's own work list reaches the fixed point, and there are no branches to simplify.
  GreedyRewriteConfig config;
  config.setMaxIterations(1);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  function.addPass(createCanonicalizerPass(config));
}

void anneal::registerConversionPasses() {
  registerAnnealConversionPasses();
  PassPipelineRegistration<FormUnitsOptions>(
      "jit-form-units",
      "Cut functions into units of compilation: jit-form-regions, jit-outline-units, "
      "jit-outline-loops",
      populateFormUnitsPipeline);
  PassPipelineRegistration<BufferizeHostOptions>(
      "jit-bufferize-host", "Turn the tensors of functions, not those in units, into buffers",
      populateBufferizeHostPipeline);
}
