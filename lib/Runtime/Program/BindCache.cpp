//===- BindCache.cpp - Units bound to shapes, shared ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BindCache.h"

#include "Failure.h"
#include "UnitFlops.h"

#include "anneal/Runtime/ThreadPool.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace anneal::runtime {

BindCache::Key BindCache::keyOf(const BindRequest &request) const {
  const plan::Unit &unit = module.units[request.unit];
  size_t parts = 1 + unit.scalars.size();
  for (const BindTensor &tensor : request.tensors)
    parts += 1 + 2 * tensor.sizes.size();
  Key key;
  key.reserve(parts);
  key.push_back(request.unit);
  for (const BindTensor &tensor : request.tensors) {
    key.push_back(tensor.constant);
    key.insert(key.end(), tensor.sizes.begin(), tensor.sizes.end());
    key.insert(key.end(), tensor.strides.begin(), tensor.strides.end());
  }
  for (size_t i = 0; i < unit.scalars.size(); ++i)
    if (unit.scalars[i].isShape)
      key.push_back(static_cast<int64_t>(request.scalars[i]));
  return key;
}

absl::Status BindCache::bind(const BindRequest &request, Ref &entry) {
  const plan::Unit &unit = module.units[request.unit];
  UnitBinding binding;
  binding.tensors = request.tensors;
  binding.scalars = request.scalars;
  binding.derived = &derived;
  binding.numThreads = pool ? pool->numThreads() : 1;
  absl::StatusOr<std::unique_ptr<BoundUnit>> bound = BoundUnit::bind(unit, binding);
  if (!bound.ok())
    return failureAt(bound.status().code(), bound.status().message(),
                     {module, request.location, &unit});
  auto made = std::make_shared<BoundEntry>();
  made->bound = *std::move(bound);
  made->flops = flopsOf(unit, request.tensors, request.scalars);
  entry = std::move(made);
  return absl::OkStatus();
}

void BindCache::get(absl::Span<const BindRequest> requests, absl::Span<Ref> result,
                    absl::Span<absl::Status> statuses) {
  struct Missing {
    Key key;
    /// The first request that wants it, and all.
    std::vector<size_t> users;
    Ref entry;
    absl::Status status;
  };
  std::vector<Missing> missing;
  absl::flat_hash_map<Key, size_t> missingByKey;
  {
    std::lock_guard<std::mutex> lock(mutex);
    for (size_t i = 0; i < requests.size(); ++i) {
      Key key = keyOf(requests[i]);
      auto known = entries.find(key);
      if (known != entries.end() && (result[i] = known->second.lock()))
        continue;
      auto [it, isNew] = missingByKey.try_emplace(key, missing.size());
      if (isNew)
        missing.push_back({std::move(key), {}, nullptr, absl::OkStatus()});
      missing[it->second].users.push_back(i);
    }
  }
  if (missing.empty())
    return;

  auto bindRange = [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t i = begin; i < end; ++i) {
      Missing &wanted = missing[static_cast<size_t>(i)];
      wanted.status = bind(requests[wanted.users.front()], wanted.entry);
    }
  };
  auto count = static_cast<int64_t>(missing.size());
  pool ? pool->parallelFor(count, 1, bindRange) : bindRange(0, count, 0);

  std::lock_guard<std::mutex> lock(mutex);
  for (Missing &made : missing) {
    if (made.entry) {
      std::weak_ptr<const BoundEntry> &place = entries[made.key];
      if (Ref other = place.lock())
        made.entry = std::move(other);
      else
        place = made.entry;
    }
    for (size_t user : made.users) {
      result[user] = made.entry;
      statuses[user] = made.status;
    }
  }
  if (entries.size() > dropAt)
    dropUnused();
}

void BindCache::dropUnused() {
  absl::erase_if(entries, [](const auto &item) { return item.second.expired(); });
  dropAt = std::max<size_t>(256, 2 * entries.size());
}

size_t BindCache::numEntries() const {
  std::lock_guard<std::mutex> lock(mutex);
  return static_cast<size_t>(std::count_if(
      entries.begin(), entries.end(), [](const auto &item) { return !item.second.expired(); }));
}

} // namespace anneal::runtime
