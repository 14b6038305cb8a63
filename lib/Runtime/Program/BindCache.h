//===- BindCache.h - Units bound to shapes, shared --------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_BINDCACHE_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_BINDCACHE_H

#include "anneal/Plan/Plan.h"
#include "anneal/Runtime/Interpreter/BoundUnit.h"

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/types/span.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace anneal::runtime {

/// A unit bound to shapes, for any constants.
struct FormEntry {
  std::shared_ptr<const UnitForm> form;
  /// Floating-point operations of one call, see UnitStats::timedFlops.
  double flops = 0;
};

/// A unit bound to shapes and constants. Immutable, thread-safe.
struct BoundEntry {
  std::shared_ptr<const FormEntry> form;
  std::unique_ptr<BoundUnit> bound;

  double flops() const { return form->flops; }
};

/// What to bind: a unit and what BoundUnit::bind wants to know.
struct BindRequest {
  uint32_t unit = 0;
  absl::Span<const BindTensor> tensors;
  absl::Span<const uint64_t> scalars;
  /// Of the call, for messages.
  uint32_t location = 0;
};

/// Binds each combination of unit, shapes and constants once for all steps and instances of a
/// program. Entries are dropped when nobody uses them any more. Thread-safe.
class BindCache {
public:
  using Ref = std::shared_ptr<const BoundEntry>;

  /// All arguments must outlive this; `pool` may be null.
  BindCache(const plan::Module &module, DerivedConstants &derived, ThreadPool *pool);

  /// Binds all of `requests`, what is missing in parallel. For each one either the entry is set or
  /// the status is not OK: the error of BoundUnit::bind, with unit and location.
  void get(absl::Span<const BindRequest> requests, absl::Span<Ref> result,
           absl::Span<absl::Status> statuses);

  /// Entries in use.
  size_t numEntries() const;

private:
  /// Numbers that tell calls, or forms, apart. Its hash is computed once.
  struct Key {
    std::vector<int64_t> parts;
    size_t hash = 0;

    void computeHash();
    bool operator==(const Key &other) const { return parts == other.parts; }
  };
  struct HashOf {
    size_t operator()(const Key &key) const { return key.hash; }
  };
  template <typename T> using Map = absl::flat_hash_map<Key, T, HashOf>;
  /// A call that is not bound yet.
  struct Missing {
    Key key;
    /// The requests that want it.
    std::vector<size_t> users;
    /// Index among the forms that are wanted.
    size_t form = 0;
    Ref entry;
    absl::Status status;
  };
  struct Form {
    Key key;
    /// A request that wants it.
    size_t user = 0;
    /// Null until it is bound, and where that failed.
    std::shared_ptr<const FormEntry> bound;
    absl::Status status;
  };

  /// What tells calls apart.
  Key keyOf(const BindRequest &request) const;
  /// What tells forms apart: a call's key without its constants.
  static Key formKeyOf(const Key &key, const BindRequest &request);
  UnitBinding bindingOf(const BindRequest &request) const;
  absl::Status failure(const absl::Status &status, const BindRequest &request) const;
  /// On the threads of the pool.
  void forEach(size_t count, absl::FunctionRef<void(size_t)> body) const;
  /// Sets the results of requests that are bound already.
  std::vector<Missing> findMissing(absl::Span<const BindRequest> requests, absl::Span<Ref> result);
  std::vector<Form> findForms(absl::Span<const BindRequest> requests, absl::Span<Missing> missing);
  void bindForms(absl::Span<const BindRequest> requests, absl::Span<Form> wanted);
  void attach(const BindRequest &request, const Form &form, Missing &call) const;
  void dropUnused();

  const plan::Module &module;
  DerivedConstants &derived;
  ThreadPool *pool;
  /// By number of the unit.
  std::vector<std::unique_ptr<const UnitFacts>> facts;
  mutable std::mutex mutex;
  Map<std::weak_ptr<const BoundEntry>> entries;
  Map<std::weak_ptr<const FormEntry>> forms;
  /// Size of `entries` at which the unused ones are looked for.
  size_t dropAt = 256;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_BINDCACHE_H
