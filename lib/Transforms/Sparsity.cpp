//===- Sparsity.cpp - Tensors most of whose elements are zero -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Transforms/Sparsity.h"

#include "ConstantReader.h"
#include "OneHot.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace anneal {

StringRef toString(SparsityKind kind) {
  switch (kind) {
  case SparsityKind::OneHot:
    return "one-hot";
  case SparsityKind::ZeroStuffed:
    return "zero-stuffed";
  case SparsityKind::Diagonal:
    return "diagonal";
  case SparsityKind::LowerTriangular:
    return "lower triangular";
  case SparsityKind::UpperTriangular:
    return "upper triangular";
  case SparsityKind::MostlyZero:
    return "mostly zero";
  }
  return "";
}

/// A scalar zero, of either sign.
static bool isZeroScalar(Value value) {
  return matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

static bool isOneScalar(Value value) {
  return matchPattern(value, m_OneFloat()) || matchPattern(value, m_One());
}

/// The scalar that all elements of a tensor are, by `isScalar`: a fill, a splat, a constant.
static bool isFilledWith(Value tensor, function_ref<bool(Value)> isScalar,
                         function_ref<bool(Attribute)> isAttribute) {
  if (auto fill = dyn_cast_or_null<linalg::LinalgOp>(tensor.getDefiningOp()))
    if (auto contract = dyn_cast<linalg::FillOp>(fill.getOperation()))
      return isScalar(contract.value());
  if (auto splat = tensor.getDefiningOp<tensor::SplatOp>())
    return isScalar(splat.getInput());
  SplatElementsAttr elements;
  return matchPattern(tensor, m_Constant(&elements)) &&
         isAttribute(elements.getSplatValue<Attribute>());
}

static bool isAttributeOf(Attribute attribute, double value) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble() == value;
  auto integer = dyn_cast<IntegerAttr>(attribute);
  return integer && integer.getValue() == static_cast<uint64_t>(value);
}

static bool isAllZero(Value tensor) {
  return isFilledWith(tensor, isZeroScalar,
                      [](Attribute element) { return isAttributeOf(element, 0); });
}

static bool isAllOne(Value tensor) {
  return isFilledWith(tensor, isOneScalar,
                      [](Attribute element) { return isAttributeOf(element, 1); });
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

namespace {

/// The elements of a constant that aren't zero, counted as they are read.
class ConstantCounts {
public:
  ConstantCounts(RankedTensorType type, uint64_t one, uint64_t signBit)
      : one(one), signBit(signBit), columns(type.getRank() > 0 ? type.getShape().back() : 1),
        rows(type.getRank() > 1 ? type.getShape().drop_back().back() : 1) {}

  void add(uint64_t bits) {
    int64_t column = position % columns, row = position / columns % rows;
    if (column == 0)
      numInRow = 0;
    ++position;
    if ((bits & ~signBit) == 0)
      return;
    ++numNonZero;
    isOneHot &= bits == one && ++numInRow == 1;
    isDiagonal &= column == row;
    isLower &= column <= row;
    isUpper &= column >= row;
  }

  /// The most that the elements say.
  std::optional<SparsityKind> getKind(int64_t rank, double density, double maxDensity) const {
    if (numNonZero > 0 && isOneHot && columns > 1)
      return SparsityKind::OneHot;
    if (numNonZero > 0 && rank >= 2 && columns > 1 && rows > 1)
      for (auto [holds, kind] : {std::pair(isDiagonal, SparsityKind::Diagonal),
                                 std::pair(isLower, SparsityKind::LowerTriangular),
                                 std::pair(isUpper, SparsityKind::UpperTriangular)})
        if (holds)
          return kind;
    return density <= maxDensity ? std::optional(SparsityKind::MostlyZero) : std::nullopt;
  }

  int64_t numNonZero = 0;
  int64_t position = 0;

private:
  const uint64_t one, signBit;
  const int64_t columns, rows;
  int64_t numInRow = 0;
  bool isOneHot = true, isDiagonal = true, isLower = true, isUpper = true;
};

} // namespace

/// The bits of the number one.
static std::optional<uint64_t> getOneBits(Type element) {
  if (element.isIntOrIndex())
    return 1;
  auto floatType = dyn_cast<FloatType>(element);
  if (!floatType || floatType.getWidth() > 64)
    return std::nullopt;
  return APFloat::getOne(floatType.getFloatSemantics()).bitcastToAPInt().getZExtValue();
}

static std::optional<Sparsity> matchConstant(Value tensor, double maxDensity) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Type element = type.getElementType();
  std::optional<uint64_t> one = getOneBits(element);
  if (!one || !type.hasStaticShape() || type.getNumElements() == 0)
    return std::nullopt;
  bool hasSign = element.isF16() || element.isBF16() || element.isF32() || element.isF64();
  ConstantCounts counts(type, *one,
                        hasSign ? uint64_t(1) << (element.getIntOrFloatBitWidth() - 1) : 0);
  if (!visitElements(tensor, [&](uint64_t bits) {
        counts.add(bits);
        return true;
      }))
    return std::nullopt;
  Sparsity sparsity;
  sparsity.density =
      static_cast<double>(counts.numNonZero) / static_cast<double>(type.getNumElements());
  std::optional<SparsityKind> kind = counts.getKind(type.getRank(), *sparsity.density, maxDensity);
  if (!kind)
    return std::nullopt;
  sparsity.kind = *kind;
  if (sparsity.kind == SparsityKind::OneHot)
    sparsity.dim = type.getRank() - 1;
  sparsity.why = "a constant with " + std::to_string(counts.numNonZero) + " of " +
                 std::to_string(type.getNumElements()) + " elements that aren't zero";
  return sparsity;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// 1 / size, if the size is known and not 0.
static std::optional<double> getShareOfOne(Value tensor, int64_t dim) {
  int64_t size = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  return ShapedType::isDynamic(size) || size == 0 ? std::nullopt : std::optional(1.0 / size);
}

static std::optional<Sparsity> matchComparedLabel(Value tensor) {
  if (!matchOneHot(tensor))
    return std::nullopt;
  Sparsity sparsity;
  sparsity.kind = SparsityKind::OneHot;
  sparsity.dim = cast<RankedTensorType>(tensor.getType()).getRank() - 1;
  sparsity.density = getShareOfOne(tensor, sparsity.dim);
  sparsity.why = "compares a label with the number of the class";
  return sparsity;
}

/// A loop counter of the op that the search began at, plus a constant.
struct Counter {
  unsigned loop;
  int64_t offset;
};

static std::optional<Counter> matchCounter(BodyValue at) {
  at = enterProducer(at);
  Value value = at.value;
  int64_t offset = 0;
  while (Operation *op = value.getDefiningOp()) {
    if (isa<arith::IndexCastOp>(op)) {
      value = op->getOperand(0);
      continue;
    }
    std::optional<int64_t> constant = isa<arith::AddIOp, arith::SubIOp>(op)
                                          ? getConstantIntValue(op->getOperand(1))
                                          : std::nullopt;
    if (!constant)
      break;
    offset += isa<arith::AddIOp>(op) ? *constant : -*constant;
    value = op->getOperand(0);
  }
  auto index = value.getDefiningOp<linalg::IndexOp>();
  if (!index)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(at.loops.getResult(index.getDim()));
  if (!dim)
    return std::nullopt;
  return Counter{dim.getPosition(), offset};
}

/// The comparison with operands exchanged, or with the opposite outcome.
static std::optional<SparsityKind> getMaskKind(arith::CmpIPredicate predicate, bool isSwapped,
                                               bool isInverted) {
  using P = arith::CmpIPredicate;
  if (isInverted)
    predicate = arith::invertPredicate(predicate);
  bool isLess =
      predicate == P::slt || predicate == P::sle || predicate == P::ult || predicate == P::ule;
  if (predicate == P::eq)
    return SparsityKind::Diagonal;
  if (predicate == P::ne)
    return std::nullopt;
  // row < column: above the diagonal.
  return isLess != isSwapped ? SparsityKind::UpperTriangular : SparsityKind::LowerTriangular;
}

/// The share of (row, column) that a comparison lets through, for known sizes.
static std::optional<double> getMaskDensity(RankedTensorType type, arith::CmpIPredicate predicate,
                                            Counter left, Counter right, bool isInverted) {
  int64_t rank = type.getRank();
  int64_t rows = type.getDimSize(rank - 2), columns = type.getDimSize(rank - 1);
  constexpr int64_t kMostElements = int64_t(1) << 26;
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(columns) || rows == 0 || columns == 0 ||
      rows > kMostElements / columns)
    return std::nullopt;
  int64_t kept = 0;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column) {
      auto valueOf = [&](Counter counter) {
        return APInt(64, (counter.loop == rank - 2 ? row : column) + counter.offset,
                     /*isSigned=*/true);
      };
      kept += arith::applyCmpPredicate(predicate, valueOf(left), valueOf(right)) != isInverted;
    }
  return static_cast<double>(kept) / (static_cast<double>(rows) * static_cast<double>(columns));
}

/// Element-wise ops that are zero where a comparison of the last two counters says so.
static std::optional<Sparsity> matchMask(Value tensor) {
  auto op = tensor.getDefiningOp<linalg::LinalgOp>();
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!op || !isElementwise(op) || hasAssert(op) || type.getRank() < 2 ||
      !op.getIndexingMapMatchingResult(cast<OpResult>(tensor)).isIdentity())
    return std::nullopt;
  AffineMap identity = AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext());
  Value yielded =
      op.getBlock()->getTerminator()->getOperand(cast<OpResult>(tensor).getResultNumber());
  BodyValue at = enterProducer({op, yielded, identity});
  bool isInverted = false;
  while (isa_and_nonnull<arith::UIToFPOp, arith::ExtUIOp, arith::SIToFPOp, arith::ExtSIOp>(
      at.value.getDefiningOp()))
    at = enterProducer({at.op, at.value.getDefiningOp()->getOperand(0), at.loops});
  if (auto select = at.value.getDefiningOp<arith::SelectOp>()) {
    isInverted = isZeroScalar(select.getTrueValue());
    if (!isInverted && !isZeroScalar(select.getFalseValue()))
      return std::nullopt;
    at = enterProducer({at.op, select.getCondition(), at.loops});
  }
  auto compare = at.value.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  std::optional<Counter> left = matchCounter({at.op, compare.getLhs(), at.loops});
  std::optional<Counter> right = matchCounter({at.op, compare.getRhs(), at.loops});
  unsigned row = op.getNumLoops() - 2, column = op.getNumLoops() - 1;
  if (!left || !right || std::min(left->loop, right->loop) != row ||
      std::max(left->loop, right->loop) != column)
    return std::nullopt;
  std::optional<SparsityKind> kind =
      getMaskKind(compare.getPredicate(), left->loop == column, isInverted);
  if (!kind)
    return std::nullopt;
  Sparsity sparsity;
  sparsity.kind = *kind;
  sparsity.density = getMaskDensity(type, compare.getPredicate(), *left, *right, isInverted);
  sparsity.why = "compares the last two counters";
  return sparsity;
}

//===----------------------------------------------------------------------===//
// Writes into zeros
//===----------------------------------------------------------------------===//

static std::optional<Sparsity> matchScatter(Value tensor, double maxDensity) {
  auto scatter = tensor.getDefiningOp<tensor::ScatterOp>();
  if (!scatter || !isAllZero(scatter.getDest()))
    return std::nullopt;
  auto source = cast<RankedTensorType>(scatter.getSource().getType());
  auto type = cast<RankedTensorType>(tensor.getType());
  Sparsity sparsity;
  if (source.hasStaticShape() && type.hasStaticShape() && type.getNumElements() > 0)
    sparsity.density = std::min(1.0, static_cast<double>(source.getNumElements()) /
                                         static_cast<double>(type.getNumElements()));
  bool isOne = isAllOne(scatter.getSource()) && source.hasStaticShape() &&
               source.getNumElements() == 1 && type.getRank() > 0;
  if (isOne) {
    sparsity.kind = SparsityKind::OneHot;
    sparsity.dim = type.getRank() - 1;
  } else if (!sparsity.density || *sparsity.density > maxDensity) {
    return std::nullopt;
  }
  sparsity.why = "scattered into zeros";
  return sparsity;
}

static std::optional<Sparsity> matchInsert(Value tensor) {
  auto insert = tensor.getDefiningOp<tensor::InsertOp>();
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!insert || type.getRank() == 0 || !isAllZero(insert.getDest()))
    return std::nullopt;
  Sparsity sparsity;
  if (type.hasStaticShape() && type.getNumElements() > 0)
    sparsity.density = 1.0 / static_cast<double>(type.getNumElements());
  if (isOneScalar(insert.getScalar())) {
    sparsity.kind = SparsityKind::OneHot;
    sparsity.dim = type.getRank() - 1;
  }
  sparsity.why = "one element inserted into zeros";
  return sparsity;
}

static std::optional<Sparsity> matchZeroStuffed(Value tensor) {
  if (auto pad = tensor.getDefiningOp<tensor::PadOp>()) {
    Value value = pad.getConstantPaddingValue();
    std::optional<Sparsity> inner =
        value && isZeroScalar(value) ? matchZeroStuffed(pad.getSource()) : std::nullopt;
    if (inner)
      inner->why += ", padded with zeros";
    return inner;
  }
  auto insert = tensor.getDefiningOp<tensor::InsertSliceOp>();
  if (!insert || !isAllZero(insert.getDest()))
    return std::nullopt;
  double density = 1;
  std::string strides;
  for (OpFoldResult stride : insert.getMixedStrides()) {
    std::optional<int64_t> constant = getConstantIntValue(stride);
    if (!constant || *constant < 1)
      return std::nullopt;
    density /= static_cast<double>(*constant);
    strides += (strides.empty() ? "" : "x") + std::to_string(*constant);
  }
  if (density == 1)
    return std::nullopt;
  // Where sizes are known, as many as are inserted: at an end there may be fewer zeros.
  auto source = insert.getSourceType();
  auto type = cast<RankedTensorType>(tensor.getType());
  Sparsity sparsity;
  sparsity.kind = SparsityKind::ZeroStuffed;
  if (source.hasStaticShape() && type.hasStaticShape() && type.getNumElements() > 0)
    sparsity.density =
        static_cast<double>(source.getNumElements()) / static_cast<double>(type.getNumElements());
  sparsity.why = "written into zeros with strides " + strides;
  return sparsity;
}

std::optional<Sparsity> getSparsity(Value tensor, double maxDensity) {
  while (auto cast = tensor.getDefiningOp<tensor::CastOp>())
    tensor = cast.getSource();
  if (!isa<RankedTensorType>(tensor.getType()))
    return std::nullopt;
  if (matchPattern(tensor, m_Constant()))
    return matchConstant(tensor, maxDensity);
  if (std::optional<Sparsity> found = matchComparedLabel(tensor))
    return found;
  if (std::optional<Sparsity> found = matchMask(tensor))
    return found;
  if (std::optional<Sparsity> found = matchScatter(tensor, maxDensity))
    return found;
  if (std::optional<Sparsity> found = matchInsert(tensor))
    return found;
  return matchZeroStuffed(tensor);
}

} // namespace anneal
