//===- Clairvoyant.h - What the best decisions would have cost --*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SIMULATION_CLAIRVOYANT_H
#define ANNEAL_SIMULATION_CLAIRVOYANT_H

#include "anneal/Simulation/Trace.h"
#include "anneal/Support/TierSet.h"

#include <cstdint>
#include <vector>

namespace anneal::simulation {

/// Calls of a unit that take the same time.
struct Stretch {
  uint64_t count = 1;
  /// Of one of them, by level.
  std::vector<double> seconds;
};

/// A way through the stretches.
struct LevelPlan {
  /// Calls and compiles.
  double seconds = 0;
  double compileSeconds = 0;
  uint64_t compiles = 0;
  /// Of each stretch.
  std::vector<size_t> levels;
};

/// The plan of one unit with the least cost, by dynamic programming over (stretch, level): before
/// each stretch the unit may go to any level, which costs `compileSeconds` of that level, and to
/// level 0, where it begins, which costs nothing; its code is there at once. Of equal ones that
/// with the lowest levels. `compileSeconds`: by level; infinite where there is no code to be had.
LevelPlan bestPlan(const std::vector<Stretch> &stretches,
                   const std::vector<double> &compileSeconds);

/// What a run costs at least: seconds of calls and of compiles.
struct Optimum {
  double seconds = 0;
  double compileSeconds = 0;
  uint64_t compiles = 0;
  /// By unit: the highest tier that the best plan has it at.
  std::vector<Tier> tiers;
};

/// The least cost of a trace for who knows all calls that come. Units don't depend on each other
/// but for the start of the compiler, which is paid once, if anything is compiled.
///
/// Exact where code is there at once: compiles between calls, or unlimited threads that had it
/// ready. Otherwise a lower bound, since code that comes later saves no more and costs the same.
Optimum clairvoyantOptimum(const Trace &trace, TierSet tiers);

} // namespace anneal::simulation

#endif // ANNEAL_SIMULATION_CLAIRVOYANT_H
