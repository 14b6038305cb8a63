//===- ChainReduction.cpp - Many chains over a plain operand --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pooling, sums of columns: outputs side by side in memory, each a chain over elements of one
// operand. The chains of a block advance together; the reduction is a list of offsets.
//
//===----------------------------------------------------------------------===//

#include "Reduction.h"

#include <algorithm>

namespace anneal::runtime::interpreter {

namespace {

class ChainReduction final : public BoundKernel {
public:
  bool bind(const KernelBinding &binding, const Reduction &from);
  void run(RunState &state) const override;

private:
  bool fits(const KernelBinding &binding, const Reduction &from) const;
  bool listSteps();
  void runBlocks(RunState &state, int64_t begin, int64_t end) const;
  void runBlock(char *sums, const char *source, int64_t count) const;

  ReduceLoops loops;
  Nest nest;
  Stream read, write;
  size_t numParallel = 0;
  /// Offsets of the outer reduction loops' points; the innermost one is a run of steps.
  std::vector<int64_t> offsets;
  int64_t innerStride = 0, innerCount = 1;
  /// Iterations of the last parallel loop in one block.
  int64_t block = 1;
  absl::Span<const int64_t> cutLoops() const {
    return absl::MakeConstSpan(nest.sizes).subspan(0, numParallel);
  }
  Grain grain;
};

bool ChainReduction::fits(const KernelBinding &binding, const Reduction &from) const {
  if (from.outputs.size() != 1 || !from.outputs[0].loops.chains || from.outputs[0].isProduct ||
      (from.inLanes && !from.isOrderFree))
    return false;
  for (const plan::Instr &instr : binding.kernel.body.instrs)
    if (instr.op == plan::Opcode::Assert)
      return false;
  const Nest &nest = from.nest;
  return nest.streams.size() == 2 && nest.streams[0].kind == Stream::Kind::Read &&
         nest.streams[0].index == from.outputs[0].value &&
         (from.numParallel == 0 || nest.streams[1].strides[from.numParallel - 1] == 1);
}

bool ChainReduction::listSteps() {
  constexpr int64_t kMostOffsets = 1 << 14;
  size_t numLoops = nest.sizes.size();
  if (numLoops > numParallel) {
    innerStride = read.strides[numLoops - 1];
    innerCount = nest.sizes[numLoops - 1];
  }
  int64_t count = 1;
  for (size_t d = numParallel; d + 1 < numLoops; ++d)
    count *= nest.sizes[d];
  if (count > kMostOffsets)
    return false;
  offsets.assign(1, 0);
  for (size_t d = numParallel; d + 1 < numLoops; ++d) {
    std::vector<int64_t> outer = std::move(offsets);
    offsets.clear();
    for (int64_t offset : outer)
      for (int64_t i = 0; i < nest.sizes[d]; ++i)
        offsets.push_back(offset + i * read.strides[d]);
  }
  return true;
}

bool ChainReduction::bind(const KernelBinding &binding, const Reduction &from) {
  if (!fits(binding, from))
    return false;
  loops = from.outputs[0].loops;
  nest = from.nest;
  numParallel = from.numParallel;
  read = nest.streams[0];
  write = nest.streams[1];
  if (!listSteps())
    return false;
  // Blocks are a multiple of the widest group of vectors, and leave something for every thread.
  constexpr int64_t kGroup = 64, kMost = 1024;
  int64_t size = numParallel ? nest.sizes[numParallel - 1] : 1;
  int64_t share = size / std::max<int64_t>(1, 2 * binding.numThreads());
  block = std::clamp<int64_t>(share / kGroup * kGroup, kGroup, kMost);
  int64_t stride = numParallel ? read.strides[numParallel - 1] : 0;
  double perPoint = stride == 1 ? 0.15 : stride == 2 ? 0.25 : 0.6;
  grain =
      chooseGrain(BlockCounter::numBlocks(cutLoops(), block),
                  perPoint * static_cast<double>(binding.space.numPoints()), binding.numThreads());
  return true;
}

void ChainReduction::run(RunState &state) const {
  runChunks(state, grain,
            [&](int64_t begin, int64_t end, uint32_t) { runBlocks(state, begin, end); });
}

void ChainReduction::runBlocks(RunState &state, int64_t begin, int64_t end) const {
  int64_t size = static_cast<int64_t>(write.elementSize);
  const char *source = firstElement(state, read);
  char *sums = firstElement(state, write);
  BlockCounter counter(cutLoops(), block, begin);
  for (int64_t i = begin; i < end; ++i, counter.next())
    runBlock(sums + write.distance(counter.position(), numParallel) * size,
             source + read.distance(counter.position(), numParallel) * size, counter.count());
}

void ChainReduction::runBlock(char *sums, const char *source, int64_t count) const {
  int64_t stride = numParallel ? read.strides[numParallel - 1] : 0;
  size_t n = static_cast<size_t>(count);
  size_t inner = static_cast<size_t>(innerCount);
  // Long rows one below the other are better read some rows at a time than column by column.
  constexpr size_t kStepsAtOnce = 16;
  constexpr int64_t kLongRow = 256;
  if (stride != 1 || count < kLongRow || inner <= kStepsAtOnce)
    return loops.chains(sums, source, stride, n,
                        {offsets.data(), offsets.size(), innerStride, inner});
  int64_t size = static_cast<int64_t>(write.elementSize);
  for (const int64_t &offset : offsets)
    for (size_t done = 0; done < inner; done += kStepsAtOnce)
      loops.chains(sums, source + static_cast<int64_t>(done) * innerStride * size, stride, n,
                   {&offset, 1, innerStride, std::min(kStepsAtOnce, inner - done)});
}

} // namespace

KernelPtr bindChainReduction(const KernelBinding &binding, const Reduction &reduction) {
  auto kernel = std::make_unique<ChainReduction>();
  return kernel->bind(binding, reduction) ? std::move(kernel) : nullptr;
}

} // namespace anneal::runtime::interpreter
