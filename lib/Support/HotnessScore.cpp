//===- HotnessScore.cpp - How hot a unit is, by all that is known ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/HotnessScore.h"

#include <algorithm>

namespace anneal {

static double divide(double part, double whole) { return whole > 0 ? part / whole : 0; }

ScoreScale getScoreScale(std::span<const WorkDone> units) {
  ScoreScale scale;
  for (const WorkDone &unit : units) {
    scale.largestCount = std::max(scale.largestCount, unit.count);
    scale.largestBytes = std::max(scale.largestBytes, unit.bytes);
    scale.sumOfTimeUs += unit.timeUs;
    scale.largestDensity = std::max(scale.largestDensity, divide(unit.flops, unit.bytes));
  }
  return scale;
}

ScoreTerms getScoreTerms(const WorkDone &unit, const ScoreScale &scale, double bytesPerUs,
                         ByteRatio ratio) {
  double bytes = ratio == ByteRatio::Achieved
                     ? std::min(1.0, divide(unit.bytes, bytesPerUs * unit.timeUs))
                     : divide(unit.bytes, scale.largestBytes);
  return {divide(unit.count, scale.largestCount), divide(unit.timeUs, scale.sumOfTimeUs), bytes,
          divide(divide(unit.flops, unit.bytes), scale.largestDensity)};
}

std::vector<ScoreTerms> getScoreTerms(std::span<const WorkDone> units, double bytesPerUs,
                                      ByteRatio ratio) {
  ScoreScale scale = getScoreScale(units);
  std::vector<ScoreTerms> terms;
  for (const WorkDone &unit : units)
    terms.push_back(getScoreTerms(unit, scale, bytesPerUs, ratio));
  return terms;
}

double getScore(const ScoreTerms &terms, const ScoreTerms &weights) {
  return weights.count * terms.count + weights.time * terms.time + weights.bytes * terms.bytes +
         weights.density * terms.density;
}

} // namespace anneal
