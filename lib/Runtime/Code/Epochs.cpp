//===- Epochs.cpp - When nobody can be in old code any more ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Code/Epochs.h"

#include "Barriers.h"
#include "ForkHooks.h"
#include "Readers.h"

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

namespace anneal::runtime {

/// Retired objects that `retire` leaves alone: the barrier of a collection is shared by as many.
static constexpr size_t kBatch = 16;

struct Epochs::Impl final : ForkAware {
  Impl() { addForkHooks(*this); }
  ~Impl() { removeForkHooks(*this); }

  void beforeFork() override { mutex.lock(); }
  void afterForkInParent() override { mutex.unlock(); }
  void afterForkInChild() override {
    Reader::forgetOtherThreads();
    mutex.unlock();
  }

  std::vector<Retired> takeFree();

  mutable std::mutex mutex;
  std::vector<Retired> backlog;
  /// Length of the backlog at which `retire` collects.
  size_t collectAt = kBatch;
};

/// Takes out of the backlog what no reader can use. REQUIRES: the lock.
std::vector<Epochs::Retired> Epochs::Impl::takeFree() {
  std::vector<Retired> free;
  if (backlog.empty())
    return free;
  // Without the barrier nothing is known of the readers; the next attempt may succeed.
  if (!hasProcessBarrier() || processBarrier()) {
    std::vector<Reader::Interval> readers = Reader::active();
    auto isInUse = [&](const Retired &retired) {
      return std::any_of(readers.begin(), readers.end(), [&](const Reader::Interval &reader) {
        return reader.meets(retired.since, retired.until);
      });
    };
    auto firstFree = std::stable_partition(backlog.begin(), backlog.end(), isInUse);
    free.assign(firstFree, backlog.end());
    backlog.erase(firstFree, backlog.end());
  }
  collectAt = std::max(kBatch, 2 * backlog.size());
  return free;
}

Epochs::Epochs() : impl(std::make_unique<Impl>()) {}

Epochs::~Epochs() {
  // What is destroyed may retire more.
  while (!impl->backlog.empty())
    for (const Retired &retired : std::exchange(impl->backlog, {}))
      retired.destroy(retired.object);
}

uint64_t Epochs::now() { return Reader::epoch().load(std::memory_order_seq_cst); }

void Epochs::retireObject(Retired retired) {
  retired.until = Reader::epoch().fetch_add(1, std::memory_order_seq_cst);
  std::vector<Retired> free;
  {
    std::lock_guard<std::mutex> lock(impl->mutex);
    impl->backlog.push_back(retired);
    if (impl->backlog.size() >= impl->collectAt)
      free = impl->takeFree();
  }
  for (const Retired &old : free)
    old.destroy(old.object);
}

void Epochs::retireWith(std::function<void()> action, uint64_t since) {
  struct Action {
    std::function<void()> run;
    ~Action() { run(); }
  };
  auto object = std::make_unique<Action>();
  object->run = std::move(action);
  retire(std::move(object), since);
}

size_t Epochs::collect() {
  std::vector<Retired> free;
  {
    std::lock_guard<std::mutex> lock(impl->mutex);
    free = impl->takeFree();
  }
  for (const Retired &old : free)
    old.destroy(old.object);
  return free.size();
}

size_t Epochs::backlog() const {
  std::lock_guard<std::mutex> lock(impl->mutex);
  return impl->backlog.size();
}

} // namespace anneal::runtime
