//===- Execution.h - Running the steps of a call ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_EXECUTION_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_EXECUTION_H

#include "Context.h"
#include "StridedCopy.h"

#include "anneal/Runtime/Program.h"

#include "absl/status/status.h"
#include "absl/types/span.h"

namespace anneal::runtime {

/// Runs the steps of one call in its context, on one thread (units spread over the pool). Neither
/// allocates nor locks unless a unit has to be bound or a tensor of a new size has to be made.
class Execution {
public:
  Execution(Context &context, const CallOptions &options, const Epochs::Guard &guard)
      : context(context), instance(context.instance), code(instance.code), options(options),
        guard(guard), registers(context.registers.data()),
        takesTimes(options.collectTimes || context.isTimedCall()), canStop(options.canStop()) {
    context.stop = canStop ? &options : nullptr;
  }

  /// REQUIRES: context.begin() was called. Errors: as Function::call says.
  absl::Status run() { return runBlock(code.body); }

  /// A tensor as it is now: for results. Error: it reaches outside its memory.
  absl::Status locate(uint32_t memref, StridedView &view);

  uint64_t unitCalls() const { return numUnitCalls; }

private:
  // Steps (Execution.cpp).
  absl::Status runBlock(const BlockCode &block);
  absl::Status runStep(const StepCode &step);
  absl::Status invoke(const StepCode &step);
  absl::Status callUnit(const StepCode &step, UnitCall &call);
  absl::Status copy(const StepCode &step);
  absl::Status accessElement(const StepCode &step);
  absl::Status allocate(const StepCode &step);
  absl::Status checkStop() const;

  // Control flow (ExecutionControl.cpp).
  absl::Status runIf(const StepCode &step);
  absl::Status runFor(const StepCode &step);
  absl::Status runLoopUnit(const StepCode &step);
  absl::Status runWhile(const StepCode &step);
  absl::Status runSwitch(const StepCode &step);
  absl::Status runChoice(const StepCode &step, size_t block);
  absl::Status handOver(const plan::Step &step, absl::Span<const plan::Reg> scalars,
                        absl::Span<const uint32_t> memrefs, absl::Span<const plan::Reg> toScalars,
                        absl::Span<const uint32_t> toMemRefs);
  absl::Status take(uint32_t memref, HandedTensor &handed, const plan::Step &step);
  absl::Status give(const HandedTensor &handed, uint32_t memref, const plan::Step &step);

  // Tensors whose place or shape is only known now (ExecutionTensors.cpp).
  absl::Status setView(uint32_t view, const plan::Step &step);
  absl::Status layOutNow(uint32_t memref, int64_t *dims, TensorLayout &layout) const;
  bool isInside(uint32_t memref, const TensorLayout &layout, int64_t offset) const;
  int64_t offsetOf(uint32_t memref) const;
  absl::Status bindLate(const StepCode &step, UnitCall &call);
  LateBind &findLateBind(const StepCode &step, bool &isKnown);
  absl::Status useLateBind(const BoundEntry &entry, const StepCode &step, UnitCall &call);
  absl::Status failure(absl::StatusCode status, absl::string_view text,
                       const plan::Step &step) const;

  Context &context;
  const Instance &instance;
  const FunctionCode &code;
  const CallOptions &options;
  /// Keeps alive the code that is found.
  const Epochs::Guard &guard;
  uint64_t *const registers;
  const bool takesTimes;
  const bool canStop;
  uint64_t numUnitCalls = 0;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_EXECUTION_H
