//===- ResolveReshape.cpp - tensor.reshape to collapse and expand ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace anneal {
#define GEN_PASS_DEF_RESOLVERESHAPE
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// How source dimensions go over into target dimensions: collapse each group of `sourceGroups` to
/// one, then expand it to the group of `targetGroups` at the same place.
struct Correspondence {
  SmallVector<ReassociationIndices> sourceGroups, targetGroups;
  /// The numbers of elements are known to agree.
  bool isProven = true;

  void add(int64_t beginSource, int64_t endSource, int64_t beginTarget, int64_t endTarget) {
    sourceGroups.push_back(llvm::to_vector<2>(llvm::seq(beginSource, endSource)));
    targetGroups.push_back(llvm::to_vector<2>(llvm::seq(beginTarget, endTarget)));
  }
  /// Adds dimensions to the last group.
  void extend(int64_t beginSource, int64_t endSource, int64_t beginTarget, int64_t endTarget) {
    llvm::append_range(sourceGroups.back(), llvm::seq(beginSource, endSource));
    llvm::append_range(targetGroups.back(), llvm::seq(beginTarget, endTarget));
  }
};

/// The smallest numbers of leading dimensions with equal products; zeros if there are none.
std::pair<int64_t, int64_t> findEqualPrefix(ArrayRef<OpFoldResult> source,
                                            ArrayRef<OpFoldResult> target) {
  for (size_t numSource = 1; numSource <= source.size(); ++numSource) {
    SizeProduct product = sizeProductOf(source.take_front(numSource));
    for (size_t numTarget = 1; numTarget <= target.size(); ++numTarget)
      if (product == sizeProductOf(target.take_front(numTarget)))
        return {numSource, numTarget};
  }
  return {0, 0};
}

/// Number of trailing dimensions that are the same positive constants.
int64_t countEqualSuffix(ArrayRef<OpFoldResult> source, ArrayRef<OpFoldResult> target) {
  int64_t count = 0;
  for (auto [a, b] : llvm::zip(llvm::reverse(source), llvm::reverse(target))) {
    std::optional<int64_t> constant = getConstantIntValue(a);
    if (!constant || *constant <= 0 || constant != getConstantIntValue(b))
      break;
    ++count;
  }
  return count;
}

/// Finds the finest groups of equal products from the left, then equal constants from the right;
/// what is left over between them is one group, whose sizes are to be checked when it runs. Both
/// ranks are at least one.
Correspondence findCorrespondence(ArrayRef<OpFoldResult> source, ArrayRef<OpFoldResult> target) {
  Correspondence result;
  int64_t numSource = source.size(), numTarget = target.size();
  int64_t i = 0, j = 0;
  while (i < numSource && j < numTarget) {
    auto [groupSource, groupTarget] = findEqualPrefix(source.drop_front(i), target.drop_front(j));
    if (groupSource == 0)
      break;
    result.add(i, i + groupSource, j, j + groupTarget);
    i += groupSource;
    j += groupTarget;
  }
  if (i == numSource && j == numTarget)
    return result;
  bool restIsOne = sizeProductOf(source.drop_front(i)) == SizeProduct() &&
                   sizeProductOf(target.drop_front(j)) == SizeProduct();
  if (restIsOne && i > 0) {
    result.extend(i, numSource, j, numTarget);
    return result;
  }

  result.isProven = false;
  // Where what is matched so far may be empty, equal numbers of elements say nothing of the rest.
  bool hasElements = llvm::all_of(target.take_front(j), [](OpFoldResult size) {
    return getConstantIntValue(size).value_or(0) > 0;
  });
  if (!hasElements) {
    result = Correspondence();
    result.isProven = false;
    i = j = 0;
  }
  int64_t suffix = countEqualSuffix(source.drop_front(i), target.drop_front(j));
  // One dimension cannot become one of another size, nor none: such a rest takes a neighbour in.
  auto isUnfit = [&] {
    int64_t restSource = numSource - suffix - i, restTarget = numTarget - suffix - j;
    return restSource == 0 || restTarget == 0 || (restSource == 1 && restTarget == 1);
  };
  if (isUnfit() && suffix > 0)
    --suffix;
  int64_t endSource = numSource - suffix, endTarget = numTarget - suffix;
  if (isUnfit() && i > 0)
    result.extend(i, endSource, j, endTarget);
  else
    result.add(i, endSource, j, endTarget);
  for (; endSource < numSource; ++endSource, ++endTarget)
    result.add(endSource, endSource + 1, endTarget, endTarget + 1);
  return result;
}

/// Whether a tensor of these sizes is known to have no elements.
bool hasZero(ArrayRef<OpFoldResult> sizes) {
  return llvm::any_of(sizes, [](OpFoldResult size) { return isConstantIntValue(size, 0); });
}

/// The resolution of one `tensor.reshape`.
class ReshapeResolver {
public:
  ReshapeResolver(RewriterBase &rewriter, tensor::ReshapeOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()) {}

  LogicalResult run() {
    auto sourceType = dyn_cast<RankedTensorType>(op.getSource().getType());
    auto resultType = dyn_cast<RankedTensorType>(op.getResult().getType());
    if (!sourceType || !resultType)
      return rewriter.notifyMatchFailure(op, "ranks are not known");
    rewriter.setInsertionPoint(op);
    Value source = withoutCasts(op.getSource());
    SmallVector<OpFoldResult> sourceSizes = sizesOf(rewriter, loc, source);
    SmallVector<OpFoldResult> targetSizes = readShape(resultType);
    Value value = reshape(source, sourceSizes, targetSizes);
    if (value.getType() != resultType)
      value = tensor::CastOp::create(rewriter, loc, resultType, value);
    rewriter.replaceOp(op, value);
    return success();
  }

private:
  /// `tensor` before casts that only forget static sizes.
  static Value withoutCasts(Value tensor) {
    while (auto castOp = tensor.getDefiningOp<tensor::CastOp>()) {
      auto type = dyn_cast<RankedTensorType>(castOp.getSource().getType());
      if (!type || !tensor::preservesStaticInformation(castOp.getType(), type))
        break;
      tensor = castOp.getSource();
    }
    return tensor;
  }

  /// The sizes that the result has: from its type, and from the shape operand where that leaves
  /// them open.
  SmallVector<OpFoldResult> readShape(RankedTensorType resultType) {
    Value shape = withoutCasts(op.getShape());
    auto elements = shape.getDefiningOp<tensor::FromElementsOp>();
    DenseIntElementsAttr constants;
    matchPattern(shape, m_Constant(&constants));
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim = 0; dim < resultType.getRank(); ++dim) {
      if (!resultType.isDynamicDim(dim))
        sizes.push_back(rewriter.getIndexAttr(resultType.getDimSize(dim)));
      else if (constants)
        sizes.push_back(rewriter.getIndexAttr(constants.getValues<APInt>()[dim].getSExtValue()));
      else if (elements)
        sizes.push_back(toIndex(elements.getElements()[dim]));
      else
        sizes.push_back(toIndex(extract(shape, dim)));
    }
    return sizes;
  }

  Value extract(Value shape, int64_t position) {
    Value index = arith::ConstantIndexOp::create(rewriter, loc, position);
    return tensor::ExtractOp::create(rewriter, loc, shape, index);
  }

  OpFoldResult toIndex(Value size) {
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      return rewriter.getIndexAttr(*constant);
    if (size.getType().isIndex())
      return size;
    if (auto castOp = size.getDefiningOp<arith::IndexCastOp>())
      if (castOp.getIn().getType().isIndex())
        return castOp.getIn();
    return arith::IndexCastOp::create(rewriter, loc, rewriter.getIndexType(), size).getResult();
  }

  Value reshape(Value source, ArrayRef<OpFoldResult> sourceSizes,
                ArrayRef<OpFoldResult> targetSizes) {
    if (hasZero(sourceSizes) || hasZero(targetSizes)) {
      if (!hasZero(sourceSizes) || !hasZero(targetSizes))
        checkCount(sourceSizes, targetSizes);
      return makeEmpty(rewriter, loc, targetSizes, op.getType().getElementType());
    }
    if (sourceSizes.empty() || targetSizes.empty()) {
      if (!(sizeProductOf(sourceSizes) == sizeProductOf(targetSizes)))
        checkCount(sourceSizes, targetSizes);
      Value collapsed = collapse(rewriter, loc, source, ArrayRef<ReassociationIndices>{});
      return expand(rewriter, loc, collapsed, ArrayRef<ReassociationIndices>{}, targetSizes);
    }
    Correspondence groups = findCorrespondence(sourceSizes, targetSizes);
    if (!groups.isProven)
      checkCount(sourceSizes, targetSizes);
    Value collapsed = collapse(rewriter, loc, source, groups.sourceGroups);
    return expand(rewriter, loc, collapsed, groups.targetGroups, targetSizes);
  }

  /// Run-time check that both shapes have as many elements, and no negative size.
  void checkCount(ArrayRef<OpFoldResult> sourceSizes, ArrayRef<OpFoldResult> targetSizes) {
    auto toValue = [&](OpFoldResult size) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, size);
    };
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                       toValue(productOf(rewriter, loc, sourceSizes)),
                                       toValue(productOf(rewriter, loc, targetSizes)));
    for (OpFoldResult size : targetSizes) {
      if (getConstantIntValue(size))
        continue;
      Value isSize =
          arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sge, toValue(size), zero);
      fits = arith::AndIOp::create(rewriter, loc, fits, isSize);
    }
    cf::AssertOp::create(rewriter, loc, fits,
                         "tensor.reshape: the new shape has another number of elements");
  }

  RewriterBase &rewriter;
  tensor::ReshapeOp op;
  Location loc;
};

struct ResolveReshapePass : impl::ResolveReshapeBase<ResolveReshapePass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<tensor::ReshapeOp> reshapes;
    getOperation().walk([&](tensor::ReshapeOp op) { reshapes.push_back(op); });
    for (tensor::ReshapeOp op : reshapes)
      (void)ReshapeResolver(rewriter, op).run();
  }
};

} // namespace
} // namespace anneal
