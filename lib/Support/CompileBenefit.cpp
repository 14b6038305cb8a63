//===- CompileBenefit.cpp - What compiling is worth -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/CompileBenefit.h"

#include <cmath>

namespace anneal {

std::optional<double> getBreakEvenCalls(double compileCost, double timeBefore, double timeAfter) {
  if (!(timeAfter < timeBefore))
    return std::nullopt;
  return compileCost / (timeBefore - timeAfter);
}

double getModeBenefit(double hotness, double gain, double compileCost) {
  return hotness * gain - compileCost;
}

double getPromotionThreshold(double first, double growth, size_t tier) {
  return first * std::pow(growth, static_cast<double>(tier));
}

TierChoice chooseTier(std::span<const TierEstimate> tiers, const TierQuestion &question) {
  TierChoice choice;
  choice.verdicts.resize(tiers.size());
  choice.verdicts[0].isReached = true;
  double best = question.minBenefit;
  for (size_t tier = 1; tier < tiers.size(); ++tier) {
    TierVerdict &verdict = choice.verdicts[tier];
    verdict.threshold =
        getPromotionThreshold(question.firstThreshold, question.thresholdGrowth, tier - 1);
    verdict.isReached = choice.verdicts[tier - 1].isReached && question.calls > verdict.threshold;
    double timeOfCall = question.timeOfCall / tiers[tier].speedup;
    verdict.benefit =
        question.expectedCalls * (question.timeOfCall - timeOfCall) - tiers[tier].compileCost;
    if (tiers[tier].isAllowed && verdict.isReached && verdict.benefit > best) {
      best = verdict.benefit;
      choice.tier = tier;
    }
  }
  return choice;
}

double getExpectedCalls(double alpha, double actual, double expected) {
  return alpha * actual + (1 - alpha) * expected;
}

} // namespace anneal
