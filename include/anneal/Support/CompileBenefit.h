//===- CompileBenefit.h - What compiling is worth ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md M1, M3, T4, T6 as arithmetic. All times are in one unit, whichever the caller
// likes.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_COMPILEBENEFIT_H
#define ANNEAL_SUPPORT_COMPILEBENEFIT_H

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace anneal {

/// M1: calls beyond which compiling is paid back, cost / (before - after). Nothing where it never
/// is: code that isn't faster.
std::optional<double> getBreakEvenCalls(double compileCost, double timeBefore, double timeAfter);

/// M3: B = hotness * gain - cost.
double getModeBenefit(double hotness, double gain, double compileCost);

/// T4: theta_i = theta_0 * gamma^i, the calls that a unit must have more of to leave tier i.
double getPromotionThreshold(double first, double growth, size_t tier);

/// What is known of a tier: how much faster its code is than tier 0's, and what compiling costs.
struct TierEstimate {
  double speedup = 1;
  double compileCost = 0;
  /// Whether it may be chosen.
  bool isAllowed = true;
};

/// What decides on the tier of one unit.
struct TierQuestion {
  /// Calls that were counted, and those that are expected to come.
  double calls = 0;
  double expectedCalls = 0;
  /// Time of a call at tier 0.
  double timeOfCall = 0;
  /// T4: theta_0, gamma, B_min.
  double firstThreshold = 10;
  double thresholdGrowth = 10;
  double minBenefit = 0;
};

/// A tier, and the terms that it was judged by.
struct TierVerdict {
  /// Calls that are needed to get here; 0 for tier 0.
  double threshold = 0;
  /// N_expected * (t_0 - t_l) - C_l.
  double benefit = 0;
  /// Called often enough, for this tier and for all below.
  bool isReached = false;
};

struct TierChoice {
  size_t tier = 0;
  /// One for each tier.
  std::vector<TierVerdict> verdicts;
};

/// T4 and T6: of the allowed tiers that the calls reach, the one with the largest benefit, if that
/// is above `minBenefit`; else tier 0. Of equal ones the lowest. `tiers[0]` costs nothing and gains
/// nothing. REQUIRES: at least one tier; speed-ups above 0.
TierChoice chooseTier(std::span<const TierEstimate> tiers, const TierQuestion &question);

/// T6: N_expected(t+1) = alpha * N_actual(t) + (1 - alpha) * N_expected(t).
double getExpectedCalls(double alpha, double actual, double expected);

} // namespace anneal

#endif // ANNEAL_SUPPORT_COMPILEBENEFIT_H
