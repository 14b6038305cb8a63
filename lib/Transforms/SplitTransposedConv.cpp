//===- SplitTransposedConv.cpp - Transposed convolutions by phases --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Along one axis, an input of n elements that are s apart, the first of them at o, under a window
// of K taps: output y sees z[y + k] = x[(y + k - o) / s] where that division has no rest. Outputs
// y = s*q + r of phase r see taps k = k0 + s*j with k0 = (o - r) mod s, and of x the elements
// q + j + c with c = (r + k0 - o) / s. Each phase is a convolution of x with some of the taps.
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"
#include "anneal/Analysis/DimScope.h"
#include "anneal/Transforms/Passes.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"

namespace anneal {
#define GEN_PASS_DEF_SPLITTRANSPOSEDCONV
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// What one phase of an axis is: `numTaps` of them from `firstTap` on, and where in x they begin.
struct Phase {
  int64_t firstTap, numTaps, shift;

  bool hasSameWindow(const Phase &other) const {
    return numTaps == other.numTaps && shift == other.shift;
  }
};

/// One spatial axis of a transposed convolution.
struct Axis {
  unsigned outputLoop, filterLoop;
  /// Dimensions of input, filter and output.
  int64_t inputDim, filterDim, outputDim;
  /// Elements of x lie at offset, offset + stride, ...
  int64_t offset, stride, taps;
  /// Outputs beyond stride * (elements of x).
  int64_t excess;

  Phase phase(int64_t r) const {
    int64_t first = llvm::mod(offset - r, stride);
    int64_t count = first < taps ? llvm::divideCeil(taps - first, stride) : 0;
    return {first, count, (r + first - offset) / stride};
  }
  /// Outputs of a phase beyond the elements of x.
  int64_t moreOutputs(int64_t r) const { return llvm::divideCeilSigned(excess - r, stride); }
  /// All phases have the same number of outputs.
  bool isWhole() const { return excess == stride * moreOutputs(0); }
  bool hasOneWindow() const {
    for (int64_t r = 1; r < stride; ++r)
      if (!phase(r).hasSameWindow(phase(0)))
        return false;
    return phase(0).numTaps > 0;
  }
};

/// A convolution of a tensor with zeros between its elements.
struct TransposedConv {
  linalg::LinalgOp op;
  /// Without the zeros.
  Value x;
  SmallVector<Axis> axes;

  bool isWhole() const {
    return llvm::all_of(axes, [](const Axis &axis) { return axis.isWhole(); });
  }
};

/// The one dimension of a value that `loop` takes part in indexing.
std::optional<int64_t> dimOf(AffineMap map, unsigned loop) {
  std::optional<int64_t> found;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(loop))
      continue;
    if (found)
      return std::nullopt;
    found = dim;
  }
  return found;
}

bool isZero(Value value) {
  return matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero());
}

/// What a zero is multiplied by does not matter: the body multiplies, adds and converts, no more.
bool hasPlainProducts(linalg::LinalgOp op) {
  return llvm::all_of(op.getBlock()->without_terminator(), [](Operation &inner) {
    return isa<CastOpInterface, arith::MulFOp, arith::MulIOp, arith::AddFOp, arith::AddIOp>(inner);
  });
}

class Matcher {
public:
  explicit Matcher(DimScope &dims) : dims(dims) {}

  std::optional<TransposedConv> match(linalg::LinalgOp op) {
    if (!isAnchor(op) || op.getNumDpsInputs() != 2 || !hasPlainProducts(op))
      return std::nullopt;
    auto insert = op.getDpsInputOperand(0)->get().getDefiningOp<tensor::InsertSliceOp>();
    if (!insert || insert.getSourceType().getRank() != insert.getType().getRank() ||
        llvm::is_contained(insert.getSourceType().getShape(), 0))
      return std::nullopt;
    auto fill = insert.getDest().getDefiningOp<linalg::FillOp>();
    if (!fill || !isZero(fill.getInputs()[0]))
      return std::nullopt;
    FailureOr<linalg::ConvolutionDimensions> conv = linalg::inferConvolutionDims(op);
    if (failed(conv))
      return std::nullopt;
    TransposedConv found{op, insert.getSource(), {}};
    for (size_t i = 0; i < conv->outputImage.size(); ++i) {
      std::optional<Axis> axis = matchAxis(op, insert, *conv, i);
      if (!axis)
        return std::nullopt;
      found.axes.push_back(*axis);
    }
    bool isSpread = llvm::any_of(found.axes, [](const Axis &axis) { return axis.stride > 1; });
    if (!isSpread || !isWholeElsewhere(insert, found))
      return std::nullopt;
    return found;
  }

private:
  std::optional<Axis> matchAxis(linalg::LinalgOp op, tensor::InsertSliceOp insert,
                                const linalg::ConvolutionDimensions &conv, size_t i) {
    if (conv.strides[i] != 1 || conv.dilations[i] != 1)
      return std::nullopt;
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    Axis axis{conv.outputImage[i], conv.filterLoop[i], 0, 0, 0, 0, 0, 0, 0};
    std::optional<int64_t> input = dimOf(maps[0], axis.outputLoop);
    std::optional<int64_t> filter = dimOf(maps[1], axis.filterLoop);
    std::optional<int64_t> output = dimOf(maps[2], axis.outputLoop);
    MLIRContext *context = op.getContext();
    if (!input || !filter || !output ||
        maps[0].getResult(*input) !=
            getAffineDimExpr(axis.outputLoop, context) + getAffineDimExpr(axis.filterLoop, context))
      return std::nullopt;
    axis.inputDim = *input;
    axis.filterDim = *filter;
    axis.outputDim = *output;
    std::optional<int64_t> offset = getConstantIntValue(insert.getMixedOffsets()[*input]);
    std::optional<int64_t> stride = getConstantIntValue(insert.getMixedStrides()[*input]);
    axis.taps = cast<ShapedType>(op.getDpsInputOperand(1)->get().getType()).getDimSize(*filter);
    if (!offset || !stride || *offset < 0 || *stride < 1 || ShapedType::isDynamic(axis.taps) ||
        axis.taps == 0)
      return std::nullopt;
    axis.offset = *offset;
    axis.stride = *stride;
    // Of the padded input one output sees each position but for the last taps.
    CostExpr excess = dims.getDim(insert, *input) - CostExpr(axis.taps - 1) -
                      CostExpr(axis.stride) * dims.getDim(insert.getSource(), *input);
    std::optional<WideInt> constant = excess.getConstant();
    if (!constant || saturate(*constant) != *constant)
      return std::nullopt;
    axis.excess = saturate(*constant);
    return axis;
  }

  /// Along all other dimensions the slice is the tensor.
  bool isWholeElsewhere(tensor::InsertSliceOp insert, const TransposedConv &conv) {
    for (int64_t dim = 0; dim < insert.getType().getRank(); ++dim) {
      if (llvm::any_of(conv.axes, [&](const Axis &axis) { return axis.inputDim == dim; }))
        continue;
      if (getConstantIntValue(insert.getMixedOffsets()[dim]) != 0 ||
          getConstantIntValue(insert.getMixedStrides()[dim]) != 1 ||
          dims.getDim(insert, dim) != dims.getDim(insert.getSource(), dim))
        return false;
    }
    return true;
  }

  DimScope &dims;
};

/// Builds what a transposed convolution becomes.
class Splitter {
public:
  Splitter(RewriterBase &rewriter, const TransposedConv &conv)
      : b(rewriter), conv(conv), op(conv.op), loc(op.getLoc()) {
    b.setInsertionPoint(op);
    element = cast<ShapedType>(op->getResult(0).getType()).getElementType();
    filter = op.getDpsInputOperand(1)->get();
    init = op.getDpsInitOperand(0)->get();
  }

  void run() {
    bool isOne = llvm::all_of(conv.axes, [](const Axis &axis) { return axis.hasOneWindow(); });
    Value result = isOne && canSpreadInit() ? together() : oneByOne();
    auto type = op->getResult(0).getType();
    if (result.getType() != type)
      result = tensor::CastOp::create(b, loc, type, result);
    b.replaceOp(op, result);
  }

private:
  OpFoldResult number(int64_t value) { return b.getIndexAttr(value); }
  OpFoldResult plus(OpFoldResult size, int64_t more) {
    if (more == 0)
      return size;
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      return number(*constant + more);
    Value by = arith::ConstantIndexOp::create(b, loc, std::abs(more));
    Value from = cast<Value>(size);
    return more > 0 ? arith::AddIOp::create(b, loc, from, by).getResult()
                    : arith::SubIOp::create(b, loc, from, by).getResult();
  }
  OpFoldResult sizeOfX(const Axis &axis) { return sizeOf(b, loc, conv.x, axis.inputDim); }

  /// The fill that `init` is, if it is one.
  linalg::FillOp initFill() { return init.getDefiningOp<linalg::FillOp>(); }
  /// The initial values can be seen as split into phases.
  bool canSpreadInit() { return initFill() || conv.isWhole(); }
  /// Initial values of these sizes: the fill that `init` is, or else what `part` makes of `init`.
  Value startOf(ArrayRef<OpFoldResult> sizes, llvm::function_ref<Value()> part) {
    linalg::FillOp fill = initFill();
    if (!fill)
      return part();
    Value empty = makeEmpty(b, loc, sizes, element);
    return linalg::FillOp::create(b, loc, fill.getInputs(), ValueRange{empty}).getResult(0);
  }

  /// What outputs 0 to (elements of x) + `more` - 1 of phases with this window see of `value`,
  /// along one axis: x, with zeros around it or a part of it left out.
  Value windowed(Value value, const Axis &axis, const Phase &phase, int64_t more) {
    int64_t low = -phase.shift, high = more + phase.numTaps - 1 + phase.shift;
    auto rank = cast<RankedTensorType>(value.getType()).getRank();
    SmallVector<OpFoldResult> sizes = sizesOf(b, loc, value);
    if (low < 0 || high < 0) {
      SmallVector<OpFoldResult> offsets(rank, number(0)), strides(rank, number(1));
      offsets[axis.inputDim] = number(std::max<int64_t>(0, -low));
      sizes[axis.inputDim] =
          plus(sizes[axis.inputDim], std::min<int64_t>(0, low) + std::min<int64_t>(0, high));
      value = tensor::ExtractSliceOp::create(b, loc, value, offsets, sizes, strides);
    }
    if (low <= 0 && high <= 0)
      return value;
    SmallVector<OpFoldResult> lows(rank, number(0)), highs(rank, number(0));
    lows[axis.inputDim] = number(std::max<int64_t>(0, low));
    highs[axis.inputDim] = number(std::max<int64_t>(0, high));
    return tensor::PadOp::create(b, loc, Type(), value, lows, highs, zero());
  }

  Value zero() { return arith::ConstantOp::create(b, loc, b.getZeroAttr(inputElement())); }
  Type inputElement() { return cast<ShapedType>(conv.x.getType()).getElementType(); }

  /// The taps of the filter that one phase of each axis sees.
  Value tapsOf(ArrayRef<int64_t> phases) {
    auto rank = cast<RankedTensorType>(filter.getType()).getRank();
    SmallVector<OpFoldResult> offsets(rank, number(0)), strides(rank, number(1)),
        sizes = sizesOf(b, loc, filter);
    for (auto [axis, r] : llvm::zip_equal(conv.axes, phases)) {
      Phase phase = axis.phase(r);
      offsets[axis.filterDim] = number(phase.firstTap);
      sizes[axis.filterDim] = number(phase.numTaps);
      strides[axis.filterDim] = number(axis.stride);
    }
    return tensor::ExtractSliceOp::create(b, loc, filter, offsets, sizes, strides);
  }

  /// Calls `body` for each combination of phases.
  void forEachPhase(llvm::function_ref<void(ArrayRef<int64_t>)> body) {
    SmallVector<int64_t> phases(conv.axes.size(), 0);
    for (;;) {
      body(phases);
      size_t a = phases.size();
      for (; a > 0; --a) {
        if (++phases[a - 1] < conv.axes[a - 1].stride)
          break;
        phases[a - 1] = 0;
      }
      if (a == 0)
        return;
    }
  }

  linalg::GenericOp makeConv(Value input, Value taps, Value start, ArrayRef<AffineMap> maps,
                             ArrayRef<utils::IteratorType> iterators) {
    auto made = linalg::GenericOp::create(b, loc, start.getType(), ValueRange{input, taps},
                                          ValueRange{start}, maps, iterators);
    IRMapping mapping;
    op->getRegion(0).cloneInto(&made.getRegion(), mapping);
    return made;
  }

  //===--------------------------------------------------------------------===//
  // All phases at once: they have the same window
  //===--------------------------------------------------------------------===//

  /// The filter with a leading dimension for each spread axis: the taps of its phases.
  Value tapsOfAll() {
    SmallVector<OpFoldResult> sizes, inner = sizesOf(b, loc, filter);
    for (const Axis &axis : conv.axes) {
      inner[axis.filterDim] = number(axis.phase(0).numTaps);
      if (axis.stride > 1)
        sizes.push_back(number(axis.stride));
    }
    size_t numPhaseDims = sizes.size();
    llvm::append_range(sizes, inner);
    auto type = cast<ShapedType>(filter.getType()).getElementType();
    Value all = makeEmpty(b, loc, sizes, type);
    forEachPhase([&](ArrayRef<int64_t> phases) {
      SmallVector<OpFoldResult> offsets, strides(sizes.size(), number(1)), part = sizes;
      for (auto [axis, r] : llvm::zip_equal(conv.axes, phases))
        if (axis.stride > 1)
          offsets.push_back(number(r));
      std::fill_n(part.begin(), numPhaseDims, number(1));
      offsets.resize(sizes.size(), number(0));
      all = tensor::InsertSliceOp::create(b, loc, tapsOf(phases), all, offsets, part, strides);
    });
    return all;
  }

  /// Sizes of the output with each spread axis split in two, and which dimensions were one.
  SmallVector<OpFoldResult> splitSizes(SmallVectorImpl<ReassociationIndices> &groups) {
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(sizesOf(b, loc, init))) {
      groups.push_back({static_cast<int64_t>(sizes.size())});
      const Axis *axis = axisOfOutput(dim);
      if (!axis || axis->stride == 1) {
        sizes.push_back(size);
        continue;
      }
      sizes.push_back(plus(sizeOfX(*axis), axis->moreOutputs(0)));
      groups.back().push_back(sizes.size());
      sizes.push_back(number(axis->stride));
    }
    return sizes;
  }

  const Axis *axisOfOutput(int64_t dim) {
    auto found = llvm::find_if(conv.axes, [&](const Axis &axis) { return axis.outputDim == dim; });
    return found == conv.axes.end() ? nullptr : &*found;
  }

  Value together() {
    Value input = conv.x;
    for (const Axis &axis : conv.axes)
      input = windowed(input, axis, axis.phase(0), axis.moreOutputs(0));
    SmallVector<ReassociationIndices> groups;
    SmallVector<OpFoldResult> sizes = splitSizes(groups);
    Value start = startOf(sizes, [&] { return expand(b, loc, init, groups, sizes); });
    Value result = makeConv(input, tapsOfAll(), start, splitMaps(), splitIterators()).getResult(0);
    return cropped(collapse(b, loc, result, groups));
  }

  /// The loops of the op, then one for the phases of each spread axis.
  SmallVector<AffineMap> splitMaps() {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    MLIRContext *context = b.getContext();
    unsigned numLoops = op.getNumLoops();
    SmallVector<AffineExpr> phases;
    llvm::SmallDenseMap<int64_t, AffineExpr> phaseOfOutput;
    for (const Axis &axis : conv.axes)
      if (axis.stride > 1) {
        phases.push_back(getAffineDimExpr(numLoops + phases.size(), context));
        phaseOfOutput[axis.outputDim] = phases.back();
      }
    SmallVector<AffineExpr> filterExprs(phases), outputExprs;
    llvm::append_range(filterExprs, maps[1].getResults());
    for (auto [dim, expr] : llvm::enumerate(maps[2].getResults())) {
      outputExprs.push_back(expr);
      if (AffineExpr phase = phaseOfOutput.lookup(dim))
        outputExprs.push_back(phase);
    }
    unsigned all = numLoops + phases.size();
    return {AffineMap::get(all, 0, maps[0].getResults(), context),
            AffineMap::get(all, 0, filterExprs, context),
            AffineMap::get(all, 0, outputExprs, context)};
  }

  SmallVector<utils::IteratorType> splitIterators() {
    SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
    for (const Axis &axis : conv.axes)
      if (axis.stride > 1)
        iterators.push_back(utils::IteratorType::parallel);
    return iterators;
  }

  /// Without the outputs that the last position has more than there are.
  Value cropped(Value result) {
    if (conv.isWhole())
      return result;
    auto rank = cast<RankedTensorType>(result.getType()).getRank();
    SmallVector<OpFoldResult> offsets(rank, number(0)), strides(rank, number(1));
    return tensor::ExtractSliceOp::create(b, loc, result, offsets, sizesOf(b, loc, init), strides);
  }

  //===--------------------------------------------------------------------===//
  // Phase by phase
  //===--------------------------------------------------------------------===//

  Value oneByOne() {
    auto hasTaps = [&](ArrayRef<int64_t> phases) {
      return llvm::all_of(llvm::zip_equal(conv.axes, phases), [](auto pair) {
        auto &[axis, r] = pair;
        return axis.phase(r).numTaps > 0;
      });
    };
    // Then no initial value is left in the result.
    bool isCovered = initFill() != nullptr;
    forEachPhase([&](ArrayRef<int64_t> phases) { isCovered &= hasTaps(phases); });
    Value result = isCovered ? makeEmpty(b, loc, sizesOf(b, loc, init), element) : init;
    forEachPhase([&](ArrayRef<int64_t> phases) {
      if (hasTaps(phases))
        result = addPhase(phases, result);
    });
    return result;
  }

  Value addPhase(ArrayRef<int64_t> phases, Value result) {
    Value input = conv.x;
    auto rank = cast<RankedTensorType>(init.getType()).getRank();
    SmallVector<OpFoldResult> offsets(rank, number(0)), strides(rank, number(1)),
        sizes = sizesOf(b, loc, init);
    for (auto [axis, r] : llvm::zip_equal(conv.axes, phases)) {
      input = windowed(input, axis, axis.phase(r), axis.moreOutputs(r));
      offsets[axis.outputDim] = number(r);
      strides[axis.outputDim] = number(axis.stride);
      sizes[axis.outputDim] = plus(sizeOfX(axis), axis.moreOutputs(r));
    }
    Value start = startOf(sizes, [&] {
      return tensor::ExtractSliceOp::create(b, loc, init, offsets, sizes, strides).getResult();
    });
    Value part = makeConv(input, tapsOf(phases), start, op.getIndexingMapsArray(),
                          op.getIteratorTypesArray())
                     .getResult(0);
    return tensor::InsertSliceOp::create(b, loc, part, result, offsets, sizes, strides);
  }

  RewriterBase &b;
  const TransposedConv &conv;
  linalg::LinalgOp op;
  Location loc;
  Type element;
  Value filter, init;
};

struct SplitTransposedConv : impl::SplitTransposedConvBase<SplitTransposedConv> {
  void runOnOperation() override {
    SmallVector<TransposedConv> found;
    DimScope dims(getOperation());
    Matcher matcher(dims);
    getOperation().walk([&](linalg::LinalgOp op) {
      if (std::optional<TransposedConv> conv = matcher.match(op))
        found.push_back(*conv);
    });
    IRRewriter rewriter(&getContext());
    for (const TransposedConv &conv : found)
      Splitter(rewriter, conv).run();
  }
};

} // namespace
} // namespace anneal
