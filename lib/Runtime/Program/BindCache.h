//===- BindCache.h - Units bound to shapes, shared --------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_BINDCACHE_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_BINDCACHE_H

#include "UnitWork.h"

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

/// A unit bound to shapes, for any constants. Immutable, thread-safe.
struct FormEntry {
  std::shared_ptr<const UnitForm> form;
  /// Of one call.
  UnitWork work;
};

/// A form with its constants: what the calls of one class run. Immutable, thread-safe.
struct BoundEntry {
  /// Keeps it findable for others.
  std::shared_ptr<const FormEntry> form;
  BoundUnit unit;

  const UnitWork &work() const { return form->work; }
};

/// What to bind: a unit and what UnitForm::bind wants to know.
struct BindRequest {
  uint32_t unit = 0;
  absl::Span<const BindTensor> tensors;
  absl::Span<const uint64_t> scalars;
  /// Of the call, for messages.
  uint32_t location = 0;
};

/// Binds each combination of unit and shapes once for all steps and instances of a program. Forms
/// are dropped when nobody uses them any more. Thread-safe.
class BindCache {
public:
  using FormRef = std::shared_ptr<const FormEntry>;

  /// All arguments must outlive this; `pool` may be null.
  BindCache(const plan::Module &module, DerivedConstants &derived, ThreadPool *pool);

  /// The forms for all of `requests`, what is missing in parallel. For each one either the form is
  /// set or the status is not OK: the error of UnitForm::bind, with unit and location.
  void getForms(absl::Span<const BindRequest> requests, absl::Span<FormRef> result,
                absl::Span<absl::Status> statuses);
  /// Gives `form`, which was got for a request that differs from this one in which constants there
  /// are at most, its constants. Error: out of memory, with unit and location.
  absl::Status attach(const BindRequest &request, FormRef form, BoundEntry &result) const;
  /// Runs body(0) to body(count - 1) on the threads of the pool.
  void forEach(size_t count, absl::FunctionRef<void(size_t)> body) const;

  /// Forms in use.
  size_t numForms() const;

private:
  /// Numbers that tell forms apart: unit, sizes, strides, which tensors are constants, shape
  /// scalars; and their hash.
  struct KeyRef {
    absl::Span<const int64_t> parts;
    size_t hash = 0;
  };
  struct Key {
    explicit Key(const KeyRef &key) : parts(key.parts.begin(), key.parts.end()), hash(key.hash) {}
    operator KeyRef() const { return {parts, hash}; }
    std::vector<int64_t> parts;
    size_t hash;
  };
  struct HashOf {
    using is_transparent = void;
    size_t operator()(const KeyRef &key) const { return key.hash; }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const KeyRef &a, const KeyRef &b) const { return a.parts == b.parts; }
  };
  /// A form that is not bound yet, and the requests that want it.
  struct Missing {
    KeyRef key;
    std::vector<size_t> users;
    FormRef form;
    absl::Status status;
  };

  std::vector<int64_t> keyParts(absl::Span<const BindRequest> requests,
                                std::vector<size_t> &ends) const;
  UnitBinding bindingOf(const BindRequest &request) const;
  absl::Status failure(const absl::Status &status, const BindRequest &request) const;
  std::vector<Missing> findMissing(absl::Span<const KeyRef> keys, absl::Span<FormRef> result);
  void bind(const BindRequest &request, Missing &missing) const;
  void keep(absl::Span<Missing> made);
  void dropUnused();

  const plan::Module &module;
  DerivedConstants &derived;
  ThreadPool *pool;
  /// By number of the unit.
  std::vector<std::unique_ptr<const UnitFacts>> facts;
  mutable std::mutex mutex;
  absl::flat_hash_map<Key, std::weak_ptr<const FormEntry>, HashOf, Same> forms;
  /// Size of `forms` at which the unused ones are looked for.
  size_t dropAt = 256;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_BINDCACHE_H
