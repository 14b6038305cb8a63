//===- BindCache.cpp - Units bound to shapes, shared ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BindCache.h"

#include "Failure.h"

#include "anneal/Runtime/ThreadPool.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace anneal::runtime {

BindCache::BindCache(const plan::Module &module, DerivedConstants &derived, ThreadPool *pool)
    : module(module), derived(derived), pool(pool) {
  facts.reserve(module.units.size());
  for (const plan::Unit &unit : module.units)
    facts.push_back(UnitFacts::create(unit));
}

/// Appends what tells the form of a request from others.
static void appendKey(const plan::Unit &unit, const BindRequest &request,
                      std::vector<int64_t> &parts) {
  parts.push_back(request.unit);
  for (const BindTensor &tensor : request.tensors) {
    parts.push_back(tensor.constant >= 0 && tensor.constantData ? 0 : -1);
    parts.insert(parts.end(), tensor.sizes.begin(), tensor.sizes.end());
    parts.insert(parts.end(), tensor.strides.begin(), tensor.strides.end());
  }
  for (size_t i = 0; i < unit.scalars.size(); ++i)
    if (unit.scalars[i].isShape)
      parts.push_back(static_cast<int64_t>(request.scalars[i]));
}

static size_t hashOf(absl::Span<const int64_t> parts) {
  uint64_t value = 0;
  for (int64_t part : parts) {
    value = (value ^ static_cast<uint64_t>(part)) * 0x9E3779B97F4A7C15u;
    value ^= value >> 32;
  }
  return value;
}

UnitBinding BindCache::bindingOf(const BindRequest &request) const {
  UnitBinding binding;
  binding.tensors = request.tensors;
  binding.scalars = request.scalars;
  binding.derived = &derived;
  binding.numThreads = pool ? pool->numThreads() : 1;
  return binding;
}

void BindCache::forEach(size_t count, absl::FunctionRef<void(size_t)> body) const {
  auto range = [&](int64_t begin, int64_t end, uint32_t) {
    for (int64_t i = begin; i < end; ++i)
      body(static_cast<size_t>(i));
  };
  auto n = static_cast<int64_t>(count);
  pool ? pool->parallelFor(n, 1, range) : range(0, n, 0);
}

absl::Status BindCache::failure(const absl::Status &status, const BindRequest &request) const {
  return failureAt(status.code(), status.message(),
                   {module, request.location, &module.units[request.unit]});
}

/// Keys of all requests, one after the other; `ends` says where each one ends.
std::vector<int64_t> BindCache::keyParts(absl::Span<const BindRequest> requests,
                                         std::vector<size_t> &ends) const {
  std::vector<int64_t> parts;
  parts.reserve(requests.size() * 32);
  ends.reserve(requests.size());
  for (const BindRequest &request : requests) {
    appendKey(module.units[request.unit], request, parts);
    ends.push_back(parts.size());
  }
  return parts;
}

/// Sets the results of requests whose forms there are; the other forms.
std::vector<BindCache::Missing> BindCache::findMissing(absl::Span<const KeyRef> keys,
                                                       absl::Span<FormRef> result) {
  std::vector<Missing> missing;
  std::lock_guard<std::mutex> lock(mutex);
  for (size_t i = 0; i < keys.size(); ++i) {
    auto known = forms.find(keys[i]);
    if (known != forms.end() && (result[i] = known->second.lock()))
      continue;
    auto same = std::find_if(missing.begin(), missing.end(), [&](const Missing &other) {
      return other.key.hash == keys[i].hash && other.key.parts == keys[i].parts;
    });
    if (same == missing.end())
      same = missing.insert(same, {keys[i], {}, nullptr, absl::OkStatus()});
    same->users.push_back(i);
  }
  return missing;
}

void BindCache::bind(const BindRequest &request, Missing &missing) const {
  absl::StatusOr<std::shared_ptr<const UnitForm>> bound =
      UnitForm::bind(*facts[request.unit], bindingOf(request));
  if (!bound.ok()) {
    missing.status = failure(bound.status(), request);
    return;
  }
  auto entry = std::make_shared<FormEntry>();
  entry->form = *std::move(bound);
  entry->work = workOf(module.units[request.unit], request.tensors, request.scalars);
  missing.form = std::move(entry);
}

/// Makes forms known to others, or takes theirs.
void BindCache::keep(absl::Span<Missing> made) {
  std::lock_guard<std::mutex> lock(mutex);
  for (Missing &missing : made) {
    if (!missing.form)
      continue;
    std::weak_ptr<const FormEntry> &place = forms[Key(missing.key)];
    if (FormRef other = place.lock())
      missing.form = std::move(other);
    else
      place = missing.form;
  }
  if (forms.size() > dropAt)
    dropUnused();
}

void BindCache::getForms(absl::Span<const BindRequest> requests, absl::Span<FormRef> result,
                         absl::Span<absl::Status> statuses) {
  std::vector<size_t> ends;
  std::vector<int64_t> parts = keyParts(requests, ends);
  std::vector<KeyRef> keys;
  keys.reserve(requests.size());
  for (size_t i = 0, begin = 0; i < requests.size(); begin = ends[i++]) {
    auto key = absl::MakeConstSpan(parts).subspan(begin, ends[i] - begin);
    keys.push_back({key, hashOf(key)});
  }
  std::vector<Missing> missing = findMissing(keys, result);
  if (missing.empty())
    return;
  forEach(missing.size(), [&](size_t i) { bind(requests[missing[i].users.front()], missing[i]); });
  keep(absl::MakeSpan(missing));
  for (const Missing &made : missing)
    for (size_t user : made.users) {
      result[user] = made.form;
      statuses[user] = made.status;
    }
}

absl::Status BindCache::attach(const BindRequest &request, FormRef form, BoundEntry &result) const {
  absl::StatusOr<BoundUnit> bound = BoundUnit::make(form->form, bindingOf(request));
  if (!bound.ok())
    return failure(bound.status(), request);
  result.unit = *std::move(bound);
  result.form = std::move(form);
  return absl::OkStatus();
}

void BindCache::dropUnused() {
  absl::erase_if(forms, [](const auto &item) { return item.second.expired(); });
  dropAt = std::max<size_t>(256, 2 * forms.size());
}

size_t BindCache::numForms() const {
  std::lock_guard<std::mutex> lock(mutex);
  return static_cast<size_t>(std::count_if(
      forms.begin(), forms.end(), [](const auto &item) { return !item.second.expired(); }));
}

} // namespace anneal::runtime
