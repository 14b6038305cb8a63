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

  StripLoop::Spec loop{.codes = binding.facts.codes, .body = body, .nest = spec.nest};
  loop.maxStrip = static_cast<size_t>(maxStrip);
  loop.results = body.yields;
  loop.gathers = binding.gathers;
  loop.moved = spec.tiled;
  loop.numIterators = binding.space.sizes.size();
  loop.location = binding.kernel.location;
  loop.isa = binding.isa;
  loops.resize(std::clamp<size_t>(numLoops, 1, kMostLoops));
  for (size_t k = 0; k < loops.size(); ++k) {
    loop.stripLoop = last - k;
    if (!loops[k].bind(loop))
      return false;
  }
  boxes.bind(binding, spec.nest, tiled);
  // In shorter rows the work around the operations outweighs that of bringing rows together.
  constexpr int64_t kLongRow = 256, kPerStep = 64, kLongest = 512;
  longRow =
      std::min<int64_t>(kLongest, kLongRow + kPerStep * static_cast<int64_t>(body.instrs.size()));
  perPoint = binding.facts.cost(body.yields) + 0.1 * static_cast<double>(spec.nest.streams.size());
  return true;
}

size_t BoxLoop::scratchBytes() const {
  size_t bytes = 0;
  for (const StripLoop &loop : loops)
    bytes += loop.scratchBytes();
  return bytes;
}

void BoxLoop::start(RunState &state, char *scratch, Worker &worker) const {
  worker.run = &state;
  worker.scratch = scratch;
}

/// False if what is the same for the whole run failed.
bool BoxLoop::startLoop(Worker &worker, size_t k) const {
  if (worker.isStarted[k])
    return true;
  char *scratch = worker.scratch;
  for (size_t before = 0; before < k; ++before)
    scratch += loops[before].scratchBytes();
  worker.isStarted[k] = true;
  return loops[k].start(*worker.run, scratch, worker.states[k]);
}

/// Strips extend over further loops as long as what is inside them is short.
size_t BoxLoop::chooseLoop(const ContractionBox &box) const {
  size_t chosen = 0;
  int64_t inner = 1;
  for (size_t k = 1; k < loops.size(); ++k) {
    inner *= box.size[numLoops - k];
    if (inner >= longRow)
      break;
    if (box.size[numLoops - 1 - k] > 1)
      chosen = k;
  }
  return chosen;
}

bool BoxLoop::runCompiled(AnnealBoxFn code, const RunState &state,
                          const ContractionBox &box) const {
  absl::InlinedVector<MovedStream, 4> moved;
  for (size_t stream : tiled)
    moved.push_back({stream, static_cast<char *>(box.data), box.stride});
  return boxes.run(code, state, box.begin, box.size, moved);
}

bool BoxLoop::run(Worker &worker, const ContractionBox &box) const {
  if (AnnealBoxFn code = boxes.codeIn(*worker.run))
    return runCompiled(code, *worker.run, box);
  size_t chosen = chooseLoop(box);
  if (!startLoop(worker, chosen))
    return false;
  const StripLoop &loop = loops[chosen];
  const StripLoop::Worker &own = worker.states[chosen];
  loop.forget(own);
  for (size_t stream : tiled)
    loop.moveStream(own, stream, static_cast<char *>(box.data), box.begin, box.stride);
  return runStrips(loop, own, box);
}

bool BoxLoop::runStrips(const StripLoop &loop, const StripLoop::Worker &own,
                        const ContractionBox &box) const {
  if (numLoops == 0) {
    const int64_t one = 1;
    return loop.runStrip(own, &one, &one);
  }
  size_t along = loop.stripLoop();
  int64_t extents[kMostLoops];
  int64_t inner = 1;
  for (size_t d = along + 1; d < numLoops; ++d)
    inner *= extents[d - along] = box.size[d];
  int64_t most = std::max<int64_t>(1, maxStrip / inner);
  DimVec position(box.begin, box.begin + numLoops);
  for (;;) {
    int64_t end = box.begin[along] + box.size[along];
    for (position[along] = box.begin[along]; position[along] < end;) {
      extents[0] = std::min(most, end - position[along]);
      if (!loop.runStrip(own, position.data(), extents))
        return false;
      position[along] += extents[0];
    }
    size_t d = along;
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
