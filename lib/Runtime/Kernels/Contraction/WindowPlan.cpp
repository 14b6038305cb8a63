//===- WindowPlan.cpp - Depthwise convolutions: planning ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowPlan.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>

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

} // namespace

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
          std::min(std::max(kGroupResults / pointResults / lanes * lanes, lanes), tileOuter);
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

std::string WindowPlan::describe() const {
  return absl::StrCat(
      "window ", std::string(name(shape.isa)), " input ", window.input == 0 ? "A" : "B",
      inPlace ? " in place" : " copied", ", outputs ", planes().dim.size, "x", rows().dim.size, "x",
      columns().dim.size, ", window ", planes().window, "x", rows().window, "x", columns().window,
      ", channels ", extentOf(window.channels), ", outer ", numOuter, ", tiles ", tiles);
}

std::unique_ptr<PlanBase> makeWindowPlan(const Shape &shape) {
  if (shape.order != ReductionOrder::Chain || shape.steps == 0 || shape.steps > kMaxSteps)
    return nullptr;
  for (int input : {0, 1})
    if (std::optional<WindowShape> window = recogniseWindow(shape, input))
      return std::make_unique<WindowPlan>(shape, *window);
  return nullptr;
}

} // namespace anneal::runtime::contraction
