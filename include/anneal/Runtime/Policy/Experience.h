//===- Experience.h - What compiling was worth so far -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_POLICY_EXPERIENCE_H
#define ANNEAL_RUNTIME_POLICY_EXPERIENCE_H

#include "anneal/Runtime/Policy/UnitState.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <array>
#include <string>

namespace anneal::runtime {

/// What a program's compiles have taken and gained, by which a policy's assumptions are corrected:
/// an assumption counts as much as one measurement. A value; not thread-safe.
class Experience {
public:
  /// A compile took that long. What is no time (not a number, less than 0) counts for nothing.
  void addCompile(Tier tier, double seconds);
  /// Looks at all units anew: those that were compiled and timed at two tiers tell what a tier
  /// gains on units of their kind.
  void measureGains(absl::Span<const UnitState> units);

  /// Seconds that a compile takes.
  double compileSeconds(Tier tier, double assumed) const;
  /// Seconds that a compile has taken on average; 0 before the first.
  double meanCompileSeconds(Tier tier) const;
  /// Compiles that it knows of.
  uint64_t numCompiles(Tier tier) const {
    return static_cast<uint64_t>(compiles[static_cast<size_t>(tier)].count);
  }
  /// Time at `tier` over time in the interpreter.
  double timeRatio(absl::string_view kind, Tier tier, double assumed) const;

private:
  struct Mean {
    double sum = 0;
    double count = 0;
    double with(double assumed) const { return (sum + assumed) / (count + 1); }
  };

  std::array<Mean, kNumTiers> compiles;
  std::array<absl::flat_hash_map<std::string, Mean>, kNumTiers> ratios;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_POLICY_EXPERIENCE_H
