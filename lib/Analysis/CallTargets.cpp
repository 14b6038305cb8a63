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
