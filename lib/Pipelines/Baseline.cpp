//===- Baseline.cpp - From units to the LLVM dialect ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Pipelines/Pipelines.h"
#include "anneal/Pipelines/Tiers.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

static anneal::CpuLevel levelOf(anneal::BaselineTarget target) {
  if (target == anneal::BaselineTarget::Host)
    return anneal::levelOf(anneal::hostCpuFeatures());
  return static_cast<anneal::CpuLevel>(static_cast<int>(target) - 1);
}

void anneal::populateBaselinePipeline(OpPassManager &pm, const BaselineOptions &options) {
  registerTierPasses();
  unsigned width =
      options.vectorWidth ? options.vectorWidth : vectorWidthOf(::levelOf(options.target));
  std::string error;
  if (failed(parseTierPipeline(baselinePipeline(width), pm, error)))
    llvm::report_fatal_error(StringRef("jit-tier-baseline: " + error));
}

void anneal::registerBaselineDialects(DialectRegistry &registry) {
  registry.insert<LLVM::LLVMDialect>();
  arith::registerConvertArithToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertToLLVMDependentDialectLoading(registry);
}
