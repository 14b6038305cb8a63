//===- SliceForms.cpp - Slices that tell what they drop -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Transforms/SliceForms.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace anneal {
namespace {

bool isOne(OpFoldResult value) { return isConstantIntValue(value, 1); }

/// The rewriting of one slice.
class SliceRewriter {
public:
  SliceRewriter(RewriterBase &rewriter, OffsetSizeAndStrideOpInterface op, int64_t numDropped)
      : rewriter(rewriter), loc(op.getLoc()), offsets(op.getMixedOffsets()),
        sizes(op.getMixedSizes()), strides(op.getMixedStrides()), numDropped(numDropped) {
    rewriter.setInsertionPoint(op);
  }

  void rewrite(tensor::ExtractSliceOp op) {
    bool isNew = resetStrides();
    if (!isAmbiguous()) {
      if (isNew)
        rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(op, op.getType(), op.getSource(),
                                                            offsets, sizes, strides);
      return;
    }
    auto [groups, shape] = regroup(op.getType(), op.getDroppedDims());
    RankedTensorType kept = op.getType().clone(shape);
    Value slice = tensor::ExtractSliceOp::create(rewriter, loc, withoutOnes(kept), op.getSource(),
                                                 offsets, sizes, strides);
    Value value = tensor::ExpandShapeOp::create(rewriter, loc, kept, slice, groups, keptSizes);
    if (kept != op.getType())
      value = tensor::CastOp::create(rewriter, loc, op.getType(), value);
    rewriter.replaceOp(op, value);
  }

  template <typename InsertOp> void rewriteInsert(InsertOp op) {
    bool isNew = resetStrides();
    Value source = op.getSource();
    if (isAmbiguous()) {
      isNew = true;
      // What runs in parallel stands alone in its region.
      if (isa<tensor::ParallelInsertSliceOp>(op))
        rewriter.setInsertionPoint(op->getParentOp());
      auto [groups, shape] = regroup(op.getSourceType(), op.getDroppedDims());
      RankedTensorType kept = op.getSourceType().clone(shape);
      if (kept != op.getSourceType())
        source = tensor::CastOp::create(rewriter, loc, kept, source);
      source = tensor::CollapseShapeOp::create(rewriter, loc, withoutOnes(kept), source, groups);
      rewriter.setInsertionPoint(op);
    }
    if (isNew)
      rewriter.replaceOpWithNewOp<InsertOp>(op, source, op.getDest(), offsets, sizes, strides);
  }

  /// The strides of dimensions that are kept are part of the type, so they stay.
  void rewrite(memref::SubViewOp op) {
    if (!isAmbiguous())
      return;
    Value whole = memref::SubViewOp::create(rewriter, loc, op.getSource(), offsets, sizes, strides);
    auto data = memref::ExtractStridedMetadataOp::create(rewriter, loc, whole);
    SmallVector<OpFoldResult> viewSizes, viewStrides;
    for (int64_t dim : keptDims(cast<MemRefType>(whole.getType()), op.getType())) {
      viewSizes.push_back(data.getConstifiedMixedSizes()[dim]);
      viewStrides.push_back(data.getConstifiedMixedStrides()[dim]);
    }
    rewriter.replaceOpWithNewOp<memref::ReinterpretCastOp>(
        op, op.getType(), whole, data.getConstifiedMixedOffset(), viewSizes, viewStrides);
  }

private:
  /// Returns whether any changed.
  bool resetStrides() {
    bool changed = false;
    for (auto [size, stride] : llvm::zip_equal(sizes, strides)) {
      if (!isOne(size) || isOne(stride))
        continue;
      stride = rewriter.getIndexAttr(1);
      changed = true;
    }
    return changed;
  }

  /// Where strides alone, or numbers of dimensions alone, tell what is dropped, all is well.
  bool isAmbiguous() const {
    return numDropped > 0 && !llvm::all_of(strides, isOne) &&
           llvm::count_if(sizes, isOne) > numDropped;
  }

  /// Groups of the dimensions of the slice that aren't dropped: each has one whose size is not 1.
  /// Also its shape with the sizes known to be 1; these become constants of the slice.
  std::pair<SmallVector<ReassociationIndices>, SmallVector<int64_t>>
  regroup(RankedTensorType type, const llvm::SmallBitVector &dropped) {
    SmallVector<ReassociationIndices> groups(1);
    SmallVector<int64_t> shape;
    bool hasSize = false;
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      bool one = isOne(size);
      if (one)
        size = rewriter.getIndexAttr(1);
      if (dropped[dim])
        continue;
      auto kept = static_cast<int64_t>(shape.size());
      shape.push_back(one ? 1 : type.getDimSize(kept));
      keptSizes.push_back(size);
      if (!one && hasSize)
        groups.emplace_back();
      hasSize |= !one;
      groups.back().push_back(kept);
    }
    return {groups, shape};
  }

  RankedTensorType withoutOnes(RankedTensorType type) const {
    SmallVector<int64_t> shape;
    for (auto [size, extent] : llvm::zip_equal(keptSizes, type.getShape()))
      if (!isOne(size))
        shape.push_back(extent);
    return type.clone(shape);
  }

  /// The dimensions of `whole` that `reduced` has: those of equal sizes and strides, in order.
  static SmallVector<int64_t> keptDims(MemRefType whole, MemRefType reduced) {
    SmallVector<int64_t> wholeStrides, reducedStrides, kept;
    int64_t offset;
    if (failed(whole.getStridesAndOffset(wholeStrides, offset)) ||
        failed(reduced.getStridesAndOffset(reducedStrides, offset)))
      llvm_unreachable("views have strides");
    for (int64_t dim = 0, next = 0; dim < whole.getRank() && next < reduced.getRank(); ++dim) {
      if (whole.getDimSize(dim) != reduced.getDimSize(next) ||
          wholeStrides[dim] != reducedStrides[next])
        continue;
      kept.push_back(dim);
      ++next;
    }
    return kept;
  }

  RewriterBase &rewriter;
  Location loc;
  SmallVector<OpFoldResult> offsets, sizes, strides, keptSizes;
  int64_t numDropped;
};

} // namespace

void makeDroppedDimsClear(Operation *root) {
  SmallVector<OffsetSizeAndStrideOpInterface> slices;
  root->walk([&](OffsetSizeAndStrideOpInterface op) { slices.push_back(op); });
  IRRewriter rewriter(root->getContext());
  for (OffsetSizeAndStrideOpInterface slice : slices) {
    auto make = [&](ShapedType large, ShapedType small) {
      return SliceRewriter(rewriter, slice, large.getRank() - small.getRank());
    };
    llvm::TypeSwitch<Operation *>(slice)
        .Case(
            [&](tensor::ExtractSliceOp op) { make(op.getSourceType(), op.getType()).rewrite(op); })
        .Case<tensor::InsertSliceOp, tensor::ParallelInsertSliceOp>(
            [&](auto op) { make(op.getDestType(), op.getSourceType()).rewriteInsert(op); })
        .Case([&](memref::SubViewOp op) { make(op.getSourceType(), op.getType()).rewrite(op); });
  }
}

} // namespace anneal
