//===- RaiseOneHot.cpp - One-hot times a table is a gather ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantReader.h"
#include "ShapeUtils.h"
#include "anneal/Transforms/Passes.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace anneal {
#define GEN_PASS_DEF_RAISEONEHOT
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// A scalar of an element-wise body: a value there, and the op whose body it is in. `loops` maps
/// the loops of the op that the search began at to those of this one.
struct BodyValue {
  linalg::LinalgOp op;
  Value value;
  AffineMap loops;
};

/// A tensor and how its elements are reached.
struct Access {
  Value tensor;
  AffineMap map;
};

/// What a one-hot tensor is made from: its last dimension counts the classes, and an element is one
/// where the class is the value at `labels`, else zero.
struct OneHot {
  linalg::LinalgOp op;
  Access labels;
  int64_t numClasses;
};

/// Goes from a block argument to what the element-wise op that made the operand yields.
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
    if (!select || !matchPattern(select.getTrueValue(), m_OneFloat()) ||
        !matchPattern(select.getFalseValue(), m_PosZeroFloat()))
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

/// The rewriting of one product.
class OneHotRaiser {
public:
  OneHotRaiser(RewriterBase &rewriter, linalg::MatmulOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()) {}

  void run() {
    Value lhs = op.getInputs()[0], table = op.getInputs()[1];
    if (!op.hasPureTensorSemantics() || op.hasUserDefinedMaps() || !isPlusZero(op.getOutputs()[0]))
      return;
    SmallVector<ReassociationIndices> groups{{0}, {1}};
    if (auto collapseOp = lhs.getDefiningOp<tensor::CollapseShapeOp>()) {
      groups = collapseOp.getReassociationIndices();
      lhs = collapseOp.getSrc();
    }
    Type element = getElementTypeOrSelf(table);
    std::optional<OneHot> oneHot = OneHotMatcher().match(lhs);
    if (!oneHot || groups.back().size() != 1 || !isa<FloatType>(element) ||
        element != getElementTypeOrSelf(lhs) ||
        element != getElementTypeOrSelf(op.getOutputs()[0]) || !isFinite(table))
      return;
    rewriter.setInsertionPoint(op);
    Value rows = gatherRows(*oneHot, table, lhs);
    Value result = collapse(rewriter, loc, rows, groups);
    if (result.getType() != op.getResult(0).getType())
      result = tensor::CastOp::create(rewriter, loc, op.getResult(0).getType(), result);
    rewriter.replaceOp(op, result);
  }

private:
  static bool isPlusZero(Value tensor) {
    auto fill = tensor.getDefiningOp<linalg::FillOp>();
    return fill && matchPattern(fill.value(), m_PosZeroFloat());
  }

  /// Row `label` of the table for each label; zeros for a label that is no class.
  Value gatherRows(const OneHot &oneHot, Value table, Value hot) {
    linalg::LinalgOp hotOp = oneHot.op;
    unsigned numLoops = hotOp.getNumLoops();
    SmallVector<OpFoldResult> sizes = sizesOf(rewriter, loc, hot);
    sizes.back() = sizeOf(rewriter, loc, table, 1);
    Value empty = makeEmpty(rewriter, loc, sizes, getElementTypeOrSelf(table));
    SmallVector<AffineMap> maps{oneHot.labels.map, rewriter.getMultiDimIdentityMap(numLoops)};
    SmallVector<utils::IteratorType> iterators(numLoops, utils::IteratorType::parallel);
    auto body = [&](OpBuilder &b, Location loc, ValueRange arguments) {
      Value label = arguments.front();
      if (!label.getType().isIndex())
        label = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), label);
      Value count = arith::ConstantIndexOp::create(b, loc, oneHot.numClasses);
      Value isClass = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, label, count);
      Value first = arith::ConstantIndexOp::create(b, loc, 0);
      Value row = arith::SelectOp::create(b, loc, isClass, label, first);
      Value column = linalg::IndexOp::create(b, loc, numLoops - 1);
      Value element = tensor::ExtractOp::create(b, loc, table, ValueRange{row, column});
      Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(element.getType(), 0.0));
      // The sum of products starts from +0: a -0 in the table comes out as +0.
      Value sum = arith::AddFOp::create(b, loc, element, zero);
      Value value = arith::SelectOp::create(b, loc, isClass, sum, zero);
      linalg::YieldOp::create(b, loc, value);
    };
    return linalg::GenericOp::create(rewriter, loc, empty.getType(), oneHot.labels.tensor, empty,
                                     maps, iterators, body)
        .getResult(0);
  }

  RewriterBase &rewriter;
  linalg::MatmulOp op;
  Location loc;
};

struct RaiseOneHotPass : impl::RaiseOneHotBase<RaiseOneHotPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::MatmulOp> products;
    getOperation().walk([&](linalg::MatmulOp op) { products.push_back(op); });
    for (linalg::MatmulOp op : products)
      OneHotRaiser(rewriter, op).run();
  }
};

} // namespace
} // namespace anneal
