//===- TieringThreadsTest.cpp - Compiling in the background ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TieringTesting.h"

#include <thread>

using namespace anneal;
using namespace anneal::engine;
using namespace anneal::engine::test;
using runtime::Reason;

namespace {

TieringOptions background(const std::string &policy = "fixed:baseline") {
  TieringOptions options;
  options.policy = policy;
  return options;
}

TEST(TieringThreadsTest, SettlesWhenItIsWaitedFor) {
  FakeCompiler compiler;
  TieredProgram tiered(makeUnitsModule(20), &compiler, background());
  tiered.call(3, 3);
  tiered.manager->waitForCompiles();
  TieringReport report = tiered.report();
  for (const UnitHistory &unit : report.units)
    EXPECT_EQ(unit.tier, Tier::Baseline);
  EXPECT_EQ(report.compile.jobs, 20u);
  tiered.call(3, 3);
  EXPECT_EQ(tiered.report().compile.jobs, 20u);
}

TEST(TieringThreadsTest, WaitingBeforeTheFirstCallReturns) {
  FakeCompiler compiler;
  TieredProgram tiered(makeUnitsModule(2), &compiler, background());
  tiered.manager->waitForCompiles();
  EXPECT_EQ(compiler.numCompilers(), 0);
}

TEST(TieringThreadsTest, ASingleCallStartsNothing) {
  FakeCompiler compiler;
  TieredProgram tiered(makeUnitsModule(2), &compiler, background());
  tiered.call(1, 3);
  tiered.manager->stop();
  EXPECT_EQ(compiler.numCompilers(), 0);
  EXPECT_EQ(tiered.report().compile.jobs, 0u);
}

TEST(TieringThreadsTest, EachThreadHasACompilerOfItsOwn) {
  // Both compiles end when both have begun.
  Latch both;
  std::atomic<int> begun{0};
  FakeCompiler compiler([&](const std::string &, compiler::UnitCompileResult &) {
    if (++begun == 2)
      both.open();
    both.wait();
  });
  TieringOptions options = background();
  options.compileThreads = 2;
  TieredProgram tiered(makeUnitsModule(2), &compiler, options);
  tiered.call(2, 3);
  tiered.manager->waitForCompiles();
  EXPECT_EQ(compiler.numCompilers(), 2);
  EXPECT_EQ(tiered.report().compile.jobs, 2u);
}

TEST(TieringThreadsTest, ASlowCompileIsGivenUpAndTheOthersGoOn) {
  Latch begun, release;
  FakeCompiler compiler([&](const std::string &unit, compiler::UnitCompileResult &) {
    if (unit == "u1") {
      begun.open();
      release.wait();
    }
  });
  auto time = std::make_shared<ManualTime>();
  TieredProgram tiered(makeUnitsModule(4), &compiler, background(), time);
  tiered.call(3, 3);
  begun.wait();
  time->advance(std::chrono::seconds(11));
  tiered.manager->waitForCompiles();
  UnitHistory slow = tiered.history(1);
  EXPECT_EQ(slow.decision.reason(), Reason::CompileTimedOut);
  EXPECT_TRUE(slow.isPinned);
  EXPECT_EQ(slow.detail, "more than 10 s");
  for (uint32_t u : {0, 2, 3})
    EXPECT_EQ(tiered.history(u).tier, Tier::Baseline);
  // What it yields in the end is dropped.
  release.open();
  tiered.manager->stop();
  EXPECT_EQ(tiered.history(1).tier, Tier::Interpreter);
  EXPECT_EQ(tiered.report().compile.failed, 1u);
  EXPECT_EQ(tiered.report().codeBytes, 3 * unitImage().bytes.size());
}

TEST(TieringThreadsTest, WhenTooManyCompilesHangTheWorkWaitsForOneOfThem) {
  // More hang than there are threads to take over; when they are let go, the rest is done.
  Latch release;
  std::atomic<int> numBegun{0};
  Latch begun[8];
  FakeCompiler compiler([&](const std::string &, compiler::UnitCompileResult &) {
    int number = numBegun++;
    if (number >= 3)
      return;
    begun[number].open();
    release.wait();
  });
  auto time = std::make_shared<ManualTime>();
  TieredProgram tiered(makeUnitsModule(6), &compiler, background(), time);
  tiered.call(3, 3);
  for (int i = 0; i < 3; ++i) {
    begun[i].wait();
    time->advance(std::chrono::seconds(11));
  }
  // The third may have been begun after the clock had moved; it is given up or ends.
  release.open();
  tiered.manager->waitForCompiles();
  unsigned compiled = 0, timedOut = 0;
  for (const UnitHistory &unit : tiered.report().units) {
    compiled += unit.tier == Tier::Baseline;
    timedOut += unit.decision.reason() == Reason::CompileTimedOut;
  }
  EXPECT_EQ(compiled + timedOut, 6u);
  EXPECT_GE(compiled, 3u);
  EXPECT_GE(timedOut, 2u);
}

TEST(TieringThreadsTest, DestroyedWithAFullQueueItWaitsForTheCompileThatRuns) {
  Latch begun, release;
  std::atomic<bool> hasEnded{false};
  FakeCompiler compiler([&](const std::string &, compiler::UnitCompileResult &) {
    begun.open();
    release.wait();
    hasEnded = true;
  });
  TieredProgram tiered(makeUnitsModule(300), &compiler, background());
  tiered.call(3, 3);
  begun.wait();
  std::thread stopper([&] {
    tiered.manager->stop();
    EXPECT_TRUE(hasEnded);
  });
  while (tiered.report().compile.cancelled == 0)
    std::this_thread::yield();
  release.open();
  stopper.join();
  EXPECT_EQ(tiered.report().compile.jobs, 1u);
  EXPECT_EQ(tiered.report().compile.cancelled, 255u);
}

TEST(TieringThreadsTest, OneJobForAUnitHoweverManyCall) {
  FakeCompiler compiler;
  TieringOptions options = background();
  options.compileThreads = 3;
  TieredProgram tiered(makeUnitsModule(8), &compiler, options);
  std::vector<std::thread> callers;
  for (int t = 0; t < 8; ++t)
    callers.emplace_back([&] { tiered.call(50, 3); });
  for (std::thread &caller : callers)
    caller.join();
  tiered.manager->waitForCompiles();
  for (int u = 0; u < 8; ++u)
    EXPECT_EQ(compiler.numCompiles("u" + std::to_string(u)), 1);
}

TEST(TieringThreadsTest, SixtyFourThreadsCallWhileUnitsAreInstalledAndRolledBack) {
  constexpr uint32_t kUnits = 16;
  FakeCompiler compiler;
  TieringOptions options = background("cost-benefit,trial-calls=2");
  options.compileThreads = 2;
  // All code turns out slower than the interpreter.
  auto time = std::make_shared<ManualTime>(
      [](Tier tier) { return tier == Tier::Interpreter ? 1e-3 : 2e-3; });
  TieredProgram tiered(makeUnitsModule(kUnits), &compiler, options, time);
  std::atomic<int> wrong{0};
  std::atomic<bool> isDone{false};
  auto areAllBack = [&] {
    for (const UnitHistory &unit : tiered.report().units)
      if (unit.decision.reason() != Reason::RolledBack)
        return false;
    return true;
  };
  std::vector<std::thread> callers;
  for (int t = 0; t < 64; ++t)
    callers.emplace_back([&, t] {
      for (int i = 0; !isDone; ++i) {
        wrong += !tiered.call();
        if (t == 0 && i % 64 == 0 && areAllBack())
          isDone = true;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
  TieringReport report = tiered.report();
  EXPECT_EQ(report.compile.jobs, kUnits);
  for (const UnitHistory &unit : report.units)
    EXPECT_EQ(unit.promotions.size(), 2u);
  tiered.program->epochs().collect();
  EXPECT_EQ(tiered.report().codeBytes, 0u);
}

TEST(TieringThreadsTest, ManyWait) {
  FakeCompiler compiler;
  TieredProgram tiered(makeUnitsModule(8), &compiler, background());
  tiered.call(2, 3);
  std::vector<std::thread> waiters;
  for (int t = 0; t < 4; ++t)
    waiters.emplace_back([&] {
      tiered.manager->waitForCompiles();
      EXPECT_EQ(tiered.report().compile.jobs, 8u);
    });
  for (std::thread &waiter : waiters)
    waiter.join();
}

} // namespace
