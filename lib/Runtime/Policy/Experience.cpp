//===- Experience.cpp - What compiling was worth so far -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Policy/Experience.h"

#include <cmath>

namespace anneal::runtime {

/// Timed calls of equal work that make a unit a measurement.
static constexpr uint64_t kEnoughCalls = 4;

void Experience::addCompile(Tier tier, double seconds) {
  if (!std::isfinite(seconds) || seconds < 0)
    return;
  Mean &mean = compiles[static_cast<size_t>(tier)];
  mean.sum += seconds;
  mean.count += 1;
}

void Experience::measureGains(absl::Span<const UnitState> units) {
  for (auto &byKind : ratios)
    byKind.clear();
  for (const UnitState &unit : units)
    for (size_t t = 1; t < kNumTiers; ++t) {
      TimeComparison compared = unit.times[t].comparedWith(unit.timesAt(Tier::Interpreter));
      if (compared.timedCalls < kEnoughCalls)
        continue;
      Mean &mean = ratios[t][unit.kind];
      mean.sum += compared.ratio;
      mean.count += 1;
    }
}

double Experience::compileSeconds(Tier tier, double assumed) const {
  return compiles[static_cast<size_t>(tier)].with(assumed);
}

double Experience::meanCompileSeconds(Tier tier) const {
  const Mean &mean = compiles[static_cast<size_t>(tier)];
  return mean.count > 0 ? mean.sum / mean.count : 0;
}

double Experience::timeRatio(absl::string_view kind, Tier tier, double assumed) const {
  const auto &byKind = ratios[static_cast<size_t>(tier)];
  auto found = byKind.find(kind);
  return found == byKind.end() ? assumed : found->second.with(assumed);
}

} // namespace anneal::runtime
