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
#include <atomic>

namespace anneal::runtime::interpreter {

namespace {

class MapKernel final : public BoundKernel {
public:
  bool bind(const KernelBinding &binding);
  void run(RunState &state) const override;

private:
  void bindBoxes(const KernelBinding &binding, const Nest &nest, double nanoseconds);
  bool runBoxes(RunState &state, AnnealBoxFn code) const;
  void runStrips(RunState &state, int64_t begin, int64_t end, uint32_t worker) const;

  StripLoop loop;
  BodyBoxes boxes;
  /// How compiled code is cut: blocks of `boxRows` iterations of loop `boxLoop`.
  size_t boxLoop = 0;
  int64_t boxRows = 1;
  Grain boxGrain;
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
  Nest nest = buildNest(binding.kernel, binding.space, binding.context, body.yields, true);
  nest.dropUnits(0, nest.sizes.size());
  nest.sortForLocality(0, nest.sizes.size());
  nest.merge(0, nest.sizes.size());
  StripShape shape = chooseStrip(nest, 0, body.instrs.size());
  rows = shape.rows;
  sizes = nest.sizes;

  StripLoop::Spec spec{.body = body, .nest = nest};
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

  double perPoint = estimateCost(body, body.yields);
  double perMove = 0;
  for (const Stream &stream : nest.streams)
    perMove += 0.025 * static_cast<double>(stream.elementSize);
  bindBoxes(binding, nest,
            (perPoint / 2 + perMove) * static_cast<double>(binding.space.numPoints()));
  perPoint += perMove;
  grain =
      chooseGrain(BlockCounter::numBlocks(cutLoops(), rows),
                  perPoint * static_cast<double>(binding.space.numPoints()), binding.numThreads());
  return true;
}

/// Boxes of some thousand points, cut from as few loops as that needs.
void MapKernel::bindBoxes(const KernelBinding &binding, const Nest &nest, double nanoseconds) {
  if (!boxes.bind(binding, nest))
    return;
  constexpr int64_t kPoints = 4096;
  int64_t inner = 1;
  size_t d = sizes.empty() ? 0 : sizes.size() - 1;
  for (; d > 0 && inner * sizes[d] < kPoints; --d)
    inner *= sizes[d];
  boxLoop = d;
  boxRows = std::max<int64_t>(1, kPoints / inner);
  int64_t numBlocks =
      sizes.empty()
          ? 1
          : BlockCounter::numBlocks(absl::MakeConstSpan(sizes).subspan(0, d + 1), boxRows);
  boxGrain = chooseGrain(numBlocks, nanoseconds, binding.numThreads());
}

/// False if the body failed somewhere.
bool MapKernel::runBoxes(RunState &state, AnnealBoxFn code) const {
  std::atomic<bool> ok{true};
  runChunks(state, boxGrain, [&](int64_t begin, int64_t end, uint32_t) {
    DimVec position(std::max<size_t>(sizes.size(), 1), 0), extents(sizes);
    extents.resize(position.size(), 1);
    BlockCounter counter(absl::MakeConstSpan(sizes).subspan(0, sizes.empty() ? 0 : boxLoop + 1),
                         boxRows, begin);
    std::fill_n(extents.begin(), boxLoop, 1);
    for (int64_t b = begin; b < end && ok.load(std::memory_order_relaxed); ++b, counter.next()) {
      std::copy_n(counter.position(), boxLoop + 1, position.begin());
      extents[boxLoop] = counter.count();
      if (!boxes.run(code, state, position.data(), extents.data()))
        ok.store(false, std::memory_order_relaxed);
    }
  });
  return ok.load(std::memory_order_relaxed);
}

void MapKernel::run(RunState &state) const {
  // Where compiled code fails, the strips say what is wrong.
  if (AnnealBoxFn code = boxes.codeIn(state); code && runBoxes(state, code))
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
