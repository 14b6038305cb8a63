//===- SelectReduction.cpp - Reductions that seldom change their state ----===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Positions of maxima and the like: bodies whose results are selected from what they read. The body
// is run on a strip of values with the outputs as they are. As long as its results equal the
// outputs, the points could as well have run one after the other; the first one that differs gives
// the new outputs, and the next strip begins after it. So a row takes one strip for every so many
// points, and one for every change.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"
#include "StripLoop.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace anneal;
using plan::Opcode;

namespace anneal::runtime::interpreter {

namespace {

class SelectReduction final : public BoundKernel {
public:
  static bool selects(const KernelBinding &binding);
  static bool pays(const Reduction &from);
  bool bind(const KernelBinding &binding, const Reduction &from);
  void run(RunState &state) const override;

private:
  void runRows(RunState &state, int64_t begin, int64_t end, uint32_t worker) const;
  bool runRow(const StripLoop::Worker &own, int64_t *position) const;
  size_t firstChange(const StripLoop::Worker &own, const int64_t *position, size_t n) const;
  void takeChange(const StripLoop::Worker &own, const int64_t *position, size_t at) const;
  char *outputAt(const StripLoop::Worker &own, size_t k, const int64_t *position) const;

  absl::Span<const int64_t> parallelLoops() const {
    return absl::MakeConstSpan(nest.sizes).subspan(0, numParallel);
  }

  StripLoop loop;
  Nest nest;
  std::vector<Stream> outputs;
  size_t numParallel = 0;
  const IndexKernels *kernels = nullptr;
  int64_t maxStrip = 1;
  Grain grain;
};

/// Every result is one of the values that the last operation reads, and nothing can fail: the body
/// is also run on points at which the outputs have changed already.
bool SelectReduction::selects(const KernelBinding &binding) {
  const plan::Body &body = binding.kernel.body;
  for (const plan::Instr &instr : body.instrs)
    if (instr.op == Opcode::Assert || instr.op == Opcode::Gather)
      return false;
  return std::all_of(body.yields.begin(), body.yields.end(), [&](plan::Reg yield) {
    int32_t def = binding.facts.info.def[throughMoves(body, binding.facts.info, yield)];
    if (def < 0)
      return true;
    switch (body.instrs[def].op) {
    case Opcode::Select:
    case Opcode::MaximumF:
    case Opcode::MinimumF:
    case Opcode::MaxNumF:
    case Opcode::MinNumF:
    case Opcode::MaxSI:
    case Opcode::MaxUI:
    case Opcode::MinSI:
    case Opcode::MinUI:
    case Opcode::AndI:
    case Opcode::OrI:
      return true;
    default:
      return false;
    }
  });
}

/// Compares the number of strips with that of strips of outputs, one step of the reduction after
/// the other.
bool SelectReduction::pays(const Reduction &from) {
  constexpr double kStripLength = 512;
  double length = static_cast<double>(from.length()), rows = 1;
  for (size_t d = 0; d < from.numParallel; ++d)
    rows *= static_cast<double>(from.nest.sizes[d]);
  // Of values in no order, the logarithm of their number are greater than all before.
  double strips = rows * (std::log2(length + 1) + length / kStripLength);
  return strips < std::ceil(rows / kStripLength) * length;
}

bool SelectReduction::bind(const KernelBinding &binding, const Reduction &from) {
  const plan::Body &body = binding.kernel.body;
  nest = from.nest;
  numParallel = from.numParallel;
  size_t numOutputs = binding.kernel.numOutputs();
  outputs.assign(nest.streams.end() - static_cast<ptrdiff_t>(numOutputs), nest.streams.end());
  nest.streams.resize(nest.streams.size() - numOutputs);
  // Outputs change from strip to strip, although no write stream says so.
  std::vector<size_t> moved;
  for (size_t s = 0; s < nest.streams.size(); ++s)
    if (std::any_of(outputs.begin(), outputs.end(), [&](const Stream &output) {
          return output.place.isTemporary == nest.streams[s].place.isTemporary &&
                 output.place.index == nest.streams[s].place.index;
        }))
      moved.push_back(s);
  kernels = &findIndexKernels(binding.isa);

  size_t last = nest.sizes.size() - 1;
  maxStrip = static_cast<int64_t>(chooseStrip(nest, last, body.instrs.size()).maxStrip);
  StripLoop::Spec spec{.codes = binding.facts.codes, .body = body, .nest = nest};
  spec.stripLoop = last;
  spec.maxStrip = static_cast<size_t>(maxStrip);
  spec.results = from.values;
  spec.writesResults = false;
  spec.gathers = binding.gathers;
  spec.moved = moved;
  spec.numIterators = binding.space.sizes.size();
  spec.location = binding.kernel.location;
  spec.isa = binding.isa;
  if (!loop.bind(spec))
    return false;
  scratch = loop.scratchBytes();
  constexpr double kPerRow = 500;
  double perPoint = 0.2 + binding.facts.cost(from.values);
  double points = static_cast<double>(binding.space.numPoints());
  double numRows = points / static_cast<double>(from.length());
  grain = chooseGrain(static_cast<int64_t>(numRows), numRows * kPerRow + points * perPoint,
                      binding.numThreads());
  return true;
}

void SelectReduction::run(RunState &state) const {
  runChunks(state, grain, [&](int64_t begin, int64_t end, uint32_t worker) {
    runRows(state, begin, end, worker);
  });
}

void SelectReduction::runRows(RunState &state, int64_t begin, int64_t end, uint32_t worker) const {
  StripLoop::Worker own;
  if (!loop.start(state, state.scratch(worker), own))
    return;
  DimVec position(nest.sizes.size(), 0);
  BlockCounter counter(parallelLoops(), 1, begin);
  for (int64_t row = begin; row < end && !state.hasFailed(); ++row, counter.next()) {
    std::copy_n(counter.position(), numParallel, position.begin());
    if (!runRow(own, position.data()))
      return;
  }
}

bool SelectReduction::runRow(const StripLoop::Worker &own, int64_t *position) const {
  constexpr int64_t kShortest = 16;
  size_t last = nest.sizes.size() - 1;
  std::fill(position + numParallel, position + nest.sizes.size(), 0);
  int64_t length = kShortest;
  for (bool more = true; more;) {
    int64_t count = std::min(length, nest.sizes[last] - position[last]);
    loop.load(own, position, &count);
    size_t n = static_cast<size_t>(count);
    if (!loop.stripCode().run(*own.state, own.frame, n))
      return false;
    size_t change = firstChange(own, position, n);
    if (change < n) {
      takeChange(own, position, change);
      count = static_cast<int64_t>(change) + 1;
      length = std::max(kShortest, length / 2);
    } else {
      length = std::min(maxStrip, length * 2);
    }
    position[last] += count;
    more = position[last] < nest.sizes[last];
    for (size_t d = last; !more && d > numParallel; --d) {
      position[d] = 0;
      more = ++position[d - 1] < nest.sizes[d - 1];
    }
  }
  return true;
}

char *SelectReduction::outputAt(const StripLoop::Worker &own, size_t k,
                                const int64_t *position) const {
  return firstElement(*own.state, outputs[k]) +
         outputs[k].distance(position, numParallel) * static_cast<int64_t>(outputs[k].elementSize);
}

/// The first element of the strip at which some result differs from its output; n if there is none.
size_t SelectReduction::firstChange(const StripLoop::Worker &own, const int64_t *position,
                                    size_t n) const {
  size_t first = n;
  for (size_t k = 0; k < outputs.size(); ++k) {
    bool varies = loop.stripCode().resultSpread(k) == Spread::Varying;
    size_t count = varies ? first : std::min<size_t>(first, 1);
    size_t at = kernels->firstOther(loop.result(own, k), outputAt(own, k, position),
                                    outputs[k].elementSize, count);
    if (at < count)
      first = at;
  }
  return first;
}

/// The results at element `at` become the outputs. All are read before any is written.
void SelectReduction::takeChange(const StripLoop::Worker &own, const int64_t *position,
                                 size_t at) const {
  absl::InlinedVector<uint64_t, 8> values(outputs.size(), 0);
  for (size_t k = 0; k < outputs.size(); ++k) {
    size_t size = outputs[k].elementSize;
    bool varies = loop.stripCode().resultSpread(k) == Spread::Varying;
    std::memcpy(&values[k],
                static_cast<const char *>(loop.result(own, k)) + (varies ? at * size : 0), size);
  }
  for (size_t k = 0; k < outputs.size(); ++k)
    std::memcpy(outputAt(own, k, position), &values[k], outputs[k].elementSize);
}

} // namespace

KernelPtr bindSelectReduction(const KernelBinding &binding, const Reduction &reduction) {
  if (!reduction.outputs.empty() || reduction.values.empty() || reduction.numReductions() == 0 ||
      !SelectReduction::selects(binding) || !SelectReduction::pays(reduction))
    return nullptr;
  auto kernel = std::make_unique<SelectReduction>();
  return kernel->bind(binding, reduction) ? std::move(kernel) : nullptr;
}

} // namespace anneal::runtime::interpreter
