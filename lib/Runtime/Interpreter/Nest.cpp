//===- Nest.cpp - Loop nests over streams of values -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nest.h"

#include <algorithm>
#include <cstdlib>

using namespace anneal;
using plan::Instr;
using plan::Opcode;
using plan::Reg;

namespace anneal::runtime::interpreter {

size_t Nest::dropUnits(size_t begin, size_t end) {
  for (size_t d = end; d-- > begin;) {
    if (sizes[d] != 1)
      continue;
    sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(d));
    for (Stream &stream : streams)
      stream.strides.erase(stream.strides.begin() + static_cast<ptrdiff_t>(d));
    --end;
  }
  return end;
}

size_t Nest::merge(size_t begin, size_t end) {
  for (size_t d = end; d-- > begin + 1;) {
    bool mergeable = std::all_of(streams.begin(), streams.end(), [&](const Stream &stream) {
      return stream.strides[d - 1] == stream.strides[d] * sizes[d];
    });
    if (!mergeable)
      continue;
    sizes[d - 1] *= sizes[d];
    sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(d));
    for (Stream &stream : streams)
      stream.strides.erase(stream.strides.begin() + static_cast<ptrdiff_t>(d - 1));
    --end;
  }
  return end;
}

void Nest::insertUnitLoop(size_t at) {
  sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(at), 1);
  for (Stream &stream : streams)
    stream.strides.insert(stream.strides.begin() + static_cast<ptrdiff_t>(at), 0);
}

void Nest::moveLoop(size_t from, size_t to) {
  auto rotate = [&](auto &values) {
    auto first = values.begin();
    if (from < to)
      std::rotate(first + from, first + from + 1, first + to + 1);
    else
      std::rotate(first + to, first + from, first + from + 1);
  };
  rotate(sizes);
  for (Stream &stream : streams)
    rotate(stream.strides);
}

void Nest::sortForLocality(size_t begin, size_t end) {
  bool hasWrite = std::any_of(streams.begin(), streams.end(), [](const Stream &stream) {
    return stream.kind == Stream::Kind::Write;
  });
  Stream::Kind kind = hasWrite ? Stream::Kind::Write : Stream::Kind::Read;
  // The first stream that tells two loops apart decides; insertion keeps the order otherwise.
  auto isInside = [&](size_t outer, size_t inner) {
    for (const Stream &stream : streams) {
      if (stream.kind != kind || stream.strides[outer] == 0 || stream.strides[inner] == 0)
        continue;
      int64_t a = std::abs(stream.strides[outer]), b = std::abs(stream.strides[inner]);
      if (a != b)
        return a < b;
    }
    return false;
  };
  for (size_t d = begin + 1; d < end; ++d)
    for (size_t k = d; k > begin && isInside(k - 1, k); --k)
      moveLoop(k, k - 1);
}

BlockCounter::BlockCounter(absl::Span<const int64_t> loops, int64_t blockSize, int64_t start)
    : sizes(loops), block(blockSize), last(loops.empty() ? 1 : loops.back()),
      at(std::max<size_t>(loops.size(), 1), 0) {
  if (start == 0)
    return;
  int64_t blocks = (last + block - 1) / block, rest = start / blocks;
  at.back() = start % blocks * block;
  for (size_t d = at.size() - 1; d-- > 0; rest /= sizes[d])
    at[d] = rest % sizes[d];
}

void BlockCounter::next() {
  at.back() += block;
  if (at.back() < last)
    return;
  at.back() = 0;
  for (size_t d = at.size() - 1; d-- > 0;) {
    if (++at[d] < sizes[d])
      return;
    at[d] = 0;
  }
}

int64_t BlockCounter::numBlocks(absl::Span<const int64_t> sizes, int64_t block) {
  if (sizes.empty())
    return 1;
  int64_t count = (sizes.back() + block - 1) / block;
  for (size_t d = 0; d + 1 < sizes.size(); ++d)
    count *= sizes[d];
  return count;
}

char *firstElement(const RunState &state, const Stream &stream) {
  return state.data(stream.place) + stream.offset * static_cast<int64_t>(stream.elementSize);
}

TensorPlace placeOf(const BindContext &context, uint32_t tensor) {
  const BoundTensor &bound = context.tensors[tensor];
  return {bound.isTemporary, bound.isTemporary ? bound.workspaceOffset : tensor};
}

namespace {

Stream operandStream(const plan::Kernel &kernel, const IterSpace &space, const BindContext &context,
                     size_t operand, Stream::Kind kind) {
  Stream stream;
  stream.kind = kind;
  stream.index = static_cast<uint32_t>(operand);
  stream.place = placeOf(context, kernel.operands[operand].tensor);
  stream.elementSize = context.tensors[kernel.operands[operand].tensor].elementSize();
  stream.offset = space.accesses[operand].offset;
  stream.strides = space.accesses[operand].strides;
  return stream;
}

} // namespace

Nest buildNest(const KernelBinding &binding, absl::Span<const Reg> results, bool withOutputs) {
  const plan::Kernel &kernel = binding.kernel;
  const IterSpace &space = binding.space;
  const BindContext &context = binding.context;
  const plan::Body &body = kernel.body;
  Nest nest;
  nest.sizes = space.sizes;
  absl::InlinedVector<bool, 32> read = binding.facts.read(results);
  for (size_t k = 0; k < body.numOperands; ++k)
    if (read[k])
      nest.streams.push_back(operandStream(kernel, space, context, k, Stream::Kind::Read));
  absl::InlinedVector<bool, 6> seen(space.sizes.size(), false);
  for (const Instr &instr : body.instrs) {
    if (instr.op != Opcode::IterIndex || !read[instr.dst] || seen[instr.imm])
      continue;
    seen[instr.imm] = true;
    Stream stream;
    stream.kind = Stream::Kind::Position;
    stream.index = static_cast<uint32_t>(instr.imm);
    stream.strides.assign(space.sizes.size(), 0);
    stream.strides[instr.imm] = 1;
    nest.streams.push_back(std::move(stream));
  }
  if (withOutputs)
    for (size_t k = kernel.numInputs; k < kernel.operands.size(); ++k)
      nest.streams.push_back(operandStream(kernel, space, context, k, Stream::Kind::Write));
  return nest;
}

} // namespace anneal::runtime::interpreter
