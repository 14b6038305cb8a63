//===- StructuredOps.cpp - What kind a structured op is -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace anneal {

/// Nothing in the body has an effect but `cf.assert`.
static bool hasQuietBody(linalg::LinalgOp op) {
  return llvm::all_of(op.getBlock()->without_terminator(), [](Operation &inner) {
    return isa<cf::AssertOp>(inner) || isMemoryEffectFree(&inner);
  });
}

bool isElementwise(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumParallelLoops() != op.getNumLoops() ||
      isa<linalg::FillOp>(op) || op->getNumResults() == 0)
    return false;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (op.payloadUsesValueFromOperand(&init) || !op.getMatchingIndexingMap(&init).isPermutation())
      return false;
  return hasQuietBody(op);
}

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

bool isAnchor(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() == 0)
    return false;
  Block *block = op.getBlock();
  Value yielded = block->getTerminator()->getOperand(0);
  BlockArgument out = op.getMatchingBlockArgument(op.getDpsInitOperand(0));
  if (!isMultiplyAdd(yielded, out, block))
    return false;
  return op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isProjectedPermutation();
}

bool isPlainReduction(linalg::LinalgOp op) {
  if (!isa<linalg::GenericOp, linalg::ReduceOp>(op.getOperation()) ||
      !op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0 || isAnchor(op) ||
      !hasQuietBody(op))
    return false;
  bool isCovered = false;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return false;
    isCovered |= op.isDpsInput(&operand) && visitsEachPointOnce(map, op);
  }
  return isCovered;
}

bool overwrites(linalg::LinalgOp op, OpOperand &init) {
  if (op.payloadUsesValueFromOperand(&init))
    return false;
  auto type = cast<ShapedType>(init.get().getType());
  llvm::SmallBitVector isWritten(op.getNumLoops());
  for (auto [dim, index] : llvm::enumerate(op.getMatchingIndexingMap(&init).getResults())) {
    if (auto constant = dyn_cast<AffineConstantExpr>(index)) {
      if (constant.getValue() != 0 || type.getDimSize(dim) != 1)
        return false;
      continue;
    }
    auto loop = dyn_cast<AffineDimExpr>(index);
    if (!loop || isWritten.test(loop.getPosition()))
      return false;
    isWritten.set(loop.getPosition());
  }
  // A loop besides must run: else nothing is written.
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (unsigned loop = 0; loop < sizes.size(); ++loop)
    if (!isWritten.test(loop) && (ShapedType::isDynamic(sizes[loop]) || sizes[loop] == 0))
      return false;
  return true;
}

bool hasAssert(linalg::LinalgOp op) { return !op.getBlock()->getOps<cf::AssertOp>().empty(); }

unsigned countBodyOps(linalg::LinalgOp op) {
  return llvm::count_if(op.getBlock()->without_terminator(),
                        [](Operation &inner) { return !isa<linalg::IndexOp>(inner); });
}

bool visitsEachPointOnce(AffineMap map, linalg::LinalgOp op) {
  if (map.isPermutation())
    return true;
  llvm::SmallBitVector seen(map.getNumDims());
  for (AffineExpr expr : map.getResults()) {
    if (isa<AffineConstantExpr>(expr))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || seen.test(dim.getPosition()))
      return false;
    seen.set(dim.getPosition());
  }
  if (seen.all())
    return true;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  seen.flip();
  return llvm::all_of(seen.set_bits(), [&](unsigned dim) { return sizes[dim] == 1; });
}

} // namespace anneal
