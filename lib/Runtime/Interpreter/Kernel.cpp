//===- Kernel.cpp - One bound kernel of a unit ----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"

#include <algorithm>

namespace anneal::runtime::interpreter {

void RunState::fail(AnnealStatus status, uint32_t message, uint32_t location,
                    absl::Span<const int64_t> values) {
  int32_t none = ANNEAL_OK;
  failure.compare_exchange_strong(none, status, std::memory_order_relaxed);
  frame->callbacks->fail(frame, status, message, location, values.data(),
                         static_cast<uint32_t>(values.size()));
}

Grain chooseGrain(int64_t count, double nanoseconds, unsigned numThreads) {
  // Waking and joining the workers costs some microseconds.
  constexpr double kWorthCutting = 20000;
  constexpr double kChunk = 10000;
  constexpr int64_t kChunksPerThread = 4;
  // A call that is cancelled stops between chunks.
  constexpr double kLongestChunk = 5e6;
  if (count <= 1 || nanoseconds < (numThreads <= 1 ? kLongestChunk : kWorthCutting))
    return {count, std::max<int64_t>(count, 1)};
  int64_t chunks = std::min<int64_t>(static_cast<int64_t>(nanoseconds / kChunk),
                                     kChunksPerThread * static_cast<int64_t>(numThreads));
  chunks = std::max(chunks, static_cast<int64_t>(std::min(nanoseconds / kLongestChunk, 1e9)));
  chunks = std::clamp<int64_t>(chunks, 1, count);
  return {count, (count + chunks - 1) / chunks};
}

void runChunks(const RunState &state, const Grain &grain,
               absl::FunctionRef<void(int64_t, int64_t, uint32_t)> body) {
  if (grain.count <= 0)
    return;
  if (grain.chunk >= grain.count)
    return body(0, grain.count, 0);
  using Body = absl::FunctionRef<void(int64_t, int64_t, uint32_t)>;
  state.frame->callbacks->parallelFor(
      state.frame, grain.count, grain.chunk,
      [](void *context, int64_t begin, int64_t end, uint32_t worker) {
        (*static_cast<Body *>(context))(begin, end, worker);
      },
      &body);
}

} // namespace anneal::runtime::interpreter
