//===- UnitRules.cpp - Which operations make a unit -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitRules.h"

#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace anneal {

bool isFillOrBroadcast(linalg::LinalgOp op) {
  if (isa<linalg::FillOp>(op))
    return op->getNumResults() == 1;
  if (op.getNumDpsInits() != 1 || op.getNumDpsInputs() > 1 ||
      op.getNumParallelLoops() != op.getNumLoops() || op->getNumResults() != 1)
    return false;
  OpOperand *init = op.getDpsInitOperand(0);
  if (!overwrites(op, *init) || !op.getMatchingIndexingMap(init).isIdentity())
    return false;
  Operation *yield = op.getBlock()->getTerminator();
  if (&op.getBlock()->front() != yield)
    return false;
  if (op.getNumDpsInputs() == 0)
    return true;
  OpOperand *input = op.getDpsInputOperand(0);
  if (op.isScalar(input))
    return true;
  AffineMap map = op.getMatchingIndexingMap(input);
  return map.isProjectedPermutation(/*allowZeroInResults=*/true) && !map.isPermutation() &&
         map.getNumResults() - llvm::count_if(map.getResults(), llvm::IsaPred<AffineConstantExpr>) <
             map.getNumDims();
}

bool isUnitElementwise(linalg::LinalgOp op) {
  return op.getNumDpsInits() > 0 && op.getNumParallelLoops() == op.getNumLoops() &&
         llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return op.getMatchingIndexingMap(&init).isIdentity();
         });
}

bool canBeInUnit(Operation *op) {
  auto structured = dyn_cast<linalg::LinalgOp>(op);
  auto pad = dyn_cast<tensor::PadOp>(op);
  return (structured && structured.hasPureTensorSemantics()) ||
         (pad && pad.getConstantPaddingValue());
}

bool writesWhatOtherReads(linalg::LinalgOp writer, linalg::LinalgOp reader) {
  return llvm::any_of(writer.getDpsInitsMutable(), [&](OpOperand &init) {
    return !overwrites(writer, init) && !init.get().getDefiningOp<tensor::EmptyOp>() &&
           llvm::any_of(reader.getDpsInputOperands(), [&](OpOperand *input) {
             return input->get() == init.get() &&
                    !reader.getMatchingIndexingMap(input).isIdentity();
           });
  });
}

} // namespace anneal
