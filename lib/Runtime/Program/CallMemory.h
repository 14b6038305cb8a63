//===- CallMemory.h - Where a call's inputs and results are -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_CALLMEMORY_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_CALLMEMORY_H

#include "Execution.h"

namespace anneal::runtime {

/// The memory that steps read arguments from and write results to. Inputs are used where they are
/// if they are dense and aligned to their elements, and results go where the caller wants them if
/// those are so and overlap nothing else; otherwise to a block of the pool, from where finish()
/// copies them.
class CallMemory {
public:
  CallMemory(Context &context, absl::Span<const Value> inputs, absl::Span<Value> outputs)
      : context(context), instance(context.instance), function(instance.code.function),
        shared(context.shared), inputs(inputs), outputs(outputs) {}

  /// Sets the context's arguments and results. Errors: outputs that don't fit the results, out of
  /// memory.
  absl::Status place();
  /// After the steps have run: fills `outputs`.
  absl::Status finish(Execution &execution);

private:
  absl::Status placeInput(size_t index);
  absl::Status placeResult(size_t index);
  absl::Status finishResult(size_t index, Execution &execution);
  absl::Status checkOutput(size_t index, absl::Span<const int64_t> dims) const;
  bool isUsable(const Tensor &output, size_t index) const;
  bool isDirect(size_t index) const;
  absl::StatusOr<BlockRef> acquire(plan::DType dtype, absl::Span<const int64_t> dims) const;

  Context &context;
  const Instance &instance;
  const plan::Function &function;
  ProgramShared &shared;
  absl::Span<const Value> inputs;
  absl::Span<Value> outputs;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_CALLMEMORY_H
