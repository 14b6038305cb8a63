//===- HotnessScore.h - How hot a unit is, by all that is known -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md H5: w1*count + w2*T_ratio + w3*B_ratio + w4*C_density.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_HOTNESSSCORE_H
#define ANNEAL_SUPPORT_HOTNESSSCORE_H

#include <span>
#include <vector>

namespace anneal {

/// What a unit did in all of its calls; 0 for what isn't known. Nothing is negative.
struct WorkDone {
  double count = 0;
  double timeUs = 0;
  double bytes = 0;
  double flops = 0;
};

/// The terms of a score, each from 0 to 1; or their weights.
struct ScoreTerms {
  double count = 0;
  double time = 0;
  double bytes = 0;
  double density = 0;
};

/// What B_ratio is.
enum class ByteRatio {
  /// bytes / (peak * time): the share of the bandwidth that was achieved.
  Achieved,
  /// bytes / peak, the least time that moving them takes, over the largest of all units.
  RooflineFloor
};

/// What the terms of a unit are relative to: over all units, the sum of the times, and the largest
/// of all else.
struct ScoreScale {
  double largestCount = 0;
  double sumOfTimeUs = 0;
  double largestBytes = 0;
  double largestDensity = 0;
};

ScoreScale getScoreScale(std::span<const WorkDone> units);

/// The terms of a unit: its count over the largest; its time over the sum; B_ratio; its FLOPs a
/// byte over the largest. 0 where the divisor is 0. REQUIRES: bytesPerUs > 0; `unit` is one of
/// those of `scale`.
ScoreTerms getScoreTerms(const WorkDone &unit, const ScoreScale &scale, double bytesPerUs,
                         ByteRatio ratio);

/// The terms of each unit. REQUIRES: bytesPerUs > 0.
std::vector<ScoreTerms> getScoreTerms(std::span<const WorkDone> units, double bytesPerUs,
                                      ByteRatio ratio);

/// The sum of the terms, weighted.
double getScore(const ScoreTerms &terms, const ScoreTerms &weights);

} // namespace anneal

#endif // ANNEAL_SUPPORT_HOTNESSSCORE_H
