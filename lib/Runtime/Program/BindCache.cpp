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

BindCache::BindCache(const plan::Module &module, DerivedConstants &derived, ThreadPool *pool)
    : module(module), derived(derived), pool(pool) {
  facts.reserve(module.units.size());
  for (const plan::Unit &unit : module.units)
    facts.push_back(UnitFacts::create(unit));
}

void BindCache::Key::computeHash() {
  uint64_t value = 0;
  for (int64_t part : parts) {
    value = (value ^ static_cast<uint64_t>(part)) * 0x9E3779B97F4A7C15u;
    value ^= value >> 32;
  }
  hash = value;
}

/// Of a tensor in a key: its constant, then sizes and strides.
static size_t partsOf(const BindTensor &tensor) { return 1 + 2 * tensor.sizes.size(); }

BindCache::Key BindCache::keyOf(const BindRequest &request) const {
  const plan::Unit &unit = module.units[request.unit];
  size_t parts = 1 + unit.scalars.size();
  for (const BindTensor &tensor : request.tensors)
    parts += partsOf(tensor);
  Key key;
  std::vector<int64_t> &values = key.parts;
  values.reserve(parts);
  values.push_back(request.unit);
  for (const BindTensor &tensor : request.tensors) {
    values.push_back(tensor.constant);
    values.insert(values.end(), tensor.sizes.begin(), tensor.sizes.end());
    values.insert(values.end(), tensor.strides.begin(), tensor.strides.end());
  }
  for (size_t i = 0; i < unit.scalars.size(); ++i)
    if (unit.scalars[i].isShape)
      values.push_back(static_cast<int64_t>(request.scalars[i]));
  key.computeHash();
  return key;
}

BindCache::Key BindCache::formKeyOf(const Key &key, const BindRequest &request) {
  Key form = key;
  size_t at = 1;
  for (const BindTensor &tensor : request.tensors) {
    form.parts[at] = tensor.constant >= 0 && tensor.constantData ? 0 : -1;
    at += partsOf(tensor);
  }
  form.computeHash();
  return form;
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

std::vector<BindCache::Missing> BindCache::findMissing(absl::Span<const BindRequest> requests,
                                                       absl::Span<Ref> result) {
  std::vector<Missing> missing;
  Map<size_t> missingByKey;
  std::lock_guard<std::mutex> lock(mutex);
  for (size_t i = 0; i < requests.size(); ++i) {
    Key key = keyOf(requests[i]);
    auto known = entries.find(key);
    if (known != entries.end() && (result[i] = known->second.lock()))
      continue;
    auto [it, isNew] = missingByKey.try_emplace(key, missing.size());
    if (isNew)
      missing.push_back({std::move(key), {}, 0, nullptr, absl::OkStatus()});
    missing[it->second].users.push_back(i);
  }
  return missing;
}

std::vector<BindCache::Form> BindCache::findForms(absl::Span<const BindRequest> requests,
                                                  absl::Span<Missing> missing) {
  std::vector<Form> wanted;
  Map<size_t> wantedByKey;
  std::lock_guard<std::mutex> lock(mutex);
  for (Missing &call : missing) {
    size_t user = call.users.front();
    Key key = formKeyOf(call.key, requests[user]);
    auto [it, isNew] = wantedByKey.try_emplace(key, wanted.size());
    call.form = it->second;
    if (!isNew)
      continue;
    auto known = forms.find(key);
    wanted.push_back({std::move(key), user, known != forms.end() ? known->second.lock() : nullptr,
                      absl::OkStatus()});
  }
  return wanted;
}

void BindCache::bindForms(absl::Span<const BindRequest> requests, absl::Span<Form> wanted) {
  std::vector<Form *> unbound;
  for (Form &form : wanted)
    if (!form.bound)
      unbound.push_back(&form);
  forEach(unbound.size(), [&](size_t i) {
    Form &form = *unbound[i];
    const BindRequest &request = requests[form.user];
    const plan::Unit &unit = module.units[request.unit];
    absl::StatusOr<std::shared_ptr<const UnitForm>> bound =
        UnitForm::bind(*facts[request.unit], bindingOf(request));
    if (!bound.ok()) {
      form.status = failure(bound.status(), request);
      return;
    }
    auto entry = std::make_shared<FormEntry>();
    entry->form = *std::move(bound);
    entry->flops = flopsOf(unit, request.tensors, request.scalars);
    form.bound = std::move(entry);
  });
}

void BindCache::attach(const BindRequest &request, const Form &form, Missing &call) const {
  call.status = form.status;
  if (!form.bound)
    return;
  absl::StatusOr<std::unique_ptr<BoundUnit>> bound =
      BoundUnit::make(form.bound->form, bindingOf(request));
  if (!bound.ok()) {
    call.status = failure(bound.status(), request);
    return;
  }
  auto entry = std::make_shared<BoundEntry>();
  entry->form = form.bound;
  entry->bound = *std::move(bound);
  call.entry = std::move(entry);
}

void BindCache::get(absl::Span<const BindRequest> requests, absl::Span<Ref> result,
                    absl::Span<absl::Status> statuses) {
  std::vector<Missing> missing = findMissing(requests, result);
  if (missing.empty())
    return;
  std::vector<Form> wanted = findForms(requests, absl::MakeSpan(missing));
  bindForms(requests, absl::MakeSpan(wanted));
  forEach(missing.size(), [&](size_t i) {
    Missing &call = missing[i];
    attach(requests[call.users.front()], wanted[call.form], call);
  });

  std::lock_guard<std::mutex> lock(mutex);
  for (const Form &form : wanted)
    if (form.bound)
      forms[form.key] = form.bound;
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
  auto isUnused = [](const auto &item) { return item.second.expired(); };
  absl::erase_if(entries, isUnused);
  absl::erase_if(forms, isUnused);
  dropAt = std::max<size_t>(256, 2 * entries.size());
}

size_t BindCache::numEntries() const {
  std::lock_guard<std::mutex> lock(mutex);
  return static_cast<size_t>(std::count_if(
      entries.begin(), entries.end(), [](const auto &item) { return !item.second.expired(); }));
}

} // namespace anneal::runtime
