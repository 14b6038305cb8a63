//===- StripReduction.cpp - Reductions over strips of outputs -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way that fits every reduction: for a strip of outputs, one point of the reduction after the
// other, in order. With known combiners the sums of the strip (16 for each output where the rule
// asks for lanes) stay in the worker's scratch; otherwise the body itself updates the outputs.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "StripLoop.h"

#include <algorithm>

namespace anneal::runtime::interpreter {

namespace {

class StripReduction final : public BoundKernel {
public:
  bool bind(const KernelBinding &binding, const Reduction &from);
  void run(RunState &state) const override;

private:
  struct Strip {
    const StripLoop::Worker &own;
    char *sums;
    int64_t *position;
    const int64_t *extents;
    size_t n;
  };

  struct Value {
    const void *data;
    bool varies;
  };

  void runStrips(RunState &state, int64_t begin, int64_t end, uint32_t worker) const;
  bool runStrip(const Strip &strip) const;
  bool runBodies(const Strip &strip) const;
  bool runSums(const Strip &strip) const;
  void beginSums(const Strip &strip) const;
  void endSums(const Strip &strip) const;
  Value valueOf(const Strip &strip, size_t k, size_t r) const;
  void addValue(const Strip &strip, size_t k, size_t lane) const;
  bool nextPoint(int64_t *position) const;
  char *sumsOf(const Strip &strip, size_t k, size_t lane) const;
  void moveSums(const Strip &strip, size_t k, bool toMemory) const;

  /// Strips beside the sums of an output: values and factors in the type of the sums.
  static constexpr size_t kExtraStrips = 2;
  /// Sums of one output at a time.
  size_t numLanes = 1;
  std::vector<ReducedOutput> outputs;
  std::vector<StripMoves> sumMoves, memoryMoves;
  std::vector<Stream> writes;
  /// Reduction loops, then parallel loops.
  Nest nest;
  size_t numReductions = 0;
  StripLoop loop;
  int64_t rows = 1;
  absl::Span<const int64_t> cutLoops() const {
    return absl::MakeConstSpan(nest.sizes)
        .subspan(numReductions, loop.stripLoop() + 1 - numReductions);
  }
  size_t maxStrip = 1;
  size_t sumsOffset = 0;
  /// Bytes of one lane of one output, and of the strip in the outputs' own type.
  size_t laneBytes = 0;
  Grain grain;
};

bool StripReduction::bind(const KernelBinding &binding, const Reduction &from) {
  const plan::Body &body = binding.kernel.body;
  outputs = from.outputs;
  nest = from.nest;
  numReductions = from.numReductions();
  for (size_t d = 0; d < numReductions; ++d)
    nest.moveLoop(nest.sizes.size() - 1, 0);
  if (from.inLanes && !from.isOrderFree)
    numLanes = kRowLanes;
  StripShape shape = chooseStrip(nest, numReductions, body.instrs.size());
  maxStrip = shape.maxStrip;
  rows = shape.rows;
  size_t numLoops = nest.sizes.size();
  if (numLanes > 1 && shape.stripLoop < numLoops) {
    // All lanes of a strip should stay in the near cache.
    maxStrip = std::max<size_t>(16, maxStrip / 8);
    shape.stripLoop = numLoops - 1;
    rows = static_cast<int64_t>(maxStrip);
  }

  size_t numOutputs = binding.kernel.numOutputs();
  writes.assign(nest.streams.end() - static_cast<ptrdiff_t>(numOutputs), nest.streams.end());
  Nest loops = nest;
  if (!outputs.empty())
    loops.streams.resize(nest.streams.size() - numOutputs);
  StripLoop::Spec spec{.codes = binding.facts.codes, .body = body, .nest = loops};
  spec.stripLoop = shape.stripLoop;
  spec.maxStrip = maxStrip;
  spec.results = from.values;
  spec.writesResults = outputs.empty();
  spec.gathers = binding.gathers;
  spec.numIterators = binding.space.sizes.size();
  spec.location = binding.kernel.location;
  spec.isa = binding.isa;
  if (!loop.bind(spec))
    return false;

  sumsOffset = loop.scratchBytes();
  laneBytes = alignUp(maxStrip * sizeof(uint64_t));
  scratch = sumsOffset + outputs.size() * (numLanes + kExtraStrips) * laneBytes;
  for (const ReducedOutput &output : outputs) {
    sumMoves.push_back(findStripMoves(output.sumSize(), binding.isa));
    memoryMoves.push_back(findStripMoves(plan::sizeOf(output.type), binding.isa));
  }

  int64_t strips = BlockCounter::numBlocks(cutLoops(), rows);
  constexpr double kPerStep = 20, kPerOp = 5;
  double steps = static_cast<double>(strips) * static_cast<double>(from.length());
  double nanoseconds =
      steps * (kPerStep + kPerOp * static_cast<double>(body.instrs.size())) +
      (0.2 + binding.facts.cost(from.values)) * static_cast<double>(binding.space.numPoints());
  grain = chooseGrain(strips, nanoseconds, binding.numThreads());
  return true;
}

void StripReduction::run(RunState &state) const {
  runChunks(state, grain, [&](int64_t begin, int64_t end, uint32_t worker) {
    runStrips(state, begin, end, worker);
  });
}

void StripReduction::runStrips(RunState &state, int64_t begin, int64_t end, uint32_t worker) const {
  StripLoop::Worker own;
  char *memory = state.scratch(worker);
  if (!loop.start(state, memory, own))
    return;
  size_t first = loop.stripLoop(), numLoops = nest.sizes.size();
  DimVec position(std::max<size_t>(numLoops, 1), 0);
  DimVec extents(nest.sizes.begin() + static_cast<ptrdiff_t>(first), nest.sizes.end());
  extents.resize(std::max<size_t>(extents.size(), 1), 1);
  BlockCounter counter(cutLoops(), rows, begin);
  for (int64_t s = begin; s < end && !state.hasFailed(); ++s, counter.next()) {
    if (first < numLoops)
      std::copy_n(counter.position(), first + 1 - numReductions, position.begin() + numReductions);
    extents[0] = counter.count();
    size_t n = 1;
    for (size_t d = 0; d < numLoops - first; ++d)
      n *= static_cast<size_t>(extents[d]);
    if (!runStrip({own, memory + sumsOffset, position.data(), extents.data(), n}))
      return;
  }
}

bool StripReduction::nextPoint(int64_t *position) const {
  for (size_t d = numReductions; d-- > 0;) {
    if (++position[d] < nest.sizes[d])
      return true;
    position[d] = 0;
  }
  return false;
}

bool StripReduction::runStrip(const Strip &strip) const {
  std::fill_n(strip.position, numReductions, 0);
  return outputs.empty() ? runBodies(strip) : runSums(strip);
}

bool StripReduction::runBodies(const Strip &strip) const {
  do {
    if (!loop.runStrip(strip.own, strip.position, strip.extents))
      return false;
  } while (nextPoint(strip.position));
  return true;
}

char *StripReduction::sumsOf(const Strip &strip, size_t k, size_t lane) const {
  return strip.sums + (k * (numLanes + kExtraStrips) + lane) * laneBytes;
}

/// A strip of result `r`, or the one value that it is, in the type of the sums of output k.
StripReduction::Value StripReduction::valueOf(const Strip &strip, size_t k, size_t r) const {
  const void *value = loop.result(strip.own, r);
  bool varies = loop.stripCode().resultSpread(r) == Spread::Varying;
  if (outputs[k].widen) {
    char *wide = sumsOf(strip, k, numLanes + (r != k));
    outputs[k].widen({wide, nullptr, value, nullptr, nullptr, varies ? strip.n : 1, 0});
    value = wide;
  }
  return {value, varies};
}

void StripReduction::addValue(const Strip &strip, size_t k, size_t lane) const {
  const ReducedOutput &output = outputs[k];
  char *sums = sumsOf(strip, k, lane);
  Value value = valueOf(strip, k, k);
  if (output.isProduct) {
    Value factor = valueOf(strip, k, k + 1);
    StripFn fuse = output.fuse[(value.varies ? 0 : 1) + (factor.varies ? 0 : 2)];
    return fuse({sums, nullptr, value.data, factor.data, sums, strip.n, 0});
  }
  StripFn combine = value.varies ? output.combine : output.combineUniform;
  combine({sums, nullptr, sums, value.data, nullptr, strip.n, 0});
}

bool StripReduction::runSums(const Strip &strip) const {
  const StripCode &code = loop.stripCode();
  beginSums(strip);
  size_t lane = 0;
  do {
    loop.load(strip.own, strip.position, strip.extents);
    if (!code.run(*strip.own.state, strip.own.frame, strip.n))
      return false;
    for (size_t k = 0; k < outputs.size(); ++k)
      addValue(strip, k, lane);
    lane = lane + 1 < numLanes ? lane + 1 : 0;
  } while (nextPoint(strip.position));
  endSums(strip);
  return true;
}

/// Brings the strip of output k from memory into its first sums, or back.
void StripReduction::moveSums(const Strip &strip, size_t k, bool toMemory) const {
  const Stream &stream = writes[k];
  const ReducedOutput &output = outputs[k];
  size_t first = loop.stripLoop(), rank = nest.sizes.size() - first;
  // The outputs stand still along the reductions, wherever those are.
  char *memory =
      firstElement(*strip.own.state, stream) +
      stream.distance(strip.position, nest.sizes.size()) * static_cast<int64_t>(stream.elementSize);
  const int64_t *strides = stream.strides.data() + first;
  char *sums = sumsOf(strip, k, 0);
  char *strips = output.widen ? sumsOf(strip, k, numLanes) : sums;
  if (toMemory) {
    if (output.narrow)
      output.narrow({strips, nullptr, sums, nullptr, nullptr, strip.n, 0});
    storeBox(memoryMoves[k], stream.elementSize, memory, strip.extents, strides, rank, strips);
    return;
  }
  loadBox(memoryMoves[k], stream.elementSize, strips, memory, strip.extents, strides, rank);
  if (output.widen)
    output.widen({sums, nullptr, strips, nullptr, nullptr, strip.n, 0});
}

void StripReduction::beginSums(const Strip &strip) const {
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (numLanes == 1) {
      moveSums(strip, k, false);
      continue;
    }
    for (size_t lane = 0; lane < numLanes; ++lane)
      sumMoves[k].splat(sumsOf(strip, k, lane), &outputs[k].identity, strip.n);
  }
}

void StripReduction::endSums(const Strip &strip) const {
  for (size_t k = 0; k < outputs.size(); ++k) {
    for (size_t half = numLanes / 2; half > 0; half /= 2)
      for (size_t lane = 0; lane < half; ++lane) {
        char *low = sumsOf(strip, k, lane);
        outputs[k].combine({low, nullptr, low, sumsOf(strip, k, lane + half), nullptr, strip.n, 0});
      }
    if (numLanes > 1) {
      // The tree stands in the first sums: put it aside, bring the initial values, combine.
      char *tree = sumsOf(strip, k, 1);
      sumMoves[k].copy(tree, sumsOf(strip, k, 0), strip.n);
      moveSums(strip, k, false);
      char *sums = sumsOf(strip, k, 0);
      outputs[k].combine({sums, nullptr, sums, tree, nullptr, strip.n, 0});
    }
    moveSums(strip, k, true);
  }
}

} // namespace

KernelPtr bindStripReduction(const KernelBinding &binding, const Reduction &reduction) {
  auto kernel = std::make_unique<StripReduction>();
  return kernel->bind(binding, reduction) ? std::move(kernel) : nullptr;
}

} // namespace anneal::runtime::interpreter
