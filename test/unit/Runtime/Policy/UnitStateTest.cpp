//===- UnitStateTest.cpp - What is known of a unit ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Policy/UnitState.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace anneal;
using namespace anneal::runtime;

namespace {

/// `calls` calls, all timed, of `us` microseconds and `flops` each.
TickSample sampleOf(uint64_t calls, double us, double flops, uint64_t shapesSeen = 1) {
  auto n = static_cast<double>(calls);
  return {calls, calls, calls, n * us * 1e-6, n * flops, shapesSeen};
}

TEST(TierTimesTest, TheFastestTickCounts) {
  TierTimes times;
  times.add(sampleOf(1, 90, 1000));
  times.add(sampleOf(3, 10, 1000));
  times.add(sampleOf(4, 12, 1000));
  EXPECT_DOUBLE_EQ(times.secondsPerCall(), 10e-6);
  EXPECT_EQ(times.timedCalls(), 8u);
  EXPECT_EQ(times.ticks(), 3u);
}

TEST(TierTimesTest, TicksWithoutTimesCountForNothing) {
  TierTimes times;
  times.add({.programCalls = 5, .calls = 5});
  EXPECT_EQ(times.ticks(), 0u);
  EXPECT_EQ(times.secondsPerCall(), 0.0);
}

TEST(TierTimesTest, WhatIsNoMeasurementCountsForNothing) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  TierTimes times;
  times.add(sampleOf(4, 10, 1000));
  // Nothing that a clock of coarse steps, or one that was set back, says makes a call cost nothing.
  for (double us : {0.0, -5.0, kNaN, kInfinity, -kInfinity})
    times.add(sampleOf(4, us, 1000));
  EXPECT_EQ(times.ticks(), 1u);
  EXPECT_EQ(times.timedCalls(), 4u);
  EXPECT_DOUBLE_EQ(times.secondsPerCall(), 10e-6);
}

TEST(TierTimesTest, FlopsThatAreNoNumberAreNotKnown) {
  TierTimes known, times;
  known.add(sampleOf(4, 10, 0));
  for (double flops : {std::nan(""), -1.0, HUGE_VAL})
    times.add(sampleOf(4, 20, flops));
  EXPECT_DOUBLE_EQ(times.comparedWith(known).ratio, 2);
  EXPECT_EQ(times.comparedWith(known).timedCalls, 12u);
}

TEST(TierTimesTest, CountersOfAnySizeMakeTimesThatAreNumbers) {
  constexpr uint64_t kMany = uint64_t(1) << 63;
  TierTimes times;
  for (int i = 0; i < 3; ++i)
    times.add({kMany, kMany, kMany, 1e12, 1e30, 1});
  EXPECT_EQ(times.timedCalls(), UINT64_MAX);
  EXPECT_GT(times.secondsPerCall(), 0);
  EXPECT_TRUE(std::isfinite(times.secondsPerCall()));
  EXPECT_DOUBLE_EQ(times.comparedWith(times).ratio, 1);
}

TEST(TierTimesTest, ComparesCallsOfEqualWorkOnly) {
  TierTimes before, after;
  before.add(sampleOf(4, 10, 1000));
  before.add(sampleOf(4, 1000, 200000));
  // Larger calls than before do more work in a second, and are no evidence.
  after.add(sampleOf(8, 20, 1000));
  after.add(sampleOf(8, 5000, 2000000));
  TimeComparison compared = after.comparedWith(before);
  EXPECT_DOUBLE_EQ(compared.ratio, 2);
  EXPECT_EQ(compared.timedCalls, 8u);
  EXPECT_EQ(compared.ticks, 1u);
}

TEST(TierTimesTest, WithoutFlopsCallsAreEqualWhileNoNewSizesAreSeen) {
  TierTimes before, after, later;
  before.add(sampleOf(4, 10, 0, 3));
  after.add(sampleOf(4, 5, 0, 3));
  later.add(sampleOf(4, 5, 0, 4));
  EXPECT_DOUBLE_EQ(after.comparedWith(before).ratio, 0.5);
  EXPECT_EQ(later.comparedWith(before).timedCalls, 0u);
}

TEST(TierTimesTest, ManyAmountsOfWorkForgetTheOneSeenLeast) {
  TierTimes times;
  times.add(sampleOf(100, 10, 1000));
  for (int i = 0; i < 60; ++i)
    times.add(sampleOf(2, 10, 1000.0 * (1 << (i % 20 + 1))));
  TierTimes same;
  same.add(sampleOf(1, 10, 1000));
  EXPECT_EQ(same.comparedWith(times).timedCalls, 1u);
}

TEST(UnitStateTest, ExpectedCallsAreAnExponentialAverage) {
  UnitState unit;
  addTick(unit, {.programCalls = 2, .calls = 12}, 0.5);
  EXPECT_DOUBLE_EQ(unit.callsPerCall, 6);
  addTick(unit, {.programCalls = 8, .calls = 16}, 0.5);
  EXPECT_DOUBLE_EQ(unit.callsPerCall, 4);
  addTick(unit, {.programCalls = 8, .calls = 0}, 0.5);
  EXPECT_DOUBLE_EQ(unit.callsPerCall, 2);
  EXPECT_EQ(unit.calls, 28u);
}

TEST(UnitStateTest, CallsCountThoughTheirTimesDoNot) {
  UnitState unit;
  addTick(unit, sampleOf(4, -1, 1000), 1);
  EXPECT_EQ(unit.calls, 4u);
  EXPECT_DOUBLE_EQ(unit.callsPerCall, 1);
  EXPECT_EQ(unit.timesAt(Tier::Interpreter).ticks(), 0u);
}

TEST(UnitStateTest, CallsStayAtTheLargestNumber) {
  UnitState unit;
  for (int i = 0; i < 3; ++i)
    addTick(unit, {.programCalls = 1, .calls = uint64_t(1) << 63}, 0.5);
  EXPECT_EQ(unit.calls, UINT64_MAX);
  EXPECT_DOUBLE_EQ(unit.callsPerCall, 0x1p63);
}

TEST(UnitStateTest, CallsAtATierBeginWithIt) {
  UnitState unit;
  addTick(unit, sampleOf(4, 10, 1000), 1);
  EXPECT_EQ(unit.callsAtTier(), 4u);
  changeTier(unit, Tier::Baseline);
  EXPECT_EQ(unit.callsAtTier(), 0u);
  addTick(unit, sampleOf(3, 10, 1000), 1);
  EXPECT_EQ(unit.callsAtTier(), 3u);
  EXPECT_EQ(unit.calls, 7u);
}

TEST(UnitStateTest, ATickThatSawTwoTiersIsNoMeasurement) {
  UnitState unit;
  addTick(unit, sampleOf(4, 10, 1000), 1);
  changeTier(unit, Tier::Baseline);
  addTick(unit, sampleOf(4, 9, 1000), 1);
  EXPECT_EQ(unit.timesAt(Tier::Baseline).ticks(), 0u);
  addTick(unit, sampleOf(4, 5, 1000), 1);
  EXPECT_DOUBLE_EQ(unit.timesAt(Tier::Baseline).secondsPerCall(), 5e-6);
  EXPECT_DOUBLE_EQ(unit.timesAt(Tier::Interpreter).secondsPerCall(), 10e-6);
  EXPECT_EQ(unit.tierBefore, Tier::Interpreter);
  EXPECT_EQ(unit.calls, 12u);
}

} // namespace
