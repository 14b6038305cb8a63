//===- BoxLoop.cpp - Element-wise kernels on tiles ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BoxLoop.h"

#include <algorithm>

namespace anneal::runtime::interpreter {

bool BoxLoop::bind(const Spec &spec) {
  const KernelBinding &binding = spec.binding;
  const plan::Body &body = binding.kernel.body;
  numLoops = spec.nest.sizes.size();
  tiled.assign(spec.tiled.begin(), spec.tiled.end());
  size_t last = numLoops > 0 ? numLoops - 1 : 0;
  maxStrip = static_cast<int64_t>(chooseStrip(spec.nest, last, body.instrs.size()).maxStrip);

  StripLoop::Spec loop{.body = body, .nest = spec.nest};
  loop.stripLoop = last;
  loop.maxStrip = static_cast<size_t>(maxStrip);
  loop.results = body.yields;
  loop.gathers = binding.gathers;
  loop.moved = spec.tiled;
  loop.numIterators = binding.space.sizes.size();
  loop.location = binding.kernel.location;
  loop.isa = binding.isa;
  if (!rows.bind(loop))
    return false;
  if (numLoops > 1) {
    hasBlocks = true;
    loop.stripLoop = numLoops - 2;
    if (!blocks.bind(loop))
      return false;
  }
  // In shorter rows the work around the operations outweighs that of bringing rows together.
  constexpr int64_t kLongRow = 256, kPerStep = 64, kLongest = 512;
  longRow =
      std::min<int64_t>(kLongest, kLongRow + kPerStep * static_cast<int64_t>(body.instrs.size()));
  perPoint = estimateCost(body, body.yields) + 0.1 * static_cast<double>(spec.nest.streams.size());
  return true;
}

bool BoxLoop::start(RunState &state, char *scratch, Worker &worker) const {
  return rows.start(state, scratch, worker.rows) &&
         (!hasBlocks || blocks.start(state, scratch + rows.scratchBytes(), worker.blocks));
}

bool BoxLoop::run(Worker &worker, const ContractionBox &box) const {
  bool isShort = hasBlocks && box.size[numLoops - 1] < longRow;
  const StripLoop &loop = isShort ? blocks : rows;
  const StripLoop::Worker &own = isShort ? worker.blocks : worker.rows;
  loop.forget(own);
  for (size_t stream : tiled)
    loop.moveStream(own, stream, static_cast<char *>(box.data), box.begin, box.stride);
  return isShort ? runBlocks(own, box) : runRows(own, box);
}

bool BoxLoop::runRows(const StripLoop::Worker &own, const ContractionBox &box) const {
  if (numLoops == 0) {
    const int64_t one = 1;
    return rows.runStrip(own, &one, &one);
  }
  size_t last = numLoops - 1;
  DimVec position(box.begin, box.begin + numLoops);
  for (;;) {
    int64_t end = box.begin[last] + box.size[last];
    for (position[last] = box.begin[last]; position[last] < end;) {
      int64_t count = std::min(maxStrip, end - position[last]);
      if (!rows.runStrip(own, position.data(), &count))
        return false;
      position[last] += count;
    }
    size_t d = last;
    for (; d > 0; --d) {
      if (++position[d - 1] < box.begin[d - 1] + box.size[d - 1])
        break;
      position[d - 1] = box.begin[d - 1];
    }
    if (d == 0)
      return true;
  }
}

bool BoxLoop::runBlocks(const StripLoop::Worker &own, const ContractionBox &box) const {
  size_t outer = numLoops - 2;
  int64_t width = box.size[numLoops - 1], most = std::max<int64_t>(1, maxStrip / width);
  DimVec position(box.begin, box.begin + numLoops);
  for (;;) {
    int64_t end = box.begin[outer] + box.size[outer];
    for (position[outer] = box.begin[outer]; position[outer] < end;) {
      const int64_t extents[] = {std::min(most, end - position[outer]), width};
      if (!blocks.runStrip(own, position.data(), extents))
        return false;
      position[outer] += extents[0];
    }
    size_t d = outer;
    for (; d > 0; --d) {
      if (++position[d - 1] < box.begin[d - 1] + box.size[d - 1])
        break;
      position[d - 1] = box.begin[d - 1];
    }
    if (d == 0)
      return true;
  }
}

} // namespace anneal::runtime::interpreter
