//===- Context.cpp - The state of one running call ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include "anneal/Runtime/Interpreter/BoundUnit.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace anneal::runtime {

using BaseKind = plan::Base::Kind;

namespace {

/// Chunks of a loop that stops between them; what is left undone is reported as cancelled.
struct StoppableLoop {
  const AnnealUnitFrame *frame;
  const CallOptions *stop;
  AnnealParallelBody body;
  void *state;

  static void run(void *loop, int64_t begin, int64_t end, uint32_t worker) {
    const auto &self = *static_cast<const StoppableLoop *>(loop);
    if (self.stop->mustStop())
      self.frame->callbacks->fail(self.frame, ANNEAL_CANCELLED, 0, 0, nullptr, 0);
    else
      self.body(self.state, begin, end, worker);
  }
};

void parallelForFrame(const AnnealUnitFrame *frame, int64_t count, int64_t grain,
                      AnnealParallelBody body, void *state) {
  const auto &context = *static_cast<Context *>(frame->context);
  ThreadPool *pool = context.shared.pool.get();
  StoppableLoop loop{frame, context.stop, body, state};
  if (context.stop) {
    body = StoppableLoop::run;
    state = &loop;
  }
  if (pool) {
    pool->parallelFor(count, grain, [body, state](int64_t begin, int64_t end, uint32_t worker) {
      body(state, begin, end, worker);
    });
    return;
  }
  grain = std::clamp<int64_t>(grain, 1, std::max<int64_t>(1, count));
  for (int64_t begin = 0; begin < count; begin += std::min(grain, count - begin))
    body(state, begin, begin + std::min(grain, count - begin), 0);
}

void failFrame(const AnnealUnitFrame *frame, int32_t status, uint32_t message, uint32_t location,
               const int64_t *values, uint32_t numValues) {
  // Who sets the status first writes the rest; it is read when the unit has returned.
  int32_t expected = ANNEAL_OK;
  std::atomic_ref<int32_t> first(frame->error->status);
  if (!first.compare_exchange_strong(expected, status, std::memory_order_relaxed))
    return;
  frame->error->message = message;
  frame->error->location = location;
  std::copy_n(values, std::min<uint32_t>(numValues, 4), frame->error->values);
}

constexpr AnnealCallbacks kCallbacks = {ANNEAL_UNIT_ABI_VERSION, parallelForFrame, failFrame,
                                        &BoundUnit::runKernels};

} // namespace

Context::Context(const Instance &instance)
    : instance(instance), shared(instance.shared), registers(instance.registers),
      counters(instance.shared.counters.take()) {
  const FunctionCode &code = instance.code;
  size_t maxRank = 0;
  for (const plan::MemRef &memref : code.function.memrefs)
    maxRank = std::max(maxRank, memref.sizes.size());
  arguments.resize(code.function.arguments.size());
  inputCopies.resize(code.function.arguments.size());
  results.resize(code.function.results.size());
  resultBlocks.resize(code.function.results.size());
  unitScalars.resize(code.numUnitScalars);
  dynamicDims.resize(code.numDynamicDims);
  bases.resize(code.bases.size());
  blocks.resize(code.bases.size());
  handed.resize(code.maxMemRefHandOver);
  handedScalars.resize(code.maxScalarHandOver);
  handedDims.resize(code.maxMemRefHandOver * 2 * maxRank);
  resultDims.resize(2 * maxRank);
  for (uint32_t i = 0; i < handed.size(); ++i)
    handed[i].firstDim = static_cast<uint32_t>(i * 2 * maxRank);

  for (const ViewCode &view : code.views) {
    const TensorLayout &layout = instance.layouts[view.memref];
    size_t rank = code.function.memrefs[view.memref].sizes.size();
    const int64_t *dims =
        view.dynamicDims == kNone ? nullptr : dynamicDims.data() + view.dynamicDims;
    views.push_back(
        {nullptr, dims ? dims : layout.sizes.data(), dims ? dims + rank : layout.strides.data()});
  }
  for (const auto &[view, data] : instance.constantViews)
    views[view].data = const_cast<void *>(data);
  for (size_t b = 0; b < bases.size(); ++b)
    if (code.bases[b].kind == BaseKind::Constant) {
      auto *data =
          static_cast<char *>(const_cast<void *>(shared.constants->data(code.bases[b].index)));
      bases[b] = {data, data, data + instance.baseBytes[b]};
    }
  prepareCalls();
  invokeCounters = std::make_unique<InvokeCounters[]>(code.invokes.size());
  addressBits = std::make_unique<std::atomic<uint64_t>[]>(views.size());
  shared.shapes.add(this);
}

Context::~Context() {
  shared.shapes.remove(this);
  shared.counters.giveBack(counters);
}

void Context::prepareCalls() {
  const FunctionCode &code = instance.code;
  calls.resize(code.invokes.size());
  for (size_t i = 0; i < calls.size(); ++i) {
    const InvokeCode &invoke = code.invokes[i];
    for (size_t s = 0; s < invoke.step->scalars.size(); ++s)
      unitScalars[invoke.firstScalar + s] = registers[invoke.step->scalars[s]];
    AnnealUnitFrame &frame = calls[i].frame;
    frame.callbacks = &kCallbacks;
    frame.context = this;
    frame.views = views.data() + invoke.firstView;
    frame.scalars = unitScalars.data() + invoke.firstScalar;
    frame.scratchPerWorker = instance.scratchPerWorker;
    frame.numWorkers = shared.numThreads();
    frame.error = &error;
    if (const BoundEntry *entry = instance.bound[i]) {
      calls[i].fn = BoundUnit::run;
      calls[i].work = entry->work();
      frame.code = &entry->unit;
    }
  }
}

/// Workspace views and frames keep their pointers from call to call, as long as the memory is the
/// same.
void Context::placeWorkspace(char *memory) {
  if (memory == placed)
    return;
  placed = memory;
  for (const Relocation &place : instance.workspaceViews)
    views[place.view].data = memory + place.byteOffset;
  for (size_t i = 0; i < calls.size(); ++i) {
    if (!instance.bound[i])
      continue;
    calls[i].frame.workspace = memory + instance.unitWorkspaceOffsets[i];
    calls[i].frame.scratch = memory;
  }
  const FunctionCode &code = instance.code;
  for (size_t b = 0; b < bases.size(); ++b)
    if (code.bases[b].kind == BaseKind::Alloc) {
      char *data = memory + instance.allocOffsets[code.bases[b].index];
      bases[b] = {data, data, data + instance.baseBytes[b]};
    }
}

absl::Status Context::begin() {
  error.status = ANNEAL_OK;
  workspace = shared.memory->acquire(instance.workspaceBytes);
  if (!workspace)
    return absl::ResourceExhaustedError(absl::StrCat(
        "out of memory: a call with these sizes needs ", instance.workspaceBytes, " bytes"));
  placeWorkspace(static_cast<char *>(workspace->data()));
  for (const Relocation &place : instance.argumentViews)
    views[place.view].data = static_cast<char *>(arguments[place.index]) + place.byteOffset;
  for (const Relocation &place : instance.resultViews)
    views[place.view].data = static_cast<char *>(results[place.index]) + place.byteOffset;
  const FunctionCode &code = instance.code;
  for (size_t b = 0; b < bases.size(); ++b) {
    const plan::Base &base = code.bases[b];
    if (base.kind != BaseKind::Argument && base.kind != BaseKind::Result)
      continue;
    void *first = base.kind == BaseKind::Argument ? arguments[base.index] : results[base.index];
    auto *data = static_cast<char *>(first);
    bases[b] = {data, data, data + instance.baseBytes[b]};
  }
  return absl::OkStatus();
}

void Context::end() {
  for (std::vector<BlockRef> *held : {&blocks, &inputCopies, &resultBlocks})
    for (BlockRef &block : *held)
      block.reset();
  for (HandedTensor &tensor : handed)
    tensor.block.reset();
  lateMemory.reset();
  workspace.reset();
}

} // namespace anneal::runtime
