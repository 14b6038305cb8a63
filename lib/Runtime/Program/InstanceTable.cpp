//===- InstanceTable.cpp - The instances of a function --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstanceTable.h"

#include <algorithm>

namespace anneal::runtime {

InstanceTable::InstanceTable(size_t capacity)
    : numSets(std::max<size_t>(2, (capacity + kWays - 1) / kWays)),
      places(new Place[numSets * kWays]) {}

InstanceTable::~InstanceTable() {
  for (size_t i = 0; i < numSets * kWays; ++i)
    delete places[i].instance;
}

template <typename Visit> void InstanceTable::visitPlaces(uint64_t hash, const Visit &visit) {
  size_t first = hash % numSets;
  // Another set than the first one.
  size_t second = (first + 1 + (hash >> 32) % (numSets - 1)) % numSets;
  for (size_t set : {first, second})
    for (size_t way = 0; way < kWays; ++way)
      if (visit(places[set * kWays + way]))
        return;
}

InstanceUse InstanceTable::find(uint64_t hash, absl::Span<const Value> inputs) {
  InstanceUse use;
  visitPlaces(hash, [&](Place &place) {
    uint32_t state = place.state.load(std::memory_order_relaxed);
    if (!(state & Place::kFull) || place.hash.load(std::memory_order_relaxed) != hash)
      return false;
    while (!place.state.compare_exchange_weak(state, state + 1, std::memory_order_acquire))
      if (!(state & Place::kFull))
        return false;
    if (!place.instance->matches(inputs)) {
      place.state.fetch_sub(1, std::memory_order_release);
      return false;
    }
    place.lastUse.store(made.load(std::memory_order_relaxed), std::memory_order_relaxed);
    use.instance = place.instance;
    use.users = &place.state;
    return true;
  });
  return use;
}

absl::StatusOr<InstanceUse>
InstanceTable::findOrBuild(uint64_t hash, absl::Span<const Value> inputs,
                           absl::FunctionRef<absl::StatusOr<std::unique_ptr<Instance>>()> build) {
  std::lock_guard<std::mutex> lock(mutex);
  if (InstanceUse use = find(hash, inputs); use.get())
    return use;
  absl::StatusOr<std::unique_ptr<Instance>> instance = build();
  if (!instance.ok())
    return instance.status();
  return insert(hash, *std::move(instance));
}

/// Empties a place that nobody uses; false if somebody does.
bool InstanceTable::makeRoom(Place &place) {
  uint32_t unused = Place::kFull;
  if (!place.state.compare_exchange_strong(unused, 0, std::memory_order_acquire))
    return unused == 0;
  delete std::exchange(place.instance, nullptr);
  dropped.fetch_add(1, std::memory_order_relaxed);
  return true;
}

InstanceUse InstanceTable::insert(uint64_t hash, std::unique_ptr<Instance> instance) {
  InstanceUse use;
  use.instance = instance.get();
  uint64_t now = made.fetch_add(1, std::memory_order_relaxed) + 1;
  for (;;) {
    Place *oldest = nullptr;
    uint64_t age = UINT64_MAX;
    visitPlaces(hash, [&](Place &place) {
      uint32_t state = place.state.load(std::memory_order_relaxed);
      uint64_t used = state == 0 ? 0 : place.lastUse.load(std::memory_order_relaxed) + 1;
      if ((state == 0 || state == Place::kFull) && used < age) {
        oldest = &place;
        age = used;
      }
      return state == 0;
    });
    if (!oldest) {
      // All places are in use at this moment: the instance lives as long as its call.
      dropped.fetch_add(1, std::memory_order_relaxed);
      use.owned = std::move(instance);
      return use;
    }
    if (!makeRoom(*oldest))
      continue;
    oldest->instance = instance.release();
    oldest->hash.store(hash, std::memory_order_relaxed);
    oldest->lastUse.store(now, std::memory_order_relaxed);
    oldest->state.store(Place::kFull + 1, std::memory_order_release);
    use.users = &oldest->state;
    return use;
  }
}

size_t InstanceTable::numInstances() const {
  size_t count = 0;
  for (size_t i = 0; i < numSets * kWays; ++i)
    count += places[i].state.load(std::memory_order_relaxed) != 0;
  return count;
}

} // namespace anneal::runtime
