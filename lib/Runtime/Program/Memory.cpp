//===- Memory.cpp - Counted, pooled blocks of memory ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Memory.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace anneal::runtime {

namespace {

constexpr size_t kAlignment = 64;
/// Blocks from this size on are mapped in huge pages: fewer page faults at their first use.
constexpr size_t kHugePage = size_t(2) << 20;
constexpr size_t kMapFrom = 2 * kHugePage;

constexpr size_t roundUp(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

/// Sizes that blocks really have: at most an eighth more than asked for, so that requests of about
/// equal size can use each other's blocks.
size_t capacityFor(size_t size) {
  size = std::max(size, kAlignment);
  size_t unit = kAlignment;
  while (unit * 16 < size)
    unit *= 2;
  return roundUp(size, size >= kMapFrom ? std::max(unit, kHugePage) : unit);
}

void *mapHuge(size_t size) {
  // Mapped with room to cut it to alignment.
  size_t whole = size + kHugePage;
  void *start = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED)
    return nullptr;
  auto address = reinterpret_cast<uintptr_t>(start);
  uintptr_t aligned = roundUp(address, kHugePage);
  if (aligned > address)
    munmap(start, aligned - address);
  if (size_t rest = address + whole - (aligned + size))
    munmap(reinterpret_cast<void *>(aligned + size), rest);
  void *result = reinterpret_cast<void *>(aligned);
  madvise(result, size, MADV_HUGEPAGE);
  return result;
}

} // namespace

MemoryBlock *MemoryBlock::create(size_t size) {
  if (size > SIZE_MAX / 2)
    return nullptr;
  size_t capacity = capacityFor(size);
  void *bytes = capacity >= kMapFrom ? mapHuge(capacity) : std::aligned_alloc(kAlignment, capacity);
  if (!bytes)
    return nullptr;
  auto *block = new (std::nothrow) MemoryBlock();
  if (!block) {
    capacity >= kMapFrom ? void(munmap(bytes, capacity)) : std::free(bytes);
    return nullptr;
  }
  block->bytes = bytes;
  block->capacity = capacity;
  return block;
}

MemoryBlock::~MemoryBlock() {
  if (capacity >= kMapFrom)
    munmap(bytes, capacity);
  else
    std::free(bytes);
}

void MemoryBlock::release() {
  if (users.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  if (std::shared_ptr<MemoryPool> pool = std::move(home))
    pool->giveBack(this);
  else
    delete this;
}

std::shared_ptr<MemoryPool> MemoryPool::create() {
  return std::shared_ptr<MemoryPool>(new MemoryPool());
}

MemoryPool::MemoryPool() : limit(usableMemory()) {}

MemoryPool::~MemoryPool() { trim(); }

MemoryBlock *MemoryPool::take(size_t index) {
  std::atomic<MemoryBlock *> &place = places[index].block;
  MemoryBlock *block = place.load(std::memory_order_relaxed);
  if (!block || block == reserved() ||
      !place.compare_exchange_strong(block, nullptr, std::memory_order_acquire))
    return nullptr;
  idle.fetch_sub(block->capacity, std::memory_order_relaxed);
  return block;
}

/// The smallest idle block with room for `size` that does not waste more than its half.
MemoryBlock *MemoryPool::takeIdle(size_t size) {
  size_t most = size <= 4096 ? 8192 : size * 2;
  for (;;) {
    size_t count = usedPlaces.load(std::memory_order_acquire);
    size_t best = kPlaces, bestSize = SIZE_MAX;
    for (size_t i = 0; i < count; ++i) {
      size_t here = places[i].size.load(std::memory_order_relaxed);
      if (here < size || here > most || here >= bestSize ||
          !places[i].block.load(std::memory_order_relaxed))
        continue;
      best = i;
      bestSize = here;
    }
    if (best == kPlaces)
      return nullptr;
    MemoryBlock *block = take(best);
    if (!block)
      continue;
    if (block->capacity >= size)
      return block;
    // The place got another block between the look and the grip.
    putIdle(block);
  }
}

BlockRef MemoryPool::acquire(size_t size) {
  MemoryBlock *block = takeIdle(size);
  if (!block) {
    if (size > limit || bytesInUse() > limit - size)
      return {};
    if (bytesInUse() + bytesIdle() > limit - size)
      trim();
    block = MemoryBlock::create(size);
    if (!block) {
      trim();
      block = MemoryBlock::create(size);
    }
    if (!block)
      return {};
  }
  block->home = shared_from_this();
  size_t now = inUse.fetch_add(block->capacity, std::memory_order_relaxed) + block->capacity;
  size_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
  return BlockRef(block);
}

void MemoryPool::giveBack(MemoryBlock *block) {
  inUse.fetch_sub(block->capacity, std::memory_order_relaxed);
  putIdle(block);
}

/// The caller owns the block; it becomes idle, or is freed if there is no place for it.
void MemoryPool::putIdle(MemoryBlock *block) {
  size_t size = block->capacity;
  size_t index = 0;
  for (; index < kPlaces; ++index) {
    MemoryBlock *expected = nullptr;
    if (!places[index].block.load(std::memory_order_relaxed) &&
        places[index].block.compare_exchange_strong(expected, reserved(),
                                                    std::memory_order_relaxed))
      break;
  }
  if (index == kPlaces) {
    delete block;
    freeLongestIdle();
    return;
  }
  Place &place = places[index];
  place.size.store(size, std::memory_order_relaxed);
  place.since.store(clock.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
  idle.fetch_add(size, std::memory_order_relaxed);
  place.block.store(block, std::memory_order_release);
  size_t used = usedPlaces.load(std::memory_order_relaxed);
  while (used < index + 1 &&
         !usedPlaces.compare_exchange_weak(used, index + 1, std::memory_order_release)) {
  }
  while (idle.load(std::memory_order_relaxed) > 2 * peak.load(std::memory_order_relaxed))
    if (!freeLongestIdle())
      break;
}

bool MemoryPool::freeLongestIdle() {
  size_t oldest = kPlaces;
  uint64_t since = UINT64_MAX;
  for (size_t i = 0; i < usedPlaces.load(std::memory_order_acquire); ++i) {
    uint64_t here = places[i].since.load(std::memory_order_relaxed);
    if (here < since && places[i].block.load(std::memory_order_relaxed)) {
      oldest = i;
      since = here;
    }
  }
  if (oldest == kPlaces)
    return false;
  delete take(oldest);
  return true;
}

void MemoryPool::trim() {
  for (size_t i = 0; i < kPlaces; ++i)
    delete take(i);
}

} // namespace anneal::runtime
