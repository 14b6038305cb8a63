//===- WholeFunctions.cpp - Modules of functions compiled whole -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Pipelines/WholeFunctions.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace anneal {
namespace {

bool isTransformScript(Operation &op) {
  return op.getName().getDialectNamespace() == "transform" ||
         (isa<ModuleOp>(op) && op.hasAttr("transform.with_named_sequence"));
}

} // namespace

void dropTransformScripts(ModuleOp module) {
  bool noted = false;
  for (Operation &op : llvm::make_early_inc_range(*module.getBody())) {
    if (!isTransformScript(op))
      continue;
    if (!std::exchange(noted, true))
      emitRemark(op.getLoc()) << "transform scripts in the module are ignored: the lowering is "
                                 "chosen here";
    op.erase();
  }
  module->removeAttr("transform.with_named_sequence");
}

namespace {

/// Whether values of a type cross a call as numbers.
bool isNumber(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

constexpr StringLiteral kLowered = "lowered.";

bool canBeEntry(LLVM::LLVMFuncOp function) {
  LLVM::LLVMFunctionType type = function.getFunctionType();
  return !function.isExternal() && function.getLinkage() == LLVM::Linkage::External &&
         !function.getName().starts_with("_mlir_") && !type.isVarArg() &&
         llvm::all_of(type.getParams(), isNumber) &&
         (isa<LLVM::LLVMVoidType>(type.getReturnType()) || isNumber(type.getReturnType()));
}

} // namespace

void wrapLoweredFunctions(ModuleOp module) {
  module->getContext()->loadDialect<func::FuncDialect>();
  SymbolTable symbols(module);
  for (auto function : llvm::make_early_inc_range(module.getOps<LLVM::LLVMFuncOp>())) {
    std::string name = function.getName().str();
    bool isWrapped = function.getName().starts_with(kLowered) &&
                     symbols.lookup<func::FuncOp>(name.substr(kLowered.size()));
    if (isWrapped || !canBeEntry(function))
      continue;
    if (failed(symbols.rename(function, (kLowered + name).str())))
      continue;
    LLVM::LLVMFunctionType type = function.getFunctionType();
    SmallVector<Type> results;
    if (!isa<LLVM::LLVMVoidType>(type.getReturnType()))
      results.push_back(type.getReturnType());
    ImplicitLocOpBuilder builder(function.getLoc(), module.getBodyRegion());
    auto entry =
        func::FuncOp::create(builder, name, builder.getFunctionType(type.getParams(), results));
    builder.setInsertionPointToStart(entry.addEntryBlock());
    auto call = LLVM::CallOp::create(builder, function, entry.getArguments());
    func::ReturnOp::create(builder, call.getResults());
    symbols.insert(entry);
  }
}

} // namespace anneal
