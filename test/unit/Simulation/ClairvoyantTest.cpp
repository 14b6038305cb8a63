//===- ClairvoyantTest.cpp - What the best decisions would have cost ------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulationTesting.h"

#include "anneal/Simulation/Clairvoyant.h"
#include "anneal/Simulation/Synthetic.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

using namespace anneal;
using namespace anneal::simulation;

namespace {

TEST(ClairvoyantTest, CompilesWhatPays) {
  // 100 calls save 0.5 s; the compile costs 0.4.
  LevelPlan plan = bestPlan({{100, {0.01, 0.005}}}, {0, 0.4});
  EXPECT_DOUBLE_EQ(plan.seconds, 0.9);
  EXPECT_DOUBLE_EQ(plan.compileSeconds, 0.4);
  EXPECT_EQ(plan.levels, std::vector<size_t>{1});
  // At the break-even it stays.
  EXPECT_EQ(bestPlan({{100, {0.01, 0.005}}}, {0, 0.5}).levels, std::vector<size_t>{0});
}

TEST(ClairvoyantTest, SkipsALevelAndComesBackWhereCodeIsSlow) {
  std::vector<Stretch> stretches = {{10, {1, 0.9, 0.5}}, {10, {0.2, 0.5, 0.9}}};
  LevelPlan plan = bestPlan(stretches, {0, 0.5, 2});
  EXPECT_EQ(plan.levels, (std::vector<size_t>{2, 0}));
  EXPECT_DOUBLE_EQ(plan.seconds, 2 + 5 + 2);
}

TEST(ClairvoyantTest, PaysAgainForCodeThatItLeft) {
  std::vector<Stretch> stretches = {{10, {1, 0.5}}, {1, {0.1, 0.9}}, {10, {1, 0.5}}};
  // Leaving costs another compile, 0.7, and saves less: 0.8 - 0.7.
  EXPECT_EQ(bestPlan(stretches, {0, 0.7}).levels, (std::vector<size_t>{1, 0, 1}));
  EXPECT_EQ(bestPlan(stretches, {0, 0.9}).levels, (std::vector<size_t>{1, 1, 1}));
}

/// All ways of a short run, one by one.
double leastOfAll(const std::vector<Stretch> &stretches, const std::vector<double> &costs) {
  double least = std::numeric_limits<double>::infinity();
  size_t levels = costs.size(), ways = 1;
  for (size_t i = 0; i < stretches.size(); ++i)
    ways *= levels;
  for (size_t way = 0; way < ways; ++way) {
    double sum = 0;
    size_t rest = way, level = 0;
    for (const Stretch &stretch : stretches) {
      size_t next = rest % levels;
      rest /= levels;
      if (next != level && next != 0)
        sum += costs[next];
      sum += static_cast<double>(stretch.count) * stretch.seconds[next];
      level = next;
    }
    least = std::min(least, sum);
  }
  return least;
}

TEST(ClairvoyantTest, IsAsGoodAsTheBestOfAllWays) {
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<Stretch> stretches(6);
    for (Stretch &stretch : stretches)
      stretch = {1 + random.below(5), {random.uniform(), random.uniform(), random.uniform()}};
    std::vector<double> costs = {0, random.between(0, 2), random.between(0, 4)};
    EXPECT_NEAR(bestPlan(stretches, costs).seconds, leastOfAll(stretches, costs), 1e-12);
  }
}

TEST(ClairvoyantTest, TheStartOfTheCompilerIsPaidOnceIfItPays) {
  Trace trace = test::oneUnit(1000, 1e-3, 0.5e-3, 0.1);
  EXPECT_DOUBLE_EQ(clairvoyantOptimum(trace, TierSet::all()).seconds, 0.6);
  trace.compilerStartSeconds = 0.3;
  Optimum optimum = clairvoyantOptimum(trace, TierSet::all());
  EXPECT_DOUBLE_EQ(optimum.seconds, 0.9);
  EXPECT_DOUBLE_EQ(optimum.compileSeconds, 0.4);
  EXPECT_EQ(optimum.tiers[0], Tier::Baseline);
  trace.compilerStartSeconds = 0.45;
  optimum = clairvoyantOptimum(trace, TierSet::all());
  EXPECT_DOUBLE_EQ(optimum.seconds, 1);
  EXPECT_EQ(optimum.tiers[0], Tier::Interpreter);
}

/// A run of a few calls of two or three units, of which some can't be compiled.
Trace someTrace(Random &random) {
  Trace trace;
  trace.compilerStartSeconds = random.below(2) ? random.between(0, 1) : 0;
  size_t numUnits = 2 + random.below(2);
  for (uint32_t u = 0; u < numUnits; ++u) {
    TracedUnit unit;
    unit.name = "u" + std::to_string(u);
    bool isCompiled = random.below(4) > 0;
    unit.compiles[1] = {isCompiled ? runtime::Attempt::Installed : runtime::Attempt::Failed,
                        random.between(0, 2), 0, ""};
    trace.units.push_back(unit);
  }
  for (uint32_t c = 0; c < 3; ++c) {
    CallClass callClass;
    callClass.otherSeconds = random.uniform();
    callClass.instanceSeconds = random.uniform();
    for (uint32_t u = 0; u < numUnits; ++u)
      if (random.below(3) > 0)
        callClass.work.push_back(
            {u, 1 + random.below(3), 0, 0, {random.uniform(), random.uniform()}});
    trace.classes.push_back(callClass);
  }
  for (size_t i = 0; i < 4; ++i)
    trace.calls.push_back({static_cast<uint32_t>(random.below(3)), 1, random.below(2) == 0, {}});
  return trace;
}

/// What a schedule costs: bit `unit * calls + call` says that the unit's code is there for the
/// call. Infinite where there is no code to be had.
double costOf(const Trace &trace, uint64_t schedule) {
  double sum = 0;
  bool compiles = false;
  std::vector<bool> hasCode(trace.units.size());
  for (size_t i = 0; i < trace.calls.size(); ++i) {
    const CallClass &callClass = trace.classes[trace.calls[i].callClass];
    for (size_t u = 0; u < trace.units.size(); ++u) {
      bool has = schedule >> (u * trace.calls.size() + i) & 1;
      if (has && !hasCode[u]) {
        const TracedCompile &compile = trace.units[u].compiles[1];
        compiles = true;
        sum += compile.attempt == runtime::Attempt::Installed
                   ? compile.seconds
                   : std::numeric_limits<double>::infinity();
      }
      hasCode[u] = has;
    }
    for (const TracedWork &work : callClass.work)
      sum += work.seconds[hasCode[work.unit]];
    sum += callClass.otherSeconds + (trace.calls[i].makesInstance ? callClass.instanceSeconds : 0);
  }
  return sum + (compiles ? trace.compilerStartSeconds : 0);
}

TEST(ClairvoyantTest, IsTheBestOfAllSchedulesOfATrace) {
  Random random(11);
  size_t numStarted = 0;
  for (int round = 0; round < 100; ++round) {
    Trace trace = someTrace(random);
    double least = std::numeric_limits<double>::infinity();
    for (uint64_t schedule = 0; schedule < 1u << (trace.units.size() * trace.calls.size());
         ++schedule)
      least = std::min(least, costOf(trace, schedule));
    Optimum optimum = clairvoyantOptimum(trace, TierSet::all());
    EXPECT_NEAR(optimum.seconds, least, 1e-12);
    EXPECT_EQ(optimum.compiles > 0, optimum.compileSeconds > 0);
    EXPECT_NEAR(clairvoyantOptimum(trace, TierSet()).seconds, costOf(trace, 0), 1e-12);
    numStarted += optimum.compiles > 0;
  }
  EXPECT_GT(numStarted, 20u);
  EXPECT_LT(numStarted, 80u);
}

TEST(ClairvoyantTest, CountsACompileForEachTimeThatCodeIsMade) {
  std::vector<Stretch> stretches = {{10, {1, 0.5}}, {1, {0.1, 0.9}}, {10, {1, 0.5}}};
  EXPECT_EQ(bestPlan(stretches, {0, 0.7}).compiles, 2u);
  EXPECT_EQ(bestPlan(stretches, {0, 0.9}).compiles, 1u);
  EXPECT_EQ(bestPlan(stretches, {0, 90}).compiles, 0u);
}

TEST(ClairvoyantTest, UsesNoCodeThatIsNotToBeHad) {
  Trace trace = test::oneUnit(1000, 1e-3, 0.5e-3, 0.1);
  EXPECT_DOUBLE_EQ(clairvoyantOptimum(trace, TierSet()).seconds, 1);
  trace.units[0].compiles[1].attempt = runtime::Attempt::Failed;
  EXPECT_DOUBLE_EQ(clairvoyantOptimum(trace, TierSet::all()).seconds, 1);
}

} // namespace
