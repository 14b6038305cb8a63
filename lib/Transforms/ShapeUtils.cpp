//===- ShapeUtils.cpp - Sizes of tensors as values ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace anneal {

/// Position, among the dimensions of the source of `slice`, of dimension `dim` of its result.
static int64_t sourceDimOf(tensor::ExtractSliceOp slice, int64_t dim) {
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  for (int64_t sourceDim = 0, kept = 0; sourceDim < slice.getSourceType().getRank(); ++sourceDim) {
    if (dropped[sourceDim])
      continue;
    if (kept++ == dim)
      return sourceDim;
  }
  llvm_unreachable("a dimension of the result comes from one of the source");
}

/// The one dimension of the group that collapses into `dim` whose size is not the constant 1, or -1
/// if there are several.
static int64_t onlyBigDimOf(tensor::CollapseShapeOp collapse, int64_t dim) {
  int64_t big = -1;
  ReassociationIndices group = collapse.getReassociationIndices()[dim];
  for (int64_t sourceDim : group) {
    if (collapse.getSrcType().getDimSize(sourceDim) == 1)
      continue;
    if (big >= 0)
      return -1;
    big = sourceDim;
  }
  return big >= 0 ? big : group.front();
}

/// What the size of `tensor` in `dim` is the same as, one op up: a size, or another tensor's.
static std::optional<SizeSource> stepUp(Value tensor, int64_t dim) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return SizeSource{empty.getMixedSizes()[dim], {}, 0};
  if (auto expandOp = dyn_cast<tensor::ExpandShapeOp>(op))
    return SizeSource{expandOp.getMixedOutputShape()[dim], {}, 0};
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return SizeSource{slice.getMixedSizes()[sourceDimOf(slice, dim)], {}, 0};
  if (auto castOp = dyn_cast<tensor::CastOp>(op)) {
    if (!isa<RankedTensorType>(castOp.getSource().getType()))
      return std::nullopt;
    return SizeSource{{}, castOp.getSource(), dim};
  }
  if (auto collapseOp = dyn_cast<tensor::CollapseShapeOp>(op)) {
    int64_t sourceDim = onlyBigDimOf(collapseOp, dim);
    if (sourceDim < 0)
      return std::nullopt;
    return SizeSource{{}, collapseOp.getSrc(), sourceDim};
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    if (!isConstantIntValue(pad.getMixedLowPad()[dim], 0) ||
        !isConstantIntValue(pad.getMixedHighPad()[dim], 0))
      return std::nullopt;
    return SizeSource{{}, pad.getSource(), dim};
  }
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return SizeSource{{}, destination.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim};
  return std::nullopt;
}

/// Follows a size until it is a constant or a value, or to the tensor where that ends.
static SizeSource climb(Value tensor, int64_t dim) {
  while (true) {
    auto type = cast<ShapedType>(tensor.getType());
    if (!type.isDynamicDim(dim))
      return {Builder(tensor.getContext()).getIndexAttr(type.getDimSize(dim)), {}, 0};
    std::optional<SizeSource> up = stepUp(tensor, dim);
    if (!up)
      return {{}, tensor, dim};
    if (up->size)
      return *up;
    tensor = up->tensor;
    dim = up->dim;
  }
}

std::optional<int64_t> constantDim(tensor::DimOp op) {
  std::optional<int64_t> dim = op.getConstantIndex();
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!dim || !type || *dim < 0 || *dim >= type.getRank())
    return std::nullopt;
  return dim;
}

SizeSource traceSize(Value tensor, int64_t dim) {
  while (true) {
    SizeSource source = climb(tensor, dim);
    auto value = dyn_cast_if_present<Value>(source.size);
    auto dimOp = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
    std::optional<int64_t> outer = dimOp ? constantDim(dimOp) : std::nullopt;
    if (!outer)
      return source;
    tensor = dimOp.getSource();
    dim = *outer;
  }
}

SizeSource traceSize(OpFoldResult size) {
  auto value = dyn_cast<Value>(size);
  auto dimOp = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
  std::optional<int64_t> dim = dimOp ? constantDim(dimOp) : std::nullopt;
  return dim ? traceSize(dimOp.getSource(), *dim) : SizeSource{size, {}, 0};
}

std::optional<SizeSource> traceLoopSize(linalg::LinalgOp op, unsigned loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto dimExpr = dyn_cast<AffineDimExpr>(expr); dimExpr && dimExpr.getPosition() == loop)
        return traceSize(operand.get(), dim);
  }
  return std::nullopt;
}

std::optional<OpFoldResult> knownSizeOf(Value tensor, int64_t dim) {
  SizeSource source = climb(tensor, dim);
  if (source.size)
    return source.size;
  return std::nullopt;
}

bool isSameSize(const SizeSource &a, const SizeSource &b) {
  if (a.size && b.size && isEqualConstantIntOrValue(a.size, b.size))
    return true;
  SizeProduct productA, productB;
  productA.multiply(a);
  productB.multiply(b);
  return productA == productB;
}

void SizeProduct::multiply(const SizeSource &source) {
  if (std::optional<int64_t> value =
          source.size ? getConstantIntValue(source.size) : std::nullopt) {
    constant *= *value;
    return;
  }
  std::pair<void *, int64_t> factor;
  if (source.size) {
    Value value = cast<Value>(source.size);
    if (auto product = value.getDefiningOp<arith::MulIOp>()) {
      multiply(traceSize(getAsOpFoldResult(product.getLhs())));
      multiply(traceSize(getAsOpFoldResult(product.getRhs())));
      return;
    }
    factor = {value.getAsOpaquePointer(), -1};
  } else if (auto collapseOp = source.tensor.getDefiningOp<tensor::CollapseShapeOp>()) {
    ReassociationIndices group = collapseOp.getReassociationIndices()[source.dim];
    for (int64_t dim : group)
      multiply(traceSize(collapseOp.getSrc(), dim));
    return;
  } else {
    factor = {source.tensor.getAsOpaquePointer(), source.dim};
  }
  // The order of addresses is used for comparison alone.
  factors.insert(llvm::upper_bound(factors, factor), factor);
}

SizeProduct sizeProductOf(ArrayRef<OpFoldResult> sizes) {
  SizeProduct product;
  for (OpFoldResult size : sizes)
    product.multiply(traceSize(size));
  return product;
}

OpFoldResult productOf(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> sizes) {
  int64_t constant = 1;
  Value product;
  for (OpFoldResult size : sizes) {
    if (std::optional<int64_t> value = getConstantIntValue(size)) {
      constant *= *value;
      continue;
    }
    Value factor = cast<Value>(size);
    product = product ? arith::MulIOp::create(builder, loc, product, factor) : factor;
  }
  if (!product)
    return builder.getIndexAttr(constant);
  if (constant == 1)
    return product;
  Value scale = arith::ConstantIndexOp::create(builder, loc, constant);
  return arith::MulIOp::create(builder, loc, product, scale).getResult();
}

OpFoldResult sizeOf(OpBuilder &builder, Location loc, Value tensor, int64_t dim) {
  if (std::optional<OpFoldResult> size = knownSizeOf(tensor, dim))
    return *size;
  Operation *op = tensor.getDefiningOp();
  if (auto collapseOp = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    SmallVector<OpFoldResult> factors;
    ReassociationIndices group = collapseOp.getReassociationIndices()[dim];
    for (int64_t sourceDim : group)
      factors.push_back(sizeOf(builder, loc, collapseOp.getSrc(), sourceDim));
    return productOf(builder, loc, factors);
  }
  if (auto castOp = dyn_cast_or_null<tensor::CastOp>(op))
    if (isa<RankedTensorType>(castOp.getSource().getType()))
      return sizeOf(builder, loc, castOp.getSource(), dim);
  if (auto pad = dyn_cast_or_null<tensor::PadOp>(op)) {
    auto toValue = [&](OpFoldResult size) {
      return getValueOrCreateConstantIndexOp(builder, loc, size);
    };
    Value inner = toValue(sizeOf(builder, loc, pad.getSource(), dim));
    Value low = toValue(pad.getMixedLowPad()[dim]);
    Value high = toValue(pad.getMixedHighPad()[dim]);
    Value sum = builder.createOrFold<arith::AddIOp>(loc, inner, low);
    return builder.createOrFold<arith::AddIOp>(loc, sum, high);
  }
  if (auto destination = dyn_cast_or_null<DestinationStyleOpInterface>(op))
    return sizeOf(builder, loc, destination.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
  return tensor::DimOp::create(builder, loc, tensor, dim).getResult();
}

SmallVector<OpFoldResult> sizesOf(OpBuilder &builder, Location loc, Value tensor) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0, rank = cast<ShapedType>(tensor.getType()).getRank(); dim < rank; ++dim)
    sizes.push_back(sizeOf(builder, loc, tensor, dim));
  return sizes;
}

bool isSameSize(OpFoldResult a, OpFoldResult b) { return isEqualConstantIntOrValue(a, b); }

bool haveSameSize(Value a, int64_t dimA, Value b, int64_t dimB) {
  return (a == b && dimA == dimB) || isSameSize(traceSize(a, dimA), traceSize(b, dimB));
}

/// Whether `tensor` is known to have these sizes.
static bool hasSizes(Value tensor, ArrayRef<OpFoldResult> sizes) {
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (!isSameSize(traceSize(tensor, dim), traceSize(size)))
      return false;
  return true;
}

/// The groups of two collapses, or expansions, in a row: each group of `outer` is of groups of
/// `inner`.
static SmallVector<ReassociationIndices> compose(ArrayRef<ReassociationIndices> outer,
                                                 ArrayRef<ReassociationIndices> inner) {
  SmallVector<ReassociationIndices> groups;
  for (const ReassociationIndices &group : outer) {
    ReassociationIndices all;
    for (int64_t dim : group)
      llvm::append_range(all, inner[dim]);
    groups.push_back(all);
  }
  return groups;
}

Value collapse(OpBuilder &builder, Location loc, Value tensor,
               ArrayRef<ReassociationIndices> groups) {
  if (static_cast<int64_t>(groups.size()) == cast<RankedTensorType>(tensor.getType()).getRank())
    return tensor;
  if (auto expandOp = tensor.getDefiningOp<tensor::ExpandShapeOp>())
    if (ArrayRef(expandOp.getReassociationIndices()) == groups)
      return expandOp.getSrc();
  if (auto collapseOp = tensor.getDefiningOp<tensor::CollapseShapeOp>())
    return collapse(builder, loc, collapseOp.getSrc(),
                    compose(groups, collapseOp.getReassociationIndices()));
  return tensor::CollapseShapeOp::create(builder, loc, tensor, groups);
}

Value expand(OpBuilder &builder, Location loc, Value tensor, ArrayRef<ReassociationIndices> groups,
             ArrayRef<OpFoldResult> sizes) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (static_cast<int64_t>(sizes.size()) == type.getRank())
    return tensor;
  if (auto expandOp = tensor.getDefiningOp<tensor::ExpandShapeOp>())
    return expand(builder, loc, expandOp.getSrc(),
                  compose(expandOp.getReassociationIndices(), groups), sizes);
  if (auto collapseOp = tensor.getDefiningOp<tensor::CollapseShapeOp>())
    if (ArrayRef(collapseOp.getReassociationIndices()) == groups &&
        hasSizes(collapseOp.getSrc(), sizes))
      return collapseOp.getSrc();
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return tensor::ExpandShapeOp::create(builder, loc, type.clone(shape), tensor, groups, sizes);
}

Value makeEmpty(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> sizes, Type elementType) {
  return tensor::EmptyOp::create(builder, loc, sizes, elementType);
}

} // namespace anneal
