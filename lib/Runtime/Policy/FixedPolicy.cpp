//===- FixedPolicy.cpp - Every unit at one tier ---------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Policies.h"

namespace anneal::runtime {

namespace {

class FixedPolicy final : public Policy {
public:
  explicit FixedPolicy(Tier tier) : tier(tier) {}

private:
  Decision choose(const UnitState &unit, const PolicyContext &context) const override {
    if (unit.calls == 0)
      return Decision::notCalled(unit.tier);
    Tier to = context.tiers.highestUpTo(tier);
    if (to > unit.tier)
      // The one that takes most of a call goes first.
      return Decision::toFixedTier(to, unit.secondsPerProgramCall());
    return to == tier ? Decision::atFixedTier(unit.tier) : Decision::noHigherTier(unit.tier);
  }

  const Tier tier;
};

} // namespace

std::unique_ptr<Policy> makeFixedPolicy(Tier tier) { return std::make_unique<FixedPolicy>(tier); }

} // namespace anneal::runtime
