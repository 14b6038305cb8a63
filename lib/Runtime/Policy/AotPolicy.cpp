//===- AotPolicy.cpp - Everything before the first call -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Policies.h"

namespace anneal::runtime {

namespace {

class AotPolicy final : public Policy {
public:
  bool compilesAhead() const override { return true; }

private:
  Decision choose(const UnitState &unit, const PolicyContext &context) const override {
    Tier highest = context.tiers.highest();
    return highest > unit.tier ? Decision::aheadOfTime(highest, unit.secondsPerProgramCall())
                               : Decision::noHigherTier(unit.tier);
  }
};

} // namespace

std::unique_ptr<Policy> makeAotPolicy() { return std::make_unique<AotPolicy>(); }

} // namespace anneal::runtime
