//===- IntegerFacts.cpp - What is known of integers at a point ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerFacts.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace anneal {

/// No dimension of a tensor reaches 2^47: user address space ends there.
static constexpr int64_t kMaxSize = (int64_t(1) << 47) - 1;

unsigned EqualOperation::getHashValue(const Operation *op) {
  return OperationEquivalence::computeHash(
      const_cast<Operation *>(op), OperationEquivalence::directHashValue,
      OperationEquivalence::ignoreHashValue, OperationEquivalence::IgnoreLocations);
}

bool EqualOperation::isEqual(const Operation *a, const Operation *b) {
  if (a == b)
    return true;
  if (a == getTombstoneKey() || a == getEmptyKey() || b == getTombstoneKey() || b == getEmptyKey())
    return false;
  return OperationEquivalence::isEquivalentTo(const_cast<Operation *>(a),
                                              const_cast<Operation *>(b),
                                              OperationEquivalence::IgnoreLocations);
}

/// Whether `a` is defined before `b`, both being visible at one point.
static bool isDefinedBefore(Value a, Value b) {
  Block *blockA = a.getParentBlock(), *blockB = b.getParentBlock();
  if (blockA != blockB)
    return blockA->getParent()->isAncestor(blockB->getParent());
  Operation *opA = a.getDefiningOp(), *opB = b.getDefiningOp();
  if (!opA || !opB)
    return !opA;
  return opA != opB && opA->isBeforeInBlock(opB);
}

Value IntegerFacts::representative(Value value) {
  while (Value next = equal.lookup(value))
    value = next;
  return value;
}

void IntegerFacts::learnEqual(Value a, Value b) {
  a = representative(a);
  b = representative(b);
  if (a == b)
    return;
  bool aIsConstant = matchPattern(a, m_Constant()), bIsConstant = matchPattern(b, m_Constant());
  if (aIsConstant && bIsConstant)
    return;
  if (bIsConstant || (!aIsConstant && isDefinedBefore(b, a)))
    std::swap(a, b);
  refine(a, rangeOf(b));
  equal.insert(b, a);
}

/// The range of a value of the left side of `lhs predicate constant`, where it holds.
static std::optional<ConstantIntRanges> rangeWhere(arith::CmpIPredicate predicate,
                                                   const APInt &constant) {
  unsigned width = constant.getBitWidth();
  APInt lowest = APInt::getSignedMinValue(width), highest = APInt::getSignedMaxValue(width);
  switch (predicate) {
  case arith::CmpIPredicate::sge:
    return ConstantIntRanges::fromSigned(constant, highest);
  case arith::CmpIPredicate::sgt:
    if (constant == highest)
      return std::nullopt;
    return ConstantIntRanges::fromSigned(constant + 1, highest);
  case arith::CmpIPredicate::sle:
    return ConstantIntRanges::fromSigned(lowest, constant);
  case arith::CmpIPredicate::slt:
    if (constant == lowest)
      return std::nullopt;
    return ConstantIntRanges::fromSigned(lowest, constant - 1);
  default:
    return std::nullopt;
  }
}

void IntegerFacts::learnBound(arith::CmpIOp compare) {
  APInt constant;
  if (!matchPattern(compare.getRhs(), m_ConstantInt(&constant)))
    return;
  if (std::optional<ConstantIntRanges> range = rangeWhere(compare.getPredicate(), constant))
    refine(compare.getLhs(), *range);
}

void IntegerFacts::learnTrue(Value condition, Value trueValue) {
  if (auto both = condition.getDefiningOp<arith::AndIOp>()) {
    learnTrue(both.getLhs(), trueValue);
    learnTrue(both.getRhs(), trueValue);
  }
  if (auto compare = condition.getDefiningOp<arith::CmpIOp>()) {
    if (compare.getPredicate() == arith::CmpIPredicate::eq)
      learnEqual(compare.getLhs(), compare.getRhs());
    else
      learnBound(compare);
  }
  if (!matchPattern(condition, m_Constant()))
    equal.insert(condition, trueValue);
}

ConstantIntRanges IntegerFacts::rangeOf(Value value) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return ConstantIntRanges::constant(constant);
  if (std::optional<ConstantIntRanges> range = ranges.lookup(value))
    return *range;
  return ConstantIntRanges::maxRange(width);
}

void IntegerFacts::refine(Value value, const ConstantIntRanges &range) {
  if (matchPattern(value, m_Constant()))
    return;
  ConstantIntRanges refined = rangeOf(value).intersection(range);
  // An empty range: the program fails here in any case.
  if (refined.smin().sgt(refined.smax()) || refined.umin().ugt(refined.umax()))
    return;
  ranges.insert(value, refined);
}

void IntegerFacts::learnResultRanges(Operation *op) {
  auto interface = dyn_cast<InferIntRangeInterface>(op);
  if (!interface || matchPattern(op, m_Constant()))
    return;
  SmallVector<IntegerValueRange> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<IntegerType, IndexType>(operand.getType())
                           ? IntegerValueRange(rangeOf(operand))
                           : IntegerValueRange::getMaxRange(operand));
  interface.inferResultRangesFromOptional(
      operands, [&](Value result, const IntegerValueRange &range) {
        if (range.isUninitialized() || !isa<IntegerType, IndexType>(result.getType()))
          return;
        refine(result, range.getValue());
      });
  if (isa<tensor::DimOp, linalg::IndexOp>(op))
    refine(op->getResult(0), ConstantIntRanges::fromSigned(APInt(64, 0), APInt(64, kMaxSize)));
}

std::optional<APInt> IntegerFacts::constantValue(Value value) {
  return rangeOf(value).getConstantValue();
}

Value IntegerFacts::decidedExtremum(Operation *op) {
  if (!isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op))
    return {};
  Value a = op->getOperand(0), b = op->getOperand(1);
  ConstantIntRanges rangeA = rangeOf(a), rangeB = rangeOf(b);
  bool isMinimum = isa<arith::MinSIOp, arith::MinUIOp>(op);
  bool isSigned = isa<arith::MinSIOp, arith::MaxSIOp>(op);
  auto isBelow = [&](const ConstantIntRanges &low, const ConstantIntRanges &high) {
    return isSigned ? low.smax().sle(high.smin()) : low.umax().ule(high.umin());
  };
  if (isBelow(rangeA, rangeB))
    return isMinimum ? a : b;
  if (isBelow(rangeB, rangeA))
    return isMinimum ? b : a;
  return {};
}

bool IntegerFacts::mayOverflow(Value value, const APInt &factor) {
  ConstantIntRanges range = rangeOf(value);
  bool low = false, high = false;
  (void)range.smin().smul_ov(factor, low);
  (void)range.smax().smul_ov(factor, high);
  return low || high;
}

Operation *IntegerFacts::findOrRemember(Operation *op) {
  if (Operation *earlier = computed.lookup(op))
    return earlier;
  computed.insert(op, op);
  return nullptr;
}

void IntegerFacts::learnLoop(scf::ForOp loop) {
  if (!loop.getUnsignedCmp() && loop.getInductionVar().getType().isIndex()) {
    ConstantIntRanges lower = rangeOf(loop.getLowerBound()), upper = rangeOf(loop.getUpperBound());
    bool overflow = false;
    APInt last = upper.smax().ssub_ov(APInt(64, 1), overflow);
    if (!overflow && lower.smin().sle(last))
      refine(loop.getInductionVar(), ConstantIntRanges::fromSigned(lower.smin(), last));
  }
  // Each size is taken to be that of the initial value, until an iteration is found to change one.
  SmallVector<std::pair<Value, int64_t>> carried;
  for (auto [argument, init] : llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs())) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    for (int64_t dim = 0; type && dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      carried.push_back({argument, dim});
      invariantSizes[{argument, dim}] = traceSize(init, dim);
    }
  }
  for (bool changed = true; changed;) {
    changed = false;
    for (auto [argument, dim] : carried) {
      auto known = invariantSizes.find({argument, dim});
      if (known == invariantSizes.end())
        continue;
      SizeSource next =
          traceSize(loop.getTiedLoopYieldedValue(cast<BlockArgument>(argument))->get(), dim);
      if (std::optional<SizeSource> outer =
              next.size ? std::nullopt : loopInvariantSize(next.tensor, next.dim))
        next = *outer;
      if (next.size && isa<Value>(next.size))
        next.size = representative(cast<Value>(next.size));
      if (isSameSize(next, known->second))
        continue;
      invariantSizes.erase(known);
      changed = true;
    }
  }
}

std::optional<SizeSource> IntegerFacts::loopInvariantSize(Value tensor, int64_t dim) {
  if (auto result = dyn_cast<OpResult>(tensor)) {
    auto loop = dyn_cast<scf::ForOp>(result.getOwner());
    if (!loop)
      return std::nullopt;
    tensor = loop.getRegionIterArg(result.getResultNumber());
  }
  auto known = invariantSizes.find({tensor, dim});
  if (known == invariantSizes.end())
    return std::nullopt;
  return known->second;
}

} // namespace anneal
