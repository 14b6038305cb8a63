//===- ThreadPool.h - Threads that run the chunks of units ------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_THREADPOOL_H
#define ANNEAL_RUNTIME_THREADPOOL_H

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"

#include <cstdint>
#include <memory>

namespace anneal::runtime {

/// A fixed set of threads shared by all callers (CLI.md --threads).
///
/// Thread-safe: many threads may call parallelFor at once; each helps with its own loop and idle
/// workers join whichever loops are open. Neither allocates nor takes a lock on the path of a loop
/// (a worker that has been idle for long sleeps on a futex and is woken). The destructor requires
/// that no parallelFor is running and joins the threads.
class ThreadPool {
public:
  /// One chunk [begin, end); `worker` is unique among those that run the same loop at the same
  /// time, 0 for the caller, and less than numThreads().
  using ChunkFn = absl::FunctionRef<void(int64_t begin, int64_t end, uint32_t worker)>;

  static constexpr unsigned kMostThreads = 1024;

  /// `numThreads` counts the caller: numThreads - 1 threads are made. Errors: InvalidArgument for
  /// none or more than kMostThreads, ResourceExhausted where the system starts no more.
  static absl::StatusOr<std::shared_ptr<ThreadPool>> create(unsigned numThreads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  unsigned numThreads() const;

  /// Runs `body` on all of [0, count) in self-scheduled chunks of `grain` >= 1 and returns when all
  /// is done. A call from inside a body runs on its caller alone. Floating-point state (MXCSR) is
  /// the default one in every worker.
  void parallelFor(int64_t count, int64_t grain, ChunkFn body);

private:
  struct Impl;
  explicit ThreadPool(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// Cores that this process may use: affinity mask and cgroup quota, at least 1.
unsigned usableCores();

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_THREADPOOL_H
