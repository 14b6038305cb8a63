//===- SimulatorTest.cpp - A trace under another policy -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulationTesting.h"

#include "anneal/Simulation/Clairvoyant.h"
#include "anneal/Simulation/Simulator.h"
#include "anneal/Simulation/Synthetic.h"

#include "absl/strings/str_cat.h"

#include <gtest/gtest.h>

using namespace anneal;
using namespace anneal::simulation;
using Kind = runtime::TieringEventKind;

namespace {

SimulationResult simulated(const Trace &trace, SimulationOptions options) {
  absl::StatusOr<SimulationResult> result = simulate(trace, options);
  EXPECT_TRUE(result.ok()) << result.status();
  return *std::move(result);
}

SimulationResult simulated(const Trace &trace, const std::string &policy, unsigned threads) {
  return simulated(trace, {policy, TierSet::all(), threads, {}});
}

TEST(SimulatorTest, InTheInterpreterItCostsWhatTheCallsCost) {
  Trace trace = test::oneUnit(100, 1e-3, 0.5e-3, 0.01);
  trace.classes[0].otherSeconds = 1e-4;
  trace.classes[0].instanceSeconds = 0.02;
  SimulationResult result = simulated(trace, "fixed:interpreter", 0);
  EXPECT_NEAR(result.callSeconds, 100 * 1.1e-3 + 0.02, 1e-12);
  EXPECT_EQ(result.compileSeconds, 0);
  EXPECT_EQ(result.timeline.back().calls, 100u);
  EXPECT_EQ(result.timeline.back().seconds, result.totalSeconds());
}

TEST(SimulatorTest, BetweenCallsCodeIsThereForTheNextCall) {
  // Called once, it is compiled: 1 call before, 99 after.
  SimulationResult result = simulated(test::oneUnit(100, 1e-3, 0.5e-3, 0.01), "fixed:baseline", 0);
  EXPECT_NEAR(result.callSeconds, 1e-3 + 99 * 0.5e-3, 1e-12);
  EXPECT_NEAR(result.compileSeconds, 0.01, 1e-12);
  EXPECT_NEAR(result.waitedSeconds, 0.01, 1e-12);
  EXPECT_EQ(result.report.counts.promotions, 1u);
}

TEST(SimulatorTest, AThreadCompilesWhileCallsGoOn) {
  // The first tick follows the second call, at 2 ms; the code is there at 12 ms, when the twelfth
  // ends.
  SimulationResult result = simulated(test::oneUnit(100, 1e-3, 0.5e-3, 0.01), "fixed:baseline", 1);
  EXPECT_NEAR(result.callSeconds, 12e-3 + 88 * 0.5e-3, 1e-12);
  EXPECT_NEAR(result.compileSeconds, 0.01, 1e-12);
  EXPECT_EQ(result.waitedSeconds, 0);
  EXPECT_EQ(result.report.units[0].promotions[0].atCall, 11u);
  EXPECT_DOUBLE_EQ(result.report.units[0].promotions[0].atMs, 12);
}

TEST(SimulatorTest, AheadOfTimeNothingRunsInTheInterpreter) {
  Trace trace = test::oneUnit(100, 1e-3, 0.5e-3, 0.01);
  trace.compilerStartSeconds = 0.05;
  SimulationResult result = simulated(trace, "aot", 1);
  EXPECT_NEAR(result.callSeconds, 0.05, 1e-12);
  EXPECT_NEAR(result.waitedSeconds, 0.06, 1e-12);
}

TEST(SimulatorTest, ACompileThatDoesNotEndCountsUntilTheLastCall) {
  SimulationResult result = simulated(test::oneUnit(10, 1e-3, 0.5e-3, 5), "fixed:baseline", 1);
  EXPECT_NEAR(result.callSeconds, 0.01, 1e-12);
  EXPECT_NEAR(result.compileSeconds, 0.008, 1e-12);
  EXPECT_EQ(result.report.numRunning, 1u);
}

TEST(SimulatorTest, ThreadsShareTheJobsAndStartACompilerEach) {
  Trace trace = test::oneUnit(100, 1e-3, 0.5e-3, 0.01);
  for (uint32_t u = 1; u < 4; ++u) {
    trace.units.push_back(trace.units[0]);
    trace.units.back().name = "u" + std::to_string(u);
    trace.classes[0].work.push_back(trace.classes[0].work[0]);
    trace.classes[0].work.back().unit = u;
  }
  trace.compilerStartSeconds = 0.002;
  auto atMs = [&](unsigned threads, size_t unit) {
    return simulated(trace, "fixed:baseline", threads).report.units[unit].promotions[0].atMs;
  };
  // Two calls of 4 ms, then compiles of 12, 10, 10, 10 ms.
  EXPECT_DOUBLE_EQ(atMs(1, 0), 20);
  EXPECT_DOUBLE_EQ(atMs(1, 3), 50);
  EXPECT_DOUBLE_EQ(atMs(2, 0), 20);
  EXPECT_DOUBLE_EQ(atMs(2, 1), 20);
  EXPECT_DOUBLE_EQ(atMs(2, 3), 30);
  EXPECT_DOUBLE_EQ(atMs(4, 3), 20);
}

TEST(SimulatorTest, ACallWaitsForItsArrival) {
  Trace trace = test::oneUnit(2, 1e-3, 0.5e-3, 0.01);
  trace.calls.push_back({0, 3, false, 0.5});
  auto log = std::make_shared<runtime::EventLog>();
  SimulationResult result = simulated(trace, {"fixed:baseline", TierSet::all(), 1, {log}});
  // Compiled in the pause; waiting costs nothing.
  EXPECT_NEAR(result.callSeconds, 2e-3 + 3 * 0.5e-3, 1e-12);
  EXPECT_EQ(result.report.units[0].promotions[0].atCall, 2u);
}

TEST(SimulatorTest, SlowCodeIsTakenBackByTheSameRules) {
  SimulationResult result =
      simulated(test::oneUnit(2000, 1e-3, 2e-3, 0.01), "cost-benefit,horizon=10000", 0);
  EXPECT_EQ(result.report.counts.rollbacks, 1u);
  EXPECT_EQ(result.report.units[0].decision.reason(), runtime::Reason::RolledBack);
}

TEST(SimulatorTest, ACompileThatFailsPinsWithItsMessage) {
  Trace trace = test::oneUnit(10, 1e-3, 1e-3, 0.01);
  trace.units[0].compiles[1] = {runtime::Attempt::Failed, 0.01, 0, "no luck"};
  SimulationResult result = simulated(trace, "fixed:baseline", 0);
  EXPECT_EQ(result.report.units[0].decision.reason(), runtime::Reason::CompileFailed);
  EXPECT_EQ(result.report.units[0].detail, "no luck");
  EXPECT_EQ(result.report.compile.failed, 1u);
}

TEST(SimulatorTest, SaysTheSameOnEachRun) {
  Trace trace = *makeSyntheticTrace("bursts,units=50,calls=3000,seed=5");
  auto logOf = [&](const std::string &policy) {
    auto log = std::make_shared<runtime::EventLog>();
    simulated(trace, {policy, TierSet::all(), 2, {log}});
    return runtime::decisionLog(*log);
  };
  for (const char *policy : {"cost-benefit", "chapter", "sqrt-n", "hotspot", "aot"}) {
    std::string first = logOf(policy);
    EXPECT_NE(first, "");
    EXPECT_EQ(first, logOf(policy)) << policy;
  }
}

TEST(SimulatorTest, NoPolicyBeatsTheClairvoyant) {
  for (const char *kind : {"zipf", "pareto", "phases", "bursts", "drift", "cold"}) {
    Trace trace = *makeSyntheticTrace(std::string(kind) + ",units=40,calls=3000");
    trace.compilerStartSeconds = 0.02;
    double least = clairvoyantOptimum(trace, TierSet::all()).seconds;
    EXPECT_GT(least, 0);
    for (const char *policy : {"cost-benefit", "chapter", "sqrt-n", "hotspot", "aot",
                               "fixed:interpreter", "fixed:baseline"})
      for (unsigned threads : {0, 1, 3})
        EXPECT_GE(simulated(trace, policy, threads).totalSeconds(), least * (1 - 1e-12))
            << kind << ' ' << policy << ' ' << threads;
  }
}

TEST(SimulatorTest, APolicyThatDoesNotExistIsAnError) {
  EXPECT_EQ(simulate(Trace(), {"cost-benifit", TierSet::all(), {}, {}}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(SimulatorTest, ACompileThatTheTraceDoesNotKnowFails) {
  Trace trace = test::oneUnit(10, 1e-3, 1e-3, 0.01);
  trace.units[0].compiles[1] = {};
  for (unsigned threads : {0, 1}) {
    SimulationResult result = simulated(trace, "fixed:baseline", threads);
    EXPECT_EQ(result.report.compile.failed, 1u);
    EXPECT_EQ(result.report.units[0].detail, "the trace has no compile of it");
  }
}

TEST(SimulatorTest, WhatHasNothingToCompileStartsNoCompiler) {
  Trace trace = test::oneUnit(100, 1e-3, 0.5e-3, 0.01);
  trace.compilerStartSeconds = 0.05;
  TracedUnit empty = trace.units[0];
  empty.name = "u1";
  empty.compiles[1] = {runtime::Attempt::NothingToCompile, 1e-4, 0, ""};
  trace.units.insert(trace.units.begin(), empty);
  trace.classes[0].work.push_back(trace.classes[0].work[0]);
  trace.classes[0].work[1].unit = 1;
  SimulationResult result = simulated(trace, "aot", 0);
  EXPECT_NEAR(result.compileSeconds, 1e-4 + 0.05 + 0.01, 1e-12);
  EXPECT_DOUBLE_EQ(result.report.units[1].promotions[0].compileMs, 60);
}

/// Every fourth call of an instance is timed, and a new instance counts anew.
TEST(SimulatorTest, ANewInstanceTimesItsFirstCall) {
  Trace trace = test::oneUnit(2, 1e-3, 0.5e-3, 0.01);
  trace.calls.push_back({0, 2, true, {}});
  auto log = std::make_shared<runtime::EventLog>();
  simulated(trace, {"cost-benefit,min-ticks=2,horizon=1e9", TierSet::all(), 1, {log}});
  // Timed are calls 1 and 3; without the new instance only call 1 would be.
  EXPECT_EQ(log->events().back().kind, Kind::CompileBegin);
}

/// What the default policy may cost on programs of which few units are hot. By a formula that takes
/// chance for a trend it would be up to 1.14 times the best other policy (CostBenefitPolicyTest,
/// ChanceIsNoTrend).
TEST(RegretTest, CostBenefitIsNeverMuchWorseThanAnyOther) {
  struct Case {
    const char *speedup;
    double bound;
  };
  for (const Case &one : {Case{"1.5", 1.03}, Case{"2.5", 1.04}})
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      std::string specification = absl::StrCat("cold,units=1000,hot=0.01,calls=100000,seed=", seed,
                                               ",speedup=", one.speedup);
      Trace trace = *makeSyntheticTrace(specification);
      double ours = simulated(trace, "cost-benefit", 1).totalSeconds();
      EXPECT_LE(ours, 1.2 * clairvoyantOptimum(trace, TierSet::all()).seconds) << specification;
      for (const char *other : {"fixed:interpreter", "fixed:baseline", "aot", "sqrt-n", "hotspot"})
        EXPECT_LE(ours, one.bound * simulated(trace, other, 1).totalSeconds())
            << specification << ' ' << other;
    }
}

} // namespace
