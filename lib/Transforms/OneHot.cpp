//===- OneHot.cpp - Tensors that are one-hot by how they are made ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OneHot.h"

#include "ConstantReader.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace anneal {

/// The number 1, of floats or integers; 0 without a sign.
static bool isOne(Value value) {
  return matchPattern(value, m_OneFloat()) || matchPattern(value, m_One());
}
static bool isZero(Value value) {
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

BodyValue enterProducer(BodyValue at) {
  while (auto argument = dyn_cast<BlockArgument>(at.value)) {
    if (argument.getOwner() != at.op.getBlock())
      break;
    OpOperand *operand = at.op.getMatchingOpOperand(argument);
    auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
    if (!at.op.isDpsInput(operand) || !producer || !isElementwise(producer) || hasAssert(producer))
      break;
    auto result = cast<OpResult>(operand->get());
    AffineMap access = at.op.getMatchingIndexingMap(operand).compose(at.loops);
    AffineMap loops =
        inversePermutation(producer.getIndexingMapMatchingResult(result)).compose(access);
    Value yielded = producer.getBlock()->getTerminator()->getOperand(result.getResultNumber());
    at = {producer, yielded, loops};
  }
  return at;
}

namespace {

class OneHotMatcher {
public:
  /// Whether `tensor` is one-hot along its last dimension.
  std::optional<OneHot> match(Value tensor) {
    auto op = tensor.getDefiningOp<linalg::LinalgOp>();
    if (!op || !isElementwise(op) || hasAssert(op) || op.getNumLoops() == 0)
      return std::nullopt;
    auto result = cast<OpResult>(tensor);
    if (!op.getIndexingMapMatchingResult(result).isIdentity())
      return std::nullopt;
    AffineMap identity = AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext());
    Value yielded = op.getBlock()->getTerminator()->getOperand(result.getResultNumber());
    std::optional<BodyValue> isHot = matchZeroOne(enterProducer({op, yielded, identity}));
    if (!isHot)
      return std::nullopt;
    return matchCompare(op, *isHot, cast<RankedTensorType>(tensor.getType()).getShape().back());
  }

private:
  /// `condition ? 1.0 : 0.0`, in one of its forms.
  std::optional<BodyValue> matchZeroOne(BodyValue at) {
    Operation *definition = at.value.getDefiningOp();
    if (isa_and_nonnull<arith::UIToFPOp, arith::ExtUIOp, arith::SIToFPOp>(definition)) {
      Value operand = definition->getOperand(0);
      bool isBit = operand.getType().isInteger(1);
      if (isBit == isa<arith::SIToFPOp>(definition))
        return std::nullopt;
      BodyValue inner = enterProducer({at.op, operand, at.loops});
      return isBit ? std::optional(inner) : matchZeroOne(inner);
    }
    auto select = dyn_cast_or_null<arith::SelectOp>(definition);
    if (!select || !isOne(select.getTrueValue()) || !isZero(select.getFalseValue()))
      return std::nullopt;
    return enterProducer({at.op, select.getCondition(), at.loops});
  }

  /// `label == class`, either way round.
  std::optional<OneHot> matchCompare(linalg::LinalgOp op, BodyValue at, int64_t numClasses) {
    auto compare = at.value.getDefiningOp<arith::CmpIOp>();
    if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
        ShapedType::isDynamic(numClasses))
      return std::nullopt;
    for (unsigned side : {0u, 1u}) {
      BodyValue label = enterProducer({at.op, compare->getOperand(side), at.loops});
      BodyValue number = enterProducer({at.op, compare->getOperand(1 - side), at.loops});
      std::optional<Access> labels = matchLabel(op, label);
      if (labels && countsClasses(op, number, numClasses))
        return OneHot{op, *labels, numClasses};
    }
    return std::nullopt;
  }

  static std::optional<Access> accessOf(BodyValue at) {
    auto argument = dyn_cast<BlockArgument>(at.value);
    if (!argument || argument.getOwner() != at.op.getBlock())
      return std::nullopt;
    OpOperand *operand = at.op.getMatchingOpOperand(argument);
    return Access{operand->get(), at.op.getMatchingIndexingMap(operand).compose(at.loops)};
  }

  /// An integer read from a tensor at a place that does not depend on the class.
  std::optional<Access> matchLabel(linalg::LinalgOp op, BodyValue at) {
    std::optional<Access> access = accessOf(at);
    if (!access || !isa<RankedTensorType>(access->tensor.getType()) ||
        access->map.isFunctionOfDim(op.getNumLoops() - 1) ||
        !access->map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return std::nullopt;
    return access;
  }

  /// The number of the class itself: the last loop's counter, or a constant that holds 0, 1, 2 ….
  bool countsClasses(linalg::LinalgOp op, BodyValue at, int64_t numClasses) {
    unsigned last = op.getNumLoops() - 1;
    Value value = at.value;
    if (auto castOp = value.getDefiningOp<arith::IndexCastOp>())
      value = castOp.getIn();
    if (auto index = value.getDefiningOp<linalg::IndexOp>())
      return at.loops.getResult(index.getDim()) == getAffineDimExpr(last, op.getContext());
    std::optional<Access> access = accessOf(at);
    if (!access)
      return false;
    for (AffineExpr expr : access->map.getResults())
      if (expr != getAffineDimExpr(last, op.getContext()) && !isa<AffineConstantExpr>(expr))
        return false;
    return access->map.isFunctionOfDim(last) && isIota(access->tensor, numClasses);
  }
};

} // namespace

std::optional<OneHot> matchOneHot(Value tensor) { return OneHotMatcher().match(tensor); }

} // namespace anneal
