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
//         average, times the calls of the program that are expected. Of these there are at least
//         `horizon`, and as many as there were already: who waits until the past would have paid
//         for the compile, and then compiles, spends at most twice of what the best decision would
//         have cost. The exponential average of a unit that is called now and then is mostly
//         chance: of a thousand such units some are always called more often than usual. So it
//         counts up to `surge` times the average over all calls.
//   t_0   measured time of a call where the unit is.
//   t_l   t_0 divided by the assumed speed-up, corrected by what units of the kind have gained.
//   C_l   assumed compile time, corrected by the measured ones, times `factor`.
//
//===----------------------------------------------------------------------===//

#include "Policies.h"
#include "TierAssumptions.h"
#include "Trial.h"

#include <algorithm>

namespace anneal::runtime {

namespace {

class CostBenefitPolicy final : public Policy {
public:
  explicit CostBenefitPolicy(const PolicyParameters &parameters)
      : alpha(parameters["alpha"]), horizon(parameters["horizon"]), surge(parameters["surge"]),
        factor(parameters["factor"]), minTicks(parameters["min-ticks"]), trial(parameters),
        assumptions(parameters) {}

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

  const double alpha, horizon, surge, factor, minTicks;
  const Trial trial;
  const TierAssumptions assumptions;
};

CostBenefitPolicy::Estimate CostBenefitPolicy::estimate(const UnitState &unit, Tier to,
                                                        const PolicyContext &context) const {
  auto callsSoFar = static_cast<double>(context.programCalls);
  double average = callsSoFar > 0 ? static_cast<double>(unit.calls) / callsSoFar : 0;
  double callsPerCall = std::min(unit.callsPerCall, surge * average);
  double calls = callsPerCall * std::max(horizon, callsSoFar);
  double seconds = unit.timesAt(unit.tier).secondsPerCall();
  double ratio = assumptions.timeRatio(unit.kind, unit.tier, to, context.experience);
  double compile = assumptions.compileSeconds(to, context.experience);
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
  Decision judged = trial.judge(unit);
  if (Trial::isSettled(judged))
    return judged;

  Estimate best;
  for (unsigned t = static_cast<unsigned>(unit.tier) + 1; t < kNumTiers; ++t)
    if (auto tier = static_cast<Tier>(t); context.tiers.contains(tier)) {
      Estimate candidate = estimate(unit, tier, context);
      if (best.tier == Tier::Interpreter || candidate.gain > best.gain)
        best = candidate;
    }
  if (best.tier == Tier::Interpreter)
    return judged;
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
      {"surge", 1.5, 1, kMany,
       "by how much the calls of late count for more than the average of all so far, at most"},
      {"factor", 1, 0, 1e6, "seconds that have to be saved for a second of compiling"},
      {"min-ticks", 2, 1, 1e6, "ticks with times before a unit is compiled"}};
  Trial::addParameters(list);
  TierAssumptions::addParameters(list);
  return PolicyParameters(std::move(list));
}

std::unique_ptr<Policy> makeCostBenefitPolicy(const PolicyParameters &parameters) {
  return std::make_unique<CostBenefitPolicy>(parameters);
}

} // namespace anneal::runtime
