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

TEST(ClairvoyantTest, UsesNoCodeThatIsNotToBeHad) {
  Trace trace = test::oneUnit(1000, 1e-3, 0.5e-3, 0.1);
  EXPECT_DOUBLE_EQ(clairvoyantOptimum(trace, TierSet()).seconds, 1);
  trace.units[0].compiles[1].attempt = runtime::Attempt::Failed;
  EXPECT_DOUBLE_EQ(clairvoyantOptimum(trace, TierSet::all()).seconds, 1);
}

} // namespace
