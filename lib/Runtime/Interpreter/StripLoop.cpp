//===- StripLoop.cpp - A body run over boxes of a loop nest ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripLoop.h"

#include "absl/algorithm/container.h"

#include <algorithm>

using namespace anneal;
using plan::Reg;

namespace anneal::runtime::interpreter {

bool StripLoop::bind(const Spec &spec) {
  numLoops = spec.nest.sizes.size();
  firstLoop = spec.stripLoop;
  indexKernels = &findIndexKernels(spec.isa);

  absl::InlinedVector<Spread, 8> operands(spec.body.numOperands, Spread::Constant);
  absl::InlinedVector<Spread, 8> iterators(spec.numIterators, Spread::Constant);
  int lineDim = -1;
  streams.reserve(spec.nest.streams.size());
  for (const Stream &stream : spec.nest.streams) {
    bindStream(spec, stream);
    Spread spread = streams.back().spread;
    if (stream.kind == Stream::Kind::Read)
      operands[stream.index] = spread;
    if (stream.kind != Stream::Kind::Position)
      continue;
    iterators[stream.index] = spread;
    if (firstLoop + 1 == numLoops && stream.strides[firstLoop] == 1)
      lineDim = static_cast<int>(stream.index);
  }

  StripSpec codeSpec{.body = spec.body};
  codeSpec.results = spec.results;
  codeSpec.operands = operands;
  codeSpec.iterators = iterators;
  codeSpec.lineDim = lineDim;
  codeSpec.gathers = spec.gathers;
  codeSpec.directResults = spec.writesResults ? ~uint64_t(0) : 0;
  codeSpec.maxStrip = spec.maxStrip;
  codeSpec.location = spec.location;
  codeSpec.isa = spec.isa;
  code = spec.codes.get(codeSpec);
  if (!code)
    return false;
  gathers.assign(spec.gathers.begin(), spec.gathers.end());

  tablesOffset = code->frameBytes();
  slotsOffset = alignUp(tablesOffset + streams.size() * (sizeof(char *) + sizeof(const int64_t *) +
                                                         sizeof(Worker::Held)));
  size_t end = slotsOffset;
  for (BoundStream &bound : streams) {
    if (bound.stream.kind == Stream::Kind::Read)
      bound.value = code->operandValue(bound.stream.index);
    if (bound.stream.kind == Stream::Kind::Position)
      bound.value = code->iteratorValue(bound.stream.index);
    for (size_t r = 0; r < spec.results.size(); ++r)
      bound.mustCopy |= !bound.keeps && code->resultValue(r) == bound.value;
    bound.slot = end - slotsOffset;
    end += alignUp(spec.maxStrip * bound.stream.elementSize);
  }
  scratchSize = end;
  return true;
}

void StripLoop::bindStream(const Spec &spec, const Stream &stream) {
  BoundStream bound;
  bound.stream = stream;
  bound.moves = findStripMoves(stream.elementSize, spec.isa);
  auto isZero = [](int64_t stride) { return stride == 0; };
  auto begin = stream.strides.begin(), end = stream.strides.end();
  if (std::all_of(begin, end, isZero))
    bound.spread = Spread::Constant;
  else if (std::all_of(begin + static_cast<ptrdiff_t>(firstLoop), end, isZero))
    bound.spread = Spread::Uniform;
  if (stream.kind == Stream::Kind::Write) {
    for (const BoundStream &before : streams)
      bound.result += before.stream.kind == Stream::Kind::Write;
  } else {
    for (const Stream &other : spec.nest.streams)
      if (other.kind == Stream::Kind::Write &&
          other.place.isTemporary == stream.place.isTemporary &&
          other.place.index == stream.place.index)
        bound.keeps = false;
    bound.keeps &= !absl::c_linear_search(spec.moved, streams.size());
    if (!bound.keeps && bound.spread == Spread::Constant)
      bound.spread = Spread::Uniform;
  }
  streams.push_back(std::move(bound));
}

bool StripLoop::start(RunState &state, char *scratch, Worker &worker) const {
  worker.state = &state;
  code->layOut(state, scratch, gathers, worker.frame);
  size_t count = streams.size();
  worker.bases = reinterpret_cast<char **>(scratch + tablesOffset);
  worker.strides =
      reinterpret_cast<const int64_t **>(scratch + tablesOffset + count * sizeof(char *));
  worker.held = reinterpret_cast<Worker::Held *>(worker.strides + count);
  worker.slots = scratch + slotsOffset;
  for (size_t s = 0; s < count; ++s) {
    const BoundStream &bound = streams[s];
    worker.strides[s] = bound.stream.strides.data();
    worker.held[s] = {nullptr, 0};
    if (bound.stream.kind == Stream::Kind::Position) {
      auto *slot = reinterpret_cast<int64_t *>(worker.slots + bound.slot);
      worker.bases[s] = nullptr;
      *slot = bound.stream.offset;
      worker.frame.values[bound.value] = slot;
      continue;
    }
    worker.bases[s] = state.data(bound.stream.place) +
                      bound.stream.offset * static_cast<int64_t>(bound.stream.elementSize);
    if (bound.stream.kind == Stream::Kind::Read)
      worker.frame.values[bound.value] = worker.bases[s];
  }
  return code->begin(state, worker.frame);
}

void StripLoop::moveStream(const Worker &worker, size_t s, char *data, const int64_t *begin,
                           const int64_t *strides) const {
  worker.strides[s] = strides;
  worker.bases[s] = data;
  worker.bases[s] -=
      offsetAt(worker, s, begin) * static_cast<int64_t>(streams[s].stream.elementSize);
}

void StripLoop::forget(const Worker &worker) const {
  for (size_t s = 0; s < streams.size(); ++s)
    worker.held[s] = {nullptr, 0};
}

int64_t StripLoop::offsetAt(const Worker &worker, size_t s, const int64_t *position) const {
  int64_t offset = 0;
  const int64_t *strides = worker.strides[s];
  for (size_t d = 0; d < numLoops; ++d)
    offset += position[d] * strides[d];
  return offset;
}

char *StripLoop::addressAt(const Worker &worker, size_t s, const int64_t *position) const {
  return worker.bases[s] +
         offsetAt(worker, s, position) * static_cast<int64_t>(streams[s].stream.elementSize);
}

void StripLoop::load(const Worker &worker, const int64_t *position, const int64_t *extents) const {
  for (size_t s = 0; s < streams.size(); ++s) {
    if (streams[s].stream.kind == Stream::Kind::Write)
      pointResult(worker, s, position, extents);
    else if (streams[s].spread != Spread::Constant)
      loadStream(worker, s, position, extents);
  }
}

namespace {
int64_t product(const int64_t *extents, size_t rank) {
  int64_t count = 1;
  for (size_t d = 0; d < rank; ++d)
    count *= extents[d];
  return count;
}
} // namespace

void StripLoop::loadStream(const Worker &worker, size_t s, const int64_t *position,
                           const int64_t *extents) const {
  const BoundStream &bound = streams[s];
  size_t rank = numLoops - firstLoop;
  void *&value = worker.frame.values[bound.value];
  if (bound.stream.kind == Stream::Kind::Position) {
    int64_t first = bound.stream.offset + offsetAt(worker, s, position);
    if (bound.spread == Spread::Uniform)
      *static_cast<int64_t *>(value) = first;
    else
      loadPositions(worker, s, first, extents, product(extents, rank));
    return;
  }
  char *source = addressAt(worker, s, position);
  const int64_t *strides = worker.strides[s] + firstLoop;
  bool isStrip = bound.spread == Spread::Varying;
  if (!bound.mustCopy && (!isStrip || isDense(extents, strides, rank))) {
    value = source;
    return;
  }
  value = worker.slots + bound.slot;
  if (!isStrip)
    return bound.moves.copy(value, source, 1);
  int64_t count = product(extents, rank);
  Worker::Held &held = worker.held[s];
  if (bound.keeps && held.source == source && held.count == count)
    return;
  held = {source, count};
  loadBox(bound.moves, bound.stream.elementSize, static_cast<char *>(value), source, extents,
          strides, rank);
}

void StripLoop::loadPositions(const Worker &worker, size_t s, int64_t first, const int64_t *extents,
                              int64_t count) const {
  // Positions are never negative: the address one past them serves as the key.
  const char *key = reinterpret_cast<const char *>(static_cast<uintptr_t>(first) + 1);
  Worker::Held &held = worker.held[s];
  if (held.source == key && held.count == count)
    return;
  held = {key, count};
  auto *slot = reinterpret_cast<int64_t *>(worker.slots + streams[s].slot);
  const int64_t *strides = worker.strides[s] + firstLoop;
  size_t rank = numLoops - firstLoop;
  int64_t inner = extents[rank - 1];
  for (int64_t row = 0; row * inner < count; ++row) {
    int64_t at = first, rest = row;
    for (size_t d = rank - 1; d-- > 0; rest /= extents[d])
      at += rest % extents[d] * strides[d];
    indexKernels->iota(slot + row * inner, at, strides[rank - 1], static_cast<size_t>(inner));
  }
}

void StripLoop::pointResult(const Worker &worker, size_t s, const int64_t *position,
                            const int64_t *extents) const {
  const BoundStream &bound = streams[s];
  if (!code->isDirect(bound.result))
    return;
  bool dense = isDense(extents, worker.strides[s] + firstLoop, numLoops - firstLoop);
  worker.frame.values[code->resultValue(bound.result)] =
      dense ? addressAt(worker, s, position) : worker.slots + bound.slot;
}

void StripLoop::store(const Worker &worker, const int64_t *position, const int64_t *extents) const {
  size_t rank = numLoops - firstLoop;
  for (size_t s = 0; s < streams.size(); ++s) {
    const BoundStream &bound = streams[s];
    if (bound.stream.kind != Stream::Kind::Write)
      continue;
    char *target = addressAt(worker, s, position);
    const char *value = static_cast<const char *>(result(worker, bound.result));
    if (target == value)
      continue;
    const int64_t *strides = worker.strides[s] + firstLoop;
    if (code->resultSpread(bound.result) == Spread::Varying)
      storeBox(bound.moves, bound.stream.elementSize, target, extents, strides, rank, value);
    else
      splatBox(bound.moves, bound.stream.elementSize, target, extents, strides, rank, value);
  }
}

bool StripLoop::runStrip(const Worker &worker, const int64_t *position,
                         const int64_t *extents) const {
  load(worker, position, extents);
  size_t count = static_cast<size_t>(product(extents, numLoops - firstLoop));
  if (!code->run(*worker.state, worker.frame, count))
    return false;
  store(worker, position, extents);
  return true;
}

} // namespace anneal::runtime::interpreter
