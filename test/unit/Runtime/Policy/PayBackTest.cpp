//===- PayBackTest.cpp - Whether a compile has paid -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Policy/PayBack.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace anneal;
using namespace anneal::runtime;

namespace {

/// A compile of 34/1024 s that saves 1/1024 s a call.
PayBack paid(uint64_t calls) { return {calls, 34.0 / 1024, 3.0 / 1024, 2.0 / 1024}; }

TEST(PayBackTest, BreaksEvenWhenTheCallsHaveSavedTheCompile) {
  EXPECT_EQ(paid(0).breakEvenCalls(), 34);
  EXPECT_EQ(paid(1200).toText(), "paid back after 34 calls, had 1200");
  EXPECT_TRUE(paid(34).isPaid());
  EXPECT_FALSE(paid(33).isPaid());
  EXPECT_EQ(paid(12).toText(), "not paid back yet: needs 22 more calls, had 12 of 34");
}

TEST(PayBackTest, WhatIsNotFasterNeverPays) {
  for (double at : {0.3e-3, 0.4e-3}) {
    PayBack never{1000, 4e-3, 0.3e-3, at};
    EXPECT_TRUE(std::isinf(never.breakEvenCalls()));
    EXPECT_FALSE(never.isPaid());
  }
  EXPECT_EQ((PayBack{7, 4e-3, 0.3e-3, 0.4e-3}).toText(),
            "never pays back: 400 us a call, 300 us before; had 7 calls");
}

/// Timed calls of one amount of work.
TickSample calls(uint64_t count, double secondsOfCall, double flopsOfCall) {
  TickSample sample;
  sample.programCalls = sample.calls = sample.timedCalls = count;
  sample.seconds = static_cast<double>(count) * secondsOfCall;
  sample.flops = static_cast<double>(count) * flopsOfCall;
  return sample;
}

TEST(PayBackTest, ComparesCallsOfEqualWork) {
  UnitState unit;
  addTick(unit, calls(10, 2e-3, 1e6), 1);
  changeTier(unit, Tier::Baseline);
  EXPECT_FALSE(payBackOf(unit, 1).isMeasured());
  // The tick in which the tier changed has calls of both.
  addTick(unit, calls(1, 1e-3, 1e6), 1);
  addTick(unit, calls(20, 1e-3, 1e6), 1);
  PayBack result = payBackOf(unit, 1);
  EXPECT_EQ(result.calls, 21u);
  EXPECT_NEAR(result.breakEvenCalls(), 1000, 1e-6);
}

TEST(PayBackTest, OtherSizesAreNoMeasurement) {
  UnitState unit;
  addTick(unit, calls(10, 2e-3, 1e6), 1);
  changeTier(unit, Tier::Baseline);
  for (int i = 0; i < 2; ++i)
    addTick(unit, calls(10, 1e-3, 1e9), 1);
  PayBack result = payBackOf(unit, 1);
  EXPECT_FALSE(result.isMeasured());
  EXPECT_FALSE(result.isPaid());
  EXPECT_EQ(result.toText(), "pay-back not known: not timed before and after on calls of equal "
                             "work, had 20 calls");
}

} // namespace
