//===- StockExpandShapes.cpp - Reshapes that MLIR can't lower -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Pipelines/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace anneal {
#define GEN_PASS_DEF_STOCKEXPANDSHAPES
#include "anneal/Pipelines/Passes.h.inc"

/// Whether a dimension becomes several of which more than one has a size that the call decides.
static bool hasSeveralUnknown(memref::ExpandShapeOp op) {
  return llvm::any_of(op.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
    return llvm::count_if(group, [&](int64_t d) { return op.getResultType().isDynamicDim(d); }) > 1;
  });
}

static OpFoldResult multiply(OpBuilder &builder, Location loc, OpFoldResult a, OpFoldResult b) {
  AffineExpr x, y;
  bindSymbols(builder.getContext(), x, y);
  return affine::makeComposedFoldedAffineApply(builder, loc, x * y, {a, b});
}

/// Stride of each result dimension: of the last of a group that of the dimension it comes from, of
/// the others what the sizes behind them span.
static SmallVector<OpFoldResult> stridesOf(memref::ExpandShapeOp op, OpBuilder &builder,
                                           memref::ExtractStridedMetadataOp source,
                                           ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> strides(sizes.size());
  SmallVector<OpFoldResult> sourceStrides = source.getConstifiedMixedStrides();
  for (auto [from, group] : llvm::enumerate(op.getReassociationIndices())) {
    OpFoldResult stride = sourceStrides[from];
    for (int64_t d : llvm::reverse(group)) {
      strides[d] = stride;
      if (d != group.front())
        stride = multiply(builder, op.getLoc(), stride, sizes[d]);
    }
  }
  return strides;
}

static void expand(memref::ExpandShapeOp op, RewriterBase &rewriter) {
  rewriter.setInsertionPoint(op);
  auto source = memref::ExtractStridedMetadataOp::create(rewriter, op.getLoc(), op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> strides = stridesOf(op, rewriter, source, sizes);
  rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, op.getResultType(), op.getSrc(), source.getConstifiedMixedOffset(), sizes, strides);
}

namespace {
struct StockExpandShapes : impl::StockExpandShapesBase<StockExpandShapes> {
  void runOnOperation() override {
    SmallVector<memref::ExpandShapeOp> ops;
    getOperation()->walk([&](memref::ExpandShapeOp op) {
      if (hasSeveralUnknown(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (memref::ExpandShapeOp op : ops)
      expand(op, rewriter);
  }
};
} // namespace

} // namespace anneal
