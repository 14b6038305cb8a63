//===- InstanceTable.h - The instances of a function ------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_INSTANCETABLE_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_INSTANCETABLE_H

#include "Instance.h"

#include "absl/functional/function_ref.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace anneal::runtime {

class InstanceTable;

/// A use of an instance, which stays alive that long.
class InstanceUse {
public:
  InstanceUse() = default;
  InstanceUse(InstanceUse &&other) noexcept
      : instance(std::exchange(other.instance, nullptr)),
        users(std::exchange(other.users, nullptr)), owned(std::move(other.owned)) {}
  InstanceUse &operator=(InstanceUse &&other) noexcept {
    std::swap(instance, other.instance);
    std::swap(users, other.users);
    std::swap(owned, other.owned);
    return *this;
  }
  ~InstanceUse() {
    if (users)
      users->fetch_sub(1, std::memory_order_release);
  }

  const Instance *get() const { return instance; }
  const Instance *operator->() const { return instance; }

private:
  friend class InstanceTable;
  const Instance *instance = nullptr;
  std::atomic<uint32_t> *users = nullptr;
  /// One that found no place in the table.
  std::unique_ptr<Instance> owned;
};

/// The instances of one function, by the hash of their keys: a cache of a fixed number of places,
/// each key having two sets of kWays places to go to, the longest unused one making room.
///
/// find takes no lock: a place counts its users in the word that also says whether it holds an
/// instance, so that it is only emptied when nobody uses it and only used while it is full.
/// Thread-safe.
class InstanceTable {
public:
  explicit InstanceTable(size_t capacity);
  ~InstanceTable();

  /// The instance for these inputs; empty if there is none.
  InstanceUse find(uint64_t hash, absl::Span<const Value> inputs);

  /// The same, making it by `build` (one caller at a time) if there is none.
  absl::StatusOr<InstanceUse>
  findOrBuild(uint64_t hash, absl::Span<const Value> inputs,
              absl::FunctionRef<absl::StatusOr<std::unique_ptr<Instance>>()> build);

  size_t numInstances() const;
  uint64_t numMade() const { return made.load(std::memory_order_relaxed); }
  uint64_t numDropped() const { return dropped.load(std::memory_order_relaxed); }

private:
  static constexpr size_t kWays = 8;

  /// `state`: 0 empty; kFull + number of users. Emptied and filled under the mutex.
  struct alignas(64) Place {
    static constexpr uint32_t kFull = 1u << 31;
    std::atomic<uint32_t> state{0};
    std::atomic<uint64_t> hash{0};
    std::atomic<uint64_t> lastUse{0};
    Instance *instance = nullptr;
  };

  /// Calls `visit` with the places where a key of this hash may be, until it returns true.
  template <typename Visit> void visitPlaces(uint64_t hash, const Visit &visit);
  InstanceUse insert(uint64_t hash, std::unique_ptr<Instance> instance);
  bool makeRoom(Place &place);

  size_t numSets;
  std::unique_ptr<Place[]> places;
  /// Counts instances made; the age of what was not used since.
  std::atomic<uint64_t> made{0};
  std::atomic<uint64_t> dropped{0};
  std::mutex mutex;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_INSTANCETABLE_H
