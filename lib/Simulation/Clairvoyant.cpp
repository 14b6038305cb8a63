//===- Clairvoyant.cpp - What the best decisions would have cost ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Simulation/Clairvoyant.h"

#include <algorithm>
#include <limits>

namespace anneal::simulation {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// Going to a level; level 0 needs no code.
double costOfChange(size_t from, size_t to, const std::vector<double> &compileSeconds) {
  return from == to || to == 0 ? 0 : compileSeconds[to];
}

} // namespace

LevelPlan bestPlan(const std::vector<Stretch> &stretches,
                   const std::vector<double> &compileSeconds) {
  size_t numLevels = compileSeconds.size();
  // least[l]: cost of stretch i and all that follow, coming from level l.
  std::vector<double> least(numLevels, 0), before(numLevels);
  std::vector<std::vector<size_t>> choices(stretches.size(), std::vector<size_t>(numLevels, 0));
  for (size_t i = stretches.size(); i-- > 0;) {
    for (size_t from = 0; from < numLevels; ++from) {
      before[from] = kInfinite;
      for (size_t to = 0; to < numLevels; ++to) {
        double cost = costOfChange(from, to, compileSeconds) +
                      static_cast<double>(stretches[i].count) * stretches[i].seconds[to] +
                      least[to];
        if (cost >= before[from])
          continue;
        before[from] = cost;
        choices[i][from] = to;
      }
    }
    std::swap(least, before);
  }
  LevelPlan plan;
  plan.seconds = least[0];
  size_t level = 0;
  for (size_t i = 0; i < stretches.size(); ++i) {
    size_t next = choices[i][level];
    plan.compileSeconds += costOfChange(level, next, compileSeconds);
    plan.compiles += next != level && next != 0;
    plan.levels.push_back(next);
    level = next;
  }
  return plan;
}

namespace {

/// The calls of each unit, and what all calls need whatever is decided.
struct Demands {
  std::vector<std::vector<Stretch>> stretches;
  double fixedSeconds = 0;
};

Demands demandsOf(const Trace &trace) {
  Demands demands;
  demands.stretches.resize(trace.units.size());
  for (const TracedCalls &calls : trace.calls) {
    const CallClass &callClass = trace.classes[calls.callClass];
    demands.fixedSeconds += static_cast<double>(calls.count) * callClass.otherSeconds;
    if (calls.makesInstance)
      demands.fixedSeconds += callClass.instanceSeconds;
    for (const TracedWork &work : callClass.work) {
      std::vector<Stretch> &list = demands.stretches[work.unit];
      std::vector<double> seconds(work.seconds.begin(), work.seconds.end());
      if (!list.empty() && list.back().seconds == seconds)
        list.back().count += calls.count;
      else
        list.push_back({calls.count, std::move(seconds)});
    }
  }
  return demands;
}

std::vector<double> compileCosts(const TracedUnit &unit, TierSet tiers) {
  std::vector<double> costs(kNumTiers, kInfinite);
  costs[0] = 0;
  for (unsigned t = 1; t < kNumTiers; ++t)
    if (tiers.contains(static_cast<Tier>(t)) &&
        unit.compiles[t].attempt == runtime::Attempt::Installed)
      costs[t] = unit.compiles[t].seconds;
  return costs;
}

double inInterpreter(const std::vector<Stretch> &stretches) {
  double sum = 0;
  for (const Stretch &stretch : stretches)
    sum += static_cast<double>(stretch.count) * stretch.seconds[0];
  return sum;
}

} // namespace

Optimum clairvoyantOptimum(const Trace &trace, TierSet tiers) {
  Demands demands = demandsOf(trace);
  Optimum best;
  best.tiers.assign(trace.units.size(), Tier::Interpreter);
  double uncompiled = 0;
  for (size_t u = 0; u < trace.units.size(); ++u) {
    LevelPlan plan = bestPlan(demands.stretches[u], compileCosts(trace.units[u], tiers));
    best.seconds += plan.seconds;
    best.compileSeconds += plan.compileSeconds;
    best.compiles += plan.compiles;
    if (!plan.levels.empty())
      best.tiers[u] = static_cast<Tier>(*std::max_element(plan.levels.begin(), plan.levels.end()));
    uncompiled += inInterpreter(demands.stretches[u]);
  }
  if (best.seconds + trace.compilerStartSeconds < uncompiled) {
    best.seconds += trace.compilerStartSeconds;
    best.compileSeconds += trace.compilerStartSeconds;
  } else {
    best.seconds = uncompiled;
    best.compileSeconds = 0;
    best.compiles = 0;
    best.tiers.assign(trace.units.size(), Tier::Interpreter);
  }
  best.seconds += demands.fixedSeconds;
  return best;
}

} // namespace anneal::simulation
