//===- DerivedConstants.cpp - Packed forms of constants -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/DerivedConstants.h"

#include "anneal/Runtime/Memory.h"

#include "absl/container/node_hash_map.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <utility>

namespace anneal::runtime {

struct DerivedConstants::Impl {
  struct Entry {
    BlockRef block;
    /// A caller fills it.
    bool busy = false;
  };
  std::mutex mutex;
  std::condition_variable filled;
  absl::node_hash_map<std::pair<uint32_t, std::string>, Entry> entries;
  std::atomic<size_t> bytes{0};
};

DerivedConstants::DerivedConstants() : impl(std::make_unique<Impl>()) {}
DerivedConstants::~DerivedConstants() = default;

const void *DerivedConstants::getOrCreate(uint32_t constant, absl::string_view layout, size_t bytes,
                                          absl::FunctionRef<void(void *memory)> fill) {
  std::unique_lock<std::mutex> lock(impl->mutex);
  Impl::Entry &entry = impl->entries[std::make_pair(constant, std::string(layout))];
  impl->filled.wait(lock, [&] { return !entry.busy; });
  if (entry.block)
    return entry.block->data();
  entry.busy = true;

  lock.unlock();
  BlockRef block(MemoryBlock::create(bytes));
  if (block)
    fill(block->data());
  lock.lock();
  entry.busy = false;
  entry.block = block;
  if (block)
    impl->bytes.fetch_add(bytes, std::memory_order_relaxed);
  impl->filled.notify_all();
  return block ? block->data() : nullptr;
}

size_t DerivedConstants::sizeInBytes() const { return impl->bytes.load(std::memory_order_relaxed); }

} // namespace anneal::runtime
