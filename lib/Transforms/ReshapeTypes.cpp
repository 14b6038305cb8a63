//===- ReshapeTypes.cpp - Types of reshapes -------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Transforms/ReshapeTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace anneal {

/// `type` with unknown sizes replaced by those of `shape` that are known.
static RankedTensorType refine(RankedTensorType type, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> sizes(type.getShape());
  for (auto [size, known] : llvm::zip_equal(sizes, shape))
    size = ShapedType::isDynamic(size) ? known : size;
  return type.clone(sizes);
}

/// The sizes that the groups of `type` collapse to; no number for those that are not known or too
/// big.
static SmallVector<int64_t> collapsedShape(RankedTensorType type,
                                           ArrayRef<ReassociationIndices> groups) {
  return llvm::map_to_vector(groups, [&](const ReassociationIndices &group) {
    int64_t size = 1;
    for (int64_t d : group)
      if (type.isDynamicDim(d) || llvm::MulOverflow(size, type.getDimSize(d), size))
        return ShapedType::kDynamic;
    return size;
  });
}

static void refine(tensor::ExpandShapeOp op, RewriterBase &rewriter) {
  RankedTensorType type = refine(op.getResultType(), op.getStaticOutputShape());
  if (type == op.getResultType())
    return;
  SmallVector<ReassociationIndices> groups = op.getReassociationIndices();
  RankedTensorType sourceType = refine(op.getSrcType(), collapsedShape(type, groups));
  rewriter.setInsertionPoint(op);
  Value source = op.getSrc();
  if (sourceType != op.getSrcType())
    source = tensor::CastOp::create(rewriter, op.getLoc(), sourceType, source);
  auto refined = tensor::ExpandShapeOp::create(rewriter, op.getLoc(), type, source, groups,
                                               op.getMixedOutputShape());
  rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getResultType(), refined);
}

void refineExpandShapes(Operation *root) {
  SmallVector<tensor::ExpandShapeOp> ops;
  root->walk([&](tensor::ExpandShapeOp op) { ops.push_back(op); });
  IRRewriter rewriter(root->getContext());
  for (tensor::ExpandShapeOp op : ops)
    refine(op, rewriter);
}

/// The size that a group of the dimensions of `tensor` collapses to.
static OpFoldResult groupSize(OpBuilder &builder, Location loc, Value tensor,
                              const ReassociationIndices &group) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (llvm::any_of(group, [&](int64_t d) { return type.getDimSize(d) == 0; }))
    return builder.getIndexAttr(0);
  Value product;
  for (int64_t d : group) {
    Value size = type.isDynamicDim(d)
                     ? tensor::DimOp::create(builder, loc, tensor, d).getResult()
                     : arith::ConstantIndexOp::create(builder, loc, type.getDimSize(d)).getResult();
    product = product ? arith::MulIOp::create(builder, loc, product, size).getResult() : size;
  }
  return getAsOpFoldResult(product);
}

void replaceEmptyCollapses(Operation *root) {
  SmallVector<tensor::CollapseShapeOp> ops;
  root->walk([&](tensor::CollapseShapeOp op) {
    if (llvm::is_contained(op.getSrcType().getShape(), 0))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (tensor::CollapseShapeOp op : ops) {
    rewriter.setInsertionPoint(op);
    SmallVector<OpFoldResult> sizes;
    for (const ReassociationIndices &group : op.getReassociationIndices())
      sizes.push_back(groupSize(rewriter, op.getLoc(), op.getSrc(), group));
    Value empty =
        tensor::EmptyOp::create(rewriter, op.getLoc(), sizes, op.getSrcType().getElementType());
    if (empty.getType() != op.getResultType())
      empty = tensor::CastOp::create(rewriter, op.getLoc(), op.getResultType(), empty);
    rewriter.replaceOp(op, empty);
  }
}

} // namespace anneal
