//===- Baseline.cpp - From units to the LLVM dialect ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Conversion/Passes.h"
#include "anneal/Pipelines/Pipelines.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ConvertToLLVM/ToLLVMPass.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

void anneal::populateBaselinePipeline(OpPassManager &pm, const BaselineOptions &options) {
  LowerUnitBodiesOptions bodies;
  bodies.vectorWidth = options.vectorWidth;
  bodies.maskedMemory = options.vectorWidth >= 16;
  pm.addPass(createLowerUnitBodies(bodies));
  pm.addPass(createExpandMath());
  ConvertToLLVMPassOptions toLLVM;
  toLLVM.filterDialects = {"arith", "math"};
  pm.addPass(createConvertToLLVMPass(toLLVM));
  pm.addPass(createHoistVectorConstants());
}

void anneal::registerBaselineDialects(DialectRegistry &registry) {
  registry.insert<LLVM::LLVMDialect>();
  arith::registerConvertArithToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertToLLVMDependentDialectLoading(registry);
}
