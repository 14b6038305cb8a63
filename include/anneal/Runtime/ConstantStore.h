//===- ConstantStore.h - Bytes of a program's constants ---------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_CONSTANTSTORE_H
#define ANNEAL_RUNTIME_CONSTANTSTORE_H

#include "anneal/Plan/Plan.h"
#include "anneal/Runtime/DerivedConstants.h"
#include "anneal/Runtime/Tensor.h"

#include "absl/status/status.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace anneal::runtime {

/// The constants of a program (DESIGN.md D1): where each one's bytes are, which are equal, their
/// digests and their derived forms. Constants of equal type and bytes share one identity, so that
/// what is derived from them is made once. Bytes that lie in a mapped file are used where they lie;
/// a copy is made only of those not even aligned to their element size.
///
/// Set up by one thread; then immutable but for digests and derived forms, which are thread-safe.
/// Keeps the owners of mapped memory alive.
class ConstantStore {
public:
  ~ConstantStore();

  /// Of the constants that are not computed. Errors: a constant without bytes that is no result of
  /// an init function either, sizes that overflow, out of memory.
  static absl::StatusOr<std::unique_ptr<ConstantStore>>
  create(const std::vector<plan::Constant> &constants);

  /// Gives constant `index` its computed value. REQUIRES: equal type; during set-up.
  absl::Status setComputed(uint32_t index, const Tensor &value);

  size_t numConstants() const { return entries.size(); }
  /// Null as long as the constant is not computed.
  const void *data(uint32_t index) const { return entries[index].data; }
  size_t sizeInBytes(uint32_t index) const { return entries[index].bytes; }
  /// The first constant equal to this one: equal identities mean equal bytes and types.
  uint32_t identity(uint32_t index) const { return entries[index].identity; }
  /// Whether element `offset` on with these sizes and strides is all of the constant.
  bool isWhole(uint32_t index, int64_t offset, absl::Span<const int64_t> sizes,
               absl::Span<const int64_t> strides) const;
  /// A number that is unique among parts of constants: element `offset` on, with these sizes and
  /// strides. The whole of a constant has its identity. Key of derived forms.
  uint32_t partIdentity(uint32_t index, int64_t offset, absl::Span<const int64_t> sizes,
                        absl::Span<const int64_t> strides) const;
  /// XXH3-128 of the bytes, computed at the first request.
  plan::Digest digest(uint32_t index) const;

  DerivedConstants &derived() { return derivedForms; }
  const DerivedConstants &derived() const { return derivedForms; }

  /// Bytes of all constants, equal ones counted once, derived forms not included.
  size_t totalBytes() const;

private:
  ConstantStore();
  absl::Status place(uint32_t index, const void *data, std::shared_ptr<const void> owner);
  void findEqual(uint32_t index);

  struct Entry {
    plan::DType dtype;
    std::vector<int64_t> dims;
    const void *data = nullptr;
    size_t bytes = 0;
    std::shared_ptr<const void> owner;
    /// Holds bytes that were computed or copied.
    Tensor computed;
    uint32_t identity = 0;
  };
  struct Lookup;
  std::vector<Entry> entries;
  std::unique_ptr<Lookup> lookup;
  DerivedConstants derivedForms;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_CONSTANTSTORE_H
