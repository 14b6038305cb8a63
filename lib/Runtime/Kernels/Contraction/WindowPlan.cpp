//===- WindowPlan.cpp - Depthwise convolutions along rows -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contractions in which one input has all of the output dimensions that are not shared, and a
// window slides over them: depthwise convolution with rows of outputs that are contiguous in C. A
// tile's part of the input is copied to planes that hold its padding too (for a stride of s along
// the rows, dealt to s phases), or read in place where there is nothing to pad, to deal or to
// convert.
//
//===----------------------------------------------------------------------===//

#include "PlanBase.h"
#include "Result.h"
#include "WindowShape.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace anneal::runtime::contraction {
namespace {

/// Steps for which tables are kept; longer reductions are left to the general plan.
constexpr int64_t kMaxSteps = 4096;
/// Elements of the planes of a tile, which should stay in the second-level cache.
constexpr int64_t kPlaneElements = 96 * 1024;
/// Work of a tile that is worth a thread, in multiply-adds of vectors.
constexpr double kTileVectors = 12 * 1024;
/// Positions of a plane, its window and its results that are kept for a vector of channels: these
/// should stay in a near cache.
constexpr int64_t kChannelPositions = 4096;
/// Results that are handed over together, if one outer point has fewer.
constexpr int64_t kGroupResults = 4096;

/// What the rows of a group of outputs read, for one number of rows in the group.
struct RowTable {
  std::vector<int64_t> offsets, weights;
  std::vector<uint8_t> spans;
  /// Of each row read, counted from the first one along the axis.
  std::vector<int64_t> positions;
};

bool isZero(const std::array<char, 8> &value) { return value == std::array<char, 8>{}; }

/// Neither infinite nor NaN: what they are multiplied by can be a zero without changing a sum.
template <typename Bits, Bits kExponent> bool areFinite(const char *values, int64_t count) {
  bool finite = true;
  for (int64_t i = 0; i < count; ++i) {
    Bits bits;
    std::memcpy(&bits, values + i * static_cast<int64_t>(sizeof(Bits)), sizeof(Bits));
    finite &= (bits & kExponent) != kExponent;
  }
  return finite;
}

template <typename Bits> bool isNegativeZero(const char *value) {
  Bits bits;
  std::memcpy(&bits, value, sizeof(Bits));
  return bits == Bits(1) << (8 * sizeof(Bits) - 1);
}

class WindowPlan final : public PlanBase {
public:
  WindowPlan(const Shape &theShape, const WindowShape &theWindow);

  void pack(int, const void *, void *) const override {}
  void run(int64_t begin, int64_t end, const ContractionOperands &operands, char *scratchBase,
           const TileHooks &hooks) const override;
  std::string describe() const override;

private:
  /// An outer point with its pointers and its places on the axes.
  struct Point {
    const char *input, *weights;
    AxisPositions inputPositions, weightPositions;
    int64_t index[kMaxDims];
    /// Its results and initial values, counted from those of its group.
    int64_t cOffset, initOffset, bufferOffset;
  };
  /// The outputs of a tile: planes and rows.
  struct Range {
    int64_t planeBegin, planeEnd, rowBegin, rowEnd;
  };

  const Spatial &planes() const { return window.spatial[0]; }
  const Spatial &rows() const { return window.spatial[1]; }
  const Spatial &columns() const { return window.spatial[2]; }
  const OperandShape &input() const { return shape.operands[static_cast<size_t>(window.input)]; }
  const OperandShape &weights() const {
    return shape.operands[static_cast<size_t>(1 - window.input)];
  }

  void planInput();
  void planTiles();
  void planResults();
  RowTable makeTable(int64_t numRows) const;
  void locate(int64_t outerIndex, const ContractionOperands &operands, Point &point) const;
  void copyInput(const Point &point, const Range &range, char *to) const;
  void copyPlane(const char *from, const AxisPositions &positions, const Range &range, bool inside,
                 char *to) const;
  void runRange(const Point &point, const ResultTile &tile, const Range &range,
                char *scratchBase) const;
  void runChannels(const Point &point, const ResultTile &tile, int64_t count,
                   char *scratchBase) const;
  void planChannels();
  bool hasFiniteWeights(const void *weightValues) const;
  bool startsAtNegativeZero(const WindowArgs &args) const;
  void setRows(const Point &point, int64_t row, bool leavesPaddingOut, WindowArgs &args) const;
  void setResult(const Point &point, const ResultTile &tile, const Range &range, int64_t plane,
                 int64_t row, WindowArgs &args) const;
  void runGroup(int64_t first, int64_t last, const Range &range,
                const ContractionOperands &operands, char *scratchBase,
                const TileHooks &hooks) const;

  Shape shape;
  WindowShape window;
  LoopDims outer;
  /// The innermost outer dimension: results of neighbours along it are handed over together.
  LoopDim groupDim;
  ResultLayout layout;
  PanelPacker weightPacker;
  InitMode init = InitMode::Value;
  bool inPlace = false, weightsInPlace = false, narrow = false;
  /// Rows that are zeros of the padding can be left out.
  bool skipsRows = false;
  /// Neighbours along the innermost outer dimension are computed side by side.
  bool byChannels = false;
  int64_t bytes = 4, maxRows = kWindowRows;
  /// Elements between channels, planes, rows and phases of the input as kernels read it.
  std::vector<int64_t> channelStrides;
  int64_t planeStride = 0, rowStride = 0, phaseStride = 0;
  /// Axis positions, modulo the stride, that the window's columns begin at.
  std::vector<int64_t> phases;
  std::vector<int64_t> columnOffsets;
  /// By number of rows, from 1.
  std::vector<RowTable> tables;
  /// Tiles split planes if there are several, or else rows.
  bool splitPlanes = false;
  int64_t tileSplit = 1, tileOuter = 1, splitTiles = 1, numOuter = 1;
  /// Outer points in a group.
  int64_t groupSize = 1;
  int64_t bufferLd = 0;
  /// Parts of scratch, in bytes: the weights, then these.
  int64_t inputScratch = 0, bufferScratch = 0, typedScratch = 0;
};

WindowPlan::WindowPlan(const Shape &theShape, const WindowShape &theWindow)
    : shape(theShape), window(theWindow), outer(theWindow.outer), bytes(shape.elementBytes()) {
  products = shape.outputs * shape.steps;
  numOuter = extentOf(outer);
  splitPlanes = planes().dim.size > 1;
  narrow = columns().dim.size <= shape.micro().lanes;
  maxRows = narrow ? kNarrowWindowRows : kWindowRows;
  weightPacker = PanelPacker(shape, 1 - window.input, shape.reduction, {}, true);
  int64_t weightStep = 0;
  const size_t weightOperand = static_cast<size_t>(1 - window.input);
  weightsInPlace =
      weights().reader.isIdentity() && !weights().padded &&
      isLinear(
          shape.reduction, [=](const LoopDim &dim) { return dim.operand[weightOperand]; },
          weightStep) &&
      (weightStep == 1 || shape.steps == 1);
  const Spatial &x = columns();
  inPlace = input().reader.isIdentity() && !input().padded && x.stride == 1 && x.step == 1;
  planTiles();
  planChannels();
  planInput();
  // Of one plane and channel, so that rows outside are the first ones or the last ones.
  skipsRows = !inPlace && rows().axis >= 0 && planes().window == 1 &&
              extentOf(window.channels) == 1 && input().padded && isZero(input().pad);
  for (int64_t numRows = 1; numRows <= std::min(maxRows, rows().dim.size); ++numRows)
    tables.push_back(makeTable(numRows));

  planResults();
  skipsRows &= init == InitMode::Value || init == InitMode::Rows;
}

/// How results stand in a tile and where their initial values are.
void WindowPlan::planResults() {
  const Spatial &x = columns();
  // Kernels store no more than the columns that exist, so that rows can be dense.
  bufferLd = x.dim.size;
  const int64_t pointResults = planes().dim.size * rows().dim.size * bufferLd;
  LoopDims around = outer, results;
  std::vector<int64_t> storage;
  if (!around.empty()) {
    groupDim = around.back();
    around.pop_back();
    const int64_t lanes = byChannels ? shape.micro().lanes : 1;
    if (splitTiles == 1)
      groupSize =
          std::clamp<int64_t>(kGroupResults / pointResults / lanes * lanes, lanes, tileOuter);
    results.push_back(groupDim);
    storage.push_back(pointResults);
  }
  for (const Spatial &s : window.spatial)
    if (s.dim.size > 1) {
      results.push_back(s.dim);
      storage.push_back(&s == &window.spatial[2]   ? 1
                        : &s == &window.spatial[1] ? bufferLd
                                                   : bufferLd * rows().dim.size);
    }
  const ResultStore store =
      shape.tileBuffer || !shape.directResult() ? ResultStore::Buffer : ResultStore::Tensor;
  layout = ResultLayout(shape, store, around, {}, results, storage);
  init = chooseInit(shape, {}, std::span(&x.dim, 1), false);
  const bool hasOwn = init == InitMode::Tile || (init == InitMode::Rows && rows().dim.init != 0);
  if (byChannels && hasOwn)
    init = InitMode::Placed;
  const int64_t tileResults =
      groupSize > 1 ? groupSize * pointResults
                    : (splitPlanes ? tileSplit * rows().dim.size : tileSplit) * bufferLd;
  typedScratch = bufferScratch;
  if (store == ResultStore::Buffer)
    typedScratch += alignUp(tileResults * bytes);
  scratch = static_cast<size_t>(typedScratch);
  if (layout.needsTyped())
    scratch += static_cast<size_t>(alignUp(tileResults * shape.resultBytes()));
}

/// Tiles of about equal work whose planes stay in a near cache.
void WindowPlan::planTiles() {
  const Spatial &along = splitPlanes ? planes() : rows();
  const double vectors = static_cast<double>(ceilDiv(columns().dim.size, shape.micro().lanes) *
                                             rows().dim.size * planes().dim.size) *
                         static_cast<double>(shape.steps);
  const double total = vectors * static_cast<double>(numOuter);
  const double target = std::max(kTileVectors, total / 16);
  tileSplit = along.dim.size;
  if (vectors <= target)
    tileOuter = std::clamp<int64_t>(std::llround(target / vectors), 1, numOuter);
  else
    tileSplit = ceilDiv(along.dim.size, std::llround(std::ceil(vectors / target)));
  const int64_t channels = extentOf(window.channels);
  const int64_t slab = channels * columns().span(columns().dim.size) *
                       (splitPlanes ? rows().span(rows().dim.size) : 1);
  while (tileSplit > maxRows && slab * along.span(tileSplit) > kPlaneElements)
    tileSplit = ceilDiv(tileSplit, 2);
  splitTiles = ceilDiv(along.dim.size, tileSplit);
  tiles = splitTiles * ceilDiv(numOuter, tileOuter);
}

/// Whether small planes are computed by channels, and tiles that have whole vectors of them.
void WindowPlan::planChannels() {
  const Spatial &y = rows(), &x = columns();
  const int64_t lanes = shape.micro().lanes;
  if (shape.compute != ComputeType::F32 || !input().reader.isIdentity() || !weightsInPlace ||
      splitTiles != 1 || planes().axis >= 0 || planes().window != 1 ||
      extentOf(window.channels) != 1 || x.step != 1)
    return;
  // Channels, or what there are most of that lie under the same part of the padding.
  const auto longest =
      std::max_element(outer.begin(), outer.end(),
                       [](const LoopDim &a, const LoopDim &b) { return a.size < b.size; });
  if (longest == outer.end() || longest->size < lanes / 2)
    return;
  for (const Axis &axis : input().axes)
    if (axis.alongParallel(*longest) != 0)
      return;
  const int64_t positions =
      y.span(y.dim.size) * x.span(x.dim.size) + y.window * x.window + y.dim.size * x.dim.size;
  if (positions > kChannelPositions)
    return;
  byChannels = true;
  std::rotate(longest, longest + 1, outer.end());
  inputScratch = alignUp(positions * lanes * bytes);
  tileOuter = std::min(ceilDiv(tileOuter, lanes) * lanes, numOuter);
  tiles = ceilDiv(numOuter, tileOuter);
}

/// Strides of the input as kernels read it.
void WindowPlan::planInput() {
  if (byChannels) {
    bufferScratch = inputScratch;
    return;
  }
  const Spatial &x = columns();
  const size_t which = static_cast<size_t>(window.input);
  channelStrides.resize(window.channels.size());
  inputScratch = weightsInPlace ? 0 : alignUp(shape.steps * bytes);
  bufferScratch = inputScratch;
  if (inPlace) {
    planeStride = planes().step;
    rowStride = rows().step;
    for (int64_t w = 0; w < x.window; ++w)
      columnOffsets.push_back(w * x.dilation);
    for (size_t d = 0; d < window.channels.size(); ++d)
      channelStrides[d] = window.channels[d].operand[which];
    return;
  }
  for (int64_t w = 0; w < x.window; ++w) {
    const int64_t phase = w * x.dilation % x.stride;
    if (std::find(phases.begin(), phases.end(), phase) == phases.end())
      phases.push_back(phase);
  }
  phaseStride = x.dim.size + (x.window - 1) * x.dilation / x.stride;
  rowStride = phaseStride * static_cast<int64_t>(phases.size());
  planeStride = rowStride * rows().span(splitPlanes ? rows().dim.size : tileSplit);
  int64_t stride = planeStride * planes().span(splitPlanes ? tileSplit : 1);
  for (size_t d = window.channels.size(); d-- > 0; stride *= window.channels[d].size)
    channelStrides[d] = stride;
  for (int64_t w = 0; w < x.window; ++w) {
    const auto phase = std::find(phases.begin(), phases.end(), w * x.dilation % x.stride);
    columnOffsets.push_back((phase - phases.begin()) * phaseStride + w * x.dilation / x.stride);
  }
  bufferScratch += alignUp(stride * bytes);
}

/// As in WindowArgs::rowSpans.
static uint8_t spanOf(const std::array<int64_t, kNarrowWindowRows> &entries) {
  auto seen = [](int64_t entry) { return entry >= 0; };
  const auto first = std::find_if(entries.begin(), entries.end(), seen);
  const auto last = std::find_if_not(first, entries.end(), seen);
  if (std::any_of(last, entries.end(), seen))
    return 0;
  return static_cast<uint8_t>((first - entries.begin()) * kNarrowWindowRows + (last - first));
}

/// The input rows of `numRows` output rows, in the order of the reduction, and which row of the
/// window each one is for each output row.
RowTable WindowPlan::makeTable(int64_t numRows) const {
  RowTable table;
  const Spatial &y = rows();
  const int64_t channels = extentOf(window.channels);
  for (int64_t outerStep = 0; outerStep < channels * planes().window; ++outerStep) {
    const int64_t plane = outerStep % planes().window;
    int64_t rest = outerStep / planes().window, offset = plane * planes().dilation * planeStride;
    for (size_t d = window.channels.size(); d-- > 0; rest /= window.channels[d].size)
      offset += rest % window.channels[d].size * channelStrides[d];
    for (int64_t position = 0; position < y.span(numRows); ++position) {
      std::array<int64_t, kNarrowWindowRows> entries;
      entries.fill(-1);
      bool any = false;
      for (int64_t t = 0; t < numRows; ++t) {
        const int64_t into = position - t * y.stride;
        if (into < 0 || into % y.dilation != 0 || into / y.dilation >= y.window)
          continue;
        entries[static_cast<size_t>(t)] =
            (outerStep * y.window + into / y.dilation) * columns().window;
        any = true;
      }
      if (!any)
        continue;
      table.offsets.push_back(offset + position * rowStride);
      table.positions.push_back(position);
      table.spans.push_back(spanOf(entries));
      table.weights.insert(table.weights.end(), entries.begin(), entries.begin() + maxRows);
    }
  }
  return table;
}

void WindowPlan::locate(int64_t outerIndex, const ContractionOperands &operands,
                        Point &point) const {
  const size_t in = static_cast<size_t>(window.input), by = 1 - in;
  point.inputPositions = axisOrigin(input());
  point.weightPositions = axisOrigin(weights());
  int64_t inputAt = input().origin, weightsAt = weights().origin;
  for (size_t d = outer.size(); d-- > 0;) {
    const Division place(outerIndex, outer[d].size);
    outerIndex = place.quotient;
    point.index[d] = place.rest;
    inputAt += place.rest * outer[d].operand[in];
    weightsAt += place.rest * outer[d].operand[by];
    for (size_t a = 0; a < input().axes.size(); ++a)
      point.inputPositions[a] += place.rest * input().axes[a].alongParallel(outer[d]);
    for (size_t a = 0; a < weights().axes.size(); ++a)
      point.weightPositions[a] += place.rest * weights().axes[a].alongParallel(outer[d]);
  }
  const char *a = static_cast<const char *>(operands.a), *b = static_cast<const char *>(operands.b);
  point.input = (in == 0 ? a : b) + inputAt * input().reader.sourceBytes();
  point.weights = (in == 0 ? b : a) + weightsAt * weights().reader.sourceBytes();
}

void WindowPlan::run(int64_t begin, int64_t end, const ContractionOperands &operands,
                     char *scratchBase, const TileHooks &hooks) const {
  for (int64_t tileIndex = begin; tileIndex < end; ++tileIndex) {
    const Division place(tileIndex, splitTiles);
    const int64_t last = std::min(numOuter, (place.quotient + 1) * tileOuter);
    const int64_t from = place.rest * tileSplit;
    const int64_t to = std::min((splitPlanes ? planes() : rows()).dim.size, from + tileSplit);
    const Range range = splitPlanes ? Range{from, to, 0, rows().dim.size} : Range{0, 1, from, to};
    for (int64_t first = place.quotient * tileOuter; first < last;) {
      // A group ends where the dimension along which it extends does.
      const int64_t left = groupDim.size - Division(first, groupDim.size).rest;
      const int64_t count = std::min({groupSize, left, last - first});
      runGroup(first, first + count, range, operands, scratchBase, hooks);
      first += count;
    }
  }
}

/// Outer points [first, last), neighbours along the innermost outer dimension, for all of which the
/// range is the whole one if there are several.
void WindowPlan::runGroup(int64_t first, int64_t last, const Range &range,
                          const ContractionOperands &operands, char *scratchBase,
                          const TileHooks &hooks) const {
  Point point;
  locate(first, operands, point);
  ResultTile tile;
  tile.rowEnd = 1;
  tile.outer = point.index;
  tile.buffer = scratchBase + bufferScratch;
  tile.typed = scratchBase + typedScratch;
  int64_t c = 0, initAt = 0;
  for (size_t d = 0; d + 1 < outer.size(); ++d) {
    c += point.index[d] * outer[d].c;
    initAt += point.index[d] * outer[d].init;
  }
  tile.c = shape.tileBuffer ? nullptr : static_cast<char *>(operands.c) + c * shape.resultBytes();
  tile.init = operands.init == nullptr
                  ? nullptr
                  : static_cast<const char *>(operands.init) + initAt * shape.resultBytes();
  const int64_t rowResults = columns().dim.size, planeResults = rowResults * rows().dim.size;
  const int64_t pointResults = planeResults * planes().dim.size;
  const int64_t firstInGroup = outer.empty() ? 0 : point.index[outer.size() - 1];
  tile.columnBegin = firstInGroup * pointResults + range.planeBegin * planeResults +
                     (splitPlanes ? 0 : range.rowBegin * rowResults);
  tile.columnEnd = (firstInGroup + last - first - 1) * pointResults +
                   (splitPlanes ? range.planeEnd * planeResults : range.rowEnd * rowResults);
  layout.place(tile);
  if (init == InitMode::Hook)
    layout.initByHook(tile, hooks);
  else if (init == InitMode::Placed)
    layout.initFromTensor(tile);
  const int64_t step = byChannels ? shape.micro().lanes : 1;
  for (int64_t index = first; index < last; index += step) {
    if (index > first)
      locate(index, operands, point);
    point.cOffset = (firstInGroup + index - first) * groupDim.c;
    point.initOffset = (firstInGroup + index - first) * groupDim.init;
    point.bufferOffset = (index - first) * pointResults;
    if (byChannels)
      runChannels(point, tile, std::min(step, last - index), scratchBase);
    else
      runRange(point, tile, range, scratchBase);
  }
  if (layout.store() == ResultStore::Buffer || hooks.finish)
    layout.finish(tile, hooks);
}

void WindowPlan::runRange(const Point &point, const ResultTile &tile, const Range &range,
                          char *scratchBase) const {
  WindowArgs args = {};
  args.columnOffsets = columnOffsets.data();
  args.numColumns = columns().window;
  args.width = columns().dim.size;
  args.weights = point.weights;
  if (!weightsInPlace) {
    weightPacker.pack(scratchBase, shape.steps, point.weights, point.weightPositions, 0,
                      shape.steps, 0, 1);
    args.weights = scratchBase;
  }
  const char *base = scratchBase + inputScratch;
  if (inPlace)
    base = point.input + (range.planeBegin * planes().stride * planeStride +
                          range.rowBegin * rows().stride * rowStride) *
                             bytes;
  else
    copyInput(point, range, scratchBase + inputScratch);
  const bool leavesPaddingOut = skipsRows && hasFiniteWeights(args.weights);
  const WindowFn fn = shape.kernels->window[static_cast<int>(shape.compute)][narrow];
  for (int64_t plane = range.planeBegin; plane < range.planeEnd; ++plane)
    for (int64_t row = range.rowBegin; row < range.rowEnd; row += maxRows) {
      args.rows = std::min(maxRows, range.rowEnd - row);
      args.input = base + ((plane - range.planeBegin) * planes().stride * planeStride +
                           (row - range.rowBegin) * rows().stride * rowStride) *
                              bytes;
      setResult(point, tile, range, plane, row, args);
      setRows(point, row, leavesPaddingOut && !startsAtNegativeZero(args), args);
      fn(args);
    }
}

/// A vector of neighbours along the innermost outer dimension, of small planes.
void WindowPlan::runChannels(const Point &point, const ResultTile &tile, int64_t count,
                             char *scratchBase) const {
  const size_t in = static_cast<size_t>(window.input);
  const Spatial &y = rows(), &x = columns();
  ChannelWindowArgs args = {};
  args.channelStep = groupDim.operand[in];
  args.rowStep = y.step;
  args.pad = input().pad.data();
  args.rowSpan = y.span(y.dim.size);
  args.columnSpan = x.span(x.dim.size);
  args.originRow = y.axis < 0 ? 0 : point.inputPositions[y.axis];
  args.originColumn = x.axis < 0 ? 0 : point.inputPositions[x.axis];
  args.inRows = y.axis < 0 ? args.rowSpan : y.axisSize;
  args.inColumns = x.axis < 0 ? args.columnSpan : x.axisSize;
  args.weights = point.weights;
  args.weightStride = groupDim.operand[1 - in];
  args.windowRows = y.window;
  args.windowColumns = x.window;
  args.rowDilation = y.dilation;
  args.columnDilation = x.dilation;
  args.channels = count;
  args.rows = y.dim.size;
  args.columns = x.dim.size;
  args.rowStride = y.stride;
  args.columnStride = x.stride;
  const bool isTensor = layout.store() == ResultStore::Tensor;
  const int64_t planeResults = y.dim.size * bufferLd;
  args.channelC = isTensor ? groupDim.c : planes().dim.size * planeResults;
  args.ldc = isTensor ? y.dim.c : bufferLd;
  args.isPlaced = init == InitMode::Placed || init == InitMode::Hook;
  args.initStride = init == InitMode::Rows ? groupDim.init : 0;
  args.scratch = scratchBase;
  args.leavesPaddingOut = isZero(input().pad);
  for (int64_t c = 0; c < count && args.leavesPaddingOut; ++c)
    args.leavesPaddingOut = hasFiniteWeights(point.weights + c * args.weightStride * bytes);
  for (int64_t plane = 0; plane < planes().dim.size; ++plane) {
    args.input = point.input + plane * planes().step * bytes;
    args.c = isTensor ? tile.c + (point.cOffset + plane * planes().dim.c) * bytes
                      : tile.buffer + (point.bufferOffset + plane * planeResults) * bytes;
    args.init = init == InitMode::Rows
                    ? tile.init + (point.initOffset + plane * planes().dim.init) * bytes
                    : shape.initValue.data();
    shape.kernels->channelWindow(args);
  }
}

/// Whether results are the same without the products of zeros of the padding: no weight makes a NaN
/// of them.
bool WindowPlan::hasFiniteWeights(const void *weightValues) const {
  const auto *values = static_cast<const char *>(weightValues);
  if (shape.compute == ComputeType::F32)
    return areFinite<uint32_t, 0x7F800000>(values, shape.steps);
  if (shape.compute == ComputeType::F64)
    return areFinite<uint64_t, 0x7FF0000000000000>(values, shape.steps);
  return true;
}

/// An initial value of -0 would become 0 by those products.
bool WindowPlan::startsAtNegativeZero(const WindowArgs &args) const {
  const auto *first = static_cast<const char *>(args.init);
  bool found = false;
  for (int64_t row = 0; row < (args.ldInit == 0 ? 1 : args.rows);
       ++row, first += args.ldInit * bytes)
    found |= shape.compute == ComputeType::F32   ? isNegativeZero<uint32_t>(first)
             : shape.compute == ComputeType::F64 ? isNegativeZero<uint64_t>(first)
                                                 : false;
  return found;
}

/// The input rows that a group of output rows from `row` on reads.
void WindowPlan::setRows(const Point &point, int64_t row, bool leavesPaddingOut,
                         WindowArgs &args) const {
  const RowTable &table = tables[static_cast<size_t>(args.rows - 1)];
  size_t first = 0, last = table.offsets.size();
  if (leavesPaddingOut) {
    const int64_t origin = point.inputPositions[rows().axis] + row * rows().stride;
    while (first < last && origin + table.positions[first] < 0)
      ++first;
    while (last > first && origin + table.positions[last - 1] >= rows().axisSize)
      --last;
  }
  args.rowOffsets = table.offsets.data() + first;
  args.rowSpans = table.spans.data() + first;
  args.weightRows = table.weights.data() + first * static_cast<size_t>(maxRows);
  args.numRows = static_cast<int64_t>(last - first);
}

/// Where the results of a group of rows stand and begin.
void WindowPlan::setResult(const Point &point, const ResultTile &tile, const Range &range,
                           int64_t plane, int64_t row, WindowArgs &args) const {
  if (layout.store() == ResultStore::Tensor) {
    args.c = tile.c + (point.cOffset + plane * planes().dim.c + row * rows().dim.c) * bytes;
    args.ldc = rows().dim.c;
  } else {
    const int64_t at = (plane - range.planeBegin) * rows().dim.size + row - range.rowBegin;
    args.c = tile.buffer + (point.bufferOffset + at * bufferLd) * bytes;
    args.ldc = bufferLd;
  }
  args.initBroadcast = init == InitMode::Value || init == InitMode::Rows;
  args.init = args.c;
  args.ldInit = args.ldc;
  if (init == InitMode::Value) {
    args.init = shape.initValue.data();
    args.ldInit = 0;
  } else if (init == InitMode::Rows || init == InitMode::Tile) {
    args.init =
        tile.init + (point.initOffset + plane * planes().dim.init + row * rows().dim.init) * bytes;
    args.ldInit = rows().dim.init;
  }
}

/// Copies what the outputs of a tile see, with its padding.
void WindowPlan::copyInput(const Point &point, const Range &range, char *to) const {
  const size_t which = static_cast<size_t>(window.input);
  const Spatial &z = planes();
  const int64_t count = z.span(range.planeEnd - range.planeBegin);
  const int64_t first = range.planeBegin * z.stride;
  for (int64_t channel = 0, channels = extentOf(window.channels); channel < channels; ++channel) {
    int64_t rest = channel, from = 0, at = 0;
    for (size_t d = window.channels.size(); d-- > 0;) {
      const Division place(rest, window.channels[d].size);
      rest = place.quotient;
      from += place.rest * window.channels[d].operand[which];
      at += place.rest * channelStrides[d];
    }
    for (int64_t plane = 0; plane < count; ++plane) {
      const int64_t position = z.axis < 0 ? 0 : point.inputPositions[z.axis] + first + plane;
      const bool inside = z.axis < 0 || (position >= 0 && position < z.axisSize);
      copyPlane(point.input + (from + (first + plane) * z.step) * input().reader.sourceBytes(),
                point.inputPositions, range, inside, to + (at + plane * planeStride) * bytes);
    }
  }
}

void WindowPlan::copyPlane(const char *from, const AxisPositions &positions, const Range &range,
                           bool inside, char *to) const {
  const Spatial &y = rows(), &x = columns();
  const int64_t sourceBytes = input().reader.sourceBytes();
  PlaneArgs args = {};
  args.pad = input().pad.data();
  args.toRow = rowStride;
  args.rows = y.span(range.rowEnd - range.rowBegin);
  args.columns = phaseStride;
  args.fromRow = y.step;
  args.fromColumn = x.stride * x.step;
  Interval inY = {0, args.rows};
  const int64_t first = range.rowBegin * y.stride;
  if (y.axis >= 0)
    inY = insideRange(positions[y.axis] + first, 1, y.axisSize, args.rows);
  args.rowBegin = inY.begin;
  args.rowEnd = inside ? inY.end : inY.begin;
  for (size_t p = 0; p < phases.size(); ++p) {
    Interval inX = {0, phaseStride};
    if (x.axis >= 0)
      inX = insideRange(positions[x.axis] + phases[p], x.stride, x.axisSize, phaseStride);
    args.columnBegin = inX.begin;
    args.columnEnd = inX.end;
    args.to = to + static_cast<int64_t>(p) * phaseStride * bytes;
    args.from =
        from +
        ((first + inY.begin) * y.step + (phases[p] + inX.begin * x.stride) * x.step) * sourceBytes;
    input().reader.plane(args);
  }
}

std::string WindowPlan::describe() const {
  return absl::StrCat(
      "window ", std::string(name(shape.isa)), " input ", window.input == 0 ? "A" : "B",
      inPlace ? " in place" : " copied", ", outputs ", planes().dim.size, "x", rows().dim.size, "x",
      columns().dim.size, ", window ", planes().window, "x", rows().window, "x", columns().window,
      ", channels ", extentOf(window.channels), ", outer ", numOuter, ", tiles ", tiles);
}

} // namespace

std::unique_ptr<PlanBase> makeWindowPlan(const Shape &shape) {
  if (shape.order != ReductionOrder::Chain || shape.steps == 0 || shape.steps > kMaxSteps)
    return nullptr;
  for (int input : {0, 1})
    if (std::optional<WindowShape> window = recogniseWindow(shape, input))
      return std::make_unique<WindowPlan>(shape, *window);
  return nullptr;
}

} // namespace anneal::runtime::contraction
