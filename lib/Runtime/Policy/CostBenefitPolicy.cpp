//===- CostBenefitPolicy.cpp - Compile what saves more than it costs ------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// l* = argmax over l of N * (t_0 - t_l) - C_l (REQUIREMENTS.md T6), with
//
//   N     calls that are expected: those of the unit in a call of the program, as an exponential
//   average,
//         times the calls of the program that are expected. Of these there are at least `horizon`,
//         and as many as there were already: who waits until the past would have paid for the
//         compile, and then compiles, spends at most twice of what the best decision would have
//         cost.
//   t_0   measured time of a call where the unit is.
//   t_l   t_0 divided by the assumed speed-up, corrected by what units of the kind have gained.
//   C_l   assumed compile time, corrected by the measured ones, times `factor`.
//
// A unit that turns out slower at its new tier goes back. It stays there (Policy::decide), so that
// no unit is thrown to and fro.
//
//===----------------------------------------------------------------------===//

#include "Policies.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace anneal::runtime {

namespace {

/// Ticks at a new tier before it is judged: the fastest of fewer is not typical.
constexpr uint32_t kTrialTicks = 3;

/// What is assumed of a tier until it is measured: speed over the interpreter's, milliseconds of a
/// compile.
struct Assumption {
  double speedup;
  double compileMs;
};
constexpr Assumption kAssumptions[] = {{1, 0}, {1.2, 4}};
static_assert(std::size(kAssumptions) == kNumTiers);

std::string tierParameter(absl::string_view prefix, Tier tier) {
  return absl::StrCat(prefix, tierName(tier));
}

class CostBenefitPolicy final : public Policy {
public:
  explicit CostBenefitPolicy(const PolicyParameters &parameters)
      : alpha(parameters["alpha"]), horizon(parameters["horizon"]), factor(parameters["factor"]),
        minTicks(parameters["min-ticks"]), trialCalls(parameters["trial-calls"]),
        margin(parameters["margin"]) {
    for (unsigned t = 0; t < kNumTiers; ++t) {
      assumed[t] = kAssumptions[t];
      if (t > 0)
        assumed[t] = {parameters[tierParameter("speedup-", static_cast<Tier>(t))],
                      parameters[tierParameter("compile-ms-", static_cast<Tier>(t))]};
    }
  }

  double smoothing() const override { return alpha; }

private:
  /// What a tier is expected to bring.
  struct Estimate {
    Tier tier = Tier::Interpreter;
    double gain = 0;
    Terms terms;
  };

  Decision choose(const UnitState &unit, const PolicyContext &context) const override;
  Estimate estimate(const UnitState &unit, Tier to, const PolicyContext &context) const;
  double assumedRatio(const UnitState &unit, Tier tier, const Experience &experience) const;

  const double alpha, horizon, factor, minTicks, trialCalls, margin;
  std::array<Assumption, kNumTiers> assumed;
};

double CostBenefitPolicy::assumedRatio(const UnitState &unit, Tier tier,
                                       const Experience &experience) const {
  double ratio = 1 / assumed[static_cast<size_t>(tier)].speedup;
  return tier == Tier::Interpreter ? 1 : experience.timeRatio(unit.kind, tier, ratio);
}

CostBenefitPolicy::Estimate CostBenefitPolicy::estimate(const UnitState &unit, Tier to,
                                                        const PolicyContext &context) const {
  const Experience &experience = context.experience;
  double programCalls = std::max(horizon, static_cast<double>(context.programCalls));
  double calls = unit.callsPerCall * programCalls;
  double seconds = unit.timesAt(unit.tier).secondsPerCall();
  double ratio = assumedRatio(unit, to, experience) / assumedRatio(unit, unit.tier, experience);
  double compile = experience.compileSeconds(to, assumed[static_cast<size_t>(to)].compileMs * 1e-3);
  double saved = calls * seconds * (1 - ratio);
  return {to,
          saved - factor * compile,
          {{"calls", calls},
           {"call_us", seconds * 1e6},
           {"time_ratio", ratio},
           {"saved_ms", saved * 1e3},
           {"compile_ms", compile * 1e3},
           {"factor", factor}}};
}

Decision CostBenefitPolicy::choose(const UnitState &unit, const PolicyContext &context) const {
  if (unit.calls == 0)
    return Decision::notCalled(unit.tier);
  Decision ifHighest = Decision::noHigherTier(unit.tier);
  if (unit.attemptAt(unit.tier) == Attempt::Installed) {
    const TierTimes &times = unit.timesAt(unit.tier);
    TimeComparison compared = times.comparedWith(unit.timesAt(unit.tierBefore));
    Terms terms = {{"time_ratio", compared.ratio},
                   {"timed_calls", static_cast<double>(compared.timedCalls)}};
    if (static_cast<double>(compared.timedCalls) >= trialCalls && compared.ticks >= kTrialTicks) {
      if (compared.ratio > 1 + margin)
        return Decision::slowerThanBelow(unit.tierBefore, terms);
      ifHighest = Decision::noHigherTier(unit.tier, terms);
    } else if (static_cast<double>(times.timedCalls()) < trialCalls ||
               times.ticks() < kTrialTicks) {
      return Decision::onTrial(unit.tier, terms);
    } else {
      ifHighest = Decision::notComparable(unit.tier, terms);
    }
  }

  Estimate best;
  for (unsigned t = static_cast<unsigned>(unit.tier) + 1; t < kNumTiers; ++t)
    if (auto tier = static_cast<Tier>(t); context.tiers.contains(tier)) {
      Estimate candidate = estimate(unit, tier, context);
      if (best.tier == Tier::Interpreter || candidate.gain > best.gain)
        best = candidate;
    }
  if (best.tier == Tier::Interpreter)
    return ifHighest;
  double ticks = unit.timesAt(unit.tier).ticks();
  if (ticks < minTicks)
    return Decision::tooFewTimes(unit.tier, {{"ticks", ticks}});
  return best.gain > 0 ? Decision::pays(best.tier, best.gain, best.terms)
                       : Decision::doesNotPay(unit.tier, best.terms);
}

} // namespace

PolicyParameters costBenefitParameters() {
  constexpr double kMany = 1e12;
  std::vector<PolicyParameter> list = {
      {"alpha", 0.3, 0.001, 1, "weight of the newest tick in the expected calls"},
      {"horizon", 500, 1, kMany,
       "calls of the program expected to come; as many as there were, if that is more"},
      {"factor", 1, 0, 1e6, "seconds that have to be saved for a second of compiling"},
      {"min-ticks", 2, 1, 1e6, "ticks with times before a unit is compiled"},
      {"trial-calls", 8, 1, 1e6, "timed calls at a new tier before it is judged"},
      {"margin", 0.1, 0, 1e6, "by how much a new tier may be slower; beyond, it is taken back"}};
  for (unsigned t = 1; t < kNumTiers; ++t) {
    auto tier = static_cast<Tier>(t);
    list.push_back({tierParameter("speedup-", tier), kAssumptions[t].speedup, 0.001, 1e6,
                    "speed over the interpreter, until it is measured"});
    list.push_back({tierParameter("compile-ms-", tier), kAssumptions[t].compileMs, 0, 1e9,
                    "milliseconds of a compile, until they are measured"});
  }
  return PolicyParameters(std::move(list));
}

std::unique_ptr<Policy> makeCostBenefitPolicy(const PolicyParameters &parameters) {
  return std::make_unique<CostBenefitPolicy>(parameters);
}

} // namespace anneal::runtime
