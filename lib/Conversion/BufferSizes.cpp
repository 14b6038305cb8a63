//===- BufferSizes.cpp - Which buffers have equal sizes? ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;

namespace anneal {

static SizeOrigin originOf(OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return {nullptr, *constant};
  Value value = cast<Value>(size);
  Operation *op = value.getDefiningOp();
  if (auto dim = dyn_cast_or_null<tensor::DimOp>(op))
    if (std::optional<int64_t> index = dim.getConstantIndex())
      return sizeOrigin(dim.getSource(), *index);
  if (auto dim = dyn_cast_or_null<memref::DimOp>(op))
    if (std::optional<int64_t> index = dim.getConstantIndex())
      return sizeOrigin(dim.getSource(), *index);
  return {value, -1};
}

llvm::SmallBitVector droppedDims(memref::SubViewOp op) {
  SmallVector<OpFoldResult> sizes = op.getMixedSizes();
  llvm::SmallBitVector dropped(sizes.size());
  ArrayRef<int64_t> kept = op.getType().getShape();
  for (size_t dim = sizes.size(); dim-- > 0;) {
    auto constant = dyn_cast<Attribute>(sizes[dim]);
    bool isOne = constant && cast<IntegerAttr>(constant).getInt() == 1;
    if (isOne && (kept.empty() || kept.back() != 1))
      dropped.set(dim);
    else
      kept = kept.drop_back();
  }
  return dropped;
}

/// The `dim`-th of `sizes` of a slice without those that it drops.
static OpFoldResult keptSize(ArrayRef<OpFoldResult> sizes, const llvm::SmallBitVector &dropped,
                             int64_t dim) {
  for (auto [index, size] : llvm::enumerate(sizes))
    if (!dropped[index] && dim-- == 0)
      return size;
  return {};
}

/// Of a collapsed dimension: known if all but one of the dimensions it joins are 1.
static SizeOrigin collapsedOrigin(Value result, Value source, const ReassociationIndices &group,
                                  int64_t dim) {
  auto type = cast<ShapedType>(source.getType());
  std::optional<int64_t> only;
  for (int64_t joined : group) {
    if (type.getDimSize(joined) == 1)
      continue;
    if (only)
      return {result, dim};
    only = joined;
  }
  return only ? sizeOrigin(source, *only) : SizeOrigin{nullptr, 1};
}

static SizeOrigin resultOrigin(OpResult result, int64_t dim) {
  Operation *op = result.getOwner();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return originOf(empty.getMixedSizes()[dim]);
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return originOf(alloc.getMixedSizes()[dim]);
  if (isa<tensor::CastOp, memref::CastOp>(op))
    return sizeOrigin(op->getOperand(0), dim);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return originOf(keptSize(slice.getMixedSizes(), slice.getDroppedDims(), dim));
  if (auto view = dyn_cast<memref::SubViewOp>(op))
    return originOf(keptSize(view.getMixedSizes(), droppedDims(view), dim));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return originOf(getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(),
                                   op->getContext())[dim]);
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
    return originOf(getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(),
                                   op->getContext())[dim]);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return collapsedOrigin(result, collapse.getSrc(), collapse.getReassociationIndices()[dim], dim);
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(op))
    return collapsedOrigin(result, collapse.getSrc(), collapse.getReassociationIndices()[dim], dim);
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    return sizeOrigin(destination.getTiedOpOperand(result)->get(), dim);
  if (auto insert = dyn_cast<tensor::InsertOp>(op))
    return sizeOrigin(insert.getDest(), dim);
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    unsigned index = result.getResultNumber();
    Value init = loop.getInitArgs()[index];
    if (keepsSize(loop.getRegionIterArg(index), init, loop.getYieldedValues()[index], dim))
      return sizeOrigin(init, dim);
  }
  if (auto conditional = dyn_cast<scf::IfOp>(op)) {
    unsigned index = result.getResultNumber();
    SizeOrigin first = sizeOrigin(conditional.thenYield().getOperand(index), dim);
    if (first == sizeOrigin(conditional.elseYield().getOperand(index), dim))
      return first;
  }
  return {result, dim};
}

SizeOrigin sizeOrigin(Value shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(dim))
    return {nullptr, type.getDimSize(dim)};
  if (auto result = dyn_cast<OpResult>(shaped))
    return resultOrigin(result, dim);
  return {shaped, dim};
}

bool keepsSize(Value argument, Value init, Value yielded, int64_t dim) {
  SizeOrigin next = sizeOrigin(yielded, dim);
  return next == SizeOrigin{argument, dim} || next == sizeOrigin(init, dim);
}

} // namespace anneal
