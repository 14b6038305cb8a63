//===- ChapterPolicy.cpp - Heat and tiers as the chapter has them ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit is promoted when it passes all of these, by the IDs of REQUIREMENTS.md:
//
//   H1  its share of the calls of all units is above theta, or
//   H5  its score is above theta-score: by calls alone, what is called rarely and takes long would
//       never be hot;
//   T4  it was called more than theta_i = theta-0 * gamma^i times, with i the tier below;
//   T6  of the tiers that T4 leaves, l* = argmax over l of N_expected * (t_0 - t_l) - C_l is above
//       B_min, with t_0 the time of a call at the tier where it is, whose compile is paid.
//
// H4  theta moves once a tick by eta * (R - r-target), within theta-min and theta-max. R is what
// was
//     saved by the code that runs over what compiling it took: calls * (t_before - t_after) /
//     t_compile, summed over all units. It grows with each call. With eta below 0 that is stable:
//     while compiles haven't paid back the bar rises, and falls when they have. With eta above 0
//     what pays raises the bar until nothing is compiled, and what doesn't pay lowers it.
//
// N_expected is as in CostBenefitPolicy.cpp. Code that turns out slower is taken back (Trial.h).
//
//===----------------------------------------------------------------------===//

#include "Policies.h"
#include "TierAssumptions.h"
#include "Trial.h"

#include "anneal/Runtime/Policy/PayBack.h"
#include "anneal/Support/CompileBenefit.h"
#include "anneal/Support/HotnessScore.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace anneal::runtime {

namespace {

WorkDone workOf(const UnitState &unit) {
  WorkDone work;
  work.count = static_cast<double>(unit.calls);
  if (unit.timed.calls == 0)
    return work;
  // Of what was timed on all calls.
  double scale = work.count / static_cast<double>(unit.timed.calls);
  work.timeUs = unit.timed.seconds * 1e6 * scale;
  work.bytes = unit.timed.bytes * scale;
  work.flops = unit.timed.flops * scale;
  return work;
}

class ChapterPolicy final : public Policy {
public:
  explicit ChapterPolicy(const PolicyParameters &given)
      : alpha(given["alpha"]), horizon(given["horizon"]), minTicks(given["min-ticks"]),
        thetaMin(given["theta-min"]), thetaMax(given["theta-max"]), eta(given["eta"]),
        rTarget(given["r-target"]), theta0(given["theta-0"]), gamma(given["gamma"]),
        minBenefitMs(given["min-benefit-ms"]), thetaScore(given["theta-score"]),
        // 10^9 bytes a second are 10^3 a microsecond.
        bytesPerUs(given["bandwidth-gbs"] * 1e3),
        byteRatio(given["roofline-floor"] > 0 ? ByteRatio::RooflineFloor : ByteRatio::Achieved),
        weights{given["weight-count"], given["weight-time"], given["weight-bytes"],
                given["weight-density"]},
        trial(given), assumptions(given), theta(given["theta-hot"]) {}

  double smoothing() const override { return alpha; }
  void beginTick(const PolicyContext &context) override;

private:
  /// How hot a unit is.
  struct Heat {
    double share = 0;
    double score = 0;
  };
  /// The tier that brings most, if one does.
  struct Best {
    Tier tier = Tier::Interpreter;
    double benefit = 0;
    Terms terms;
  };

  Decision choose(const UnitState &unit, const PolicyContext &context) const override;
  Heat heatOf(const UnitState &unit) const;
  Best chooseLevel(const UnitState &unit, const PolicyContext &context) const;
  void moveThreshold(const PolicyContext &context);

  const double alpha, horizon, minTicks;
  const double thetaMin, thetaMax, eta, rTarget;
  const double theta0, gamma, minBenefitMs;
  const double thetaScore, bytesPerUs;
  const ByteRatio byteRatio;
  const ScoreTerms weights;
  const Trial trial;
  const TierAssumptions assumptions;

  /// Of the last tick: H1's sum, what H5's terms are relative to, H4's threshold.
  double allCalls = 0;
  ScoreScale scale;
  double theta;
};

void ChapterPolicy::beginTick(const PolicyContext &context) {
  std::vector<WorkDone> work;
  allCalls = 0;
  for (const UnitState &unit : context.units) {
    work.push_back(workOf(unit));
    allCalls += work.back().count;
  }
  scale = getScoreScale(work);
  moveThreshold(context);
}

void ChapterPolicy::moveThreshold(const PolicyContext &context) {
  double saved = 0, cost = 0;
  for (const UnitState &unit : context.units) {
    if (unit.tier == Tier::Interpreter)
      continue;
    PayBack paid = payBackOf(unit, assumptions.compileSeconds(unit.tier, context.experience));
    if (!paid.isMeasured())
      continue;
    saved += static_cast<double>(paid.calls) * paid.savedPerCall();
    cost += paid.compileSeconds;
  }
  double moved = theta + eta * (saved / cost - rTarget);
  // Nothing was compiled yet, or at no cost.
  if (!(cost > 0) || std::isnan(moved))
    return;
  theta = std::clamp(moved, thetaMin, thetaMax);
}

ChapterPolicy::Heat ChapterPolicy::heatOf(const UnitState &unit) const {
  ScoreTerms terms = getScoreTerms(workOf(unit), scale, bytesPerUs, byteRatio);
  return {allCalls > 0 ? static_cast<double>(unit.calls) / allCalls : 0, getScore(terms, weights)};
}

ChapterPolicy::Best ChapterPolicy::chooseLevel(const UnitState &unit,
                                               const PolicyContext &context) const {
  std::array<TierEstimate, kNumTiers> tiers;
  for (unsigned t = 0; t < kNumTiers; ++t) {
    auto tier = static_cast<Tier>(t);
    tiers[t] = {1 / assumptions.timeRatio(unit.kind, unit.tier, tier, context.experience),
                assumptions.compileSeconds(tier, context.experience),
                tier > unit.tier && context.tiers.contains(tier)};
  }
  TierQuestion question;
  question.calls = static_cast<double>(unit.calls);
  question.expectedCalls =
      unit.callsPerCall * std::max(horizon, static_cast<double>(context.programCalls));
  question.timeOfCall = unit.timesAt(unit.tier).secondsPerCall();
  question.firstThreshold = theta0;
  question.thresholdGrowth = gamma;
  // Also the best of those that don't pay is wanted, for its numbers.
  question.minBenefit = -std::numeric_limits<double>::infinity();
  TierChoice choice = chooseTier(tiers, question);
  if (choice.tier == 0)
    return {};
  const TierEstimate &best = tiers[choice.tier];
  double benefit = choice.verdicts[choice.tier].benefit;
  return {static_cast<Tier>(choice.tier),
          benefit,
          {{"expected_calls", question.expectedCalls},
           {"call_us", question.timeOfCall * 1e6},
           {"time_ratio", 1 / best.speedup},
           {"compile_ms", best.compileCost * 1e3},
           {"benefit_ms", benefit * 1e3},
           {"min_benefit_ms", minBenefitMs}}};
}

Decision ChapterPolicy::choose(const UnitState &unit, const PolicyContext &context) const {
  if (unit.calls == 0)
    return Decision::notCalled(unit.tier);
  Decision judged = trial.judge(unit);
  if (Trial::isSettled(judged))
    return judged;
  std::optional<Tier> next = context.tiers.lowestAbove(unit.tier);
  if (!next)
    return judged;

  Heat heat = heatOf(unit);
  Terms terms = {
      {"share", heat.share}, {"theta", theta}, {"score", heat.score}, {"theta_score", thetaScore}};
  if (heat.share <= theta && heat.score <= thetaScore)
    return Decision::notHot(unit.tier, std::move(terms));

  double threshold = getPromotionThreshold(theta0, gamma, static_cast<size_t>(*next) - 1);
  terms.push_back({"calls", static_cast<double>(unit.calls)});
  terms.push_back({"threshold", threshold});
  if (!(static_cast<double>(unit.calls) > threshold))
    return Decision::tooFewCalls(unit.tier, std::move(terms));
  double ticks = unit.timesAt(unit.tier).ticks();
  if (ticks < minTicks)
    return Decision::tooFewTimes(unit.tier, {{"ticks", ticks}});

  Best best = chooseLevel(unit, context);
  terms.insert(terms.end(), best.terms.begin(), best.terms.end());
  return best.benefit > minBenefitMs * 1e-3
             ? Decision::pays(best.tier, best.benefit, std::move(terms))
             : Decision::doesNotPay(unit.tier, std::move(terms));
}

} // namespace

PolicyParameters chapterParameters() {
  constexpr double kMany = 1e12;
  std::vector<PolicyParameter> list = {
      {"theta-hot", 0.001, 0, 1, "H1: share of all calls that makes a unit hot; H4 moves it"},
      {"theta-min", 0.0001, 0, 1, "H4: its least value"},
      {"theta-max", 0.1, 0, 1, "H4: its largest value"},
      {"eta", -0.0001, -1, 1, "H4: step of a tick; unstable above 0, and 0 stands still"},
      {"r-target", 1, 0, kMany, "H4: seconds to be saved so far by a second of compiling"},
      {"theta-score", 0.5, 0, 1e6, "H5: score that makes a unit hot, whatever its share"},
      {"weight-count", 0.25, 0, 1e6, "H5: w1, of calls over the most of a unit"},
      {"weight-time", 0.25, 0, 1e6, "H5: w2, of its time over that of all"},
      {"weight-bytes", 0.25, 0, 1e6, "H5: w3, of bytes a second over the machine's"},
      {"weight-density", 0.25, 0, 1e6, "H5: w4, of FLOPs a byte over the most of a unit"},
      {"bandwidth-gbs", 20, 1e-6, 1e9, "H5: the machine's 10^9 bytes a second"},
      {"roofline-floor", 0, 0, 1, "H5: above 0: w3 is of bytes over the most of a unit"},
      {"theta-0", 10, 0, kMany, "T4: calls that a unit must have more of to leave tier 0"},
      {"gamma", 10, 1, 1e6, "T4: by how much that grows from tier to tier"},
      {"min-benefit-ms", 0, -kMany, kMany, "T4: B_min, what has to be saved beyond the compile"},
      {"alpha", 0.3, 0.001, 1, "T6: weight of the newest tick in the expected calls"},
      {"horizon", 500, 1, kMany,
       "T6: calls of the program expected to come; as many as there were, if that is more"},
      {"min-ticks", 2, 1, 1e6, "ticks with times before a unit is compiled"}};
  Trial::addParameters(list);
  TierAssumptions::addParameters(list);
  return PolicyParameters(std::move(list));
}

absl::StatusOr<std::unique_ptr<Policy>> makeChapterPolicy(const PolicyParameters &parameters) {
  double least = parameters["theta-min"], most = parameters["theta-max"];
  if (double start = parameters["theta-hot"]; start < least || start > most)
    return absl::InvalidArgumentError(absl::StrCat("policy 'chapter': theta-hot is ", start,
                                                   ", not from theta-min = ", least,
                                                   " to theta-max = ", most));
  return std::make_unique<ChapterPolicy>(parameters);
}

} // namespace anneal::runtime
