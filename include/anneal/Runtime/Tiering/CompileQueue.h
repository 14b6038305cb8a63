//===- CompileQueue.h - What waits to be compiled ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_TIERING_COMPILEQUEUE_H
#define ANNEAL_RUNTIME_TIERING_COMPILEQUEUE_H

#include "anneal/Runtime/Policy/Decision.h"
#include "anneal/Support/Tier.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace anneal::runtime {

/// A unit that is to be compiled.
struct CompileJob {
  /// Index in the module.
  uint32_t unit = 0;
  Tier tier = Tier::Interpreter;
  /// Seconds expected to be gained.
  double gain = 0;
  Reason reason = Reason::Pays;
};

/// Jobs that wait, at most one for each unit. Not thread-safe.
class CompileQueue {
public:
  /// `capacity`: most jobs, at least 1.
  explicit CompileQueue(size_t capacity) : capacity(capacity) {}

  /// Adds a job, or puts it in the place of the unit's job. If there are then too many, the one
  /// with the least gain goes, and its unit is returned.
  std::optional<uint32_t> put(const CompileJob &job);
  /// Whether the unit had a job.
  bool remove(uint32_t unit);
  /// Takes out the job with the largest gain; of equal ones that of the first unit.
  std::optional<CompileJob> take();
  /// Removes all; how many there were.
  size_t clear();

  bool contains(uint32_t unit) const;
  size_t size() const { return jobs.size(); }

private:
  const size_t capacity;
  std::vector<CompileJob> jobs;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_TIERING_COMPILEQUEUE_H
