//===- FoldViews.cpp - Views that show all, or show a constant ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

namespace anneal {
#define GEN_PASS_DEF_FOLDVIEWS
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// Whether all of `values` are the constant `expected`.
bool areAll(ArrayRef<OpFoldResult> values, int64_t expected) {
  return llvm::all_of(values, [&](OpFoldResult v) { return isConstantIntValue(v, expected); });
}

/// Whether slices of `sizes` from the origin cover all of `tensor`.
bool coverAll(ArrayRef<OpFoldResult> sizes, Value tensor) {
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!isSameSize(traceSize(size), traceSize(tensor, dim)))
      return false;
  return true;
}

/// A view of all of its source is the source.
Value foldSlice(OpBuilder &builder, tensor::ExtractSliceOp op) {
  if (op.getType().getRank() != op.getSourceType().getRank() || !areAll(op.getMixedOffsets(), 0) ||
      !areAll(op.getMixedStrides(), 1) || !coverAll(op.getMixedSizes(), op.getSource()))
    return {};
  return op.getSource();
}

/// An insertion that overwrites all of its destination is what is inserted.
Value foldInsert(OpBuilder &builder, tensor::InsertSliceOp op) {
  if (op.getDestType().getRank() != op.getSourceType().getRank() ||
      !areAll(op.getMixedOffsets(), 0) || !areAll(op.getMixedStrides(), 1) ||
      !coverAll(op.getMixedSizes(), op.getDest()))
    return {};
  return op.getSource();
}

/// A padding by nothing is its source.
Value foldPad(OpBuilder &builder, tensor::PadOp op) {
  if (!areAll(op.getMixedLowPad(), 0) || !areAll(op.getMixedHighPad(), 0))
    return {};
  return op.getSource();
}

/// A cast of a cast is one cast, where the first forgets nothing that the second needs.
Value foldCast(OpBuilder &builder, tensor::CastOp op) {
  auto inner = op.getSource().getDefiningOp<tensor::CastOp>();
  if (!inner || !tensor::CastOp::areCastCompatible(inner.getSource().getType(), op.getType()) ||
      !isa<RankedTensorType>(op.getType()))
    return {};
  auto source = dyn_cast<RankedTensorType>(inner.getSource().getType());
  if (!source || !tensor::preservesStaticInformation(inner.getType(), source))
    return {};
  if (source == op.getType())
    return inner.getSource();
  return tensor::CastOp::create(builder, op.getLoc(), op.getType(), inner.getSource());
}

/// A reshape of a constant is a constant of the same bytes.
Value foldReshape(OpBuilder &builder, Operation *op) {
  auto constant = op->getOperand(0).getDefiningOp<arith::ConstantOp>();
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!constant || !type.hasStaticShape())
    return {};
  TypedAttr value;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant.getValue()))
    value = DenseResourceElementsAttr::get(type, resource.getRawHandle());
  else if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
    value = elements.reshape(type);
  if (!value)
    return {};
  return arith::ConstantOp::create(builder, op->getLoc(), value);
}

/// A collapse after a collapse, or after the expansion that it undoes.
Value foldCollapse(OpBuilder &builder, tensor::CollapseShapeOp op) {
  if (Value constant = foldReshape(builder, op))
    return constant;
  auto expandOp = op.getSrc().getDefiningOp<tensor::ExpandShapeOp>();
  bool undoes = expandOp && expandOp.getReassociationIndices() == op.getReassociationIndices();
  if (!undoes && !op.getSrc().getDefiningOp<tensor::CollapseShapeOp>())
    return {};
  return collapse(builder, op.getLoc(), op.getSrc(), op.getReassociationIndices());
}

/// An expansion after an expansion, or after the collapse that it undoes.
Value foldExpand(OpBuilder &builder, tensor::ExpandShapeOp op) {
  if (Value constant = foldReshape(builder, op))
    return constant;
  auto collapseOp = op.getSrc().getDefiningOp<tensor::CollapseShapeOp>();
  bool undoes = collapseOp && collapseOp.getReassociationIndices() == op.getReassociationIndices();
  if (!undoes && !op.getSrc().getDefiningOp<tensor::ExpandShapeOp>())
    return {};
  return expand(builder, op.getLoc(), op.getSrc(), op.getReassociationIndices(),
                op.getMixedOutputShape());
}

Value foldOp(OpBuilder &builder, Operation *op) {
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](tensor::ExtractSliceOp slice) { return foldSlice(builder, slice); })
      .Case([&](tensor::InsertSliceOp insert) { return foldInsert(builder, insert); })
      .Case([&](tensor::PadOp pad) { return foldPad(builder, pad); })
      .Case([&](tensor::CastOp castOp) { return foldCast(builder, castOp); })
      .Case([&](tensor::CollapseShapeOp collapseOp) { return foldCollapse(builder, collapseOp); })
      .Case([&](tensor::ExpandShapeOp expandOp) { return foldExpand(builder, expandOp); })
      .Default(Value());
}

struct FoldViewsPass : impl::FoldViewsBase<FoldViewsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](Operation *op) {
      if (!isa_and_nonnull<tensor::TensorDialect>(op->getDialect()))
        return;
      rewriter.setInsertionPoint(op);
      Value value = foldOp(rewriter, op);
      if (!value)
        return;
      if (value.getType() != op->getResult(0).getType())
        value = tensor::CastOp::create(rewriter, op->getLoc(), op->getResult(0).getType(), value);
      rewriter.replaceOp(op, value);
    });
  }
};

} // namespace
} // namespace anneal
