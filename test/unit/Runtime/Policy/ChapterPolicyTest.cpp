//===- ChapterPolicyTest.cpp - Heat and tiers as the chapter has them -----===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PolicyTesting.h"

#include <cmath>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;

namespace {

/// What the policy says of the first of `units`.
Decision chapter(absl::string_view parameters, const std::vector<UnitState> &units) {
  Decider decider("chapter" + std::string(parameters));
  decider.tick(units);
  return decider.decide(units[0]);
}

/// H5 is never enough, unless a test wants it.
constexpr absl::string_view kByShare = ",theta-score=100,theta-max=1";

std::string byShare(absl::string_view parameters) {
  return std::string(kByShare) + std::string(parameters);
}

/// 40 of 400 calls, 10 ms each: hot, often enough, and worth it.
std::vector<UnitState> hotAndCold() { return {called(40, 10000), called(360, 1)}; }

TEST(ChapterPolicyTest, PromotesWithAllItsTerms) {
  // t_0 - t_l = 10 ms * (1 - 1 / 1.25) = 2 ms, 500 times; - 4 ms.
  EXPECT_EQ(chapter(byShare(",theta-hot=0.05,speedup-baseline=1.25"), hotAndCold()).toText(),
            "promote to baseline: saves more than compiling costs (share=0.1, theta=0.05, "
            "score=0.277553, theta_score=100, calls=40, threshold=10, expected_calls=500, "
            "call_us=10000, time_ratio=0.8, compile_ms=4, benefit_ms=996, min_benefit_ms=0)");
}

TEST(ChapterPolicyTest, H1ComparesTheShareOfAllCalls) {
  // 0.1 of all calls.
  EXPECT_EQ(chapter(byShare(",theta-hot=0.11"), hotAndCold()).reason(), Reason::NotHot);
  EXPECT_EQ(chapter(byShare(",theta-hot=0.09"), hotAndCold()).reason(), Reason::Pays);
  // Not above is not hot.
  EXPECT_EQ(chapter(byShare(",theta-hot=0.5"), {called(40, 10000), called(40, 1)}).reason(),
            Reason::NotHot);
}

TEST(ChapterPolicyTest, H5MakesHotWhatIsCalledRarelyAndTakesLong) {
  // Of 40 calls beside 4000 that take 1 us, 400 ms of 404: by calls alone it would never be hot.
  std::vector<UnitState> units = {called(40, 10000), called(4000, 1)};
  constexpr absl::string_view kOnlyTime =
      ",theta-hot=0.1,weight-count=0,weight-time=1,weight-bytes=0,weight-density=0";
  Decision hot = chapter(kOnlyTime, units);
  EXPECT_EQ(hot.reason(), Reason::Pays);
  EXPECT_DOUBLE_EQ(term(hot, "score"), 400.0 / 404);
  EXPECT_EQ(chapter(byShare(",theta-hot=0.1"), units).reason(), Reason::NotHot);
}

TEST(ChapterPolicyTest, H5WeighsEachOfItsTerms) {
  UnitState unit, other;
  // 4 us, 8000 bytes and 16000 FLOPs a call: 2000 bytes a us, 2 FLOPs a byte.
  addTick(unit, {10, 10, 10, 40e-6, 160000, 1, 80000}, 1);
  // 1 us, 10000 bytes, 80000 FLOPs a call.
  addTick(other, {40, 40, 40, 40e-6, 3200000, 1, 400000}, 1);
  auto score = [&](absl::string_view weights) {
    return term(chapter("," + std::string(weights) + ",theta-score=0,bandwidth-gbs=10,min-ticks=1",
                        {unit, other}),
                "score");
  };
  EXPECT_DOUBLE_EQ(score("weight-time=0,weight-bytes=0,weight-density=0,weight-count=1"), 0.25);
  EXPECT_DOUBLE_EQ(score("weight-count=0,weight-bytes=0,weight-density=0,weight-time=1"), 0.5);
  EXPECT_DOUBLE_EQ(score("weight-count=0,weight-time=0,weight-density=0,weight-bytes=1"), 0.2);
  EXPECT_DOUBLE_EQ(score("weight-count=0,weight-time=0,weight-bytes=0,weight-density=1"), 0.25);
  EXPECT_DOUBLE_EQ(
      score("weight-count=0,weight-time=0,weight-density=0,weight-bytes=1,roofline-floor=1"), 0.2);
  EXPECT_DOUBLE_EQ(score("weight-count=1,weight-time=2,weight-bytes=3,weight-density=4"),
                   0.25 + 2 * 0.5 + 3 * 0.2 + 4 * 0.25);
}

TEST(ChapterPolicyTest, T4AsksForMoreCallsThanTheThreshold) {
  auto calls = [](uint64_t n, absl::string_view parameters) {
    return chapter(parameters, {called(n, 10000), called(100, 1)}).reason();
  };
  EXPECT_EQ(calls(10, ""), Reason::TooFewCalls);
  EXPECT_EQ(calls(11, ""), Reason::Pays);
  EXPECT_EQ(calls(40, ",theta-0=40"), Reason::TooFewCalls);
  EXPECT_EQ(calls(41, ",theta-0=40"), Reason::Pays);
  // gamma counts from the second tier that compiles on.
  EXPECT_EQ(calls(41, ",theta-0=40,gamma=1000"), Reason::Pays);
}

TEST(ChapterPolicyTest, T4AsksForMoreBenefitThanBMin) {
  // 500 calls save 10 ms / 5 of each: 996 ms remain.
  EXPECT_EQ(chapter(",speedup-baseline=1.25,min-benefit-ms=997", hotAndCold()).reason(),
            Reason::DoesNotPay);
  EXPECT_EQ(chapter(",speedup-baseline=1.25,min-benefit-ms=995", hotAndCold()).reason(),
            Reason::Pays);
}

TEST(ChapterPolicyTest, T6WeighsExpectedCallsAgainstTheCompile) {
  // 10 us / 5 of each of N calls: 2000 of them pay 4 ms.
  std::vector<UnitState> units = {called(40, 10), called(360, 1)};
  Decision no = chapter(",speedup-baseline=1.25,horizon=1999", units);
  EXPECT_EQ(no.reason(), Reason::DoesNotPay);
  EXPECT_NEAR(term(no, "benefit_ms"), -0.002, 1e-9);
  EXPECT_EQ(chapter(",speedup-baseline=1.25,horizon=2001", units).reason(), Reason::Pays);
  EXPECT_EQ(chapter(",speedup-baseline=1.25,horizon=2001,compile-ms-baseline=5", units).reason(),
            Reason::DoesNotPay);
}

TEST(ChapterPolicyTest, EachOtherNo) {
  UnitState idle, once;
  addTick(once, {20, 20, 20, 1, 1000, 1}, 1);
  EXPECT_EQ(chapter("", {idle}).reason(), Reason::NotCalled);
  EXPECT_EQ(chapter("", {once}).reason(), Reason::TooFewTimes);
  Decider decider("chapter");
  decider.context.tiers = TierSet();
  decider.tick(hotAndCold());
  EXPECT_EQ(decider.decide(hotAndCold()[0]).reason(), Reason::NoHigherTier);
  UnitState slower = called(40, 10), young = called(40, 10), faster = called(40, 10);
  promote(slower, 40, 12, 4);
  promote(young, 2, 5);
  promote(faster, 40, 5, 4);
  EXPECT_EQ(chapter("", {slower}).reason(), Reason::SlowerThanBelow);
  EXPECT_EQ(chapter("", {young}).reason(), Reason::OnTrial);
  EXPECT_EQ(chapter("", {faster}).reason(), Reason::NoHigherTier);
}

//===----------------------------------------------------------------------===//
// H4
//===----------------------------------------------------------------------===//

/// theta after a tick that saw a unit save 1000 * (10 - 5) us by a compile of 4 ms, R = 1.25, and
/// one that is cold.
double thetaAfterTick(absl::string_view parameters) {
  UnitState fast = called(2, 10);
  promote(fast, 1000, 5);
  Decision cold = chapter(byShare(",theta-hot=0.5") + std::string(parameters), {called(2), fast});
  EXPECT_EQ(cold.reason(), Reason::NotHot);
  return term(cold, "theta");
}

TEST(ChapterPolicyTest, H4MovesTheThresholdByEtaTimesRMinusTarget) {
  EXPECT_NEAR(thetaAfterTick(",eta=-0.1"), 0.5 - 0.1 * 0.25, 1e-12);
  EXPECT_NEAR(thetaAfterTick(",eta=0.1"), 0.5 + 0.1 * 0.25, 1e-12);
  EXPECT_NEAR(thetaAfterTick(",eta=-0.1,r-target=2.25"), 0.5 + 0.1, 1e-12);
  EXPECT_NEAR(thetaAfterTick(",eta=0"), 0.5, 1e-12);
  EXPECT_NEAR(thetaAfterTick(",eta=-1,theta-min=0.4"), 0.4, 1e-12);
  EXPECT_NEAR(thetaAfterTick(",eta=1,theta-max=0.6"), 0.6, 1e-12);
}

TEST(ChapterPolicyTest, H4StandsStillWhileNothingWasCompiled) {
  Decision cold = chapter(byShare(",theta-hot=0.9,eta=-0.1"), {called(2), called(2)});
  EXPECT_EQ(term(cold, "theta"), 0.9);
}

TEST(ChapterPolicyTest, H4StandsStillWhereCompilesCostNothing) {
  EXPECT_EQ(thetaAfterTick(",eta=-0.1,compile-ms-baseline=0"), 0.5);
}

/// What became of a system of 100 units, the i-th called 1000 / i times a tick, each call 10 us and
/// compiled 5.
struct Course {
  unsigned compiledAtStart = 0;
  unsigned compiledAtEnd = 0;
  double thetaAtEnd = 0;
};

Course simulate(absl::string_view parameters, unsigned ticks) {
  Decider decider("chapter,theta-score=100,theta-hot=0.02,min-ticks=1,speedup-baseline=2,"
                  "horizon=1e9" +
                  std::string(parameters));
  std::vector<UnitState> units(100);
  UnitState never;
  never.calls = 1;
  Course course;
  for (unsigned t = 0; t < ticks; ++t) {
    for (unsigned u = 0; u < units.size(); ++u) {
      uint64_t n = 1000 / (u + 1);
      double us = units[u].tier == Tier::Interpreter ? 10 : 5;
      addTick(units[u],
              {1000, n, n, static_cast<double>(n) * us * 1e-6, 1000.0 * static_cast<double>(n), 1},
              1);
    }
    decider.tick(units);
    course.compiledAtEnd = 0;
    for (UnitState &unit : units) {
      if (decider.decide(unit).action() == Action::Promote) {
        unit.attempts[1] = Attempt::Installed;
        changeTier(unit, Tier::Baseline);
      }
      course.compiledAtEnd += unit.tier == Tier::Baseline;
    }
    if (t == 0)
      course.compiledAtStart = course.compiledAtEnd;
  }
  course.thetaAtEnd = term(decider.decide(never), "theta");
  return course;
}

TEST(ChapterPolicyTest, H4WithNegativeEtaCompilesMoreOnceCompilesPaid) {
  Course course = simulate(",eta=-0.0001", 200);
  // Those of more than 0.02 of all calls.
  EXPECT_EQ(course.compiledAtStart, 9u);
  EXPECT_EQ(course.compiledAtEnd, 100u);
  EXPECT_DOUBLE_EQ(course.thetaAtEnd, 0.0001);
}

TEST(ChapterPolicyTest, H4WithPositiveEtaRaisesTheBarThoughCompilesPay) {
  Course course = simulate(",eta=0.0001", 200);
  EXPECT_EQ(course.compiledAtStart, 9u);
  EXPECT_EQ(course.compiledAtEnd, 9u);
  // The bound alone holds it.
  EXPECT_DOUBLE_EQ(course.thetaAtEnd, 0.1);
  EXPECT_DOUBLE_EQ(simulate(",eta=0.0001,theta-max=1", 400).thetaAtEnd, 1);
}

/// Compiles of 10 s are never paid back here: R stays far below 1.
TEST(ChapterPolicyTest, H4WithNegativeEtaCompilesLessWhileCompilesDoNotPay) {
  constexpr absl::string_view kDear = ",compile-ms-baseline=10000,min-benefit-ms=-1e9";
  Course stable = simulate(std::string(kDear) + ",eta=-0.0001", 200);
  Course unstable = simulate(std::string(kDear) + ",eta=0.0001", 200);
  EXPECT_EQ(stable.compiledAtStart, 9u);
  EXPECT_EQ(stable.compiledAtEnd, 9u);
  EXPECT_GT(stable.thetaAtEnd, 0.03);
  // The other sign compiles what pays even less.
  EXPECT_EQ(unstable.compiledAtEnd, 100u);
  EXPECT_LT(unstable.thetaAtEnd, 0.01);
}

TEST(ChapterPolicyTest, WhatIsNoNumberDecidesNothing) {
  UnitState bad;
  for (double seconds : {std::nan(""), -1.0, 0.0, HUGE_VAL})
    addTick(bad, {100, 100, 100, seconds, std::nan(""), 1, std::nan("")}, 1);
  Decision decision = chapter("", {bad});
  EXPECT_EQ(decision.reason(), Reason::TooFewTimes);
  bad.calls = uint64_t(1) << 63;
  Decision large = chapter("", {bad, bad, bad});
  for (const Term &one : large.terms())
    EXPECT_TRUE(std::isfinite(one.value)) << std::string(one.name);
}

} // namespace
