//===- TensorOpLowerings.cpp - Tensor ops by simpler ones -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorOpLowerings.h"

#include "ShapeUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace anneal {

using BodyBuilder = function_ref<void(OpBuilder &, Location, ValueRange)>;

static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(builder, loc, type, value);
}

static Value constantIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

/// The positions in all loops of the generic that is being built.
static SmallVector<Value> makeLoopIndices(OpBuilder &builder, Location loc, int64_t rank) {
  return llvm::map_to_vector(llvm::seq<int64_t>(0, rank), [&](int64_t dim) -> Value {
    return linalg::IndexOp::create(builder, loc, dim);
  });
}

/// An all-parallel generic over the elements of a new tensor; inputs are read at the same position.
static Value makeElementwise(OpBuilder &builder, Location loc, ValueRange inputs,
                             ArrayRef<OpFoldResult> sizes, Type elementType, BodyBuilder body) {
  Value empty = makeEmpty(builder, loc, sizes, elementType);
  int64_t rank = sizes.size();
  SmallVector<AffineMap> maps(inputs.size() + 1, builder.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return linalg::GenericOp::create(builder, loc, empty.getType(), inputs, empty, maps, iterators,
                                   body)
      .getResult(0);
}

/// Copies the operations of a region of one block, its arguments being `indices`, and returns what
/// it yields.
static Value inlineIndexRegion(OpBuilder &builder, Region &region, ValueRange indices) {
  IRMapping mapping;
  mapping.map(region.getArguments(), indices);
  for (Operation &inner : region.front().without_terminator())
    builder.clone(inner, mapping);
  return mapping.lookupOrDefault(region.front().getTerminator()->getOperand(0));
}

/// Asserts that two sizes are the same, where that is not known.
static void assertEqual(OpBuilder &builder, Location loc, OpFoldResult a, OpFoldResult b,
                        StringRef message) {
  if (isEqualConstantIntOrValue(a, b))
    return;
  Value same = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     getValueOrCreateConstantIndexOp(builder, loc, a),
                                     getValueOrCreateConstantIndexOp(builder, loc, b));
  cf::AssertOp::create(builder, loc, same, message);
}

/// Whether the tensor has no elements by its type. A slice of it would begin where its destination
/// ends, which the verifier refuses.
static bool isEmpty(Value tensor) {
  return llvm::is_contained(cast<RankedTensorType>(tensor.getType()).getShape(), 0);
}

Value lowerConcat(OpBuilder &builder, tensor::ConcatOp op) {
  Location loc = op.getLoc();
  int64_t dim = op.getDim(), rank = op.getResultType().getRank();
  SmallVector<SmallVector<OpFoldResult>> inputSizes;
  OpFoldResult total = builder.getIndexAttr(0);
  SmallVector<OpFoldResult> begins;
  auto add = [&](OpFoldResult a, OpFoldResult b) -> OpFoldResult {
    std::optional<int64_t> constantA = getConstantIntValue(a), constantB = getConstantIntValue(b);
    if (constantA && constantB)
      return builder.getIndexAttr(*constantA + *constantB);
    if (constantA == 0)
      return b;
    return arith::AddIOp::create(builder, loc, getValueOrCreateConstantIndexOp(builder, loc, a),
                                 getValueOrCreateConstantIndexOp(builder, loc, b))
        .getResult();
  };
  for (Value input : op.getInputs()) {
    inputSizes.push_back(sizesOf(builder, loc, input));
    begins.push_back(total);
    total = add(total, inputSizes.back()[dim]);
  }
  for (ArrayRef<OpFoldResult> input : ArrayRef(inputSizes).drop_front())
    for (int64_t d = 0; d < rank; ++d)
      if (d != dim)
        assertEqual(
            builder, loc, inputSizes.front()[d], input[d],
            "tensor.concat: the operands differ in another dimension than that of the concat");
  SmallVector<OpFoldResult> sizes = inputSizes.front();
  sizes[dim] = total;
  // Sizes that another operand or the result type knows are constants here too.
  for (int64_t d = 0; d < rank; ++d)
    if (!op.getResultType().isDynamicDim(d))
      sizes[d] = builder.getIndexAttr(op.getResultType().getDimSize(d));
  Value result = makeEmpty(builder, loc, sizes, op.getResultType().getElementType());
  SmallVector<OpFoldResult> strides(rank, builder.getIndexAttr(1));
  for (auto [input, begin, inputSize] : llvm::zip_equal(op.getInputs(), begins, inputSizes)) {
    if (isEmpty(input))
      continue;
    SmallVector<OpFoldResult> offsets(rank, builder.getIndexAttr(0));
    offsets[dim] = begin;
    result =
        tensor::InsertSliceOp::create(builder, loc, input, result, offsets, inputSize, strides);
  }
  return castTo(builder, loc, result, op.getResultType());
}

Value lowerGenerate(OpBuilder &builder, tensor::GenerateOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<OpFoldResult> sizes =
      getMixedValues(type.getShape(), op.getDynamicExtents(), builder.getContext());
  return makeElementwise(builder, op.getLoc(), {}, sizes, type.getElementType(),
                         [&](OpBuilder &b, Location loc, ValueRange) {
                           SmallVector<Value> indices = makeLoopIndices(b, loc, type.getRank());
                           Value value = inlineIndexRegion(b, op.getBody(), indices);
                           linalg::YieldOp::create(b, loc, value);
                         });
}

/// Coordinate number `position` of the tuple at `leading` in a tensor of coordinates.
static Value readCoordinate(OpBuilder &builder, Location loc, Value coordinates, ValueRange leading,
                            int64_t position) {
  SmallVector<Value> indices(leading);
  indices.push_back(constantIndex(builder, loc, position));
  Value value = tensor::ExtractOp::create(builder, loc, coordinates, indices);
  if (value.getType().isIndex())
    return value;
  return arith::IndexCastOp::create(builder, loc, builder.getIndexType(), value);
}

Value lowerGather(OpBuilder &builder, tensor::GatherOp op) {
  Location loc = op.getLoc();
  RankedTensorType type = op.getResultType();
  int64_t numLeading = op.getIndicesType().getRank() - 1;
  int64_t sourceRank = op.getSourceType().getRank();
  bool keepsRank = type.getRank() == numLeading + sourceRank;
  llvm::SmallDenseSet<int64_t> gathered(op.getGatherDims().begin(), op.getGatherDims().end());
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < numLeading; ++dim)
    sizes.push_back(sizeOf(builder, loc, op.getIndices(), dim));
  for (int64_t dim = 0; dim < sourceRank; ++dim) {
    if (!gathered.contains(dim))
      sizes.push_back(sizeOf(builder, loc, op.getSource(), dim));
    else if (keepsRank)
      sizes.push_back(builder.getIndexAttr(1));
  }
  auto body = [&](OpBuilder &b, Location loc, ValueRange) {
    SmallVector<Value> loops = makeLoopIndices(b, loc, sizes.size());
    ArrayRef<Value> leading = ArrayRef<Value>(loops).take_front(numLeading);
    SmallVector<Value> indices(sourceRank);
    for (auto [position, dim] : llvm::enumerate(op.getGatherDims()))
      indices[dim] = readCoordinate(b, loc, op.getIndices(), leading, position);
    int64_t next = numLeading;
    for (int64_t dim = 0; dim < sourceRank; ++dim) {
      bool isGathered = gathered.contains(dim);
      if (!isGathered)
        indices[dim] = loops[next];
      next += !isGathered || keepsRank;
    }
    Value value = tensor::ExtractOp::create(b, loc, op.getSource(), indices);
    linalg::YieldOp::create(b, loc, value);
  };
  Value result = makeElementwise(builder, loc, {}, sizes, type.getElementType(), body);
  return castTo(builder, loc, result, type);
}

/// Inserts the slice of `op`'s source at `leading` where the coordinates there say.
static Value insertScattered(OpBuilder &builder, tensor::ScatterOp op, ValueRange leading,
                             Value dest) {
  Location loc = op.getLoc();
  int64_t destRank = op.getDestType().getRank(), sourceRank = op.getSourceType().getRank();
  OpFoldResult zero = builder.getIndexAttr(0), one = builder.getIndexAttr(1);
  SmallVector<OpFoldResult> destOffsets(destRank, zero), destSizes, destStrides(destRank, one);
  for (int64_t dim = 0; dim < destRank; ++dim)
    destSizes.push_back(sizeOf(builder, loc, op.getDest(), dim));
  for (auto [position, dim] : llvm::enumerate(op.getScatterDims())) {
    destOffsets[dim] = readCoordinate(builder, loc, op.getIndices(), leading, position);
    destSizes[dim] = one;
  }
  SmallVector<OpFoldResult> offsets(sourceRank, zero), sizes, strides(sourceRank, one);
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < sourceRank; ++dim) {
    bool isLeading = dim < static_cast<int64_t>(leading.size());
    if (isLeading)
      offsets[dim] = leading[dim];
    sizes.push_back(isLeading ? one : sizeOf(builder, loc, op.getSource(), dim));
    if (!isLeading)
      shape.push_back(getConstantIntValue(sizes.back()).value_or(ShapedType::kDynamic));
  }
  auto sliceType = RankedTensorType::get(shape, op.getSourceType().getElementType());
  Value slice = tensor::ExtractSliceOp::create(builder, loc, sliceType, op.getSource(), offsets,
                                               sizes, strides);
  return tensor::InsertSliceOp::create(builder, loc, slice, dest, destOffsets, destSizes,
                                       destStrides);
}

Value lowerScatter(OpBuilder &builder, tensor::ScatterOp op) {
  Location loc = op.getLoc();
  int64_t numLeading = op.getIndicesType().getRank() - 1;
  Value zero = constantIndex(builder, loc, 0), one = constantIndex(builder, loc, 1);
  SmallVector<Value> lower(numLeading, zero), upper, step(numLeading, one);
  for (int64_t dim = 0; dim < numLeading; ++dim)
    upper.push_back(
        getValueOrCreateConstantIndexOp(builder, loc, sizeOf(builder, loc, op.getIndices(), dim)));
  scf::LoopNest nest = scf::buildLoopNest(
      builder, loc, lower, upper, step, op.getDest(),
      [&](OpBuilder &b, Location, ValueRange leading, ValueRange carried) -> scf::ValueVector {
        return {insertScattered(b, op, leading, carried.front())};
      });
  return nest.results.front();
}

Value lowerSplat(OpBuilder &builder, tensor::SplatOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<OpFoldResult> sizes =
      getMixedValues(type.getShape(), op.getDynamicSizes(), builder.getContext());
  Value empty = makeEmpty(builder, op.getLoc(), sizes, type.getElementType());
  return linalg::FillOp::create(builder, op.getLoc(), op.getInput(), empty).getResult(0);
}

Value lowerFromElements(OpBuilder &builder, tensor::FromElementsOp op) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  SmallVector<Attribute> constants;
  for (Value element : op.getElements()) {
    Attribute constant;
    if (!matchPattern(element, m_Constant(&constant)))
      break;
    constants.push_back(constant);
  }
  if (constants.size() == op.getElements().size())
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, constants));
  Value result = tensor::EmptyOp::create(builder, loc, type.getShape(), type.getElementType());
  if (llvm::all_equal(op.getElements()))
    return linalg::FillOp::create(builder, loc, op.getElements().front(), result).getResult(0);
  SmallVector<int64_t> position(type.getRank(), 0);
  for (Value element : op.getElements()) {
    SmallVector<Value> indices = llvm::map_to_vector(
        position, [&](int64_t index) { return constantIndex(builder, loc, index); });
    result = tensor::InsertOp::create(builder, loc, element, result, indices);
    for (int64_t dim = type.getRank() - 1; dim >= 0 && ++position[dim] == type.getDimSize(dim);
         --dim)
      position[dim] = 0;
  }
  return result;
}

Value lowerBitcast(OpBuilder &builder, tensor::BitcastOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  auto sourceType = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto isPlain = [](Type element) {
    return element.isSignlessInteger() || isa<FloatType>(element);
  };
  if (!type || !sourceType || !isPlain(type.getElementType()) ||
      !isPlain(sourceType.getElementType()))
    return {};
  Location loc = op.getLoc();
  Value result = makeElementwise(
      builder, loc, op.getSource(), sizesOf(builder, loc, op.getSource()), type.getElementType(),
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        Value bits = arith::BitcastOp::create(b, loc, type.getElementType(), arguments.front());
        linalg::YieldOp::create(b, loc, bits);
      });
  return castTo(builder, loc, result, type);
}

/// Whether the value of a padding is the same everywhere, so that the op is left alone.
static bool hasUniformValue(tensor::PadOp op) {
  Value value = op.getRegion().front().getTerminator()->getOperand(0);
  return !op.getRegion().isAncestor(value.getParentRegion()) || matchPattern(value, m_Constant());
}

Value lowerPad(OpBuilder &builder, tensor::PadOp op) {
  if (hasUniformValue(op))
    return {};
  Location loc = op.getLoc();
  SmallVector<OpFoldResult> sizes = sizesOf(builder, loc, op.getResult());
  int64_t rank = sizes.size();
  Value everywhere = makeElementwise(builder, loc, {}, sizes, op.getResultType().getElementType(),
                                     [&](OpBuilder &b, Location loc, ValueRange) {
                                       Value value = inlineIndexRegion(
                                           b, op.getRegion(), makeLoopIndices(b, loc, rank));
                                       linalg::YieldOp::create(b, loc, value);
                                     });
  if (isEmpty(op.getSource()))
    return castTo(builder, loc, everywhere, op.getResultType());
  SmallVector<OpFoldResult> strides(rank, builder.getIndexAttr(1));
  Value result =
      tensor::InsertSliceOp::create(builder, loc, op.getSource(), everywhere, op.getMixedLowPad(),
                                    sizesOf(builder, loc, op.getSource()), strides);
  return castTo(builder, loc, result, op.getResultType());
}

Value lowerDim(OpBuilder &builder, tensor::DimOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getSource().getType());
  if (!type || type.getRank() == 0 || constantDim(op))
    return {};
  Location loc = op.getLoc();
  auto sizeAt = [&](int64_t dim) {
    return getValueOrCreateConstantIndexOp(builder, loc, sizeOf(builder, loc, op.getSource(), dim));
  };
  Value isDimension = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, op.getIndex(),
                                            constantIndex(builder, loc, type.getRank()));
  cf::AssertOp::create(builder, loc, isDimension, "tensor.dim: the tensor has no such dimension");
  Value result = sizeAt(0);
  for (int64_t dim = 1; dim < type.getRank(); ++dim) {
    Value isDim = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, op.getIndex(),
                                        constantIndex(builder, loc, dim));
    result = arith::SelectOp::create(builder, loc, isDim, sizeAt(dim), result);
  }
  return result;
}

void checkPack(OpBuilder &builder, linalg::PackOp op) {
  if (op.getPaddingValue())
    return;
  Location loc = op.getLoc();
  ArrayRef<int64_t> order = op.getOuterDimsPerm();
  for (auto [dim, tile] : llvm::zip_equal(op.getInnerDimsPos(), op.getMixedTiles())) {
    int64_t outer = order.empty() ? dim : llvm::find(order, dim) - order.begin();
    OpFoldResult packed = sizeOf(builder, loc, op.getDest(), outer);
    OpFoldResult source = sizeOf(builder, loc, op.getSource(), dim);
    // The verifier has looked at what is constant.
    if (getConstantIntValue(packed) && getConstantIntValue(tile) && getConstantIntValue(source))
      continue;
    Value covered =
        arith::MulIOp::create(builder, loc, getValueOrCreateConstantIndexOp(builder, loc, packed),
                              getValueOrCreateConstantIndexOp(builder, loc, tile));
    assertEqual(builder, loc, source, covered,
                "linalg.pack: the tiles do not divide the source, and there is no padding value");
  }
}

Value sliceOfConcat(OpBuilder &builder, tensor::ExtractSliceOp op) {
  auto concat = op.getSource().getDefiningOp<tensor::ConcatOp>();
  if (!concat)
    return {};
  int64_t dim = concat.getDim();
  std::optional<int64_t> offset = getConstantIntValue(op.getMixedOffsets()[dim]);
  std::optional<int64_t> size = getConstantIntValue(op.getMixedSizes()[dim]);
  if (!offset || !size || !isConstantIntValue(op.getMixedStrides()[dim], 1))
    return {};
  int64_t begin = 0;
  for (Value input : concat.getInputs()) {
    int64_t extent = cast<RankedTensorType>(input.getType()).getDimSize(dim);
    if (ShapedType::isDynamic(extent))
      return {};
    if (*offset < begin + extent) {
      if (*offset + *size > begin + extent)
        return {};
      SmallVector<OpFoldResult> offsets = op.getMixedOffsets();
      offsets[dim] = builder.getIndexAttr(*offset - begin);
      return tensor::ExtractSliceOp::create(builder, op.getLoc(), op.getType(), input, offsets,
                                            op.getMixedSizes(), op.getMixedStrides());
    }
    begin += extent;
  }
  return {};
}

} // namespace anneal
