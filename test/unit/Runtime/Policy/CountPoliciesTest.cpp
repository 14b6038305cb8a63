//===- CountPoliciesTest.cpp - Policies that go by calls alone ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PolicyTesting.h"

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;

namespace {

//===----------------------------------------------------------------------===//
// sqrt-n
//===----------------------------------------------------------------------===//

/// What sqrt-n says of a unit of `calls` calls beside others, `all` calls in all.
Decision sqrtN(uint64_t calls, uint64_t all) {
  UnitState unit, others;
  unit.calls = calls;
  others.calls = all - calls;
  Decider decider("sqrt-n");
  decider.tick({unit, others});
  return decider.decide(unit);
}

TEST(SqrtNPolicyTest, ComparesWithTheRootOfAllCallsExactly) {
  EXPECT_EQ(sqrtN(10, 100).reason(), Reason::TooFewCalls);
  EXPECT_EQ(sqrtN(11, 100).reason(), Reason::CalledOften);
  EXPECT_EQ(sqrtN(11, 120).reason(), Reason::CalledOften);
  EXPECT_EQ(sqrtN(11, 121).reason(), Reason::TooFewCalls);
  EXPECT_EQ(sqrtN(1, 1).reason(), Reason::TooFewCalls);
  // Roots that a double cannot tell from each other.
  constexpr uint64_t kRoot = (uint64_t(1) << 32) - 1;
  EXPECT_EQ(sqrtN(kRoot, kRoot * kRoot).reason(), Reason::TooFewCalls);
  EXPECT_EQ(sqrtN(kRoot, kRoot * kRoot - 1).reason(), Reason::CalledOften);
}

TEST(SqrtNPolicyTest, SaysWhatItCompared) {
  EXPECT_EQ(sqrtN(11, 100).toText(), "promote to baseline: called more often than the threshold "
                                     "(calls=11, threshold=10, all_calls=100)");
  EXPECT_EQ(sqrtN(10, 100).toText(), "stay at interpreter: not called more often than the "
                                     "threshold (calls=10, threshold=10, all_calls=100)");
}

TEST(SqrtNPolicyTest, EachOtherNo) {
  EXPECT_EQ(sqrtN(0, 100).reason(), Reason::NotCalled);
  UnitState unit = called(50);
  Decider decider("sqrt-n");
  decider.context.tiers = TierSet();
  decider.tick({unit});
  EXPECT_EQ(decider.decide(unit).reason(), Reason::NoHigherTier);
  decider.context.tiers = TierSet::all();
  promote(unit, 50, 5);
  EXPECT_EQ(decider.decide(unit).reason(), Reason::NoHigherTier);
}

TEST(SqrtNPolicyTest, CountersNearTheirEndAreCompared) {
  constexpr uint64_t kMany = uint64_t(1) << 63;
  UnitState unit;
  unit.calls = kMany;
  Decider decider("sqrt-n");
  decider.tick({unit, unit, unit});
  EXPECT_EQ(decider.decide(unit).reason(), Reason::CalledOften);
  UnitState other;
  other.calls = 1000;
  EXPECT_EQ(decider.decide(other).reason(), Reason::TooFewCalls);
}

//===----------------------------------------------------------------------===//
// hotspot
//===----------------------------------------------------------------------===//

Decision hotSpot(uint64_t calls, size_t queueLength, unsigned threads,
                 absl::string_view specification = "hotspot") {
  UnitState unit;
  unit.calls = calls;
  Decider decider(specification);
  decider.context.queueLength = queueLength;
  decider.context.compileThreads = threads;
  decider.tick({unit});
  return decider.decide(unit);
}

TEST(HotSpotPolicyTest, WithAnEmptyQueueTheThresholdStands) {
  EXPECT_EQ(hotSpot(200, 0, 1).reason(), Reason::TooFewCalls);
  EXPECT_EQ(hotSpot(201, 0, 1).reason(), Reason::CalledOften);
  EXPECT_EQ(hotSpot(201, 0, 1).tier(), Tier::Baseline);
  EXPECT_EQ(hotSpot(0, 0, 1).reason(), Reason::NotCalled);
}

/// s = 10 / (5 * 1) + 1 = 3, and with two threads 2.
TEST(HotSpotPolicyTest, TheThresholdGrowsWithTheQueueOfAThread) {
  EXPECT_EQ(hotSpot(600, 10, 1).reason(), Reason::TooFewCalls);
  EXPECT_EQ(hotSpot(601, 10, 1).toText(),
            "promote to baseline: called more often than the threshold (calls=601, threshold=600, "
            "scale=3, queue_length=10)");
  EXPECT_EQ(hotSpot(400, 10, 2).reason(), Reason::TooFewCalls);
  EXPECT_EQ(hotSpot(401, 10, 2).reason(), Reason::CalledOften);
}

TEST(HotSpotPolicyTest, ThresholdAndFeedbackAreParameters) {
  absl::string_view specification = "hotspot,calls-baseline=50,load-feedback-baseline=2";
  // s = 4 / 2 + 1.
  EXPECT_EQ(hotSpot(150, 4, 1, specification).reason(), Reason::TooFewCalls);
  EXPECT_EQ(hotSpot(151, 4, 1, specification).reason(), Reason::CalledOften);
}

TEST(HotSpotPolicyTest, WithoutCompileThreadsTheQueueIsThatOfOne) {
  EXPECT_DOUBLE_EQ(term(hotSpot(1, 10, 0), "threshold"), 600);
}

TEST(HotSpotPolicyTest, TheOneThatIsCalledMostOftenGoesFirst) {
  UnitState rare, often;
  addTick(rare, {.programCalls = 1000, .calls = 500}, 1);
  addTick(often, {.programCalls = 1000, .calls = 2000}, 1);
  Decider decider("hotspot");
  EXPECT_GT(decider.decide(often).gain(), decider.decide(rare).gain());
}

TEST(HotSpotPolicyTest, NothingIsAboveTheHighestTier) {
  UnitState unit = called(500);
  promote(unit, 1000000, 5);
  EXPECT_EQ(Decider("hotspot").decide(unit).reason(), Reason::NoHigherTier);
}

//===----------------------------------------------------------------------===//
// aot
//===----------------------------------------------------------------------===//

TEST(AotPolicyTest, WantsTheHighestTierBeforeTheFirstCall) {
  Decider decider("aot");
  EXPECT_TRUE(decider.policy->compilesAhead());
  UnitState unit;
  Decision decision = decider.decide(unit);
  EXPECT_EQ(decision.reason(), Reason::AheadOfTime);
  EXPECT_EQ(decision.tier(), Tier::Baseline);
  decider.context.tiers = TierSet();
  EXPECT_EQ(decider.decide(unit).reason(), Reason::NoHigherTier);
}

TEST(AotPolicyTest, WhatIsThereStaysThoughItIsSlower) {
  UnitState unit = called(100);
  promote(unit, 100, 1000, 10);
  EXPECT_EQ(Decider("aot").decide(unit).reason(), Reason::NoHigherTier);
}

TEST(AotPolicyTest, NoOtherPolicyCompilesAhead) {
  for (const char *name : {"cost-benefit", "chapter", "sqrt-n", "hotspot", "fixed:baseline"})
    EXPECT_FALSE((*makePolicy(name))->compilesAhead()) << name;
}

} // namespace
