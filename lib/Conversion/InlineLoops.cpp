//===- InlineLoops.cpp - Loop units back to where they are called ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Conversion/Passes.h"
#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

namespace anneal {
#define GEN_PASS_DEF_INLINELOOPS
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;
using namespace anneal;

namespace {

/// `value` as a tensor of that type, which knows more or less of its sizes.
Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  return value.getType() == type ? value : tensor::CastOp::create(builder, loc, type, value);
}

/// Puts the body of `unit` in place of the call. Its loops say what unit they are.
void inlineAt(jit::InvokeOp invoke, jit::UnitOp unit) {
  OpBuilder builder(invoke);
  IRMapping mapping;
  for (auto [argument, operand] : llvm::zip(unit.getArguments(), invoke.getOperands()))
    mapping.map(argument, castTo(builder, invoke.getLoc(), operand, argument.getType()));
  for (Operation &op : unit.getBody().front().without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    if (isa<LoopLikeOpInterface>(copy))
      copy->setAttr(jit::JitDialect::kLoopUnitAttrName, FlatSymbolRefAttr::get(unit));
  }
  for (auto [result, value] : llvm::zip(invoke.getResults(), unit.getReturn().getOperands()))
    result.replaceAllUsesWith(
        castTo(builder, invoke.getLoc(), mapping.lookup(value), result.getType()));
  // One tensor may be the destination of several results.
  llvm::SetVector<Value> destinations(invoke.getOutputs().begin(), invoke.getOutputs().end());
  invoke.erase();
  for (Value destination : destinations)
    if (auto empty = destination.getDefiningOp<tensor::EmptyOp>(); empty && empty->use_empty())
      empty.erase();
}

class InlineLoops : public anneal::impl::InlineLoopsBase<InlineLoops> {
public:
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<jit::InvokeOp> calls;
      function.walk([&](jit::InvokeOp invoke) { calls.push_back(invoke); });
      for (jit::InvokeOp invoke : calls)
        if (auto unit = symbols.lookup<jit::UnitOp>(invoke.getCallee()); unit && unit.callsUnits())
          inlineAt(invoke, unit);
    }
  }
};

} // namespace
