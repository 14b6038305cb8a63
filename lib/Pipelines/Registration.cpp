//===- Registration.cpp - Names of the pipelines and passes ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Conversion/Passes.h"
#include "anneal/Pipelines/Passes.h"
#include "anneal/Pipelines/Pipelines.h"
#include "anneal/Pipelines/Tiers.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

#include <mutex>

using namespace mlir;

static void registerOnce() {
  anneal::registerTransformsPasses();
  anneal::registerConversionPasses();
  registerPass([] { return anneal::createExtractUnit(); });
  registerPass([] { return createConvertToLLVMPass(); });
  registerPass([] { return createCanonicalizerPass(); });
  registerPass([] { return createCSEPass(); });
  PassPipelineRegistration<anneal::NormalizeOptions>(
      "jit-normalize", "Bring a loaded module into the form that units are made of",
      anneal::populateNormalizePipeline);
  PassPipelineRegistration<anneal::BaselineOptions>(
      "jit-tier-baseline", "Compile units to the LLVM dialect as tier 'baseline' does",
      anneal::populateBaselinePipeline);
}

void anneal::registerTierPasses() {
  static std::once_flag once;
  std::call_once(once, registerOnce);
}
