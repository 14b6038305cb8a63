//===- ConstantStore.cpp - Bytes of a program's constants -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/ConstantStore.h"

#include "StridedCopy.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <xxhash.h>

namespace anneal::runtime {

namespace {
/// What constants without elements point at.
alignas(64) constexpr char kNothing[64] = {};
} // namespace

struct ConstantStore::Lookup {
  /// Type and first bytes of a constant; equal constants have equal keys.
  using Key = std::tuple<plan::DType, std::vector<int64_t>, std::string>;
  absl::flat_hash_map<Key, std::vector<uint32_t>> byKey;
  std::mutex mutex;
  std::vector<std::optional<plan::Digest>> digests;
  /// Identity, offset, sizes and strides of parts.
  absl::flat_hash_map<std::vector<int64_t>, uint32_t> parts;
};

ConstantStore::ConstantStore() : lookup(std::make_unique<Lookup>()) {}
ConstantStore::~ConstantStore() = default;

absl::StatusOr<std::unique_ptr<ConstantStore>>
ConstantStore::create(const std::vector<plan::Constant> &constants) {
  std::unique_ptr<ConstantStore> store(new ConstantStore());
  store->entries.resize(constants.size());
  store->lookup->digests.resize(constants.size());
  for (uint32_t i = 0; i < constants.size(); ++i) {
    const plan::Constant &constant = constants[i];
    Entry &entry = store->entries[i];
    entry.dtype = constant.dtype;
    entry.dims = constant.dims;
    entry.identity = i;
    absl::StatusOr<int64_t> elements = checkedNumElements(constant.dtype, constant.dims);
    if (!elements.ok())
      return elements.status();
    entry.bytes = static_cast<size_t>(*elements) * plan::sizeOf(constant.dtype);
    if (constant.initResult >= 0)
      continue;
    if (!constant.data && entry.bytes != 0)
      return absl::InvalidArgumentError(
          absl::StrCat("constant #", i, " (", tensorTypeString(constant.dtype, constant.dims),
                       ") has no bytes"));
    if (absl::Status status = store->place(i, constant.data, constant.owner); !status.ok())
      return status;
  }
  return store;
}

absl::Status ConstantStore::place(uint32_t index, const void *data,
                                  std::shared_ptr<const void> owner) {
  Entry &entry = entries[index];
  entry.data = entry.bytes == 0 ? kNothing : data;
  entry.owner = std::move(owner);
  if (reinterpret_cast<uintptr_t>(entry.data) % plan::sizeOf(entry.dtype) != 0) {
    absl::StatusOr<Tensor> copy = Tensor::allocate(entry.dtype, entry.dims);
    if (!copy.ok())
      return copy.status();
    std::memcpy(copy->data(), data, entry.bytes);
    entry.computed = *copy;
    entry.data = copy->data();
    entry.owner = nullptr;
  }
  findEqual(index);
  return absl::OkStatus();
}

absl::Status ConstantStore::setComputed(uint32_t index, const Tensor &value) {
  Entry &entry = entries[index];
  absl::StatusOr<Tensor> dense = value.toDense();
  if (!dense.ok())
    return dense.status();
  entry.computed = *dense;
  entry.data = dense->data();
  findEqual(index);
  return absl::OkStatus();
}

void ConstantStore::findEqual(uint32_t index) {
  Entry &entry = entries[index];
  const char *bytes = static_cast<const char *>(entry.data);
  std::string first(bytes, std::min<size_t>(entry.bytes, 32));
  std::vector<uint32_t> &candidates = lookup->byKey[{entry.dtype, entry.dims, std::move(first)}];
  for (uint32_t other : candidates) {
    const void *theirs = entries[other].data;
    if (theirs != entry.data && std::memcmp(theirs, entry.data, entry.bytes) != 0)
      continue;
    entry.identity = other;
    entry.data = theirs;
    entry.owner = entries[other].owner;
    entry.computed = entries[other].computed;
    return;
  }
  candidates.push_back(index);
}

bool ConstantStore::isWhole(uint32_t index, int64_t offset, absl::Span<const int64_t> sizes,
                            absl::Span<const int64_t> strides) const {
  return offset == 0 && sizes == absl::MakeConstSpan(entries[index].dims) &&
         isRowMajor(sizes, strides);
}

uint32_t ConstantStore::partIdentity(uint32_t index, int64_t offset,
                                     absl::Span<const int64_t> sizes,
                                     absl::Span<const int64_t> strides) const {
  const Entry &entry = entries[index];
  if (isWhole(index, offset, sizes, strides))
    return entry.identity;
  std::vector<int64_t> key = {entry.identity, offset, static_cast<int64_t>(sizes.size())};
  key.insert(key.end(), sizes.begin(), sizes.end());
  key.insert(key.end(), strides.begin(), strides.end());
  std::lock_guard<std::mutex> lock(lookup->mutex);
  auto next = static_cast<uint32_t>(entries.size() + lookup->parts.size());
  return lookup->parts.try_emplace(std::move(key), next).first->second;
}

plan::Digest ConstantStore::digest(uint32_t index) const {
  std::lock_guard<std::mutex> lock(lookup->mutex);
  const Entry &entry = entries[index];
  std::optional<plan::Digest> &digest = lookup->digests[entry.identity];
  if (!digest) {
    XXH128_hash_t hash = XXH3_128bits(entry.data, entry.bytes);
    digest = plan::Digest{hash.low64, hash.high64};
  }
  return *digest;
}

size_t ConstantStore::totalBytes() const {
  size_t total = 0;
  for (uint32_t i = 0; i < entries.size(); ++i)
    if (entries[i].identity == i)
      total += entries[i].bytes;
  return total;
}

} // namespace anneal::runtime
