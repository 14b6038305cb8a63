//===- Registration.cpp - Names of the pipelines --------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Pipelines/Pipelines.h"

#include "mlir/Pass/PassRegistry.h"

void anneal::registerPipelines() {
  mlir::PassPipelineRegistration<NormalizeOptions>(
      "jit-normalize", "Bring a loaded module into the form that units are made of",
      populateNormalizePipeline);
  mlir::PassPipelineRegistration<BaselineOptions>(
      "jit-tier-baseline", "Compile units to the LLVM dialect as tier 'baseline' does",
      populateBaselinePipeline);
}
