//===- WindowShape.cpp - Contractions that are sliding windows --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WindowShape.h"

#include <algorithm>

namespace anneal::runtime::contraction {
namespace {

/// Finds the axis of an output dimension; false where it has several or moves backwards.
bool findAxis(const OperandShape &operand, int which, Spatial &spatial) {
  spatial.step = spatial.dim.operand[static_cast<size_t>(which)];
  for (size_t a = 0; a < operand.axes.size(); ++a) {
    const Axis &axis = operand.axes[a];
    const int64_t moves = axis.alongParallel(spatial.dim);
    if (moves == 0)
      continue;
    if (spatial.axis >= 0 || moves < 0 || axis.stride * moves != spatial.step)
      return false;
    spatial.axis = static_cast<int>(a);
    spatial.stride = moves;
    spatial.step = axis.stride;
    spatial.axisSize = axis.size;
  }
  return true;
}

/// Sorts the reduction: channels, then at most one window dimension for each of planes, rows and
/// columns, in this order. False for any other.
bool findWindows(const OperandShape &operand, const Shape &shape, WindowShape &window) {
  size_t next = 0;
  bool any = false;
  for (const LoopDim &dim : shape.reduction) {
    size_t owner = window.spatial.size();
    for (size_t a = 0; a < operand.axes.size(); ++a) {
      const int64_t moves = operand.axes[a].alongReduction(dim);
      if (moves == 0)
        continue;
      if (moves < 0 || owner < window.spatial.size())
        return false;
      while (next < window.spatial.size() && window.spatial[next].axis != static_cast<int>(a))
        ++next;
      if (next == window.spatial.size() ||
          operand.axes[a].stride * moves != dim.operand[static_cast<size_t>(window.input)])
        return false;
      owner = next++;
      window.spatial[owner].window = dim.size;
      window.spatial[owner].dilation = moves;
      any = true;
    }
    if (owner < window.spatial.size())
      continue;
    if (any)
      return false;
    window.channels.push_back(dim);
  }
  return any;
}

} // namespace

std::optional<WindowShape> recogniseWindow(const Shape &shape, int input) {
  const LoopDims &side = shape.sides[static_cast<size_t>(input)];
  if (side.empty() || !shape.sides[static_cast<size_t>(1 - input)].empty() || side.back().c != 1)
    return std::nullopt;
  WindowShape window;
  window.input = input;
  window.outer = shape.batch;
  const size_t numSpatial = std::min(side.size(), window.spatial.size());
  const size_t numOuter = side.size() - numSpatial;
  window.outer.insert(window.outer.end(), side.begin(),
                      side.begin() + static_cast<int64_t>(numOuter));
  const OperandShape &operand = shape.operands[static_cast<size_t>(input)];
  std::vector<bool> taken(operand.axes.size(), false);
  for (size_t j = 0; j < numSpatial; ++j) {
    Spatial &spatial = window.spatial[window.spatial.size() - numSpatial + j];
    spatial.dim = side[numOuter + j];
    if (!findAxis(operand, input, spatial))
      return std::nullopt;
    if (spatial.axis < 0)
      continue;
    if (taken[static_cast<size_t>(spatial.axis)])
      return std::nullopt;
    taken[static_cast<size_t>(spatial.axis)] = true;
  }
  for (size_t a = 0; a < operand.axes.size(); ++a)
    if (operand.axes[a].leaves && !taken[a])
      return std::nullopt;
  if (!findWindows(operand, shape, window))
    return std::nullopt;
  return window;
}

} // namespace anneal::runtime::contraction
