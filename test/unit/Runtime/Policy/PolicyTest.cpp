//===- PolicyTest.cpp - What policies decide, and why ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PolicyTesting.h"

#include "anneal/Runtime/Policy/Policy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

using namespace anneal;
using namespace anneal::runtime;

namespace {

TierSet interpreterOnly() { return TierSet(); }

/// `ticks` ticks of 10 calls of the program each, in which the unit is called as often.
void run(UnitState &unit, int ticks, double us, double flops = 1000, uint64_t shapesSeen = 1) {
  for (int i = 0; i < ticks; ++i)
    addTick(unit, {10, 10, 10, 10 * us * 1e-6, 10 * flops, shapesSeen}, 1);
}

/// A unit that was compiled after 5 ticks and ran `ticks` since.
UnitState promoted(double usBefore, double usAfter, int ticks) {
  UnitState unit;
  run(unit, 5, usBefore);
  unit.attempts[1] = Attempt::Installed;
  changeTier(unit, Tier::Baseline);
  run(unit, 1, usBefore);
  run(unit, ticks, usAfter);
  return unit;
}

/// After `programCalls` calls of the program, in all of which the unit was called as often.
Decision decide(absl::string_view specification, UnitState unit, TierSet tiers = TierSet::all(),
                uint64_t programCalls = 100, const Experience &experience = {}) {
  if (unit.calls > 0)
    unit.calls = std::max<uint64_t>(1, std::llround(unit.callsPerCall * double(programCalls)));
  return (*makePolicy(specification))->decide(unit, {tiers, programCalls, experience});
}

TEST(FixedPolicyTest, BringsEachCalledUnitToTheTier) {
  UnitState unit;
  EXPECT_EQ(decide("fixed:baseline", unit).reason(), Reason::NotCalled);
  run(unit, 1, 10);
  Decision decision = decide("fixed:baseline", unit);
  EXPECT_EQ(decision.action(), Action::Promote);
  EXPECT_EQ(decision.reason(), Reason::ToFixedTier);
  EXPECT_EQ(decision.tier(), Tier::Baseline);
  EXPECT_EQ(decide("fixed:interpreter", unit).reason(), Reason::AtFixedTier);
  EXPECT_EQ(decide("fixed:baseline", unit, interpreterOnly()).reason(), Reason::NoHigherTier);
  EXPECT_EQ(decide("fixed:baseline", promoted(10, 50, 10)).reason(), Reason::AtFixedTier);
}

/// A unit that takes 10 us; 0.2 / 1.2 of that is to be saved: 500 calls save 0.83 ms, 2400 calls 4
/// ms.
TEST(CostBenefitPolicyTest, EachReason) {
  auto idle = [](UnitState &) {};
  auto ran = [](UnitState &unit) { run(unit, 3, 10); };
  auto ranOnce = [](UnitState &unit) { run(unit, 1, 1000); };
  auto slow = [](UnitState &unit) { run(unit, 3, 60); };
  auto after = [](double us, int ticks) {
    return [=](UnitState &unit) { unit = promoted(60, us, ticks); };
  };
  auto otherSizes = [](UnitState &unit) {
    unit = promoted(60, 60, 0);
    run(unit, 5, 500, 1e6);
  };
  struct Case {
    const char *name;
    std::function<void(UnitState &)> prepare;
    TierSet tiers;
    uint64_t programCalls;
    Reason reason;
    Action action;
  };
  TierSet all = TierSet::all();
  for (const Case &one : std::initializer_list<Case>{
           {"not called", idle, all, 100, Reason::NotCalled, Action::Stay},
           {"one tick", ranOnce, all, 100, Reason::TooFewTimes, Action::Stay},
           {"short", ran, all, 100, Reason::DoesNotPay, Action::Stay},
           {"short, but just too few", ran, all, 2390, Reason::DoesNotPay, Action::Stay},
           {"short, but often called", ran, all, 2410, Reason::Pays, Action::Promote},
           {"long", slow, all, 100, Reason::Pays, Action::Promote},
           {"may not", slow, interpreterOnly(), 100, Reason::NoHigherTier, Action::Stay},
           {"new", after(30, 2), all, 100, Reason::OnTrial, Action::Stay},
           {"faster", after(30, 3), all, 100, Reason::NoHigherTier, Action::Stay},
           {"within the margin", after(65, 3), all, 100, Reason::NoHigherTier, Action::Stay},
           {"slower", after(67, 3), all, 100, Reason::SlowerThanBelow, Action::Demote},
           {"other sizes", otherSizes, all, 100, Reason::NotComparable, Action::Stay}}) {
    UnitState unit;
    one.prepare(unit);
    Decision decision = decide("cost-benefit", unit, one.tiers, one.programCalls);
    EXPECT_EQ(text(decision.reason()), text(one.reason)) << one.name << ": " << decision.toText();
    EXPECT_EQ(decision.action(), one.action) << one.name;
  }
}

TEST(CostBenefitPolicyTest, TermsAreTheNumbersOfTheFormula) {
  UnitState unit;
  run(unit, 3, 60);
  Decision decision = decide("cost-benefit,speedup-baseline=1.5,factor=2", unit);
  EXPECT_EQ(decision.toText(),
            "promote to baseline: saves more than compiling costs (calls=500, call_us=60, "
            "time_ratio=0.666667, saved_ms=10, compile_ms=4, factor=2)");
  EXPECT_DOUBLE_EQ(decision.gain(), 0.002);
}

TEST(CostBenefitPolicyTest, MeasurementsCorrectTheAssumptions) {
  UnitState unit;
  unit.kind = "linalg.generic";
  run(unit, 3, 30);
  EXPECT_EQ(decide("cost-benefit", unit).reason(), Reason::DoesNotPay);
  UnitState fast = promoted(10, 1, 5);
  fast.kind = "linalg.generic";
  Experience gains;
  gains.measureGains({&fast, 1});
  EXPECT_EQ(decide("cost-benefit", unit, TierSet::all(), 100, gains).reason(), Reason::Pays);

  Experience quick;
  for (int i = 0; i < 9; ++i)
    quick.addCompile(Tier::Baseline, 0.5e-3);
  EXPECT_EQ(decide("cost-benefit", unit, TierSet::all(), 100, quick).reason(), Reason::Pays);
}

TEST(CostBenefitPolicyTest, AUnitThatIsNotCalledAnyMorePaysForNothing) {
  UnitState unit;
  run(unit, 3, 60);
  EXPECT_EQ(decide("cost-benefit", unit).action(), Action::Promote);
  for (int i = 0; i < 10; ++i)
    addTick(unit, {.programCalls = 10}, 0.3);
  EXPECT_EQ(decide("cost-benefit", unit).reason(), Reason::DoesNotPay);
}

/// Called in one of a thousand calls, but three times of late: it is expected 1.5 times as often as
/// on average, where the smoothed calls of the last tick have it 90 times as often.
TEST(CostBenefitPolicyTest, ChanceIsNoTrend) {
  UnitState unit;
  addTick(unit, {1000, 1, 1, 300e-6, 1000, 1}, 0.3);
  addTick(unit, {.programCalls = 9990}, 0.3);
  addTick(unit, {10, 3, 3, 900e-6, 3000, 1}, 0.3);
  EXPECT_GT(unit.callsPerCall, 0.09);
  Experience experience;
  PolicyContext context{TierSet::all(), 11000, experience};
  auto expected = [&](absl::string_view specification) {
    return test::term((*makePolicy(specification))->decide(unit, context), "calls");
  };
  EXPECT_DOUBLE_EQ(expected("cost-benefit"), 1.5 * 4);
  EXPECT_DOUBLE_EQ(expected("cost-benefit,surge=1"), 4);
  EXPECT_DOUBLE_EQ(expected("cost-benefit,surge=1e6"), unit.callsPerCall * 11000);
}

TEST(PolicyTest, WhatLedToNothingIsPinnedUnderEachPolicy) {
  struct Case {
    Attempt attempt;
    Reason reason;
  };
  for (const char *specification :
       {"cost-benefit", "chapter", "sqrt-n", "hotspot", "aot", "fixed:baseline"})
    for (const Case &one :
         std::initializer_list<Case>{{Attempt::NothingToCompile, Reason::NothingToCompile},
                                     {Attempt::Failed, Reason::CompileFailed},
                                     {Attempt::TimedOut, Reason::CompileTimedOut},
                                     {Attempt::NoCodeMemory, Reason::NoCodeMemory},
                                     {Attempt::SlowerThanBelow, Reason::RolledBack}}) {
      UnitState unit;
      run(unit, 3, 1000);
      unit.attempts[1] = one.attempt;
      Decision decision = decide(specification, unit);
      EXPECT_EQ(decision.action(), Action::Pin);
      EXPECT_EQ(decision.reason(), one.reason);
      EXPECT_EQ(decision.tier(), Tier::Interpreter);
    }
}

} // namespace
