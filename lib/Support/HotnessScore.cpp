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

std::vector<ScoreTerms> getScoreTerms(std::span<const WorkDone> units, double bytesPerUs,
                                      ByteRatio ratio) {
  WorkDone largest, sum;
  double largestDensity = 0;
  for (const WorkDone &unit : units) {
    largest.count = std::max(largest.count, unit.count);
    largest.bytes = std::max(largest.bytes, unit.bytes);
    sum.timeUs += unit.timeUs;
    largestDensity = std::max(largestDensity, divide(unit.flops, unit.bytes));
  }
  std::vector<ScoreTerms> terms;
  for (const WorkDone &unit : units) {
    double bytes = ratio == ByteRatio::Achieved
                       ? std::min(1.0, divide(unit.bytes, bytesPerUs * unit.timeUs))
                       : divide(unit.bytes, largest.bytes);
    terms.push_back({divide(unit.count, largest.count), divide(unit.timeUs, sum.timeUs), bytes,
                     divide(divide(unit.flops, unit.bytes), largestDensity)});
  }
  return terms;
}

double getScore(const ScoreTerms &terms, const ScoreTerms &weights) {
  return weights.count * terms.count + weights.time * terms.time + weights.bytes * terms.bytes +
         weights.density * terms.density;
}

} // namespace anneal
