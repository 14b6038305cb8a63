//===- TieringDecisionsTest.cpp - From counters to installed code ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TieringTesting.h"

using namespace anneal;
using namespace anneal::engine;
using namespace anneal::engine::test;
using runtime::Reason;
using runtime::text;
using testing::HasSubstr;

namespace {

/// Compiles between calls, on the thread that calls.
TieringOptions deterministic(const std::string &policy = "fixed:baseline") {
  TieringOptions options;
  options.policy = policy;
  options.deterministic = true;
  return options;
}

/// Everything takes as long as in the interpreter, at baseline `ratio` times of that.
std::shared_ptr<TimeSource> timesWithRatio(double ratio) {
  return std::make_shared<ManualTime>(
      [=](Tier tier) { return tier == Tier::Interpreter ? 1e-3 : ratio * 1e-3; });
}

TEST(TieringDecisionsTest, CompilesEachUnitOnceAfterItsFirstCall) {
  FakeCompiler compiler;
  TieredProgram tiered(makeUnitsModule(5), &compiler, deterministic());
  EXPECT_EQ(tiered.report().compile.jobs, 0u);
  tiered.call(10, 3);
  TieringReport report = tiered.report();
  EXPECT_EQ(report.compile.jobs, 5u);
  EXPECT_EQ(report.compile.failed, 0u);
  for (const UnitHistory &unit : report.units) {
    EXPECT_EQ(unit.tier, Tier::Baseline);
    ASSERT_EQ(unit.promotions.size(), 1u);
    EXPECT_EQ(unit.promotions[0].tier, Tier::Baseline);
    EXPECT_EQ(unit.promotions[0].atCall, 1u);
    EXPECT_EQ(unit.promotions[0].reason, text(Reason::ToFixedTier));
    EXPECT_EQ(unit.decision.reason(), Reason::AtFixedTier);
  }
  EXPECT_EQ(compiler.numCompiles("u3"), 1);
  EXPECT_EQ(compiler.numCompilers(), 1);
  EXPECT_EQ(report.codeBytes, 5 * unitImage().bytes.size());
  EXPECT_GE(report.codeMemoryBytes, report.codeBytes);
}

TEST(TieringDecisionsTest, TheNextCallRunsTheNewCode) {
  FakeCompiler compiler([](const std::string &, compiler::UnitCompileResult &result) {
    result.image = unitImage(ANNEAL_ASSERT_FAILED);
  });
  TieredProgram tiered(makeUnitsModule(1), &compiler, deterministic());
  EXPECT_TRUE(tiered.call());
  EXPECT_FALSE(tiered.call());
}

TEST(TieringDecisionsTest, CompilesAheadWhatThePolicyWants) {
  FakeCompiler compiler([](const std::string &unit, compiler::UnitCompileResult &result) {
    result.ok = unit != "u1";
  });
  TieredProgram tiered(makeUnitsModule(3), &compiler, deterministic("aot"));
  EXPECT_EQ(tiered.report().compile.jobs, 3u);
  EXPECT_EQ(tiered.reason(1), Reason::CompileFailed);
  for (uint32_t u : {0, 2}) {
    EXPECT_EQ(tiered.history(u).tier, Tier::Baseline);
    EXPECT_EQ(tiered.history(u).promotions[0].atCall, 0u);
    EXPECT_EQ(tiered.history(u).promotions[0].reason, text(Reason::AheadOfTime));
    EXPECT_EQ(tiered.reason(u), Reason::NoHigherTier);
  }
  tiered.call(20, 3);
  EXPECT_EQ(tiered.report().compile.jobs, 3u);
  EXPECT_EQ(compiler.numCompiles("u1"), 1);
}

/// All 5 units are called for the 201st time in one call. Those before in the queue raise the
/// threshold of the n-th to 200 * (n / 5 + 1); what is compiled right after does not count.
TEST(TieringDecisionsTest, TheQueueRaisesThresholdsOfHotSpot) {
  FakeCompiler compiler;
  TieredProgram tiered(makeUnitsModule(5), &compiler, deterministic("hotspot"));
  tiered.call(200, 3);
  EXPECT_EQ(tiered.report().compile.jobs, 0u);
  tiered.call(1, 3);
  EXPECT_EQ(tiered.report().compile.jobs, 1u);
  EXPECT_EQ(tiered.history(0).tier, Tier::Baseline);
  EXPECT_EQ(tiered.history(1).decision.toText(),
            "stay at interpreter: not called more often than the threshold (calls=201, "
            "threshold=240, scale=1.2, queue_length=1)");
  tiered.call(4, 3);
  EXPECT_EQ(tiered.report().compile.jobs, 5u);
}

/// 2 units, called as often: n > sqrt(2 n) holds from n = 3 on.
TEST(TieringDecisionsTest, PoliciesSeeAllUnits) {
  FakeCompiler compiler;
  TieredProgram tiered(makeUnitsModule(2), &compiler, deterministic("sqrt-n"));
  tiered.call(2, 3);
  EXPECT_EQ(tiered.report().compile.jobs, 0u);
  tiered.call(1, 3);
  EXPECT_EQ(tiered.report().compile.jobs, 2u);
  EXPECT_EQ(tiered.history(1).promotions[0].reason, text(Reason::CalledOften));
}

class TieringOfEachPolicy : public testing::TestWithParam<const char *> {};

TEST_P(TieringOfEachPolicy, RunsThatCallTheSameDoTheSame) {
  auto run = [] {
    FakeCompiler compiler;
    TieredProgram tiered(makeUnitsModule(3, 4), &compiler, deterministic(GetParam()));
    tiered.call(80, 1000);
    std::string log;
    TieringReport report = tiered.report();
    for (const UnitHistory &unit : report.units) {
      log += unit.decision.toText() + "\n";
      for (const Promotion &one : unit.promotions)
        log += std::to_string(one.atCall) + " " + std::to_string(one.atMs) + " " +
               std::to_string(one.compileMs) + "\n";
    }
    return log + std::to_string(report.overhead.compileMs);
  };
  std::string first = run();
  EXPECT_EQ(first, run());
  EXPECT_THAT(first, HasSubstr("4.000000"));
}

INSTANTIATE_TEST_SUITE_P(All, TieringOfEachPolicy,
                         testing::Values("cost-benefit,horizon=1e6", "chapter,horizon=1e6",
                                         "sqrt-n", "hotspot", "aot", "fixed:baseline"));

TEST(TieringDecisionsTest, CompilesWhatPaysAndSaysWhyNot) {
  // 1 ms of each call at 1 / 1.2: 500 calls save 83 ms.
  FakeCompiler compiler;
  TieredProgram pays(makeUnitsModule(1), &compiler, deterministic("cost-benefit"),
                     timesWithRatio(0.5));
  pays.call(2, 3);
  EXPECT_EQ(pays.history(0).tier, Tier::Baseline);
  EXPECT_EQ(pays.history(0).promotions[0].reason, text(Reason::Pays));

  TieredProgram not_(makeUnitsModule(1), &compiler, deterministic("cost-benefit,factor=30"),
                     timesWithRatio(0.5));
  not_.call(2, 3);
  EXPECT_EQ(not_.history(0).tier, Tier::Interpreter);
  EXPECT_EQ(not_.history(0).decision.toText(),
            "stay at interpreter: would save less than compiling costs (calls=500, call_us=1000, "
            "time_ratio=0.833333, saved_ms=83.3333, compile_ms=4, factor=30)");
}

TEST(TieringDecisionsTest, TheFirstCompileOfACompilerIsNotTypical) {
  auto time = std::make_shared<ManualTime>([](Tier) { return 1e-3; });
  FakeCompiler compiler([&](const std::string &unit, compiler::UnitCompileResult &) {
    if (unit == "u0")
      time->advance(std::chrono::seconds(1));
  });
  TieredProgram tiered(makeUnitsModule(2), &compiler, deterministic("cost-benefit,min-ticks=3"),
                       time);
  tiered.call(4, 3);
  EXPECT_EQ(tiered.history(0).promotions[0].compileMs, 1000);
  EXPECT_EQ(tiered.history(1).tier, Tier::Baseline);
  tiered.call(40, 3);
  EXPECT_EQ(tiered.report().overhead.compileMs, 1000);
}

/// The start of the compiler is paid by the first compile that comes to making code.
TEST(TieringDecisionsTest, WhatHasNothingToCompileIsNotTheFirstCompile) {
  auto time = std::make_shared<ManualTime>([](Tier) { return 1e-3; });
  FakeCompiler compiler([&](const std::string &unit, compiler::UnitCompileResult &result) {
    if (unit == "u0")
      result.numBodies = 0;
    if (unit == "u1")
      time->advance(std::chrono::seconds(1));
  });
  TieredProgram tiered(makeUnitsModule(3), &compiler, deterministic("cost-benefit"), time);
  tiered.call(40, 3);
  EXPECT_EQ(tiered.reason(0), Reason::NothingToCompile);
  EXPECT_EQ(tiered.history(1).promotions[0].compileMs, 1000);
  // Had that second counted as typical, this one would not pay.
  EXPECT_EQ(tiered.history(2).tier, Tier::Baseline);
}

TEST(TieringDecisionsTest, CodeThatIsSlowerIsTakenAwayForGood) {
  FakeCompiler compiler;
  TieredProgram tiered(makeUnitsModule(2), &compiler, deterministic("cost-benefit"),
                       timesWithRatio(1.2));
  tiered.call(200, 3);
  for (uint32_t u : {0, 1}) {
    UnitHistory unit = tiered.history(u);
    EXPECT_EQ(unit.tier, Tier::Interpreter);
    EXPECT_TRUE(unit.isPinned);
    EXPECT_EQ(unit.decision.reason(), Reason::RolledBack);
    EXPECT_THAT(unit.detail, HasSubstr("slower than the tier below (time_ratio=1.2"));
    ASSERT_EQ(unit.promotions.size(), 2u);
    EXPECT_EQ(unit.promotions[1].tier, Tier::Interpreter);
    EXPECT_EQ(unit.promotions[1].reason, text(Reason::SlowerThanBelow));
    EXPECT_LT(unit.promotions[0].atCall, unit.promotions[1].atCall);
  }
  EXPECT_EQ(compiler.numCompiles("u0"), 1);
  EXPECT_EQ(tiered.report().codeBytes, 0u);
}

TEST(TieringDecisionsTest, CodeThatIsFasterStays) {
  FakeCompiler compiler;
  TieredProgram tiered(makeUnitsModule(1), &compiler, deterministic("cost-benefit"),
                       timesWithRatio(0.9));
  tiered.call(200, 3);
  EXPECT_EQ(tiered.history(0).tier, Tier::Baseline);
  EXPECT_EQ(tiered.reason(0), Reason::NoHigherTier);
}

TEST(TieringDecisionsTest, AFailingCompilePinsItsUnitAndTheCallsGoOn) {
  FakeCompiler compiler([](const std::string &unit, compiler::UnitCompileResult &result) {
    if (unit != "u1")
      return;
    result.ok = false;
    result.diagnostics = {"m.mlir:1:1: remark: so it goes", "m.mlir:2:3: error: cannot do that"};
  });
  TieredProgram tiered(makeUnitsModule(3), &compiler, deterministic());
  tiered.call(20, 3);
  EXPECT_EQ(tiered.history(0).tier, Tier::Baseline);
  EXPECT_EQ(tiered.history(2).tier, Tier::Baseline);
  UnitHistory failed = tiered.history(1);
  EXPECT_EQ(failed.tier, Tier::Interpreter);
  EXPECT_TRUE(failed.isPinned);
  EXPECT_EQ(failed.decision.reason(), Reason::CompileFailed);
  EXPECT_EQ(failed.detail, "m.mlir:2:3: error: cannot do that");
  EXPECT_EQ(compiler.numCompiles("u1"), 1);
  EXPECT_EQ(tiered.report().compile.failed, 1u);
}

TEST(TieringDecisionsTest, AnImageThatCannotRunHereIsAFailedCompile) {
  FakeCompiler compiler([](const std::string &, compiler::UnitCompileResult &result) {
    result.image.abiVersion += 1;
  });
  TieredProgram tiered(makeUnitsModule(1), &compiler, deterministic());
  tiered.call(3, 3);
  EXPECT_EQ(tiered.reason(0), Reason::CompileFailed);
  EXPECT_THAT(tiered.history(0).detail, HasSubstr("unit ABI"));
}

TEST(TieringDecisionsTest, AUnitWithNothingToCompileIsNoFailure) {
  FakeCompiler compiler([](const std::string &, compiler::UnitCompileResult &result) {
    result.numBodies = 0;
    result.image = {};
  });
  TieredProgram tiered(makeUnitsModule(1), &compiler, deterministic());
  tiered.call(3, 3);
  EXPECT_EQ(tiered.reason(0), Reason::NothingToCompile);
  EXPECT_TRUE(tiered.history(0).isPinned);
  EXPECT_EQ(tiered.report().compile.failed, 0u);
}

TEST(TieringDecisionsTest, WithoutCodeMemoryUnitsStayWhereTheyAre) {
  FakeCompiler compiler([](const std::string &, compiler::UnitCompileResult &result) {
    result.image = unitImage(0, 3000);
  });
  TieringOptions options = deterministic();
  options.codeLimitBytes = 8192;
  TieredProgram tiered(makeUnitsModule(4), &compiler, options);
  tiered.call(10, 3);
  unsigned compiled = 0;
  for (const UnitHistory &unit : tiered.report().units) {
    compiled += unit.tier == Tier::Baseline;
    if (unit.tier == Tier::Interpreter) {
      EXPECT_EQ(unit.decision.reason(), Reason::NoCodeMemory);
      EXPECT_THAT(unit.detail, HasSubstr("code memory"));
    }
  }
  EXPECT_EQ(compiled, 2u);
  EXPECT_EQ(tiered.report().compile.failed, 2u);
}

TEST(TieringDecisionsTest, ACompilerThatCannotBeMadePinsAll) {
  TieringOptions options = deterministic();
  auto code = std::make_shared<CodeSpace>(1 << 20);
  int attempts = 0;
  TieringSetup setup{options,
                     [&]() -> absl::StatusOr<std::unique_ptr<compiler::UnitCompiler>> {
                       ++attempts;
                       return absl::FailedPreconditionError("no such target");
                     },
                     code, nullptr};
  auto manager = *TieringManager::create(std::move(setup));
  runtime::ProgramOptions programOptions;
  manager->configure(programOptions);
  auto program = *runtime::Program::create(makeUnitsModule(3), programOptions);
  manager->attach(*program);
  for (int i = 0; i < 5; ++i)
    runtime::test::run(*program, {runtime::test::iota({2, 2})});
  for (const UnitHistory &unit : manager->report().units) {
    EXPECT_EQ(unit.decision.reason(), Reason::NoCompiler);
    EXPECT_EQ(unit.detail, "no such target");
  }
  EXPECT_EQ(attempts, 1);
  EXPECT_EQ(manager->report().compile.jobs, 1u);
  EXPECT_EQ(manager->report().compile.failed, 1u);
  EXPECT_EQ(manager->report().compile.cancelled, 2u);
  manager->stop();
}

TEST(TieringDecisionsTest, WithoutIrOrHigherTiersNobodyListensToCalls) {
  FakeCompiler compiler;
  TieringOptions interpreterOnly = deterministic();
  interpreterOnly.tiers = TierSet();
  struct Case {
    FakeCompiler *compiler;
    TieringOptions options;
    Reason reason;
  };
  for (const Case &one : {Case{nullptr, deterministic(), Reason::NoUnitIr},
                          Case{&compiler, interpreterOnly, Reason::NoHigherTier}}) {
    TieredProgram tiered(makeUnitsModule(2), one.compiler, one.options);
    runtime::ProgramOptions options;
    tiered.manager->configure(options);
    EXPECT_EQ(options.listener, nullptr);
    EXPECT_EQ(options.timeEvery, 0u);
    tiered.call(5, 3);
    tiered.manager->waitForCompiles();
    EXPECT_EQ(text(tiered.reason(1)), text(one.reason));
  }
}

TEST(TieringDecisionsTest, UnitsThatNoPublicFunctionCallsAreLeftAlone) {
  FakeCompiler compiler;
  plan::Module module = makeUnitsModule(2);
  plan::test::addBinaryUnit(module, "once", plan::Opcode::AddF, 2);
  TieredProgram tiered(std::move(module), &compiler, deterministic());
  EXPECT_TRUE(tiered.manager->forceTier(Tier::Baseline).empty());
  EXPECT_EQ(compiler.numCompiles("once"), 0);
  EXPECT_EQ(tiered.reason(2), Reason::OnlyConstants);
}

TEST(TieringDecisionsTest, ForcesATierBeforeTheFirstCall) {
  FakeCompiler compiler([](const std::string &unit, compiler::UnitCompileResult &result) {
    if (unit == "u0")
      result.numBodies = 0;
    if (unit == "u2")
      result.ok = false;
  });
  for (const char *policy : {"cost-benefit", "fixed:interpreter"}) {
    TieredProgram tiered(makeUnitsModule(4), &compiler, deterministic(policy));
    std::vector<UnitFailure> failures = tiered.manager->forceTier(Tier::Baseline);
    ASSERT_EQ(failures.size(), 1u);
    EXPECT_EQ(failures[0].unit, "u2");
    EXPECT_EQ(failures[0].reason, "the compile failed: the compiler gave no reason");
    tiered.call(50, 3);
    EXPECT_EQ(tiered.reason(0), Reason::NothingToCompile);
    for (uint32_t u : {1, 3}) {
      EXPECT_EQ(tiered.history(u).tier, Tier::Baseline);
      EXPECT_EQ(tiered.reason(u), Reason::AtForcedTier);
      EXPECT_EQ(tiered.history(u).promotions[0].atCall, 0u);
      EXPECT_EQ(tiered.history(u).promotions[0].reason, text(Reason::Forced));
    }
    EXPECT_EQ(tiered.report().compile.jobs, 4u);
  }
}

TEST(TieringDecisionsTest, ForcesTheInterpreter) {
  FakeCompiler compiler;
  TieredProgram tiered(makeUnitsModule(2), &compiler, deterministic());
  EXPECT_TRUE(tiered.manager->forceTier(Tier::Interpreter).empty());
  tiered.call(5, 3);
  EXPECT_EQ(tiered.report().compile.jobs, 0u);
  EXPECT_EQ(tiered.reason(0), Reason::AtForcedTier);
}

TEST(TieringDecisionsTest, ASavedPlanCannotBeForced) {
  TieredProgram tiered(makeUnitsModule(2), nullptr, deterministic());
  std::vector<UnitFailure> failures = tiered.manager->forceTier(Tier::Baseline);
  ASSERT_EQ(failures.size(), 2u);
  EXPECT_EQ(failures[1].unit, "u1");
  EXPECT_EQ(failures[1].reason, "no IR in a saved plan");
}

} // namespace
