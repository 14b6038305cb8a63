//===- ProgramShared.h - What the functions of a program share --*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_PROGRAMSHARED_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_PROGRAMSHARED_H

#include "BindCache.h"
#include "ShapeClasses.h"

#include "anneal/Runtime/ConstantStore.h"
#include "anneal/Runtime/Memory.h"
#include "anneal/Runtime/Program.h"
#include "anneal/Runtime/ThreadPool.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace anneal::runtime {

/// Counters of one unit, written by one thread at a time and read by any.
struct UnitCounters {
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> timedCalls{0};
  std::atomic<uint64_t> nanoseconds{0};
  std::atomic<double> timedFlops{0};
  std::atomic<double> timedBytes{0};

  /// Adds to a counter that only this thread writes: no locked instruction.
  template <typename T> static void add(std::atomic<T> &counter, T amount) {
    counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
};

/// Sets of counters, one for each unit of a module. An execution context takes a set for its life,
/// so that counting costs no shared cache line; sets keep their counts when they are given back and
/// are used again. Thread-safe.
class CounterRegistry {
public:
  explicit CounterRegistry(size_t numUnits) : numUnits(numUnits) {}

  UnitCounters *take();
  void giveBack(UnitCounters *counters);
  /// Calls `visit` with each set.
  template <typename Visit> void forEach(const Visit &visit) const {
    std::lock_guard<std::mutex> lock(mutex);
    for (const std::unique_ptr<UnitCounters[]> &set : sets)
      visit(set.get());
  }

private:
  size_t numUnits;
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<UnitCounters[]>> sets;
  std::vector<UnitCounters *> unused;
};

/// What all functions of a program use. Members are thread-safe or immutable; outlives the
/// functions.
struct ProgramShared {
  ProgramShared(const plan::Module &module, std::unique_ptr<ConstantStore> constants,
                std::shared_ptr<ThreadPool> pool)
      : module(module), constants(std::move(constants)), pool(std::move(pool)),
        binds(module, this->constants->derived(), this->pool.get()), counters(module.units.size()) {
    for (size_t u = 0; u < module.units.size(); ++u)
      slots.push_back(std::make_unique<CodeSlot>(epochs));
  }

  const plan::Module &module;
  std::unique_ptr<ConstantStore> constants;
  /// May be null.
  std::shared_ptr<ThreadPool> pool;
  std::shared_ptr<MemoryPool> memory = MemoryPool::create();
  BindCache binds;
  CounterRegistry counters;
  ShapeClasses shapes;
  Epochs epochs;
  /// Compiled code of each unit.
  std::vector<std::unique_ptr<CodeSlot>> slots;
  /// As in ProgramOptions; set once the constants are computed.
  CallListener *listener = nullptr;
  unsigned timeEvery = 0;
  /// Largest workspace of an instance, bytes.
  std::atomic<size_t> workspacePeak{0};

  unsigned numThreads() const { return pool ? pool->numThreads() : 1; }
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_PROGRAMSHARED_H
