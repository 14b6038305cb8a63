//===- Kernel.h - One bound kernel of a unit --------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_KERNEL_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_KERNEL_H

#include "Binding.h"

#include "anneal-c/UnitAbi.h"

#include "absl/functional/function_ref.h"

#include <atomic>
#include <cstdint>

namespace anneal::runtime::interpreter {

/// Where the data of one of the unit's tensors are found in a frame.
struct TensorPlace {
  bool isTemporary = false;
  /// Index of the view, or bytes from the start of the workspace.
  uint64_t index = 0;
};

/// One run of a unit. Shared by the workers of the run; `fail` and `hasFailed` may be called by
/// all.
class RunState {
public:
  /// `derived`: packed constants, by the index of their requests (BindContext::derived).
  /// `bodies`: compiled code of the bodies, by Kernel::sourceOp; may be empty, entries null.
  RunState(const AnnealUnitFrame *frame, const void *const *derived,
           absl::Span<const AnnealBoxFn> bodies = {})
      : frame(frame), derived(derived), bodies(bodies) {}

  const AnnealUnitFrame *const frame;
  const void *const *const derived;

  char *data(TensorPlace place) const {
    return place.isTemporary ? static_cast<char *>(frame->workspace) + place.index
                             : static_cast<char *>(frame->views[place.index].data);
  }
  char *scratch(uint32_t worker) const {
    return static_cast<char *>(frame->scratch) + worker * frame->scratchPerWorker;
  }

  /// Compiled code of the body of operation `sourceOp`, or null.
  AnnealBoxFn body(int32_t sourceOp) const {
    auto op = static_cast<size_t>(sourceOp);
    return sourceOp >= 0 && op < bodies.size() ? bodies[op] : nullptr;
  }

  bool hasFailed() const { return failure.load(std::memory_order_relaxed) != ANNEAL_OK; }
  /// What the unit returns.
  int32_t status() const { return failure.load(std::memory_order_relaxed); }
  /// Reports a failure; workers look at hasFailed() between strips.
  void fail(AnnealStatus status, uint32_t message, uint32_t location,
            absl::Span<const int64_t> values = {});

private:
  absl::Span<const AnnealBoxFn> bodies;
  std::atomic<int32_t> failure{ANNEAL_OK};
};

/// A kernel with everything decided that depends on shapes. Immutable; thread-safe.
class BoundKernel {
public:
  virtual ~BoundKernel() = default;
  /// Runs the kernel, in parallel where that pays.
  virtual void run(RunState &state) const = 0;
  /// Memory that each worker needs.
  size_t scratchBytes() const { return scratch; }

protected:
  size_t scratch = 0;
};

/// How a loop is cut for the workers.
struct Grain {
  int64_t count = 0;
  /// Iterations of one chunk; at least `count` where cutting does not pay.
  int64_t chunk = 1;
};

/// A loop of `count` iterations that takes about `nanoseconds` in all on one thread: chunks of 10
/// us at least, of equal size, a few for each of `numThreads`, and none above 5 ms, since a call
/// that is cancelled stops between them; one chunk below 20 us.
Grain chooseGrain(int64_t count, double nanoseconds, unsigned numThreads);

/// Runs `body(begin, end, worker)` over the loop, on the calling thread alone if there is one
/// chunk.
void runChunks(const RunState &state, const Grain &grain,
               absl::FunctionRef<void(int64_t, int64_t, uint32_t)> body);

/// Rounds up to a multiple of 64 bytes.
constexpr size_t alignUp(size_t bytes) { return (bytes + 63) & ~size_t(63); }

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_KERNEL_H
