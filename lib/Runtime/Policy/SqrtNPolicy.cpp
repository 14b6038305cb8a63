//===- SqrtNPolicy.cpp - The square root of all calls ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md H6, exercise 12.2: a unit is compiled when it was called more often than the
// square root of N, the calls of all units. The exercise knows one kind of compile; here a unit
// moves up by one tier at a time, and counts anew at each.
//
//===----------------------------------------------------------------------===//

#include "Policies.h"

#include "anneal/Support/Saturating.h"

#include <cmath>

namespace anneal::runtime {

namespace {

class SqrtNPolicy final : public Policy {
public:
  void beginTick(const PolicyContext &context) override {
    allCalls = 0;
    for (const UnitState &unit : context.units)
      allCalls = addSaturating(allCalls, unit.calls);
  }

private:
  Decision choose(const UnitState &unit, const PolicyContext &context) const override {
    if (unit.calls == 0)
      return Decision::notCalled(unit.tier);
    std::optional<Tier> next = context.tiers.lowestAbove(unit.tier);
    if (!next)
      return Decision::noHigherTier(unit.tier);
    uint64_t calls = unit.callsAtTier();
    Terms terms = {{"calls", static_cast<double>(calls)},
                   {"threshold", std::sqrt(static_cast<double>(allCalls))},
                   {"all_calls", static_cast<double>(allCalls)}};
    // calls^2 > N, without a product that overflows or a root that is rounded.
    if (calls == 0 || calls <= allCalls / calls)
      return Decision::tooFewCalls(unit.tier, std::move(terms));
    return Decision::calledOften(*next, unit.secondsPerProgramCall(), std::move(terms));
  }

  uint64_t allCalls = 0;
};

} // namespace

std::unique_ptr<Policy> makeSqrtNPolicy() { return std::make_unique<SqrtNPolicy>(); }

} // namespace anneal::runtime
