//===- BufferizeFunctions.cpp - Tensors of functions to buffers -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckHost.h"
#include "FunctionBuilder.h"

#include "anneal/Conversion/Passes.h"
#include "anneal/Conversion/PlanBuilder.h"
#include "anneal/IR/JitOps.h"
#include "anneal/Transforms/ReshapeTypes.h"
#include "anneal/Transforms/SliceForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

#define DEBUG_TYPE "jit-bufferize-functions"

namespace anneal {
#define GEN_PASS_DEF_BUFFERIZEFUNCTIONS
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;

/// Replaces each use of `tensor` by a read of `memory`, which holds it and is never written. The
/// analysis looks, for each read of a tensor, at all others: it has one of each here, where it
/// would have as many as there are users of a weight.
static void readAtEachUse(Value tensor, Value memory) {
  for (OpOperand &use : llvm::make_early_inc_range(tensor.getUses())) {
    if (use.getOwner() == memory.getDefiningOp())
      continue;
    OpBuilder builder(use.getOwner());
    use.set(bufferization::ToTensorOp::create(builder, memory.getLoc(), tensor.getType(), memory,
                                              /*restrict=*/true, /*writable=*/false));
  }
}

namespace {

/// Makes the results of calls of the init function constants that are only read.
class InitCalls {
public:
  explicit InitCalls(ModuleOp module) : symbols(module) {}

  LogicalResult replaceIn(func::FuncOp function) {
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) {
      if (call.getCallee() == anneal::kInitFunctionName)
        calls.push_back(call);
    });
    for (func::CallOp call : calls) {
      if (!llvm::all_of(call.getResultTypes(), llvm::IsaPred<RankedTensorType>))
        return call.emitError() << "the init function must give tensors only";
      replace(call);
    }
    return success();
  }

private:
  void replace(func::CallOp call) {
    OpBuilder builder(call);
    for (OpResult result : call.getResults()) {
      auto tensor = cast<RankedTensorType>(result.getType());
      auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
      memref::GlobalOp global = globalFor(result, type);
      Value memory = memref::GetGlobalOp::create(builder, call.getLoc(), type, global.getSymName());
      readAtEachUse(result, memory);
    }
    call.erase();
  }

  memref::GlobalOp globalFor(OpResult result, MemRefType type) {
    memref::GlobalOp &global = globals[result.getResultNumber()];
    if (global)
      return global;
    OpBuilder builder(type.getContext());
    std::string name = (anneal::kInitFunctionName + "_" + Twine(result.getResultNumber())).str();
    global =
        memref::GlobalOp::create(builder, result.getLoc(), name, builder.getStringAttr("private"),
                                 type, Attribute(), /*constant=*/false, IntegerAttr());
    global->setAttr(anneal::kInitResultAttrName,
                    builder.getI64IntegerAttr(result.getResultNumber()));
    symbols.insert(global);
    return global;
  }

  SymbolTable symbols;
  llvm::DenseMap<unsigned, memref::GlobalOp> globals;
};

/// Gives tensor constants memory. One-Shot Bufferize would do the same, but look through all
/// globals of the module for each.
class Constants {
public:
  explicit Constants(ModuleOp module) : module(module), symbols(module) {}

  void replaceIn(func::FuncOp function) {
    SmallVector<arith::ConstantOp> constants;
    function.walk([&](arith::ConstantOp constant) {
      auto type = dyn_cast<RankedTensorType>(constant.getType());
      if (type && !type.getEncoding())
        constants.push_back(constant);
    });
    for (arith::ConstantOp constant : constants)
      replace(constant);
  }

private:
  void replace(arith::ConstantOp constant) {
    OpBuilder builder(constant);
    auto tensor = cast<RankedTensorType>(constant.getType());
    auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
    Value memory = memref::GetGlobalOp::create(builder, constant.getLoc(), type,
                                               globalFor(constant, type).getSymName());
    readAtEachUse(constant.getResult(), memory);
    constant.erase();
  }

  memref::GlobalOp globalFor(arith::ConstantOp constant, MemRefType type) {
    memref::GlobalOp &global = globals[constant.getValue()];
    if (global)
      return global;
    OpBuilder builder(type.getContext());
    std::string name;
    llvm::raw_string_ostream stream(name);
    stream << "__constant_";
    llvm::interleave(type.getShape(), stream, "x");
    stream << (type.getRank() ? "x" : "") << type.getElementType();
    global = memref::GlobalOp::create(builder, constant.getLoc(), name,
                                      builder.getStringAttr("private"), type, constant.getValue(),
                                      /*constant=*/true, builder.getI64IntegerAttr(64));
    symbols.insert(global);
    global->moveBefore(&module.front());
    return global;
  }

  ModuleOp module;
  SymbolTable symbols;
  llvm::DenseMap<Attribute, memref::GlobalOp> globals;
};

/// Our decisions in the terms of One-Shot Bufferize.
bufferization::OneShotBufferizationOptions makeOptions() {
  bufferization::OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.allowReturnAllocsFromLoops = true;
  options.setFunctionBoundaryTypeConversion(bufferization::LayoutMapOption::IdentityLayoutMap);
  options.unknownTypeConverterFn = [](TensorType type, Attribute memorySpace,
                                      const bufferization::BufferizationOptions &) {
    return bufferization::getMemRefTypeWithStaticIdentityLayout(type, memorySpace);
  };
  options.opFilter.denyOperation([](Operation *op) {
    return isa<anneal::jit::UnitOp>(op) || op->getParentOfType<anneal::jit::UnitOp>();
  });
  return options;
}

class BufferizeFunctions : public anneal::impl::BufferizeFunctionsBase<BufferizeFunctions> {
public:
  void runOnOperation() override {
    ModuleOp module = getOperation();
    InitCalls initCalls(module);
    Constants constants(module);
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      if (failed(anneal::checkHost(function)) || failed(initCalls.replaceIn(function)))
        return signalPassFailure();
      constants.replaceIn(function);
      for (BlockArgument argument : function.getArguments())
        if (auto tensor = dyn_cast<RankedTensorType>(argument.getType()))
          keepArgument(function, argument, tensor);
      anneal::replaceEmptyCollapses(function);
      anneal::makeDroppedDimsClear(function);
    }
    bufferization::BufferizationState state;
    if (failed(bufferization::runOneShotModuleBufferize(module, makeOptions(), state)))
      return signalPassFailure();
    bufferization::removeBufferizationAttributesInModule(module);
  }

private:
  /// The caller's tensors are read only.
  static void keepArgument(func::FuncOp function, BlockArgument argument, RankedTensorType tensor) {
    function.setArgAttr(argument.getArgNumber(),
                        bufferization::BufferizationDialect::kWritableAttrName,
                        BoolAttr::get(function.getContext(), false));
    OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
    readAtEachUse(argument, bufferization::ToBufferOp::create(
                                builder, argument.getLoc(),
                                bufferization::getMemRefTypeWithStaticIdentityLayout(tensor),
                                argument, /*readOnly=*/true));
  }
};

} // namespace
