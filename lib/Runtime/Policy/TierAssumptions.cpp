//===- TierAssumptions.cpp - What is assumed until it is measured ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TierAssumptions.h"

#include <iterator>

namespace anneal::runtime {

TierAssumptions::Assumption TierAssumptions::defaultFor(unsigned tier) {
  constexpr Assumption kDefaults[] = {{1, 0}, {1.2, 4}};
  static_assert(std::size(kDefaults) == kNumTiers);
  return kDefaults[tier];
}

void TierAssumptions::addParameters(std::vector<PolicyParameter> &list) {
  for (unsigned t = 1; t < kNumTiers; ++t) {
    auto tier = static_cast<Tier>(t);
    list.push_back({tierParameter("speedup-", tier), defaultFor(t).speedup, 0.001, 1e6,
                    "speed over the interpreter, until it is measured"});
    list.push_back({tierParameter("compile-ms-", tier), defaultFor(t).compileMs, 0, 1e9,
                    "milliseconds of a compile, until they are measured"});
  }
}

TierAssumptions::TierAssumptions(const PolicyParameters &parameters) {
  for (unsigned t = 1; t < kNumTiers; ++t) {
    auto tier = static_cast<Tier>(t);
    assumed[t] = {parameters[tierParameter("speedup-", tier)],
                  parameters[tierParameter("compile-ms-", tier)]};
  }
}

double TierAssumptions::ratioToInterpreter(absl::string_view kind, Tier tier,
                                           const Experience &experience) const {
  double ratio = 1 / assumed[static_cast<size_t>(tier)].speedup;
  return tier == Tier::Interpreter ? 1 : experience.timeRatio(kind, tier, ratio);
}

double TierAssumptions::timeRatio(absl::string_view kind, Tier from, Tier to,
                                  const Experience &experience) const {
  return ratioToInterpreter(kind, to, experience) / ratioToInterpreter(kind, from, experience);
}

double TierAssumptions::compileSeconds(Tier tier, const Experience &experience) const {
  return experience.compileSeconds(tier, assumed[static_cast<size_t>(tier)].compileMs * 1e-3);
}

} // namespace anneal::runtime
