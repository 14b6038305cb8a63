//===- Trial.cpp - Whether new code is as fast as what it replaced --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Trial.h"

namespace anneal::runtime {

/// Ticks at a new tier before it is judged: the fastest of fewer is not typical.
static constexpr uint32_t kTrialTicks = 3;

void Trial::addParameters(std::vector<PolicyParameter> &list) {
  list.push_back({"trial-calls", 8, 1, 1e6, "timed calls at a new tier before it is judged"});
  list.push_back(
      {"margin", 0.1, 0, 1e6, "by how much a new tier may be slower; beyond, it is taken back"});
}

Decision Trial::judge(const UnitState &unit) const {
  if (unit.attemptAt(unit.tier) != Attempt::Installed)
    return Decision::noHigherTier(unit.tier);
  const TierTimes &times = unit.timesAt(unit.tier);
  TimeComparison compared = times.comparedWith(unit.timesAt(unit.tierBefore));
  Terms terms = {{"time_ratio", compared.ratio},
                 {"timed_calls", static_cast<double>(compared.timedCalls)}};
  if (static_cast<double>(compared.timedCalls) >= calls && compared.ticks >= kTrialTicks)
    return compared.ratio > 1 + margin
               ? Decision::slowerThanBelow(unit.tierBefore, std::move(terms))
               : Decision::noHigherTier(unit.tier, std::move(terms));
  if (static_cast<double>(times.timedCalls()) < calls || times.ticks() < kTrialTicks)
    return Decision::onTrial(unit.tier, std::move(terms));
  return Decision::notComparable(unit.tier, std::move(terms));
}

} // namespace anneal::runtime
