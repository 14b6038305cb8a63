//===- RowReduction.cpp - Reductions along rows ---------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values of a row (all points of the reduction for one output) are computed as strips and
// combined at once, in 16 lanes or as a chain. Three ways:
//   * Plain: the values are an operand's elements, contiguous along the row: many rows in one call.
//   * Whole: a strip holds some whole rows.
//   * Split: a row is longer than a strip.
//
//===----------------------------------------------------------------------===//

#include "BodyBoxes.h"
#include "Reduction.h"
#include "StripLoop.h"

#include <algorithm>
#include <cstring>

namespace anneal::runtime::interpreter {

namespace {

class RowReduction final : public BoundKernel {
public:
  bool bind(const KernelBinding &binding, const Reduction &from);
  void run(RunState &state) const override;

private:
  enum class Way : uint8_t { Plain, Whole, Split };
  /// Memory of one output in the scratch of a worker.
  struct Area {
    /// One sum for each row of a block, the lanes of one row, values that wait until 16 are there.
    size_t sums = 0, lanes = 0, waiting = 0;
    /// Values and factors of a strip that are uniform or have to be widened; factors that wait.
    size_t strip = 0, factorStrip = 0, waitingFactors = 0;
  };

  /// A strip of values; of products, their factors too.
  struct Values {
    const char *x = nullptr;
    const char *y = nullptr;
  };

  bool canRun(const Reduction &from) const;
  bool bindPlain(const KernelBinding &binding);
  bool bindStrips(const KernelBinding &binding, absl::Span<const plan::Reg> values);
  void bindScratch();
  void bindBoxes(const KernelBinding &binding, double nanosecondsOfRow);
  void runBlocks(RunState &state, int64_t begin, int64_t end, uint32_t worker) const;
  bool runRows(const StripLoop::Worker &own, char *mine, int64_t *position, int64_t count) const;
  bool runSplit(const StripLoop::Worker &own, char *mine, int64_t *position) const;
  void runPlain(RunState &state, char *mine, const int64_t *position, int64_t count) const;
  const char *stripOf(const StripLoop::Worker &own, size_t k, size_t r, char *memory,
                      size_t n) const;
  Values valuesOf(const StripLoop::Worker &own, char *mine, size_t k, size_t n) const;
  void reduceRows(size_t k, char *mine, Values values, int64_t count) const;
  void feed(size_t k, char *mine, Values values, size_t n, size_t &numWaiting) const;
  void addToLanes(size_t k, char *mine, Values values, size_t n) const;
  char *outputAt(RunState &state, size_t k, const int64_t *position) const;
  void beginSums(RunState &state, size_t k, char *mine, const int64_t *position,
                 int64_t count) const;
  void endSums(RunState &state, size_t k, char *mine, const int64_t *position, int64_t count) const;

  bool inLanes = true;
  Way way = Way::Whole;
  std::vector<ReducedOutput> outputs;
  std::vector<Area> areas;
  Nest nest;
  /// Plain: the operands of values and factors.
  Stream plain[2];
  size_t numParallel = 0;
  int64_t length = 1;
  StripLoop loop;
  /// Rows of the last parallel loop in one block; Split: iterations of the strip's first loop in a
  /// strip.
  int64_t rows = 1;
  int64_t splitRows = 1;
  absl::Span<const int64_t> cutLoops() const {
    return absl::MakeConstSpan(nest.sizes).subspan(0, numParallel);
  }
  size_t maxStrip = 1;
  size_t areasOffset = 0;
  Grain grain;
  BodyBoxes boxes;
};

/// Chains need vector code, and there is none for products; every lane order can be run.
bool RowReduction::canRun(const Reduction &from) const {
  return std::all_of(from.outputs.begin(), from.outputs.end(), [&](const ReducedOutput &output) {
    return inLanes || (output.loops.chains != nullptr && !output.isProduct);
  });
}

bool RowReduction::bind(const KernelBinding &binding, const Reduction &from) {
  if (from.outputs.empty())
    return false;
  inLanes = from.inLanes || from.isOrderFree;
  if (!canRun(from))
    return false;
  outputs = from.outputs;
  nest = from.nest;
  numParallel = from.numParallel;
  length = from.length();
  if (!bindPlain(binding) && !bindStrips(binding, from.values))
    return false;
  bindScratch();

  double perPoint = 0.15 + binding.facts.cost(from.values);
  for (const Stream &stream : nest.streams)
    perPoint +=
        stream.kind == Stream::Kind::Read ? 0.025 * static_cast<double>(stream.elementSize) : 0;
  constexpr double kPerRow = 15;
  double numRows = static_cast<double>(binding.space.numPoints()) / static_cast<double>(length);
  bindBoxes(binding, perPoint * static_cast<double>(length) / 2 + kPerRow / 2);
  grain = chooseGrain(BlockCounter::numBlocks(cutLoops(), rows),
                      numRows * (perPoint * static_cast<double>(length) + kPerRow),
                      binding.numThreads());
  return true;
}

bool RowReduction::bindPlain(const KernelBinding &binding) {
  if (outputs.size() != 1 || !inLanes || outputs[0].widen)
    return false;
  const ReducedOutput &output = outputs[0];
  for (const plan::Instr &instr : binding.kernel.body.instrs)
    if (instr.op == plan::Opcode::Assert)
      return false;
  // Every stream but the output is one of the operands that are combined.
  size_t numReductions = nest.sizes.size() - numParallel, numReads = nest.streams.size() - 1;
  if (numReductions > 1 || (!output.isProduct && !output.loops.rows))
    return false;
  bool found[2] = {false, !output.isProduct};
  for (size_t s = 0; s < numReads; ++s) {
    const Stream &stream = nest.streams[s];
    bool isLine = numReductions == 0 || stream.strides[numParallel] == 1;
    bool isValue = stream.index == output.value, isFactor = stream.index == output.factor;
    if (stream.kind != Stream::Kind::Read || !isLine || (!isValue && !isFactor))
      return false;
    if (isValue)
      plain[0] = stream;
    if (isFactor)
      plain[1] = stream;
    found[0] |= isValue;
    found[1] |= isFactor;
  }
  if (!found[0] || !found[1])
    return false;
  way = Way::Plain;
  constexpr int64_t kRowsAtOnce = 64;
  int64_t size = numParallel ? nest.sizes[numParallel - 1] : 1;
  rows = std::min(size, kRowsAtOnce);
  return true;
}

bool RowReduction::bindStrips(const KernelBinding &binding, absl::Span<const plan::Reg> values) {
  const plan::Body &body = binding.kernel.body;
  Nest reads = nest;
  reads.streams.resize(nest.streams.size() - outputs.size());
  StripShape shape = chooseStrip(reads, numParallel ? numParallel - 1 : 0, body.instrs.size());
  maxStrip = shape.maxStrip;
  bool isWhole = (numParallel > 0 && shape.stripLoop == numParallel - 1 &&
                  length <= static_cast<int64_t>(maxStrip)) ||
                 nest.sizes.empty();
  way = isWhole ? Way::Whole : Way::Split;
  if (isWhole) {
    int64_t size = numParallel ? nest.sizes[numParallel - 1] : 1;
    rows = std::clamp<int64_t>(static_cast<int64_t>(maxStrip) / length, 1, size);
  } else {
    shape.stripLoop = std::max(shape.stripLoop, numParallel);
    rows = 1;
    splitRows = shape.rows;
  }
  StripLoop::Spec spec{.codes = binding.facts.codes, .body = body, .nest = reads};
  spec.stripLoop = shape.stripLoop;
  spec.maxStrip = maxStrip;
  spec.results = values;
  spec.writesResults = false;
  spec.gathers = binding.gathers;
  spec.numIterators = binding.space.sizes.size();
  spec.location = binding.kernel.location;
  spec.isa = binding.isa;
  return loop.bind(spec);
}

void RowReduction::bindScratch() {
  areasOffset = way == Way::Plain ? 0 : loop.scratchBytes();
  size_t end = 0;
  for (const ReducedOutput &output : outputs) {
    Area area;
    auto take = [&](size_t bytes) {
      size_t offset = end;
      end += alignUp(bytes);
      return offset;
    };
    area.sums = take(static_cast<size_t>(rows) * output.sumSize());
    area.lanes = take(kRowLanes * sizeof(uint64_t));
    area.waiting = take(kRowLanes * sizeof(uint64_t));
    area.strip = take(maxStrip * sizeof(uint64_t));
    area.factorStrip = take(output.isProduct ? maxStrip * sizeof(uint64_t) : 0);
    area.waitingFactors = take(output.isProduct ? kRowLanes * sizeof(uint64_t) : 0);
    areas.push_back(area);
  }
  scratch = areasOffset + end;
}

/// Compiled code takes a row as one line of columns.
void RowReduction::bindBoxes(const KernelBinding &binding, double nanosecondsOfRow) {
  if (!inLanes || nest.sizes.size() > numParallel + 1)
    return;
  Nest lines = nest;
  if (lines.sizes.size() == numParallel)
    lines.insertUnitLoop(numParallel);
  if (!boxes.bind(binding, lines))
    return;
  int64_t numRows = 1;
  for (int64_t size : cutLoops())
    numRows *= size;
  boxes.cut(numParallel, nanosecondsOfRow * static_cast<double>(numRows), binding.numThreads());
}

void RowReduction::run(RunState &state) const {
  // Where compiled code fails, the strips say what is wrong.
  if (AnnealBoxFn code = boxes.codeIn(state); code && boxes.runAll(code, state))
    return;
  runChunks(state, grain, [&](int64_t begin, int64_t end, uint32_t worker) {
    runBlocks(state, begin, end, worker);
  });
}

void RowReduction::runBlocks(RunState &state, int64_t begin, int64_t end, uint32_t worker) const {
  StripLoop::Worker own;
  char *memory = state.scratch(worker);
  if (way != Way::Plain && !loop.start(state, memory, own))
    return;
  char *mine = memory + areasOffset;
  DimVec position(std::max<size_t>(nest.sizes.size(), 1), 0);
  BlockCounter counter(cutLoops(), rows, begin);
  for (int64_t block = begin; block < end && !state.hasFailed(); ++block, counter.next()) {
    std::copy_n(counter.position(), numParallel, position.begin());
    int64_t count = counter.count();
    bool ok = true;
    if (way == Way::Plain)
      runPlain(state, mine, position.data(), count);
    else if (way == Way::Whole)
      ok = runRows(own, mine, position.data(), count);
    else
      ok = runSplit(own, mine, position.data());
    if (!ok)
      return;
  }
}

char *RowReduction::outputAt(RunState &state, size_t k, const int64_t *position) const {
  const Stream &stream = nest.streams[nest.streams.size() - outputs.size() + k];
  return firstElement(state, stream) +
         stream.distance(position, numParallel) * static_cast<int64_t>(stream.elementSize);
}

/// Chains start from the initial values.
void RowReduction::beginSums(RunState &state, size_t k, char *mine, const int64_t *position,
                             int64_t count) const {
  const Stream &stream = nest.streams[nest.streams.size() - outputs.size() + k];
  int64_t stride = numParallel ? stream.strides[numParallel - 1] : 1;
  if (!inLanes)
    loadSums(outputs[k], mine + areas[k].sums, outputAt(state, k, position), stride,
             static_cast<size_t>(count));
}

void RowReduction::endSums(RunState &state, size_t k, char *mine, const int64_t *position,
                           int64_t count) const {
  const Stream &stream = nest.streams[nest.streams.size() - outputs.size() + k];
  int64_t stride = numParallel ? stream.strides[numParallel - 1] : 1;
  const char *sums = mine + areas[k].sums;
  char *memory = outputAt(state, k, position);
  if (inLanes)
    combineIntoMemory(outputs[k], memory, stride, sums, static_cast<size_t>(count));
  else
    storeSums(outputs[k], memory, stride, sums, static_cast<size_t>(count));
}

void RowReduction::runPlain(RunState &state, char *mine, const int64_t *position,
                            int64_t count) const {
  const char *source[2] = {};
  int64_t rowStride[2] = {};
  for (size_t side : {0, 1}) {
    const Stream &stream = plain[side];
    if (side == 1 && !outputs[0].isProduct)
      continue;
    source[side] = firstElement(state, stream) + stream.distance(position, numParallel) *
                                                     static_cast<int64_t>(stream.elementSize);
    rowStride[side] = numParallel ? stream.strides[numParallel - 1] : 0;
  }
  char *sums = mine + areas[0].sums;
  size_t n = static_cast<size_t>(length), numRows = static_cast<size_t>(count);
  if (outputs[0].isProduct)
    outputs[0].products.rows(sums, source[0], rowStride[0], source[1], rowStride[1], numRows, n);
  else
    outputs[0].loops.rows(sums, source[0], rowStride[0], numRows, n);
  endSums(state, 0, mine, position, count);
}

/// Result `r` of the body as a strip: in `memory` if it is uniform, or a factor to be widened.
const char *RowReduction::stripOf(const StripLoop::Worker &own, size_t k, size_t r, char *memory,
                                  size_t n) const {
  const void *value = loop.result(own, r);
  bool varies = loop.stripCode().resultSpread(r) == Spread::Varying;
  bool widens = outputs[k].isProduct && outputs[k].widen;
  size_t size = plan::sizeOf(widens ? outputs[k].sumType : outputs[k].type);
  if (widens) {
    outputs[k].widen({memory, nullptr, value, nullptr, nullptr, varies ? n : 1, 0});
    value = memory;
  }
  if (varies)
    return static_cast<const char *>(value);
  for (size_t i = 0; i < n; ++i)
    std::memmove(memory + i * size, value, size);
  return memory;
}

RowReduction::Values RowReduction::valuesOf(const StripLoop::Worker &own, char *mine, size_t k,
                                            size_t n) const {
  Values values;
  values.x = stripOf(own, k, k, mine + areas[k].strip, n);
  if (outputs[k].isProduct)
    values.y = stripOf(own, k, k + 1, mine + areas[k].factorStrip, n);
  return values;
}

void RowReduction::addToLanes(size_t k, char *mine, Values values, size_t n) const {
  char *lanes = mine + areas[k].lanes;
  if (outputs[k].isProduct)
    outputs[k].products.accumulate(lanes, values.x, values.y, n);
  else
    outputs[k].rows.accumulate(lanes, values.x, n);
}

/// Whole rows, one after the other.
void RowReduction::reduceRows(size_t k, char *mine, Values values, int64_t count) const {
  const ReducedOutput &output = outputs[k];
  char *sums = mine + areas[k].sums;
  size_t n = static_cast<size_t>(length), numRows = static_cast<size_t>(count);
  if (!inLanes) {
    const int64_t zero = 0;
    return output.loops.chains(sums, values.x, length, numRows, {&zero, 1, 1, n});
  }
  if (output.isProduct)
    return output.products.rows(sums, values.x, length, values.y, length, numRows, n);
  if (output.loops.rows)
    return output.loops.rows(sums, values.x, length, numRows, n);
  char *lanes = mine + areas[k].lanes;
  int64_t step = length * static_cast<int64_t>(plan::sizeOf(output.type));
  for (int64_t r = 0; r < count; ++r) {
    output.rows.init(lanes);
    output.rows.accumulate(lanes, values.x + r * step, n);
    output.finishRow(lanes, sums + static_cast<size_t>(r) * output.sumSize());
  }
}

bool RowReduction::runRows(const StripLoop::Worker &own, char *mine, int64_t *position,
                           int64_t count) const {
  DimVec extents;
  for (size_t d = loop.stripLoop(); d < nest.sizes.size(); ++d)
    extents.push_back(d < numParallel ? count : nest.sizes[d]);
  extents.resize(std::max<size_t>(extents.size(), 1));
  loop.load(own, position, extents.data());
  size_t n = static_cast<size_t>(count * length);
  if (!loop.stripCode().run(*own.state, own.frame, n))
    return false;
  for (size_t k = 0; k < outputs.size(); ++k) {
    beginSums(*own.state, k, mine, position, count);
    reduceRows(k, mine, valuesOf(own, mine, k, n), count);
    endSums(*own.state, k, mine, position, count);
  }
  return true;
}

/// Adds `n` values of a row that follow those before: to the lanes in groups of 16, what is over
/// waits.
void RowReduction::feed(size_t k, char *mine, Values values, size_t n, size_t &numWaiting) const {
  const ReducedOutput &output = outputs[k];
  if (!inLanes) {
    const int64_t zero = 0;
    return output.loops.chains(mine + areas[k].sums, values.x, 0, 1, {&zero, 1, 1, n});
  }
  size_t size = plan::sizeOf(output.isProduct ? output.sumType : output.type);
  char *waiting = mine + areas[k].waiting, *waitingFactors = mine + areas[k].waitingFactors;
  auto wait = [&](size_t from, size_t count) {
    std::memcpy(waiting + numWaiting * size, values.x + from * size, count * size);
    if (output.isProduct)
      std::memcpy(waitingFactors + numWaiting * size, values.y + from * size, count * size);
    numWaiting += count;
  };
  size_t taken = 0;
  if (numWaiting > 0) {
    taken = std::min(n, kRowLanes - numWaiting);
    wait(0, taken);
    if (numWaiting < kRowLanes)
      return;
    addToLanes(k, mine, {waiting, waitingFactors}, kRowLanes);
    numWaiting = 0;
  }
  size_t whole = (n - taken) / kRowLanes * kRowLanes;
  const char *y = output.isProduct ? values.y + taken * size : nullptr;
  addToLanes(k, mine, {values.x + taken * size, y}, whole);
  wait(taken + whole, n - taken - whole);
}

bool RowReduction::runSplit(const StripLoop::Worker &own, char *mine, int64_t *position) const {
  size_t strip = loop.stripLoop();
  DimVec extents(nest.sizes.begin() + static_cast<ptrdiff_t>(strip), nest.sizes.end());
  absl::InlinedVector<size_t, 4> numWaiting(outputs.size(), 0);
  std::fill(position + numParallel, position + nest.sizes.size(), 0);
  for (size_t k = 0; k < outputs.size(); ++k) {
    beginSums(*own.state, k, mine, position, 1);
    if (inLanes)
      outputs[k].rows.init(mine + areas[k].lanes);
  }
  for (bool more = true; more;) {
    extents[0] = std::min(splitRows, nest.sizes[strip] - position[strip]);
    loop.load(own, position, extents.data());
    size_t n = 1;
    for (int64_t extent : extents)
      n *= static_cast<size_t>(extent);
    if (!loop.stripCode().run(*own.state, own.frame, n))
      return false;
    for (size_t k = 0; k < outputs.size(); ++k)
      feed(k, mine, valuesOf(own, mine, k, n), n, numWaiting[k]);
    position[strip] += extents[0];
    more = position[strip] < nest.sizes[strip];
    for (size_t d = strip; !more && d > numParallel; --d) {
      position[d] = 0;
      more = ++position[d - 1] < nest.sizes[d - 1];
    }
  }
  for (size_t k = 0; k < outputs.size(); ++k) {
    if (inLanes) {
      addToLanes(k, mine, {mine + areas[k].waiting, mine + areas[k].waitingFactors}, numWaiting[k]);
      outputs[k].finishRow(mine + areas[k].lanes, mine + areas[k].sums);
    }
    endSums(*own.state, k, mine, position, 1);
  }
  return true;
}

} // namespace

KernelPtr bindRowReduction(const KernelBinding &binding, const Reduction &reduction) {
  auto kernel = std::make_unique<RowReduction>();
  return kernel->bind(binding, reduction) ? std::move(kernel) : nullptr;
}

} // namespace anneal::runtime::interpreter
