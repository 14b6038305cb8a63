//===- Memory.h - Counted, pooled blocks of memory --------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_MEMORY_H
#define ANNEAL_RUNTIME_MEMORY_H

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace anneal::runtime {

class MemoryPool;

/// A block of memory with a count of its users. The bytes are aligned to 64, to 2 MiB where a block
/// is large. When the last BlockRef goes, the block returns to the pool that it came from, or is
/// freed. The count is thread-safe; the bytes belong to whoever holds a reference.
class MemoryBlock {
public:
  void *data() const { return bytes; }
  /// At least what was asked for.
  size_t size() const { return capacity; }

  /// A block of its own, in no pool; null when out of memory.
  static MemoryBlock *create(size_t size);

private:
  friend class BlockRef;
  friend class MemoryPool;
  MemoryBlock() = default;
  ~MemoryBlock();
  void retain() { users.fetch_add(1, std::memory_order_relaxed); }
  void release();

  std::atomic<uint32_t> users{0};
  void *bytes = nullptr;
  size_t capacity = 0;
  /// The pool that gets it back; held only while the block is in use.
  std::shared_ptr<MemoryPool> home;
};

/// A counted reference to a MemoryBlock, or nothing.
class BlockRef {
public:
  BlockRef() = default;
  explicit BlockRef(MemoryBlock *block) : block(block) {
    if (block)
      block->retain();
  }
  BlockRef(const BlockRef &other) : BlockRef(other.block) {}
  BlockRef(BlockRef &&other) noexcept : block(std::exchange(other.block, nullptr)) {}
  BlockRef &operator=(BlockRef other) noexcept {
    std::swap(block, other.block);
    return *this;
  }
  ~BlockRef() { reset(); }

  void reset() {
    if (MemoryBlock *old = std::exchange(block, nullptr))
      old->release();
  }
  MemoryBlock *get() const { return block; }
  MemoryBlock *operator->() const { return block; }
  explicit operator bool() const { return block != nullptr; }

private:
  MemoryBlock *block = nullptr;
};

/// Blocks that are used again: workspaces of calls, memory made during calls, results.
///
/// Thread-safe. Neither acquire nor the return of a block takes a lock, and where an idle block
/// fits nothing is allocated. Idle memory is at most twice what was ever in use at one time; beyond
/// that the blocks idle for longest are freed, so that repeating a pattern of calls settles on its
/// own blocks (each serves requests down to its half) and memory stays flat whatever sizes come by.
/// Blocks in use keep their pool alive.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
public:
  static std::shared_ptr<MemoryPool> create();
  ~MemoryPool();
  MemoryPool(const MemoryPool &) = delete;
  MemoryPool &operator=(const MemoryPool &) = delete;

  /// A block of at least `size` bytes with undefined contents; nothing when the memory of the
  /// machine or of the cgroup does not suffice.
  BlockRef acquire(size_t size);

  /// Frees what is idle.
  void trim();

  /// Bytes of blocks in use, the most that this ever was, and bytes of idle blocks.
  size_t bytesInUse() const { return inUse.load(std::memory_order_relaxed); }
  size_t peakBytesInUse() const { return peak.load(std::memory_order_relaxed); }
  size_t bytesIdle() const { return idle.load(std::memory_order_relaxed); }

private:
  friend class MemoryBlock;
  MemoryPool();
  MemoryBlock *takeIdle(size_t size);
  /// Removes the idle block of place `index`; null if another thread was faster.
  MemoryBlock *take(size_t index);
  void giveBack(MemoryBlock *block);
  void putIdle(MemoryBlock *block);
  /// False if there was none.
  bool freeLongestIdle();
  /// In a place: somebody is putting a block there.
  MemoryBlock *reserved() { return reinterpret_cast<MemoryBlock *>(this); }

  /// A place for one idle block: null, reserved() or the block. `size` and `since` are hints for
  /// the search; whoever replaces the block by null owns it.
  struct Place {
    std::atomic<MemoryBlock *> block{nullptr};
    std::atomic<size_t> size{0};
    std::atomic<uint64_t> since{0};
  };
  static constexpr size_t kPlaces = 128;
  std::array<Place, kPlaces> places;
  /// Places from here on have never been used.
  std::atomic<size_t> usedPlaces{0};
  std::atomic<uint64_t> clock{0};
  std::atomic<size_t> inUse{0}, peak{0}, idle{0};
  size_t limit;
};

/// Bytes of memory that this process may use: the machine's, or less by a cgroup limit.
size_t usableMemory();

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_MEMORY_H
