//===- Readers.cpp - The threads that read, and since when ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Readers.h"

#include "Barriers.h"

#include "anneal/Runtime/Code/Epochs.h"

#include <algorithm>
#include <utility>

namespace anneal::runtime {

namespace {

constinit std::atomic<uint64_t> currentEpoch{1};
/// Whether those who free make the barrier. Set before the first reader exists.
constinit bool hasLightReaders = false;
constinit thread_local Reader *thisThread = nullptr;

} // namespace

/// All readers there ever were: as many as threads that read at one time. Never destroyed, since
/// threads may end after static objects.
struct Reader::Registry {
  std::atomic<Reader *> newest{nullptr};

  static Registry &get() {
    static Registry *registry = [] {
      hasLightReaders = hasProcessBarrier();
      return new Registry;
    }();
    return *registry;
  }
};

/// Gives a thread's reader back when the thread ends. One that reads even later, in the destructor
/// of another thread-local object, keeps a reader for ever: 128 bytes.
struct Reader::Detach {
  ~Detach() {
    if (thisThread && thisThread->depth == 0)
      std::exchange(thisThread, nullptr)->isTaken.store(false, std::memory_order_release);
  }
};

Reader &Reader::attach() {
  static thread_local Detach detach;
  (void)detach;
  Registry &registry = Registry::get();
  for (Reader *reader = registry.newest.load(std::memory_order_acquire); reader;
       reader = reader->next) {
    bool expected = false;
    if (!reader->isTaken.load(std::memory_order_relaxed) &&
        reader->isTaken.compare_exchange_strong(expected, true, std::memory_order_acquire))
      return *(thisThread = reader);
  }
  auto *made = new Reader;
  made->next = registry.newest.load(std::memory_order_relaxed);
  while (!registry.newest.compare_exchange_weak(made->next, made, std::memory_order_seq_cst)) {
  }
  return *(thisThread = made);
}

Reader &Reader::ofThisThread() { return thisThread ? *thisThread : attach(); }

std::atomic<uint64_t> &Reader::epoch() { return currentEpoch; }

void Reader::enter() {
  if (depth++ > 0)
    return;
  uint64_t now = currentEpoch.load(std::memory_order_acquire);
  last.store(now, std::memory_order_relaxed);
  if (hasLightReaders) {
    first.store(now, std::memory_order_release);
    // The compiler keeps the order, process barriers make the processors keep it.
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    first.exchange(now, std::memory_order_seq_cst);
  }
}

void Reader::leave() {
  if (--depth == 0)
    first.store(kIdle, std::memory_order_release);
}

bool Reader::covers() {
  uint64_t now = currentEpoch.load(std::memory_order_seq_cst);
  if (now == last.load(std::memory_order_relaxed))
    return true;
  if (hasLightReaders) {
    last.store(now, std::memory_order_release);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } else {
    last.exchange(now, std::memory_order_seq_cst);
  }
  return false;
}

std::vector<Reader::Interval> Reader::active() {
  std::vector<Interval> intervals;
  for (Reader *reader = Registry::get().newest.load(std::memory_order_seq_cst); reader;
       reader = reader->next) {
    // In this order: `last` is at least as new as `first`, so that the interval is never too short.
    uint64_t first = reader->first.load(std::memory_order_seq_cst);
    uint64_t last = reader->last.load(std::memory_order_seq_cst);
    if (first != kIdle)
      intervals.push_back({first, std::max(first, last)});
  }
  return intervals;
}

// Here, so that each is one call.
Epochs::Guard::Guard() : reader(&Reader::ofThisThread()) { reader->enter(); }
Epochs::Guard::~Guard() { reader->leave(); }
bool Epochs::Guard::covers() const { return reader->covers(); }

void Reader::forgetOtherThreads() {
  for (Reader *reader = Registry::get().newest.load(std::memory_order_acquire); reader;
       reader = reader->next)
    if (reader != thisThread) {
      reader->depth = 0;
      reader->first.store(kIdle, std::memory_order_relaxed);
      reader->isTaken.store(false, std::memory_order_release);
    }
}

} // namespace anneal::runtime
