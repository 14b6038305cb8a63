//===- TensorDims.cpp - Sizes of tensors as polynomials -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/DimScope.h"
#include "anneal/Analysis/RegionFlow.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace anneal {

DimScope::~DimScope() {
  for (std::unique_ptr<Block> &block : copies)
    block->dropAllDefinedValueUses();
}

CostExpr DimScope::getNumElements(Value value) {
  return isa<ShapedType>(value.getType()) ? getProduct(getShape(value)) : CostExpr(1);
}

SmallVector<CostExpr> DimScope::getShape(Value shaped) {
  SmallVector<CostExpr> shape;
  for (int64_t dim = 0, rank = cast<ShapedType>(shaped.getType()).getRank(); dim < rank; ++dim)
    shape.push_back(getDim(shaped, dim));
  return shape;
}

CostExpr DimScope::getDim(Value shaped, int64_t dim) {
  auto type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(dim))
    return CostExpr(type.getDimSize(dim));
  shaped = lookThroughCopy(shaped);
  // What the copy's argument stands for may be of a type that says more.
  type = cast<ShapedType>(shaped.getType());
  if (!type.isDynamicDim(dim))
    return CostExpr(type.getDimSize(dim));
  auto known = dims.find({shaped, dim});
  if (known != dims.end())
    return known->second;
  CostExpr expr = computeDim(shaped, dim);
  dims[{shaped, dim}] = expr;
  dimLog.push_back({shaped, dim});
  return expr;
}

CostExpr DimScope::computeDim(Value shaped, int64_t dim) {
  if (std::optional<CostExpr> expr = getForwardedDim(shaped, dim))
    return *expr;
  if (auto result = dyn_cast<OpResult>(shaped))
    return computeDimOfResult(result, dim);
  auto argument = cast<BlockArgument>(shaped);
  // What a loop updates in place.
  if (auto loop = dyn_cast<LoopLikeOpInterface>(argument.getOwner()->getParentOp()))
    if (OpOperand *init = loop.getTiedLoopInit(argument);
        init && isa<DestinationStyleOpInterface>(loop.getOperation()))
      return getDim(init->get(), dim);
  return getDimSymbol(shaped, dim);
}

/// The values that control flow hands to `value`, an argument of a region or a result of an op with
/// regions, are equal in this dim, if each is where `value` is taken to be equal to the first.
std::optional<CostExpr> DimScope::getForwardedDim(Value value, int64_t dim) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *owner = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  auto branch = dyn_cast_or_null<RegionBranchOpInterface>(owner);
  if (!branch || owner == root)
    return std::nullopt;
  auto [entry, isNew] = predecessors.try_emplace(owner);
  if (isNew) {
    DenseMap<Value, SmallVector<Value, 2>> found;
    forEachForwardedValue(branch,
                          [&](Operation *, Value from, Value to) { found[to].push_back(from); });
    entry->second = std::move(found);
  }
  SmallVector<Value, 2> sources = entry->second.lookup(value);
  if (sources.empty())
    return std::nullopt;

  CostExpr first = getDim(sources.front(), dim);
  size_t mark = dimLog.size();
  dims[{value, dim}] = first;
  dimLog.push_back({value, dim});
  if (llvm::all_of(ArrayRef(sources).drop_front(),
                   [&](Value source) { return getDim(source, dim) == first; }))
    return first;
  // What was found on that assumption is void.
  for (const DimKey &key : ArrayRef(dimLog).drop_front(mark))
    dims.erase(key);
  dimLog.truncate(mark);
  return getDimSymbol(value, dim);
}

CostExpr DimScope::computeDimOfResult(OpResult result, int64_t dim) {
  Operation *op = result.getOwner();
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
    if (OpOperand *init = destination.getTiedOpOperand(result);
        init && isa<ShapedType>(init->get().getType()))
      return getDim(init->get(), dim);

  std::optional<CostExpr> expr =
      llvm::TypeSwitch<Operation *, std::optional<CostExpr>>(op)
          .Case([&](tensor::EmptyOp empty) { return getScalar(empty.getMixedSizes()[dim]); })
          .Case([&](tensor::SplatOp splat) {
            return getScalar(splat.getDynamicSizes()[splat.getType().getDynamicDimIndex(dim)]);
          })
          .Case([&](tensor::GenerateOp generate) {
            auto type = cast<ShapedType>(generate.getType());
            return getScalar(generate.getDynamicExtents()[type.getDynamicDimIndex(dim)]);
          })
          .Case<memref::AllocOp, memref::AllocaOp>([&](auto alloc) {
            return getScalar(alloc.getDynamicSizes()[alloc.getType().getDynamicDimIndex(dim)]);
          })
          .Case([&](tensor::ExtractSliceOp slice) {
            SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
            llvm::SmallBitVector dropped = slice.getDroppedDims();
            unsigned position = 0;
            for (int64_t kept = -1; position < sizes.size(); ++position)
              if (!dropped.test(position) && ++kept == dim)
                break;
            return getScalar(sizes[position]);
          })
          .Case([&](tensor::InsertSliceOp insert) { return getDim(insert.getDest(), dim); })
          .Case([&](tensor::ExpandShapeOp expand) {
            return getScalar(expand.getMixedOutputShape()[dim]);
          })
          .Case([&](tensor::CollapseShapeOp collapse) {
            SmallVector<CostExpr> sizes;
            ReassociationIndices group = collapse.getReassociationIndices()[dim];
            for (int64_t from : group)
              sizes.push_back(getDim(collapse.getSrc(), from));
            return getProduct(sizes);
          })
          .Case([&](tensor::PadOp pad) {
            return getDim(pad.getSource(), dim) + getScalar(pad.getMixedLowPad()[dim]) +
                   getScalar(pad.getMixedHighPad()[dim]);
          })
          .Case([&](tensor::ConcatOp concat) {
            CostExpr sum;
            for (Value input : concat.getInputs())
              sum += getDim(input, dim);
            return static_cast<int64_t>(concat.getDim()) == dim
                       ? sum
                       : getDim(concat.getInputs()[0], dim);
          })
          .Case([&](tensor::ReshapeOp reshape) -> std::optional<CostExpr> {
            if (auto shape = reshape.getShape().getDefiningOp<tensor::FromElementsOp>())
              return getScalar(shape.getElements()[dim]);
            return std::nullopt;
          })
          .Case([&](tensor::GatherOp gather) {
            // The dims of the indices but the last, then those of the source, which are 1 or left
            // out where they are gathered.
            int64_t numLeading = gather.getIndicesType().getRank() - 1;
            if (dim < numLeading)
              return getDim(gather.getIndices(), dim);
            SmallVector<int64_t> rest =
                llvm::to_vector(llvm::seq<int64_t>(0, gather.getSourceType().getRank()));
            if (gather.getResultType().getRank() < numLeading + static_cast<int64_t>(rest.size()))
              llvm::erase_if(rest, [&](int64_t from) {
                return llvm::is_contained(gather.getGatherDims(), from);
              });
            return getDim(gather.getSource(), rest[dim - numLeading]);
          })
          .Case([&](CastOpInterface cast) -> std::optional<CostExpr> {
            auto source = dyn_cast<ShapedType>(cast->getOperand(0).getType());
            auto target = mlir::cast<ShapedType>(result.getType());
            if (source && source.hasRank() && source.getRank() == target.getRank())
              return getDim(cast->getOperand(0), dim);
            return std::nullopt;
          })
          .Default([&](Operation *) { return getReifiedDim(result, dim); });
  if (expr)
    return *expr;
  // Elementwise operations on whole tensors.
  if (op->hasTrait<OpTrait::SameOperandsAndResultShape>() && op->getNumOperands() > 0)
    if (auto type = dyn_cast<ShapedType>(op->getOperand(0).getType()); type && type.hasRank())
      return getDim(op->getOperand(0), dim);
  if (op->hasTrait<OpTrait::Elementwise>())
    for (Value operand : op->getOperands())
      if (isa<ShapedType>(operand.getType()))
        return getDim(operand, dim);
  return getDimSymbol(result, dim);
}

Operation *DimScope::copyAside(Operation *op) {
  if (Operation *copy = copyOf.lookup(op))
    return copy;
  auto block = std::make_unique<Block>();
  IRMapping mapping;
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  for (Value value : used) {
    BlockArgument standIn = block->addArgument(value.getType(), value.getLoc());
    mapping.map(value, standIn);
    originals[standIn] = lookThroughCopy(value);
  }
  Operation *copy = op->clone(mapping);
  block->push_back(copy);
  copies.push_back(std::move(block));
  copyOf[op] = copy;
  return copy;
}

std::optional<CostExpr> DimScope::getReifiedDim(OpResult result, int64_t dim) {
  Operation *op = result.getOwner();
  if (!isa<ReifyRankedShapedTypeOpInterface>(op) || originals.contains(result))
    return std::nullopt;
  Operation *copy = copyAside(op);
  OpBuilder builder(copy);
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(builder, copy, shapes)))
    return std::nullopt;
  OpFoldResult size = shapes[result.getResultNumber()][dim];
  // An op that says that the size is that of its result says nothing.
  if (auto value = dyn_cast<Value>(size))
    if (auto dimOp = value.getDefiningOp<tensor::DimOp>();
        dimOp && dimOp.getSource().getDefiningOp() == copy)
      return std::nullopt;
  return getScalar(size);
}

SmallVector<CostExpr> DimScope::getIterationDomain(TilingInterface op) {
  auto copy = cast<TilingInterface>(copyAside(op));
  OpBuilder builder(copy);
  SmallVector<CostExpr> sizes;
  for (const Range &range : copy.getIterationDomain(builder))
    sizes.push_back(getScalar(range.size));
  return sizes;
}

} // namespace anneal
