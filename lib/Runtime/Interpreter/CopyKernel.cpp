//===- CopyKernel.cpp - Copies, transpositions, broadcasts, fills ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Nest.h"

#include "anneal/Runtime/Kernels/StripOps.h"

#include <algorithm>

using namespace anneal;
using plan::Opcode;
using plan::Reg;

namespace anneal::runtime::interpreter {

namespace {

/// Loops ordered so that the written side is contiguous (or as near to it as can be) in the last
/// one. The unit of work is a slab: the last loop whole and, for a transposition, a block of the
/// loop before it, along which the read side is contiguous.
class CopyKernel final : public BoundKernel {
public:
  bool bind(const KernelBinding &binding);
  void run(RunState &state) const override;

private:
  enum class Mode : uint8_t { Rows, Splat, Strided, Transpose };

  void findSource(const KernelBinding &binding);
  void chooseMode();
  void runSlabs(RunState &state, int64_t begin, int64_t end) const;
  void runSlab(char *target, const char *source, int64_t count) const;
  const char *sourceOf(const RunState &state) const;

  /// The value that is written where there is no Read stream.
  enum class Value : uint8_t { None, Constant, Scalar } value = Value::None;
  uint64_t valueBits = 0;
  Mode mode = Mode::Rows;
  StripMoves moves;
  Nest nest;
  Stream read, write;
  /// Iterations of the last-but-one loop in a slab.
  int64_t block = 1;
  absl::Span<const int64_t> cutLoops() const {
    return absl::MakeConstSpan(nest.sizes).subspan(0, nest.sizes.size() - 1);
  }
  /// Rows of the last loop that are transposed at once.
  static constexpr int64_t kTransposed = 64;
  Grain grain;
};

void CopyKernel::findSource(const KernelBinding &binding) {
  const plan::Body &body = binding.kernel.body;
  Reg reg = throughMoves(body, binding.facts.info, body.yields[0]);
  if (reg < body.numOperands)
    return;
  if (binding.facts.info.def[reg] < 0) {
    value = Value::Scalar;
    valueBits = body.captured[reg - body.numOperands];
    return;
  }
  const plan::Instr &instr = body.instrs[binding.facts.info.def[reg]];
  value = Value::Constant;
  valueBits = instr.imm;
}

bool CopyKernel::bind(const KernelBinding &binding) {
  findSource(binding);
  nest = buildNest(binding, binding.kernel.body.yields, true);
  if (value != Value::None)
    nest.streams.insert(nest.streams.begin(), Stream());
  if (nest.streams.size() != 2)
    return false;
  nest.streams[0].strides.resize(nest.sizes.size(), 0);
  nest.dropUnits(0, nest.sizes.size());
  nest.sortForLocality(0, nest.sizes.size());
  nest.merge(0, nest.sizes.size());
  chooseMode();
  read = nest.streams[0];
  write = nest.streams[1];
  bool isIdentity = value == Value::None && read.place.isTemporary == write.place.isTemporary &&
                    read.place.index == write.place.index && read.offset == write.offset &&
                    read.strides == write.strides;
  if (isIdentity)
    return true;
  moves = findStripMoves(write.elementSize, binding.isa);

  double perByte = mode == Mode::Rows || mode == Mode::Splat ? 0.15 : 0.3;
  grain = chooseGrain(BlockCounter::numBlocks(cutLoops(), block),
                      perByte * static_cast<double>(write.elementSize) *
                          static_cast<double>(binding.space.numPoints()),
                      binding.numThreads());
  return true;
}

void CopyKernel::chooseMode() {
  while (nest.sizes.size() < 2) {
    nest.sizes.insert(nest.sizes.begin(), 1);
    for (Stream &stream : nest.streams)
      stream.strides.insert(stream.strides.begin(), 0);
  }
  size_t last = nest.sizes.size() - 1;
  const StrideVec &from = nest.streams[0].strides, &to = nest.streams[1].strides;
  mode = Mode::Strided;
  if (to[last] == 1 && from[last] == 1)
    mode = Mode::Rows;
  else if (to[last] == 1 && from[last] == 0)
    mode = Mode::Splat;
  else if (to[last] == 1)
    for (size_t d = 0; d < last; ++d)
      if (from[d] == 1 && mode != Mode::Transpose) {
        mode = Mode::Transpose;
        nest.moveLoop(d, last - 1);
      }
  // Slabs of some tens of KiB.
  constexpr int64_t kSlabBytes = 32768;
  int64_t row = nest.sizes[last] * static_cast<int64_t>(nest.streams[1].elementSize);
  int64_t least = mode == Mode::Transpose ? 16 : 1;
  block = std::clamp<int64_t>(kSlabBytes / row, least, std::max(nest.sizes[last - 1], least));
}

const char *CopyKernel::sourceOf(const RunState &state) const {
  switch (value) {
  case Value::None:
    return firstElement(state, read);
  case Value::Constant:
    return reinterpret_cast<const char *>(&valueBits);
  case Value::Scalar:
    return reinterpret_cast<const char *>(state.frame->scalars + valueBits);
  }
  return nullptr;
}

void CopyKernel::run(RunState &state) const {
  runChunks(state, grain,
            [&](int64_t begin, int64_t end, uint32_t) { runSlabs(state, begin, end); });
}

void CopyKernel::runSlabs(RunState &state, int64_t begin, int64_t end) const {
  size_t numCut = nest.sizes.size() - 1;
  int64_t size = static_cast<int64_t>(write.elementSize);
  const char *source = sourceOf(state);
  char *target = firstElement(state, write);
  BlockCounter counter(cutLoops(), block, begin);
  for (int64_t slab = begin; slab < end; ++slab, counter.next())
    runSlab(target + write.distance(counter.position(), numCut) * size,
            source + read.distance(counter.position(), numCut) * size, counter.count());
}

void CopyKernel::runSlab(char *target, const char *source, int64_t count) const {
  size_t last = nest.sizes.size() - 1;
  int64_t size = static_cast<int64_t>(write.elementSize), inner = nest.sizes[last];
  int64_t fromStep = read.strides[last - 1] * size, toStep = write.strides[last - 1] * size;
  if (mode == Mode::Transpose) {
    for (int64_t i = 0; i < inner; i += kTransposed)
      moves.transpose(target + i * size, write.strides[last - 1],
                      source + i * read.strides[last] * size, read.strides[last],
                      static_cast<size_t>(std::min(kTransposed, inner - i)),
                      static_cast<size_t>(count));
    return;
  }
  size_t n = static_cast<size_t>(inner);
  for (int64_t i = 0; i < count; ++i, source += fromStep, target += toStep) {
    if (mode == Mode::Rows)
      moves.copy(target, source, n);
    else if (mode == Mode::Splat)
      moves.splat(target, source, n);
    else if (write.strides[last] == 1)
      moves.gatherStrided(target, source, read.strides[last], n);
    else if (read.strides[last] == 1)
      moves.scatterStrided(target, write.strides[last], source, n);
    else
      for (size_t k = 0; k < n; ++k)
        moves.copy(target + static_cast<int64_t>(k) * write.strides[last] * size,
                   source + static_cast<int64_t>(k) * read.strides[last] * size, 1);
  }
}

} // namespace

KernelPtr bindCopy(const KernelBinding &binding) {
  if (!binding.facts.isCopy)
    return nullptr;
  auto kernel = std::make_unique<CopyKernel>();
  return kernel->bind(binding) ? std::move(kernel) : nullptr;
}

} // namespace anneal::runtime::interpreter
