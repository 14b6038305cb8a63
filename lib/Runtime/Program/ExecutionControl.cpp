//===- ExecutionControl.cpp - Branches and loops of a call ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace anneal::runtime {

namespace {

/// Turns of a loop from `lower` to `upper`, all in the width of `type`; 0 for an empty range.
uint64_t countTurns(uint64_t lower, uint64_t upper, uint64_t step, plan::DType type,
                    bool isUnsigned) {
  if (isUnsigned)
    return lower < upper ? (upper - lower - 1) / step + 1 : 0;
  int64_t from = signedValue(lower, type), to = signedValue(upper, type);
  // The difference of two signed numbers fits an unsigned one.
  return from < to ? (static_cast<uint64_t>(to) - static_cast<uint64_t>(from) - 1) / step + 1 : 0;
}

} // namespace

absl::Status Execution::runChoice(const StepCode &step, size_t block) {
  if (block >= step.blocks.size())
    return absl::OkStatus();
  const BlockCode &chosen = step.blocks[block];
  if (absl::Status status = runBlock(chosen); !status.ok())
    return status;
  return handOver(*step.step, chosen.block->yieldScalars, chosen.block->yieldMemRefs,
                  step.step->resultScalars, step.step->resultMemRefs);
}

absl::Status Execution::runIf(const StepCode &step) {
  return runChoice(step, registers[step.step->scalars[0]] & 1 ? 0 : 1);
}

absl::Status Execution::runSwitch(const StepCode &step) {
  plan::Reg selector = step.step->scalars[0];
  int64_t value = signedValue(registers[selector], code.function.scalarTypes[selector]);
  const std::vector<int64_t> &cases = step.step->cases;
  auto found = std::find(cases.begin(), cases.end(), value);
  return runChoice(step, static_cast<size_t>(found - cases.begin()));
}

absl::Status Execution::runFor(const StepCode &step) {
  const plan::Step &loop = *step.step;
  const BlockCode &body = step.blocks[0];
  plan::DType type = code.function.scalarTypes[loop.ivReg];
  uint64_t lower = registers[loop.scalars[0]], stride = registers[loop.scalars[2]];
  if (stride == 0 || (!loop.unsignedCompare && signedValue(stride, type) < 0))
    return failure(absl::StatusCode::kInvalidArgument,
                   absl::StrCat("a loop with the step ", signedValue(stride, type)), loop);
  uint64_t turns =
      countTurns(lower, registers[loop.scalars[1]], stride, type, loop.unsignedCompare);
  absl::Status status =
      handOver(loop, loop.initScalars, loop.initMemRefs, loop.resultScalars, loop.resultMemRefs);
  for (uint64_t turn = 0; turn < turns && status.ok(); ++turn) {
    if (canStop && !(status = checkStop()).ok())
      break;
    registers[loop.ivReg] = registerBits(lower + turn * stride, type);
    if (status = runBlock(body); !status.ok())
      break;
    status = handOver(loop, body.block->yieldScalars, body.block->yieldMemRefs, loop.resultScalars,
                      loop.resultMemRefs);
  }
  return status;
}

/// The loop counts as one call of the unit that it is, with the time of all that it calls.
absl::Status Execution::runLoopUnit(const StepCode &step) {
  UnitCounters &counters = context.counters[step.step->loopUnit];
  UnitCounters::add<uint64_t>(counters.calls, 1);
  uint64_t callsBefore = numUnitCalls;
  auto start =
      takesTimes ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  absl::Status status = runFor(step);
  if (takesTimes) {
    auto time = std::chrono::steady_clock::now() - start;
    UnitCounters::add<uint64_t>(counters.nanoseconds, static_cast<uint64_t>(time.count()));
    UnitCounters::add<uint64_t>(counters.timedCalls, 1);
  }
  numUnitCalls = callsBefore + 1;
  return status;
}

absl::Status Execution::runWhile(const StepCode &step) {
  const plan::Step &loop = *step.step;
  const BlockCode &before = step.blocks[0], &after = step.blocks[1];
  absl::Status status =
      handOver(loop, loop.initScalars, loop.initMemRefs, loop.resultScalars, loop.resultMemRefs);
  while (status.ok()) {
    if (canStop && !(status = checkStop()).ok())
      break;
    if (status = runBlock(before); !status.ok())
      break;
    bool goesOn = registers[before.block->yieldScalars[0]] & 1;
    status = handOver(loop, absl::MakeConstSpan(before.block->yieldScalars).subspan(1),
                      before.block->yieldMemRefs, loop.afterScalars, loop.afterMemRefs);
    if (!goesOn || !status.ok())
      break;
    if (status = runBlock(after); !status.ok())
      break;
    status = handOver(loop, after.block->yieldScalars, after.block->yieldMemRefs,
                      loop.resultScalars, loop.resultMemRefs);
  }
  return status;
}

/// All sources are read before the first target is written: values may change places.
absl::Status Execution::handOver(const plan::Step &step, absl::Span<const plan::Reg> scalars,
                                 absl::Span<const uint32_t> memrefs,
                                 absl::Span<const plan::Reg> toScalars,
                                 absl::Span<const uint32_t> toMemRefs) {
  for (size_t i = 0; i < scalars.size(); ++i)
    context.handedScalars[i] = registers[scalars[i]];
  for (size_t i = 0; i < memrefs.size(); ++i)
    if (absl::Status status = take(memrefs[i], context.handed[i], step); !status.ok())
      return status;
  for (size_t i = 0; i < scalars.size(); ++i)
    registers[toScalars[i]] = context.handedScalars[i];
  for (size_t i = 0; i < memrefs.size(); ++i)
    if (absl::Status status = give(context.handed[i], toMemRefs[i], step); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::Status Execution::take(uint32_t memref, HandedTensor &handed, const plan::Step &step) {
  const plan::MemRef &source = code.function.memrefs[memref];
  const MemRefCode &known = code.memrefs[memref];
  size_t rank = source.sizes.size();
  int64_t *dims = context.handedDims.data() + handed.firstDim;
  TensorLayout layout = instance.layouts[memref];
  if (!known.hasKnownShape) {
    if (absl::Status status = layOutNow(memref, dims, layout); !status.ok())
      return failure(status.code(), status.message(), step);
  } else {
    std::copy(layout.sizes.begin(), layout.sizes.end(), dims);
    std::copy(layout.strides.begin(), layout.strides.end(), dims + rank);
  }
  int64_t offset = layout.isEmpty() ? 0 : offsetOf(memref);
  if (!isInside(memref, layout, offset))
    return failure(absl::StatusCode::kOutOfRange,
                   "a tensor that is handed on reaches outside its memory", step);
  handed.base = context.bases[known.base];
  handed.base.data += offset * static_cast<int64_t>(plan::sizeOf(source.dtype));
  handed.block = context.blocks[known.base];
  return absl::OkStatus();
}

absl::Status Execution::give(const HandedTensor &handed, uint32_t memref, const plan::Step &step) {
  const plan::MemRef &target = code.function.memrefs[memref];
  size_t rank = target.sizes.size();
  const int64_t *dims = context.handedDims.data() + handed.firstDim;
  for (size_t d = 0; d < 2 * rank; ++d) {
    plan::Reg reg = d < rank ? target.sizes[d] : target.strides[d - rank];
    if (code.phases[reg] == plan::Phase::Run) {
      registers[reg] = static_cast<uint64_t>(dims[d]);
      continue;
    }
    // The stride of a dimension with at most one element says nothing.
    bool counts = d < rank || dims[d - rank] > 1;
    if (counts && registers[reg] != static_cast<uint64_t>(dims[d]))
      return failure(absl::StatusCode::kInvalidArgument,
                     absl::StrCat("a tensor of another layout is handed on than was planned: ",
                                  d < rank ? "size " : "stride ", dims[d], " instead of ",
                                  static_cast<int64_t>(registers[reg])),
                     step);
  }
  uint32_t base = code.memrefs[memref].base;
  context.bases[base] = handed.base;
  context.blocks[base] = handed.block;
  return absl::OkStatus();
}

} // namespace anneal::runtime
