//===- BodyBoxes.cpp - Compiled bodies over loop nests --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyBoxes.h"

#include <algorithm>
#include <atomic>

using namespace anneal;
using plan::Opcode;

namespace anneal::runtime::interpreter {

namespace {

bool mayFail(const plan::Body &body) {
  return std::any_of(body.instrs.begin(), body.instrs.end(), [](const plan::Instr &instr) {
    return instr.op == Opcode::Assert || instr.op == Opcode::Gather;
  });
}

bool isSamePlace(const Stream &a, const Stream &b) {
  return a.place.isTemporary == b.place.isTemporary && a.place.index == b.place.index;
}

/// Some stream reads what another one writes.
bool readsWhatItWrites(const Nest &nest) {
  for (const Stream &read : nest.streams)
    for (const Stream &write : nest.streams)
      if (read.kind == Stream::Kind::Read && write.kind == Stream::Kind::Write &&
          isSamePlace(read, write))
        return true;
  return false;
}

/// Stream `s` reads an operand that another stream writes.
bool isReadOfOutput(const Nest &nest, size_t s) {
  const Stream &read = nest.streams[s];
  return read.kind == Stream::Kind::Read &&
         std::any_of(nest.streams.begin(), nest.streams.end(), [&](const Stream &other) {
           return other.kind == Stream::Kind::Write && other.index == read.index;
         });
}

} // namespace

/// The arrays of one AnnealBox, by operand and by iteration dimension. Only the entries that some
/// mover has are set: to clear a kilobyte would take longer than a short row.
struct BodyBoxes::Box {
  void *data[kMostOperands];
  int64_t rowStrides[kMostOperands], columnStrides[kMostOperands];
  int64_t positions[kMostDims], rowSteps[kMostDims], columnSteps[kMostDims];
  AnnealView gathers[kMostOperands];
  /// Of each mover, its strides in this run.
  const int64_t *strides[kMostOperands + kMostDims];
};

/// Strips flatten the innermost loops, the code of a body has vectors along one of them: rows of a
/// few elements are for the strips.
static bool hasShortRows(const Nest &nest) {
  constexpr int64_t kShort = 4;
  return nest.sizes.size() > 1 && nest.sizes.back() > 1 && nest.sizes.back() <= kShort &&
         nest.sizes[nest.sizes.size() - 2] > kShort;
}

bool BodyBoxes::bind(const KernelBinding &binding, const Nest &nest,
                     absl::Span<const size_t> moved) {
  const plan::Kernel &kernel = binding.kernel;
  if (kernel.sourceOp < 0 || kernel.operands.size() > kMostOperands ||
      kernel.iterators.size() > kMostDims || binding.gathers.size() > kMostOperands ||
      nest.streams.size() > kMostOperands + kMostDims)
    return false;
  if (hasShortRows(nest))
    return false;
  if (mayFail(kernel.body) && (!moved.empty() || readsWhatItWrites(nest)))
    return false;
  sourceOp = kernel.sourceOp;
  sizes = nest.sizes;
  movers.reserve(nest.streams.size());
  for (size_t s = 0; s < nest.streams.size(); ++s)
    if (!isReadOfOutput(nest, s))
      movers.push_back({nest.streams[s], s});
  gathers = binding.gathers;
  return true;
}

/// Points of a block that runAll deals out.
static constexpr int64_t kBlockPoints = 4096;

size_t BodyBoxes::numLoopsToCut() const {
  size_t numCut = sizes.size();
  for (int64_t inner = 1; numCut > 1 && inner * sizes[numCut - 1] < kBlockPoints; --numCut)
    inner *= sizes[numCut - 1];
  return numCut;
}

void BodyBoxes::cut(size_t numCut, double nanoseconds, unsigned numThreads) {
  numCutLoops = numCut;
  int64_t inner = 1;
  for (size_t d = numCut; d < sizes.size(); ++d)
    inner *= sizes[d];
  blockRows = std::max<int64_t>(1, kBlockPoints / inner);
  absl::Span<const int64_t> loops = absl::MakeConstSpan(sizes).subspan(0, numCut);
  grain = chooseGrain(BlockCounter::numBlocks(loops, blockRows), nanoseconds, numThreads);
}

bool BodyBoxes::runAll(AnnealBoxFn code, const RunState &state) const {
  std::atomic<bool> ok{true};
  runChunks(state, grain, [&](int64_t begin, int64_t end, uint32_t) {
    DimVec position(std::max<size_t>(sizes.size(), 1), 0), extents(sizes);
    extents.resize(position.size(), 1);
    std::fill_n(extents.begin(), numCutLoops, 1);
    BlockCounter counter(absl::MakeConstSpan(sizes).subspan(0, numCutLoops), blockRows, begin);
    for (int64_t b = begin; b < end && ok.load(std::memory_order_relaxed); ++b, counter.next()) {
      std::copy_n(counter.position(), numCutLoops, position.begin());
      if (numCutLoops > 0)
        extents[numCutLoops - 1] = counter.count();
      if (!run(code, state, position.data(), extents.data()))
        ok.store(false, std::memory_order_relaxed);
    }
  });
  return ok.load(std::memory_order_relaxed);
}

void BodyBoxes::place(Box &box, const RunState &state, const int64_t *begin,
                      absl::Span<const MovedStream> moved) const {
  size_t numLoops = sizes.size();
  for (size_t m = 0; m < movers.size(); ++m) {
    const Stream &stream = movers[m].stream;
    const int64_t *strides = box.strides[m] = stream.strides.data();
    uint32_t k = stream.index;
    auto movedTo = std::find_if(moved.begin(), moved.end(), [&](const MovedStream &other) {
      return other.stream == movers[m].number;
    });
    if (movedTo != moved.end()) {
      strides = box.strides[m] = movedTo->strides;
      box.data[k] = movedTo->data;
    } else if (stream.kind == Stream::Kind::Position) {
      box.positions[k] = stream.offset + stream.distance(begin, numLoops);
    } else {
      box.data[k] = firstElement(state, stream) +
                    stream.distance(begin, numLoops) * static_cast<int64_t>(stream.elementSize);
    }
    int64_t *rows = stream.kind == Stream::Kind::Position ? box.rowSteps : box.rowStrides;
    int64_t *columns = stream.kind == Stream::Kind::Position ? box.columnSteps : box.columnStrides;
    columns[k] = numLoops > 0 ? strides[numLoops - 1] : 0;
    rows[k] = numLoops > 1 ? strides[numLoops - 2] : 0;
  }
  for (size_t g = 0; g < gathers.size(); ++g)
    box.gathers[g] = {state.data(gathers[g].place), gathers[g].sizes.data(),
                      gathers[g].strides.data()};
}

void BodyBoxes::step(Box &box, size_t loop, int64_t by) const {
  for (size_t m = 0; m < movers.size(); ++m) {
    const Stream &stream = movers[m].stream;
    int64_t elements = box.strides[m][loop] * by;
    if (stream.kind == Stream::Kind::Position)
      box.positions[stream.index] += elements;
    else
      box.data[stream.index] = static_cast<char *>(box.data[stream.index]) +
                               elements * static_cast<int64_t>(stream.elementSize);
  }
}

bool BodyBoxes::run(AnnealBoxFn code, const RunState &state, const int64_t *begin,
                    const int64_t *extents, absl::Span<const MovedStream> moved) const {
  size_t numLoops = sizes.size();
  Box box;
  place(box, state, begin, moved);
  AnnealBox call = {};
  call.rows = numLoops > 1 ? extents[numLoops - 2] : 1;
  call.columns = numLoops > 0 ? extents[numLoops - 1] : 1;
  call.data = box.data;
  call.rowStrides = box.rowStrides;
  call.columnStrides = box.columnStrides;
  call.positions = box.positions;
  call.rowSteps = box.rowSteps;
  call.columnSteps = box.columnSteps;
  call.scalars = state.frame->scalars;
  call.gathers = box.gathers;
  int64_t at[kMostDims] = {};
  size_t numOuter = numLoops > 2 ? numLoops - 2 : 0;
  for (;;) {
    if (code(&call) != 0)
      return false;
    size_t d = numOuter;
    for (; d > 0; --d) {
      if (++at[d - 1] < extents[d - 1]) {
        step(box, d - 1, 1);
        break;
      }
      step(box, d - 1, 1 - extents[d - 1]);
      at[d - 1] = 0;
    }
    if (d == 0)
      return true;
  }
}

} // namespace anneal::runtime::interpreter
