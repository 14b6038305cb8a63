//===- Execution.cpp - Running the steps of a call ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "Failure.h"

#include "absl/strings/str_cat.h"

#include <cstring>

namespace anneal::runtime {

absl::Status Execution::checkStop() const {
  if (options.cancel && options.cancel->load(std::memory_order_relaxed))
    return absl::CancelledError("the call was cancelled");
  if (options.deadline != std::chrono::steady_clock::time_point::max() &&
      std::chrono::steady_clock::now() >= options.deadline)
    return absl::DeadlineExceededError("the call ran past its deadline");
  return absl::OkStatus();
}

absl::Status Execution::failure(absl::StatusCode status, absl::string_view text,
                                const plan::Step &step) const {
  const plan::Unit *unit =
      step.kind == plan::StepKind::Invoke ? &code.module.units[step.unit] : nullptr;
  return failureAt(status, text, {code.module, step.location, unit});
}

absl::Status Execution::runBlock(const BlockCode &block) {
  for (const StepCode &step : block.steps) {
    if (canStop)
      if (absl::Status status = checkStop(); !status.ok())
        return status;
    if (absl::Status status = runStep(step); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status Execution::runStep(const StepCode &step) {
  if (!instance.brokenSteps.empty())
    if (auto broken = instance.brokenSteps.find(step.step); broken != instance.brokenSteps.end())
      return broken->second;
  for (uint32_t view : step.patches)
    if (absl::Status status = setView(view, *step.step); !status.ok())
      return status;
  switch (step.kind) {
  case plan::StepKind::Scalars:
    return code.scalars().run(step.step->codeBegin, step.step->codeEnd, registers);
  case plan::StepKind::Invoke:
    return invoke(step);
  case plan::StepKind::Copy:
    return copy(step);
  case plan::StepKind::LoadScalar:
  case plan::StepKind::StoreScalar:
    return accessElement(step);
  case plan::StepKind::Alloc:
    return allocate(step);
  case plan::StepKind::If:
    return runIf(step);
  case plan::StepKind::For:
    return step.step->loopUnit == plan::kNoUnit ? runFor(step) : runLoopUnit(step);
  case plan::StepKind::While:
    return runWhile(step);
  case plan::StepKind::Switch:
    return runSwitch(step);
  }
  return absl::OkStatus();
}

absl::Status Execution::invoke(const StepCode &step) {
  UnitCall &call = context.calls[step.invoke];
  for (const ScalarPatch &patch : step.scalarPatches)
    context.unitScalars[patch.unitScalar] = registers[patch.reg];
  if (!code.invokes[step.invoke].isBoundEarly)
    if (absl::Status status = bindLate(step, call); !status.ok())
      return status;
  ++numUnitCalls;
  return callUnit(step, call);
}

absl::Status Execution::callUnit(const StepCode &step, UnitCall &call) {
  UnitCounters &counters = context.counters[step.step->unit];
  UnitCounters::add<uint64_t>(counters.calls, 1);
  InvokeCounters &place = context.invokeCounters[step.invoke];
  UnitCounters::add<uint64_t>(place.calls, 1);
  const UnitCode *compiled = context.shared.slots[step.step->unit]->load(guard);
  AnnealUnitFn fn = compiled ? compiled->fn : call.fn;
  int32_t status;
  if (takesTimes) {
    auto start = std::chrono::steady_clock::now();
    status = fn(&call.frame);
    auto time = std::chrono::steady_clock::now() - start;
    // Who reads in between must not see calls without their time.
    UnitCounters::add<uint64_t>(counters.nanoseconds, static_cast<uint64_t>(time.count()));
    UnitCounters::add<uint64_t>(counters.timedCalls, 1);
    UnitCounters::add<double>(counters.timedFlops, call.work.flops);
    UnitCounters::add<double>(counters.timedBytes, call.work.bytes);
    UnitCounters::add<uint64_t>(place.nanoseconds, static_cast<uint64_t>(time.count()));
    UnitCounters::add<uint64_t>(place.timedCalls, 1);
    for (size_t v = 0; v < step.step->memrefs.size(); ++v) {
      std::atomic<uint64_t> &bits = context.addressBits[step.firstView + v];
      bits.store(bits.load(std::memory_order_relaxed) |
                     reinterpret_cast<uintptr_t>(context.views[step.firstView + v].data),
                 std::memory_order_relaxed);
    }
  } else {
    status = fn(&call.frame);
  }
  // A unit whose loops were stopped has returned as if they had run.
  if (status == ANNEAL_OK && (!canStop || context.error.status == ANNEAL_OK))
    return absl::OkStatus();
  if (context.error.status == ANNEAL_CANCELLED)
    if (absl::Status stopped = checkStop(); !stopped.ok())
      return stopped;
  if (context.error.status == ANNEAL_OK)
    context.error = {status, UINT32_MAX, step.step->location, {}};
  return unitFailure(context.error, code.module, code.module.units[step.step->unit]);
}

absl::Status Execution::copy(const StepCode &step) {
  const AnnealView &source = context.views[step.firstView];
  const AnnealView &target = context.views[step.firstView + 1];
  const plan::MemRef &memref = code.function.memrefs[step.step->memrefs[0]];
  size_t rank = memref.sizes.size();
  auto sizes = absl::MakeConstSpan(source.sizes, rank);
  if (sizes != absl::MakeConstSpan(target.sizes, rank))
    return failure(
        absl::StatusCode::kInvalidArgument,
        absl::StrCat("a ", tensorTypeString(memref.dtype, sizes), " cannot be copied to a ",
                     tensorTypeString(memref.dtype, absl::MakeConstSpan(target.sizes, rank))),
        *step.step);
  copyStrided({target.data, sizes, absl::MakeConstSpan(target.strides, rank)},
              {source.data, sizes, absl::MakeConstSpan(source.strides, rank)},
              plan::sizeOf(memref.dtype), context.shared.pool.get());
  return absl::OkStatus();
}

absl::Status Execution::accessElement(const StepCode &step) {
  const std::vector<plan::Reg> &scalars = step.step->scalars;
  const AnnealView &view = context.views[step.firstView];
  int64_t offset = 0;
  for (size_t d = 0; d + 1 < scalars.size(); ++d) {
    auto index = static_cast<int64_t>(registers[scalars[d + 1]]);
    if (index < 0 || index >= view.sizes[d])
      return indexFailure(index, static_cast<int64_t>(d), view.sizes[d],
                          {code.module, step.step->location});
    offset += index * view.strides[d];
  }
  size_t size = plan::sizeOf(code.function.memrefs[step.step->memrefs[0]].dtype);
  char *element = static_cast<char *>(view.data) + offset * static_cast<int64_t>(size);
  if (step.kind == plan::StepKind::StoreScalar) {
    std::memcpy(element, &registers[scalars[0]], size);
    return absl::OkStatus();
  }
  uint64_t value = 0;
  std::memcpy(&value, element, size);
  registers[scalars[0]] = value;
  return absl::OkStatus();
}

absl::Status Execution::allocate(const StepCode &step) {
  uint32_t memref = step.step->memrefs[0];
  plan::DType dtype = code.function.memrefs[memref].dtype;
  absl::InlinedVector<int64_t, 8> sizes;
  for (plan::Reg reg : code.function.memrefs[memref].sizes)
    sizes.push_back(static_cast<int64_t>(registers[reg]));
  absl::StatusOr<int64_t> elements = checkedNumElements(dtype, sizes);
  if (!elements.ok())
    return failure(elements.status().code(), elements.status().message(), *step.step);
  size_t bytes = static_cast<size_t>(*elements) * plan::sizeOf(dtype);
  uint32_t base = code.memrefs[memref].base;
  // What the slot held is given back first: a loop that makes a tensor in every turn needs one.
  context.blocks[base].reset();
  context.bases[base] = {};
  BlockRef block = context.shared.memory->acquire(bytes);
  if (!block)
    return failure(
        absl::StatusCode::kResourceExhausted,
        absl::StrCat("out of memory: ", bytes, " bytes for ", tensorTypeString(dtype, sizes)),
        *step.step);
  auto *data = static_cast<char *>(block->data());
  context.bases[base] = {data, data, data + bytes};
  context.blocks[base] = std::move(block);
  return absl::OkStatus();
}

} // namespace anneal::runtime
