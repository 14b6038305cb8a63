//===- WindowRun.cpp - Depthwise convolutions: running a plan -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowPlan.h"

#include <algorithm>
#include <cstring>

namespace anneal::runtime::contraction {
namespace {

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

} // namespace

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
  auto insidePlane = [&point](const Spatial &s, int64_t span) {
    return s.axis < 0 ? Interval{0, span}
                      : insideRange(point.inputPositions[s.axis], 1, s.axisSize, span);
  };
  const Interval inY = insidePlane(y, args.rowSpan), inX = insidePlane(x, args.columnSpan);
  args.rowBegin = inY.begin;
  args.rowEnd = inY.end;
  args.columnBegin = inX.begin;
  args.columnEnd = inX.end;
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

} // namespace anneal::runtime::contraction
