//===- UnitRules.cpp - Which operations make a unit -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitRules.h"

#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace anneal {

/// Collects the arguments of `block` on which `value` depends.
static void collectArguments(Value value, Block *block, llvm::SmallPtrSetImpl<Value> &arguments) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() == block)
      arguments.insert(value);
    return;
  }
  Operation *op = value.getDefiningOp();
  if (op->getBlock() != block)
    return;
  for (Value operand : op->getOperands())
    collectArguments(operand, block, arguments);
}

/// Whether `value` is `out + a * b` (for i1: `out or (a and b)`), where `a` and `b` depend on
/// different arguments of the block and on none in common.
static bool isMultiplyAdd(Value value, Value out, Block *block) {
  Operation *add = value.getDefiningOp();
  if (!add || !isa<arith::AddFOp, arith::AddIOp, arith::OrIOp>(add))
    return false;
  Value product = add->getOperand(0) == out ? add->getOperand(1) : add->getOperand(0);
  if (!llvm::is_contained(add->getOperands(), out) || product == out)
    return false;
  Operation *multiply = product.getDefiningOp();
  if (!multiply || !isa<arith::MulFOp, arith::MulIOp, arith::AndIOp>(multiply))
    return false;
  llvm::SmallPtrSet<Value, 4> left, right;
  collectArguments(multiply->getOperand(0), block, left);
  collectArguments(multiply->getOperand(1), block, right);
  return !left.empty() && !right.empty() && !left.contains(out) && !right.contains(out) &&
         llvm::none_of(left, [&](Value argument) { return right.contains(argument); });
}

bool isMultiplyAddAnchor(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return false;
  Block *block = op.getBlock();
  Value yielded = block->getTerminator()->getOperand(0);
  BlockArgument out = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  if (!isMultiplyAdd(yielded, out, block))
    return false;
  return op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isProjectedPermutation();
}

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

} // namespace anneal
