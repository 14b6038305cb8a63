//===- InlineCalls.cpp - Calls inside a module ----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/CallTargets.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

namespace anneal {
#define GEN_PASS_DEF_INLINECALLS
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// Replaces `call` by the body of `callee`, which is one block.
void inlineCall(func::CallOp call, func::FuncOp callee) {
  OpBuilder builder(call);
  IRMapping mapping;
  Block &body = callee.getBody().front();
  mapping.map(body.getArguments(), call.getOperands());
  for (Operation &op : body.without_terminator()) {
    Operation *copy = builder.clone(op, mapping);
    copy->walk(
        [&](Operation *inner) { inner->setLoc(CallSiteLoc::get(inner->getLoc(), call.getLoc())); });
  }
  for (auto [result, value] :
       llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
}

/// Inlines every call in a module, callees first.
class CallInliner {
public:
  explicit CallInliner(ModuleOp module) : symbols(module) {}

  LogicalResult visit(func::FuncOp function) {
    State &state = states[function];
    if (state == State::Done)
      return success();
    if (state == State::Active)
      return emitError(function.getLoc())
             << describeCycle(active, function) << ": recursion is not supported";
    state = State::Active;
    active.push_back(function);
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee || callee.isExternal())
        continue;
      if (failed(visit(callee))) {
        mlir::emitRemark(call.getLoc(), "called here");
        return failure();
      }
      if (callee.getBody().hasOneBlock())
        inlineCall(call, callee);
    }
    states[function] = State::Done;
    active.pop_back();
    return success();
  }

private:
  enum class State { New, Active, Done };

  SymbolTable symbols;
  llvm::DenseMap<Operation *, State> states;
  /// Those that are being visited, each called by the one before.
  SmallVector<Operation *> active;
};

struct InlineCallsPass : impl::InlineCallsBase<InlineCallsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    WalkResult found = module.walk([](func::CallOp) { return WalkResult::interrupt(); });
    if (found.wasInterrupted()) {
      CallInliner inliner(module);
      for (func::FuncOp function : module.getOps<func::FuncOp>())
        if (failed(inliner.visit(function)))
          return signalPassFailure();
    }
    eraseUnused(module);
  }

  /// Erases private functions that nothing refers to any more.
  void eraseUnused(ModuleOp module) {
    if (llvm::none_of(module.getOps<func::FuncOp>(), [](func::FuncOp f) { return f.isPrivate(); }))
      return;
    llvm::DenseSet<StringAttr> used;
    if (std::optional<SymbolTable::UseRange> uses =
            SymbolTable::getSymbolUses(&module.getBodyRegion()))
      for (SymbolTable::SymbolUse use : *uses)
        used.insert(use.getSymbolRef().getRootReference());
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function.isPrivate() && !used.contains(function.getSymNameAttr()))
        function.erase();
  }
};

} // namespace
} // namespace anneal
