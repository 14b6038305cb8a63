//===- AssignTiers.cpp - How far each unit is to be compiled --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/Passes.h"
#include "anneal/Analysis/UnitEstimate.h"
#include "anneal/Support/CompileBenefit.h"

#include "mlir/IR/Remarks.h"

#define DEBUG_TYPE "jit-assign-tiers"

namespace anneal {
#define GEN_PASS_DEF_ASSIGNTIERS
#include "anneal/Analysis/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

constexpr unsigned kNumTiers = jit::getMaxEnumValForTier() + 1;

StringRef nameOf(size_t tier) { return jit::stringifyTier(static_cast<jit::Tier>(tier)); }

class AssignTiers : public impl::AssignTiersBase<AssignTiers> {
public:
  using AssignTiersBase::AssignTiersBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<HeatQuantity> field = parseCallQuantity(module, DEBUG_TYPE, quantity);
    std::vector<TierEstimate> tiers;
    if (failed(field) || failed(checkOptions()) || failed(readTiers(tiers)))
      return signalPassFailure();
    OpCostAnalysis costs(module);
    RooflineModel model{peakGflops, bandwidthGbs,
                        defaultDim >= 0 ? std::optional<int64_t>(defaultDim) : std::nullopt};
    double sum = 0;
    for (auto unit : module.getOps<jit::UnitOp>())
      sum += getUnitCalls(unit, *field).value_or(0);
    std::vector<std::pair<jit::UnitOp, size_t>> decided;
    for (auto unit : module.getOps<jit::UnitOp>())
      if (std::optional<size_t> tier =
              decide(unit, getUnitCalls(unit, *field), sum, getUnitTime(unit, costs, model), tiers))
        decided.emplace_back(unit, *tier);
    for (auto [unit, tier] : decided)
      unit.setTierAttr(jit::TierAttr::get(&getContext(), static_cast<jit::Tier>(tier)));
  }

private:
  LogicalResult checkOptions() {
    constexpr double kLeast = 1e-9;
    return checkNumbers(getOperation(), DEBUG_TYPE,
                        {{"theta-hot", thetaHot, 0, 1},
                         {"theta-0", theta0},
                         {"gamma", gamma, kLeast},
                         {"min-benefit-us", minBenefitUs},
                         {"alpha", alpha, 0, 1},
                         {"expected-calls", expectedCalls, -1},
                         {"speedup-baseline", speedupBaseline, kLeast},
                         {"speedup-optimized", speedupOptimized, kLeast},
                         {"speedup-peak", speedupPeak, kLeast},
                         {"compile-ms-baseline", compileMsBaseline},
                         {"compile-ms-optimized", compileMsOptimized},
                         {"compile-ms-peak", compileMsPeak},
                         {"peak-gflops", peakGflops, kLeast},
                         {"bandwidth-gbs", bandwidthGbs, kLeast}});
  }

  /// What the options say of each tier, in microseconds.
  LogicalResult readTiers(std::vector<TierEstimate> &estimates) {
    bool isAllowed = tiers.empty();
    estimates = {{},
                 {speedupBaseline, compileMsBaseline * 1e3, isAllowed},
                 {speedupOptimized, compileMsOptimized * 1e3, isAllowed},
                 {speedupPeak, compileMsPeak * 1e3, isAllowed}};
    static_assert(kNumTiers == 4, "each tier needs its options");
    for (StringRef name : tiers) {
      std::optional<jit::Tier> tier = jit::symbolizeTier(name);
      if (!tier)
        return emitError(getOperation().getLoc())
               << DEBUG_TYPE << ": tiers names '" << name
               << "', but must be of interpreter, baseline, optimized, peak";
      estimates[static_cast<size_t>(*tier)].isAllowed = true;
    }
    return success();
  }

  /// The tier of a unit; nothing where it stays without one. Says why.
  std::optional<size_t> decide(jit::UnitOp unit, std::optional<double> calls, double sumOfCalls,
                               std::optional<CallTime> time, ArrayRef<TierEstimate> estimates) {
    if (unit.getTierAttr() && !overwrite) {
      sayNo(unit, "keeps tier " + nameOf(static_cast<size_t>(unit.getTierAttr().getValue())) +
                      ", which it was given");
      return std::nullopt;
    }
    if (!calls) {
      sayNo(unit, "no tier: how often it is called is not known");
      return std::nullopt;
    }
    TierQuestion question;
    question.calls = *calls;
    question.expectedCalls =
        getExpectedCalls(alpha, *calls, expectedCalls < 0 ? *calls : double(expectedCalls));
    question.firstThreshold = theta0;
    question.thresholdGrowth = gamma;
    question.minBenefit = minBenefitUs;
    question.timeOfCall = time ? time->us : 0;
    TierChoice choice = chooseTier(estimates, question);
    double share = sumOfCalls > 0 ? *calls / sumOfCalls : 0;
    if (share <= thetaHot && thetaHot > 0) {
      sayNo(unit, "tier interpreter: its share of all calls, " + formatNumber(share) +
                      ", is not more than theta-hot = " + formatNumber(thetaHot));
      return 0;
    }
    if (!choice.verdicts[1].isReached) {
      sayNo(unit, "tier interpreter: " + formatNumber(*calls) +
                      " calls are not more than theta_0 = " + formatNumber(theta0));
      return 0;
    }
    if (!time) {
      sayNo(unit, "no tier: what a call takes is not known; measure it, or give default-dim");
      return std::nullopt;
    }
    std::string terms = describe(choice, estimates, question, *time);
    if (choice.tier == 0)
      sayNo(unit, "tier interpreter: no tier saves more than min-benefit-us = " +
                      formatNumber(minBenefitUs) + "; " + terms);
    else
      remark::passed(unit.getLoc(), remark::RemarkOpts::name("Tier").category(DEBUG_TYPE))
          << remark::reason("@{0}: tier {1}; {2}", unit.getSymName(), nameOf(choice.tier), terms);
    return choice.tier;
  }

  /// The numbers by which the tiers were judged, and what became of each.
  static std::string describe(const TierChoice &choice, ArrayRef<TierEstimate> estimates,
                              const TierQuestion &question, const CallTime &time) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "N = " << formatNumber(question.calls)
       << ", N_expected = " << formatNumber(question.expectedCalls)
       << ", t_0 = " << formatNumber(time.us) << (time.isMeasured ? " us" : " us (modelled)");
    for (size_t tier = 1; tier < estimates.size(); ++tier) {
      const TierVerdict &verdict = choice.verdicts[tier];
      os << "; " << nameOf(tier) << ": ";
      if (!estimates[tier].isAllowed) {
        os << "not allowed";
        continue;
      }
      os << "theta = " << formatNumber(verdict.threshold)
         << ", benefit = " << formatNumber(verdict.benefit) << " us, ";
      if (std::optional<double> calls = getBreakEvenCalls(estimates[tier].compileCost, time.us,
                                                          time.us / estimates[tier].speedup))
        os << "paid back after " << formatNumber(*calls) << " calls";
      else
        os << "never paid back";
      os << ", " << getFate(choice, tier, question.minBenefit);
    }
    return text;
  }

  static StringRef getFate(const TierChoice &choice, size_t tier, double minBenefit) {
    const TierVerdict &verdict = choice.verdicts[tier];
    if (tier == choice.tier)
      return "chosen";
    if (!verdict.isReached)
      return "too few calls";
    if (verdict.benefit <= minBenefit)
      return tier < choice.tier ? "skipped: does not pay" : "does not pay";
    return tier < choice.tier ? "skipped: a higher one saves more" : "saves no more";
  }

  static void sayNo(jit::UnitOp unit, const Twine &text) {
    remark::missed(unit.getLoc(), remark::RemarkOpts::name("Tier").category(DEBUG_TYPE))
        << remark::reason("@{0}: {1}", unit.getSymName(), text.str());
  }
};

} // namespace
} // namespace anneal
