//===- OperandsFirst.h - Scalars after what they are made of ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ANALYSIS_OPERANDSFIRST_H
#define ANNEAL_LIB_ANALYSIS_OPERANDSFIRST_H

#include "mlir/IR/Operation.h"

namespace anneal {

/// Fills `known`, a map from values, with `compute(value)` for `root` and, before it, for the
/// scalars that it is computed from, without recursion: a chain of operations may be longer than
/// the stack is deep. `resolve` says which value stands for an operand.
template <typename Map, typename Resolve, typename Compute>
void computeOperandsFirst(mlir::Value root, Map &known, Resolve resolve, Compute compute) {
  llvm::SmallVector<mlir::Value> pending{root};
  while (!pending.empty()) {
    mlir::Value next = pending.back();
    if (known.contains(next)) {
      pending.pop_back();
      continue;
    }
    size_t numPending = pending.size();
    if (mlir::Operation *op = next.getDefiningOp())
      for (mlir::Value operand : llvm::reverse(op->getOperands()))
        if (mlir::Value value = resolve(operand);
            value.getType().isIntOrIndexOrFloat() && !known.contains(value))
          pending.push_back(value);
    if (pending.size() > numPending)
      continue;
    // In two steps, since it may add others.
    auto result = compute(next);
    known[next] = result;
    pending.pop_back();
  }
}

} // namespace anneal

#endif // ANNEAL_LIB_ANALYSIS_OPERANDSFIRST_H
