//===- StripCode.cpp - Running a compiled body ----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripCode.h"

#include "Kernels.h"
#include "Nest.h"

namespace anneal::runtime::interpreter {

std::vector<GatherSource> gatherSources(const plan::Kernel &kernel, const BindContext &context) {
  std::vector<GatherSource> sources;
  for (uint32_t tensor : kernel.gathers) {
    const BoundTensor &bound = context.tensors[tensor];
    sources.push_back({placeOf(context, tensor), bound.sizes, bound.strides, bound.elementSize()});
  }
  return sources;
}

void StripCode::layOut(const RunState &state, void *memory, absl::Span<const GatherSource> gathers,
                       StripFrame &frame) const {
  frame.gathers = gathers.data();
  frame.values = static_cast<void **>(memory);
  frame.slots = static_cast<char *>(memory) + tableBytes;
  size_t count = initial.size();
  for (size_t v = 0; v < count; ++v) {
    const Initial &from = initial[v];
    switch (from.kind) {
    case Initial::Kind::None:
      break;
    case Initial::Kind::Pool:
      frame.values[v] = const_cast<uint64_t *>(pool.data() + from.index);
      break;
    case Initial::Kind::Scalar:
      frame.values[v] = const_cast<uint64_t *>(state.frame->scalars + from.index);
      break;
    case Initial::Kind::Slot:
      frame.values[v] = frame.slots + from.index;
      break;
    }
  }
}

bool StripCode::run(RunState &state, const StripFrame &frame, size_t n) const {
  if (!uniformSteps.empty() && !runSteps(state, frame, uniformSteps, 1))
    return false;
  return runSteps(state, frame, stripSteps, n);
}

bool StripCode::runSteps(RunState &state, const StripFrame &frame, const std::vector<Step> &steps,
                         size_t n) const {
  void **values = frame.values;
  for (const Step &step : steps) {
    if (step.kind == StepKind::Call) {
      StripArgs args;
      args.dst = values[step.dst];
      args.dst2 = values[step.dst2];
      args.a = values[step.a];
      args.b = values[step.b];
      args.c = values[step.c];
      args.n = n;
      args.imm = step.imm;
      step.fn(args);
      continue;
    }
    bool ok = step.kind == StepKind::Assert ? checkAssert(state, frame, step, n)
                                            : gather(state, frame, step, n);
    if (!ok)
      return false;
  }
  return true;
}

bool StripCode::checkAssert(RunState &state, const StripFrame &frame, const Step &step,
                            size_t n) const {
  const uint8_t *flags = static_cast<const uint8_t *>(frame.values[step.a]);
  bool uniform = spreads[step.a] != Spread::Varying;
  if (indexKernels->allTrue(flags, uniform ? 1 : n))
    return true;
  state.fail(ANNEAL_ASSERT_FAILED, static_cast<uint32_t>(step.imm), location);
  return false;
}

bool StripCode::failIndex(RunState &state, int64_t index, size_t dim, int64_t size) const {
  const int64_t values[] = {index, static_cast<int64_t>(dim), size};
  state.fail(ANNEAL_OUT_OF_BOUNDS, 0, location, values);
  return false;
}

bool StripCode::gather(RunState &state, const StripFrame &frame, const Step &step, size_t n) const {
  const GatherSource &source = frame.gathers[step.source];
  const StripMoves &move = moves[step.source];
  bool isLine = step.kind == StepKind::GatherLine;
  int64_t offset = 0;
  for (size_t d = 0; d < source.sizes.size(); ++d) {
    const IndexValue &index = indices[step.indexBegin + d];
    if (index.varying && !isLine)
      continue;
    int64_t at = *static_cast<const int64_t *>(frame.values[index.value]);
    int64_t reach = index.varying ? static_cast<int64_t>(n) - 1 : 0;
    if (at < 0 || at >= source.sizes[d])
      return failIndex(state, at, d, source.sizes[d]);
    if (at + reach >= source.sizes[d])
      return failIndex(state, source.sizes[d], d, source.sizes[d]);
    offset += at * source.strides[d];
  }
  char *base = state.data(source.place) + offset * static_cast<int64_t>(source.elementSize);
  if (step.kind == StepKind::GatherIndexed)
    return gatherIndexed(state, frame, step, n, base);
  if (!isLine) {
    move.copy(frame.values[step.dst], base, 1);
    return true;
  }
  int64_t stride = source.strides[step.lineIndex];
  if (step.isView)
    frame.values[step.dst] = base;
  else
    move.gatherStrided(frame.values[step.dst], base, stride, n);
  return true;
}

bool StripCode::gatherIndexed(RunState &state, const StripFrame &frame, const Step &step, size_t n,
                              const char *base) const {
  const GatherSource &source = frame.gathers[step.source];
  auto *offsets = reinterpret_cast<int64_t *>(frame.slots + offsetsSlot);
  bool add = false;
  for (size_t d = 0; d < source.sizes.size(); ++d) {
    const IndexValue &index = indices[step.indexBegin + d];
    if (!index.varying)
      continue;
    const auto *at = static_cast<const int64_t *>(frame.values[index.value]);
    int64_t size = source.sizes[d];
    if (!indexKernels->offsets(offsets, at, size, source.strides[d], n, add)) {
      size_t first = 0;
      while (at[first] >= 0 && at[first] < size)
        ++first;
      return failIndex(state, at[first], d, size);
    }
    add = true;
  }
  moves[step.source].gatherIndexed(frame.values[step.dst], base, offsets, n);
  return true;
}

StripCodes::Key StripCodes::keyOf(const StripSpec &spec) {
  Key key = {spec.maxStrip, spec.directResults, static_cast<uint64_t>(spec.lineDim),
             static_cast<uint64_t>(spec.isa), spec.results.size()};
  for (plan::Reg reg : spec.results)
    key.push_back(reg);
  // Spreads take two bits each, so that a word has room for 32 of them.
  for (absl::Span<const Spread> spreads : {spec.operands, spec.iterators}) {
    for (size_t i = 0; i < spreads.size(); ++i) {
      if (i % 32 == 0)
        key.push_back(0);
      key.back() |= static_cast<uint64_t>(spreads[i]) << (i % 32 * 2);
    }
  }
  for (const GatherSource &source : spec.gathers)
    for (int64_t stride : source.strides)
      key.push_back(stride == 1);
  return key;
}

std::shared_ptr<const StripCode> StripCodes::get(const StripSpec &spec) const {
  Key key = keyOf(spec);
  auto find = [&]() -> std::shared_ptr<const StripCode> {
    for (const auto &[other, code] : kept)
      if (other == key)
        return code;
    return nullptr;
  };
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (std::shared_ptr<const StripCode> code = find())
      return code;
  }
  auto made = std::make_shared<StripCode>();
  if (!made->compile(spec))
    return nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (std::shared_ptr<const StripCode> code = find())
    return code;
  if (kept.size() < kMostKept)
    kept.emplace_back(std::move(key), made);
  return made;
}

} // namespace anneal::runtime::interpreter
