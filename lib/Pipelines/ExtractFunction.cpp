//===- ExtractFunction.cpp - One function that is compiled whole ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolOption.h"

#include "anneal/Pipelines/Passes.h"
#include "anneal/Pipelines/WholeFunctions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace anneal {
#define GEN_PASS_DEF_EXTRACTFUNCTION
#include "anneal/Pipelines/Passes.h.inc"

namespace {
struct ExtractFunction : impl::ExtractFunctionBase<ExtractFunction> {
  using ExtractFunctionBase::ExtractFunctionBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    dropTransformScripts(module);
    wrapLoweredFunctions(module);
    auto wanted = lookUpNamed<func::FuncOp>(module, function);
    if (!wanted) {
      InFlightDiagnostic error = emitError(module.getLoc())
                                 << "there is no function '" << function << "'; there is ";
      llvm::interleaveComma(module.getOps<func::FuncOp>(), error,
                            [&](func::FuncOp other) { error << "'" << other.getName() << "'"; });
      if (module.getOps<func::FuncOp>().empty())
        error << "none";
      return signalPassFailure();
    }
    for (auto other : module.getOps<func::FuncOp>())
      if (other != wanted)
        other.setPrivate();
    OpPassManager unused(ModuleOp::getOperationName());
    unused.addPass(createSymbolDCEPass());
    if (failed(runPipeline(unused, module)))
      signalPassFailure();
  }
};
} // namespace

} // namespace anneal
