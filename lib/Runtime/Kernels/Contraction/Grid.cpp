//===- Grid.cpp - Windowed operands as dense padded planes ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Grid.h"

#include <algorithm>
#include <cstring>

namespace anneal::runtime::contraction {

/// Finds the axis of a column dimension; false where there are several, or another column has it.
bool Grid::addSpatial(const Shape &shape, const LoopDim &column) {
  const std::vector<Axis> &axes = shape.operands[which].axes;
  Spatial found = {column.size, -1, 1, 0, column.operand[which], 0, 0};
  for (size_t a = 0; a < axes.size(); ++a) {
    const int64_t coefficient = axes[a].alongParallel(column);
    if (coefficient == 0)
      continue;
    const int axis = static_cast<int>(a);
    const bool taken = std::any_of(spatial.begin(), spatial.end(),
                                   [&](const Spatial &other) { return other.axis == axis; });
    if (found.axis >= 0 || taken || coefficient < 0 ||
        axes[a].stride * coefficient != column.operand[which])
      return false;
    found.axis = axis;
    found.stride = coefficient;
    found.axisSize = axes[a].size;
    found.step = axes[a].stride;
  }
  spatial.push_back(found);
  return true;
}

/// Tells window dimensions from channels; false where a window moves backwards or along two axes.
bool Grid::sortReduction(const Shape &shape) {
  const std::vector<Axis> &axes = shape.operands[which].axes;
  auto isColumnAxis = [&](size_t a) {
    return std::any_of(spatial.begin(), spatial.end(),
                       [&](const Spatial &s) { return s.axis == static_cast<int>(a); });
  };
  for (size_t a = 0; a < axes.size(); ++a) {
    axisSizes.push_back(axes[a].size);
    if (axes[a].leaves && !isColumnAxis(a))
      channelAxes.push_back(static_cast<int>(a));
  }
  for (const LoopDim &dim : reduction) {
    AxisPositions move = {};
    int windows = 0;
    for (size_t a = 0; a < axes.size(); ++a) {
      move[a] = axes[a].alongReduction(dim);
      if (move[a] == 0 || !isColumnAxis(a))
        continue;
      ++windows;
      if (move[a] < 0 || axes[a].stride * move[a] != dim.operand[which])
        return false;
    }
    if (windows > 1)
      return false;
    moves.push_back(move);
    isWindow.push_back(windows == 1);
  }
  return true;
}

size_t Grid::phaseIndex(const Phase &phase) {
  const auto found = std::find(phases.begin(), phases.end(), phase);
  if (found != phases.end())
    return static_cast<size_t>(found - phases.begin());
  phases.push_back(phase);
  return phases.size() - 1;
}

/// Axis positions that a reduction index is away from index 0.
int64_t Grid::windowPosition(const Spatial &along, const int64_t *index) const {
  int64_t position = 0;
  for (size_t d = 0; d < reduction.size(); ++d)
    position += along.axis < 0 ? 0 : index[d] * moves[d][along.axis];
  return position;
}

void Grid::setSizes(int64_t tileOuter) {
  int64_t last[kMaxDims];
  for (size_t d = 0; d < reduction.size(); ++d)
    last[d] = reduction[d].size - 1;
  for (size_t j = 0; j < spatial.size(); ++j) {
    spatial[j].reach = windowPosition(spatial[j], last) / spatial[j].stride;
    spatial[j].extent = (j == 0 ? tileOuter : spatial[j].outputs) + spatial[j].reach;
  }
  storage.assign(spatial.size(), 1);
  for (size_t j = spatial.size() - 1; j-- > 0;)
    storage[j] = storage[j + 1] * spatial[j + 1].extent;
  planeElements = storage[0] * spatial[0].extent;
  lastRow = 1;
  for (size_t j = 1; j < spatial.size(); ++j)
    lastRow += (spatial[j].outputs - 1) * storage[j];
}

int64_t Grid::numPlanes() const {
  int64_t planes = 1;
  for (size_t d = 0; d < reduction.size(); ++d)
    planes *= isWindow[d] ? 1 : reduction[d].size;
  for (const Spatial &s : spatial)
    planes *= std::min(s.stride, s.reach + 1);
  return planes;
}

std::optional<Grid> Grid::create(const Shape &shape, int which, const LoopDims &columns) {
  if (columns.empty() || columns.size() > kMaxSpatial || shape.steps == 0 ||
      shape.steps > kMaxSteps)
    return std::nullopt;
  Grid grid;
  grid.which = which;
  grid.reader = shape.operands[which].reader;
  grid.elementBytes = shape.elementBytes();
  grid.pad = shape.operands[which].pad;
  grid.reduction = shape.reduction;
  for (const LoopDim &column : columns)
    if (!grid.addSpatial(shape, column))
      return std::nullopt;
  if (!grid.sortReduction(shape))
    return std::nullopt;
  grid.slices = !grid.reduction.empty() && !grid.isWindow[0] ? grid.reduction[0].size : 1;
  grid.sliceSteps = shape.steps / grid.slices;
  grid.setSizes(columns.front().size);
  return grid;
}

void Grid::layOut(int64_t tileOuter) {
  setSizes(tileOuter);
  // Which plane (channel, phase) and which place in it, step by step.
  struct Place {
    int64_t channel;
    size_t phase;
    int64_t offset;
  };
  std::vector<Place> places;
  const size_t numDims = reduction.size();
  int64_t index[kMaxDims] = {}, numChannels = 0;
  for (int64_t step = 0, steps = extentOf(reduction); step < steps; ++step) {
    Phase phase = {};
    Place place = {0, 0, 0};
    for (size_t j = 0; j < spatial.size(); ++j) {
      const int64_t position = windowPosition(spatial[j], index);
      phase[j] = position % spatial[j].stride;
      place.offset += position / spatial[j].stride * storage[j];
    }
    for (size_t d = 0; d < numDims; ++d)
      if (!isWindow[d])
        place.channel = place.channel * reduction[d].size + index[d];
    place.phase = phaseIndex(phase);
    numChannels = std::max(numChannels, place.channel + 1);
    places.push_back(place);
    for (size_t d = numDims; d-- > 0;) {
      if (++index[d] < reduction[d].size)
        break;
      index[d] = 0;
    }
  }
  const int64_t numPhases = static_cast<int64_t>(phases.size());
  slicePlanes = numChannels / slices * numPhases;
  for (const Place &place : places)
    stepOffsets.push_back((place.channel * numPhases + static_cast<int64_t>(place.phase)) *
                              planeElements +
                          place.offset);
}

void Grid::copy(char *to, const char *base, const AxisPositions &positions, int64_t outerBegin,
                int64_t outerEnd, int64_t firstSlice, int64_t endSlice, int64_t slack) const {
  const size_t numDims = reduction.size();
  const bool sliced = slices > 1;
  int64_t index[kMaxDims] = {};
  if (sliced)
    index[0] = firstSlice;
  const int64_t channelBytes = static_cast<int64_t>(phases.size()) * planeElements * elementBytes;
  while (true) {
    int64_t offset = 0;
    AxisPositions at = positions;
    for (size_t d = 0; d < numDims; ++d) {
      offset += index[d] * reduction[d].operand[which];
      for (int a : channelAxes)
        at[a] += index[d] * moves[d][a];
    }
    const bool inside = std::all_of(channelAxes.begin(), channelAxes.end(),
                                    [&](int a) { return at[a] >= 0 && at[a] < axisSizes[a]; });
    copyChannel(to, base + offset * reader.sourceBytes(), positions, outerBegin, outerEnd, inside);
    to += channelBytes;
    size_t d = numDims;
    while (d-- > 0) {
      if (isWindow[d])
        continue;
      if (++index[d] < (sliced && d == 0 ? endSlice : reduction[d].size))
        break;
      index[d] = 0;
    }
    if (d + 1 == 0)
      break;
  }
  std::memset(to, 0, static_cast<size_t>(slack * elementBytes));
}

void Grid::copyChannel(char *to, const char *from, const AxisPositions &positions,
                       int64_t outerBegin, int64_t outerEnd, bool inside) const {
  for (const Phase &phase : phases) {
    copyPhase(to, from, positions, phase, outerBegin, outerEnd, inside);
    to += planeElements * elementBytes;
  }
}

void Grid::copyPhase(char *to, const char *from, const AxisPositions &positions, const Phase &phase,
                     int64_t outerBegin, int64_t outerEnd, bool inside) const {
  const size_t count = spatial.size();
  int64_t extent[kMaxSpatial] = {}, begin[kMaxSpatial] = {}, end[kMaxSpatial] = {};
  for (size_t j = 0; j < count; ++j) {
    const Spatial &s = spatial[j];
    const int64_t first = j == 0 ? outerBegin : 0;
    extent[j] = j == 0 ? outerEnd - outerBegin + s.reach : s.extent;
    begin[j] = 0;
    end[j] = extent[j];
    const int64_t position = first * s.stride + phase[j];
    if (s.axis >= 0) {
      const Interval range =
          insideRange(positions[s.axis] + position, s.stride, s.axisSize, extent[j]);
      begin[j] = range.begin;
      end[j] = range.end;
    }
    if (!inside)
      end[j] = begin[j];
    from += (position + begin[j] * s.stride) * s.step * reader.sourceBytes();
  }
  const Spatial &inner = spatial[count - 1];
  PlaneArgs args = {};
  args.pad = pad.data();
  args.columns = extent[count - 1];
  args.fromColumn = inner.stride * inner.step;
  args.columnBegin = begin[count - 1];
  args.columnEnd = end[count - 1];
  args.rows = args.rowEnd = 1;
  if (count > 1) {
    const Spatial &row = spatial[count - 2];
    args.toRow = storage[count - 2];
    args.rows = extent[count - 2];
    args.fromRow = row.stride * row.step;
    args.rowBegin = begin[count - 2];
    args.rowEnd = end[count - 2];
  }
  const int64_t outer = count > 2 ? extent[0] : 1;
  for (int64_t z = 0; z < outer; ++z) {
    args.to = to + (count > 2 ? z * storage[0] : 0) * elementBytes;
    PlaneArgs plane = args;
    if (count > 2) {
      const int64_t skip = (z - begin[0]) * spatial[0].stride * spatial[0].step;
      plane.from = from + skip * reader.sourceBytes();
      if (z < begin[0] || z >= end[0])
        plane.rowEnd = plane.rowBegin;
    } else {
      plane.from = from;
    }
    reader.plane(plane);
  }
}

} // namespace anneal::runtime::contraction
