//===- Speculation.h - What to compile before it is asked for ---*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_SPECULATION_H
#define ANNEAL_SUPPORT_SPECULATION_H

#include <cstdint>
#include <span>
#include <vector>

namespace anneal {

/// A shape that may come (REQUIREMENTS.md X5).
struct Candidate {
  double probability = 0;
  /// Seconds that having its code saves, if it comes.
  double benefit = 0;
  /// Units of compile time: whole milliseconds, for example.
  uint64_t cost = 0;
};

/// What a choice is worth.
enum class SpeculationValue {
  /// p*B - C: the compile is paid whether the shape comes or not.
  CompileAlwaysPaid,
  /// p*(B - C), as the chapter has it: as if compiles of shapes that don't come were free.
  CompilePaidIfUsed
};

/// `secondsPerCost`: of a unit of cost.
double valueOf(const Candidate &candidate, SpeculationValue value, double secondsPerCost);

struct SpeculationChoice {
  /// By candidate.
  std::vector<bool> isChosen;
  double value = 0;
  uint64_t cost = 0;
};

/// By falling value over cost, whatever still fits the budget and is worth more than nothing; or
/// the one candidate that alone is worth more than all of these. At least half of the best; exactly
/// the best where all costs are equal. A worth that is no number is worth nothing.
SpeculationChoice chooseGreedily(std::span<const Candidate> candidates, uint64_t budget,
                                 SpeculationValue value, double secondsPerCost);

/// The best: dynamic programming over the budget, or over the sum of the costs if that is less, for
/// each candidate.
SpeculationChoice chooseExactly(std::span<const Candidate> candidates, uint64_t budget,
                                SpeculationValue value, double secondsPerCost);

/// The candidates with probabilities as low as they may be, at least 0: what is best for these has
/// the best worst case where each probability may be off by `epsilon`.
std::vector<Candidate> worstCase(std::span<const Candidate> candidates, double epsilon);

} // namespace anneal

#endif // ANNEAL_SUPPORT_SPECULATION_H
