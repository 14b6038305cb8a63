//===- CallTargets.cpp - What a call calls --------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/CallTargets.h"

#include "anneal/IR/JitOps.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"

using namespace mlir;

namespace anneal {

bool isCall(Operation *op) { return isa<CallOpInterface, jit::InvokeOp>(op); }

FunctionOpInterface getCallTarget(Operation *call, SymbolTableCollection &symbols) {
  Operation *target = nullptr;
  if (auto invoke = dyn_cast<jit::InvokeOp>(call))
    target = symbols.lookupNearestSymbolFrom(call, invoke.getCalleeAttr());
  else if (auto callOp = dyn_cast<CallOpInterface>(call))
    target = callOp.resolveCallableInTable(&symbols);
  auto function = dyn_cast_or_null<FunctionOpInterface>(target);
  return function && !function.isExternal() ? function : FunctionOpInterface();
}

Value getCallOperand(Operation *call, unsigned number) {
  auto callOp = dyn_cast<CallOpInterface>(call);
  OperandRange operands = callOp ? callOp.getArgOperands() : call->getOperands();
  return number < operands.size() ? operands[number] : Value();
}

SmallVector<Operation *> findCallPath(FunctionOpInterface from, FunctionOpInterface to,
                                      SymbolTableCollection &symbols) {
  // Breadth first; of each function found, the one that called it.
  llvm::DenseMap<Operation *, Operation *> callerOf{{from, nullptr}};
  SmallVector<Operation *> pending{from};
  for (size_t i = 0; i < pending.size() && !callerOf.contains(to); ++i)
    pending[i]->walk([&](Operation *op) {
      FunctionOpInterface target = isCall(op) ? getCallTarget(op, symbols) : FunctionOpInterface();
      if (target && callerOf.try_emplace(target, pending[i]).second)
        pending.push_back(target);
    });
  SmallVector<Operation *> path;
  if (!callerOf.contains(to))
    return path;
  for (Operation *at = to; at; at = callerOf.lookup(at))
    path.push_back(at);
  std::reverse(path.begin(), path.end());
  return path;
}

std::string describeCycle(ArrayRef<Operation *> active, FunctionOpInterface target) {
  auto quoted = [](FunctionOpInterface function) { return "'@" + function.getName().str() + "'"; };
  if (active.back() == target)
    return quoted(target) + " calls itself";
  std::string text = quoted(target) + " calls ";
  for (const auto *next = llvm::find(active, target) + 1; next != active.end(); ++next)
    text += quoted(cast<FunctionOpInterface>(*next)) + ", which calls ";
  return text + quoted(target);
}

} // namespace anneal
