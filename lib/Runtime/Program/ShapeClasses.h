//===- ShapeClasses.h - Which sizes units are called with -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_SHAPECLASSES_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_SHAPECLASSES_H

#include "anneal/Runtime/Program.h"

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace anneal::runtime {

class Context;

/// What one place in a function calls, counted by one context: its thread writes, any reads.
struct InvokeCounters {
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> timedCalls{0};
  std::atomic<uint64_t> nanoseconds{0};
};

/// Counts calls of units by the sizes of their operands. Contexts count for themselves, without
/// lock; what one has counted is added up here when it goes. Thread-safe.
class ShapeClasses {
public:
  void add(const Context *context);
  void remove(const Context *context);
  /// Of all contexts, also those that are gone; in order of units, then of calls.
  std::vector<ShapeClassStats> classes() const;

private:
  /// More classes of one unit are not told apart: the calls of those that come later are left out.
  static constexpr size_t kMaxClassesOfUnit = 256;

  /// Unit, then sizes and strides of each operand.
  using Key = std::pair<uint32_t, std::vector<int64_t>>;
  using Table = absl::flat_hash_map<Key, ShapeClassStats>;

  static void collect(const Context &context, Table &table,
                      absl::flat_hash_map<uint32_t, size_t> &numOfUnit);

  mutable std::mutex mutex;
  absl::flat_hash_set<const Context *> live;
  Table gone;
  absl::flat_hash_map<uint32_t, size_t> numGone;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_SHAPECLASSES_H
