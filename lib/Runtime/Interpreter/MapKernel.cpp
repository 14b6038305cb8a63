//===- MapKernel.cpp - Element-wise kernels -------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels without reductions: strips over the flattened inner loops, in parallel over strips.
//
//===----------------------------------------------------------------------===//

#include "BodyBoxes.h"
#include "Kernels.h"
#include "StripLoop.h"

#include <algorithm>

namespace anneal::runtime::interpreter {

namespace {

class MapKernel final : public BoundKernel {
public:
  bool bind(const KernelBinding &binding);
  void run(RunState &state) const override;

private:
  void runStrips(RunState &state, int64_t begin, int64_t end, uint32_t worker) const;

  StripLoop loop;
  BodyBoxes boxes;
  DimVec sizes;
  /// Iterations of the strips' first loop in one strip.
  int64_t rows = 1;
  absl::Span<const int64_t> cutLoops() const {
    return absl::MakeConstSpan(sizes).subspan(0, loop.stripLoop() + 1);
  }
  Grain grain;
};

bool MapKernel::bind(const KernelBinding &binding) {
  const plan::Body &body = binding.kernel.body;
  Nest nest = buildNest(binding, body.yields, true);
  nest.dropUnits(0, nest.sizes.size());
  nest.sortForLocality(0, nest.sizes.size());
  nest.merge(0, nest.sizes.size());
  StripShape shape = chooseStrip(nest, 0, body.instrs.size());
  rows = shape.rows;
  sizes = nest.sizes;

  StripLoop::Spec spec{.codes = binding.facts.codes, .body = body, .nest = nest};
  spec.stripLoop = shape.stripLoop;
  spec.maxStrip = shape.maxStrip;
  spec.results = body.yields;
  spec.gathers = binding.gathers;
  spec.numIterators = binding.space.sizes.size();
  spec.location = binding.kernel.location;
  spec.isa = binding.isa;
  if (!loop.bind(spec))
    return false;
  scratch = loop.scratchBytes();

  double perPoint = binding.facts.cost(body.yields);
  double perMove = 0;
  for (const Stream &stream : nest.streams)
    perMove += 0.025 * static_cast<double>(stream.elementSize);
  if (boxes.bind(binding, nest))
    boxes.cut(boxes.numLoopsToCut(),
              (perPoint / 2 + perMove) * static_cast<double>(binding.space.numPoints()),
              binding.numThreads());
  perPoint += perMove;
  grain =
      chooseGrain(BlockCounter::numBlocks(cutLoops(), rows),
                  perPoint * static_cast<double>(binding.space.numPoints()), binding.numThreads());
  return true;
}

void MapKernel::run(RunState &state) const {
  // Where compiled code fails, the strips say what is wrong.
  if (AnnealBoxFn code = boxes.codeIn(state); code && boxes.runAll(code, state))
    return;
  runChunks(state, grain, [&](int64_t begin, int64_t end, uint32_t worker) {
    runStrips(state, begin, end, worker);
  });
}

void MapKernel::runStrips(RunState &state, int64_t begin, int64_t end, uint32_t worker) const {
  StripLoop::Worker own;
  if (!loop.start(state, state.scratch(worker), own))
    return;
  size_t strip = loop.stripLoop();
  DimVec position(std::max<size_t>(sizes.size(), 1), 0);
  DimVec extents(sizes.begin() + static_cast<ptrdiff_t>(strip), sizes.end());
  extents.resize(std::max<size_t>(extents.size(), 1));
  BlockCounter counter(cutLoops(), rows, begin);
  for (int64_t s = begin; s < end && !state.hasFailed(); ++s, counter.next()) {
    std::copy_n(counter.position(), strip + 1, position.begin());
    extents[0] = counter.count();
    if (!loop.runStrip(own, position.data(), extents.data()))
      return;
  }
}

} // namespace

KernelPtr bindMap(const KernelBinding &binding) {
  auto kernel = std::make_unique<MapKernel>();
  return kernel->bind(binding) ? std::move(kernel) : nullptr;
}

} // namespace anneal::runtime::interpreter
