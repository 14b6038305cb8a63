//===- BodyBoxes.cpp - Compiled bodies over loop nests --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyBoxes.h"

#include <algorithm>

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

} // namespace

/// The arrays of one AnnealBox. Streams move by `stepOf` of a loop; a position's "address" is the
/// position itself.
struct BodyBoxes::Box {
  void *data[kMostOperands] = {};
  int64_t rowStrides[kMostOperands] = {}, columnStrides[kMostOperands] = {};
  int64_t positions[kMostDims] = {}, rowSteps[kMostDims] = {}, columnSteps[kMostDims] = {};
  AnnealView gathers[kMostOperands];
  /// Of each stream, its strides in this run.
  const int64_t *strides[kMostOperands + kMostDims];
};

bool BodyBoxes::bind(const KernelBinding &binding, const Nest &nest,
                     absl::Span<const size_t> moved) {
  const plan::Kernel &kernel = binding.kernel;
  if (kernel.sourceOp < 0 || kernel.operands.size() > kMostOperands ||
      kernel.iterators.size() > kMostDims || binding.gathers.size() > kMostOperands ||
      nest.streams.size() > kMostOperands + kMostDims)
    return false;
  if (mayFail(kernel.body) && (!moved.empty() || readsWhatItWrites(nest)))
    return false;
  sourceOp = kernel.sourceOp;
  numLoops = nest.sizes.size();
  streams.assign(nest.streams.begin(), nest.streams.end());
  gathers = binding.gathers;
  return true;
}

void BodyBoxes::place(Box &box, const RunState &state, const int64_t *begin,
                      absl::Span<const MovedStream> moved) const {
  for (size_t s = 0; s < streams.size(); ++s) {
    const Stream &stream = streams[s];
    const int64_t *strides = box.strides[s] = stream.strides.data();
    uint32_t k = stream.index;
    auto movedTo = std::find_if(moved.begin(), moved.end(),
                                [&](const MovedStream &other) { return other.stream == s; });
    if (movedTo != moved.end()) {
      strides = box.strides[s] = movedTo->strides;
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

bool BodyBoxes::isReadOfOutput(size_t s) const {
  if (streams[s].kind != Stream::Kind::Read)
    return false;
  return std::any_of(streams.begin(), streams.end(), [&](const Stream &other) {
    return other.kind == Stream::Kind::Write && other.index == streams[s].index;
  });
}

void BodyBoxes::step(Box &box, size_t loop, int64_t by) const {
  for (size_t s = 0; s < streams.size(); ++s) {
    const Stream &stream = streams[s];
    int64_t elements = box.strides[s][loop] * by;
    if (stream.kind == Stream::Kind::Position)
      box.positions[stream.index] += elements;
    // An output that is read has two streams in one place: it moves with the one that writes.
    else if (!isReadOfOutput(s))
      box.data[stream.index] = static_cast<char *>(box.data[stream.index]) +
                               elements * static_cast<int64_t>(stream.elementSize);
  }
}

bool BodyBoxes::run(AnnealBoxFn code, const RunState &state, const int64_t *begin,
                    const int64_t *extents, absl::Span<const MovedStream> moved) const {
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
