//===- TieringEventsTest.cpp - What observers of a tiering are told -------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TieringTesting.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <thread>

using namespace anneal;
using namespace anneal::engine;
using namespace anneal::engine::test;
using runtime::Reason;
using testing::ElementsAre;
using testing::HasSubstr;
using Kind = TieringEventKind;

namespace {

TieringOptions deterministic(const std::string &policy = "fixed:baseline") {
  TieringOptions options;
  options.policy = policy;
  options.deterministic = true;
  return options;
}

/// A program that is observed.
class Observed {
public:
  Observed(unsigned numUnits, FakeCompiler *compiler, const TieringOptions &options,
           std::shared_ptr<TimeSource> time = nullptr)
      : log(std::make_shared<EventLog>(1000, /*keepsTicks=*/true)),
        tiered(makeUnitsModule(numUnits), compiler, options, std::move(time), {log}) {}

  /// "promote baseline: the policy names this tier", for each event on the unit.
  std::vector<std::string> eventsOn(const std::string &unit) const {
    std::vector<std::string> texts;
    for (const TieringEvent &event : log->events())
      if (event.unit == unit)
        texts.push_back(absl::StrCat(name(event.kind), " ", runtime::tierName(event.to), ": ",
                                     runtime::text(event.reason)));
    return texts;
  }
  TieringEvent find(Kind kind) const {
    for (const TieringEvent &event : log->events())
      if (event.kind == kind)
        return event;
    ADD_FAILURE() << "no event '" << name(kind) << "'";
    return {};
  }

  std::shared_ptr<EventLog> log;
  TieredProgram tiered;
};

TEST(TieringEventsTest, APromotionHasItsWholeStoryInOrder) {
  FakeCompiler compiler;
  Observed run(2, &compiler, deterministic());
  run.tiered.call(5, 3);
  EXPECT_THAT(run.eventsOn("u1"), ElementsAre("promote baseline: the policy names this tier",
                                              "compile-begin baseline: the policy names this tier",
                                              "compile-end baseline: the policy names this tier",
                                              "install baseline: the policy names this tier",
                                              "stay baseline: the policy names this tier"));
  TieringEvent end = run.find(Kind::CompileEnd), install = run.find(Kind::Install);
  EXPECT_EQ(end.compileMs, 4);
  EXPECT_EQ(end.codeBytes, unitImage().bytes.size());
  EXPECT_EQ(end.unitKind, "linalg.generic");
  EXPECT_EQ(end.atCall, 1u);
  EXPECT_EQ(end.tick, 1u);
  EXPECT_EQ(install.from, Tier::Interpreter);
  EXPECT_EQ(run.tiered.report().counts.promotions, 2u);
}

TEST(TieringEventsTest, EventsAreNumberedAndInOrderOfTime) {
  FakeCompiler compiler;
  Observed run(5, &compiler, deterministic("cost-benefit,horizon=1e6"));
  run.tiered.call(40, 3);
  std::vector<TieringEvent> events = run.log->events();
  ASSERT_GT(events.size(), 20u);
  for (size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].number, i + 1);
    EXPECT_LE(events[i].begin, events[i].end);
    if (i == 0)
      continue;
    EXPECT_LE(events[i - 1].atMs, events[i].atMs);
    EXPECT_LE(events[i - 1].atCall, events[i].atCall);
    EXPECT_LE(events[i - 1].end, events[i].end);
  }
  std::vector<TieringTick> ticks = run.log->ticks();
  ASSERT_EQ(ticks.size(), 40u);
  EXPECT_EQ(ticks.back().number, 40u);
  EXPECT_EQ(run.tiered.report().counts.ticks, 40u);
}

TEST(TieringEventsTest, ARepeatedDecisionIsCountedAndNoEvent) {
  FakeCompiler compiler;
  Observed run(1, &compiler, deterministic("cost-benefit,horizon=1e6,min-ticks=10"));
  run.tiered.call(12, 3);
  EXPECT_THAT(run.eventsOn("u0").front(), "stay interpreter: not timed often enough");
  TieringEvent promotion = run.find(Kind::Promote);
  EXPECT_EQ(promotion.repeats, 8u);
  EXPECT_EQ(promotion.terms.front().name, "calls");
}

TEST(TieringEventsTest, AFailedCompileHasTheMessage) {
  FakeCompiler compiler([](const std::string &, compiler::UnitCompileResult &result) {
    result.ok = false;
    result.diagnostics = {"m.mlir:2:3: error: cannot do that"};
  });
  Observed run(1, &compiler, deterministic());
  run.tiered.call(3, 3);
  EXPECT_EQ(run.find(Kind::CompileFail).reason, Reason::CompileFailed);
  EXPECT_EQ(run.find(Kind::CompileFail).detail, "m.mlir:2:3: error: cannot do that");
  EXPECT_EQ(run.find(Kind::Pin).reason, Reason::CompileFailed);
}

TEST(TieringEventsTest, SlowerCodeIsDemotedAndRemoved) {
  FakeCompiler compiler;
  Observed run(1, &compiler, deterministic("cost-benefit"),
               std::make_shared<ManualTime>(
                   [](Tier tier) { return tier == Tier::Interpreter ? 1e-3 : 2e-3; }));
  run.tiered.call(50, 3);
  std::vector<std::string> events = run.eventsOn("u0");
  ASSERT_GE(events.size(), 3u);
  events.erase(events.begin(), events.end() - 3);
  EXPECT_THAT(events, ElementsAre("demote interpreter: slower than the tier below",
                                  "remove interpreter: slower than the tier below",
                                  "pin interpreter: the tier above was slower"));
  EXPECT_EQ(run.find(Kind::Demote).from, Tier::Baseline);
  EXPECT_EQ(run.tiered.report().counts.rollbacks, 1u);
}

TEST(TieringEventsTest, ACompileThatIsGivenUpBelongsToTheThreadThatRanIt) {
  Latch begun, release;
  FakeCompiler compiler([&](const std::string &unit, compiler::UnitCompileResult &) {
    if (unit != "u1")
      return;
    begun.open();
    release.wait();
  });
  auto time = std::make_shared<ManualTime>();
  TieringOptions options;
  options.policy = "fixed:baseline";
  Observed run(2, &compiler, options, time);
  run.tiered.call(3, 3);
  begun.wait();
  time->advance(std::chrono::seconds(11));
  run.tiered.manager->waitForCompiles();
  release.open();
  TieringEvent end = run.find(Kind::CompileGiveUp);
  EXPECT_EQ(end.unit, "u1");
  EXPECT_EQ(end.detail, "more than 10 s");
  std::vector<TieringEvent> events = run.log->events();
  auto begin = std::find_if(events.begin(), events.end(), [](const TieringEvent &event) {
    return event.kind == Kind::CompileBegin && event.unit == "u1";
  });
  ASSERT_NE(begin, events.end());
  EXPECT_EQ(begin->thread, end.thread);
  EXPECT_LE(begin->begin - end.begin, std::chrono::seconds(1));
}

TEST(TieringEventsTest, WhatTheFullQueueDropsIsSaidOnceForAUnit) {
  Latch release;
  FakeCompiler compiler(
      [&](const std::string &, compiler::UnitCompileResult &) { release.wait(); });
  TieringOptions options;
  options.policy = "fixed:baseline";
  Observed run(300, &compiler, options, std::make_shared<ManualTime>([](Tier) { return 1e-3; }));
  run.tiered.call(40, 3);
  release.open();
  run.tiered.manager->waitForCompiles();
  // Which of them wait may change from tick to tick: a tick can come in the middle of a call. But
  // one that asks in vain has nothing new to say.
  std::map<std::string, bool> isDropped;
  std::set<std::string> dropped;
  for (const TieringEvent &event : run.log->events()) {
    bool isDrop = event.kind == Kind::Drop;
    EXPECT_FALSE(isDrop && isDropped[event.unit]) << event.unit;
    isDropped[event.unit] = isDrop;
    if (isDrop)
      dropped.insert(event.unit);
  }
  EXPECT_GE(dropped.size(), 43u);
  EXPECT_GE(run.tiered.report().counts.dropped, 43u);
}

TEST(TieringEventsTest, WhatWaitsWhenTheModelGoesIsCancelled) {
  Latch begun, release;
  FakeCompiler compiler([&](const std::string &, compiler::UnitCompileResult &) {
    begun.open();
    release.wait();
  });
  TieringOptions options;
  options.policy = "fixed:baseline";
  Observed run(3, &compiler, options);
  run.tiered.call(3, 3);
  begun.wait();
  std::thread stopper([&] { run.tiered.manager->stop(); });
  while (run.tiered.report().compile.cancelled == 0)
    std::this_thread::yield();
  release.open();
  stopper.join();
  EXPECT_EQ(run.eventsOn("u2").back(), "cancel baseline: the policy names this tier");
}

TEST(TieringEventsTest, ForcedTiersAreDecisionsToo) {
  FakeCompiler compiler;
  Observed run(1, &compiler, deterministic());
  run.tiered.manager->forceTier(Tier::Baseline);
  std::vector<std::string> events = run.eventsOn("u0");
  EXPECT_EQ(events.front(), "promote baseline: this tier was asked for");
  EXPECT_EQ(events.back(), "pin baseline: this tier was asked for");
}

TEST(TieringEventsTest, WhatIsPinnedFromTheStartIsSaidAtOnce) {
  Observed run(2, nullptr, deterministic());
  EXPECT_THAT(run.eventsOn("u1"), ElementsAre("pin interpreter: no IR in a saved plan"));
  EXPECT_EQ(run.log->events()[0].atCall, 0u);
}

TEST(TieringEventsTest, ALogKeepsTheFirstAndTheNewest) {
  EventLog log(4);
  TieringEvent event;
  for (event.number = 1; event.number <= 10; ++event.number)
    log.noteEvent(event);
  std::vector<uint64_t> kept;
  for (const TieringEvent &one : log.events())
    kept.push_back(one.number);
  EXPECT_THAT(kept, ElementsAre(1, 2, 9, 10));
  EXPECT_EQ(log.numDroppedEvents(), 6u);
  EXPECT_THAT(decisionLog(log), HasSubstr("{\"event\":\"dropped\",\"count\":6}\n{\"seq\":9,"));
}

TEST(TieringEventsTest, ALogOfDecisionsIsTheSameEachTime) {
  auto run = [] {
    FakeCompiler compiler([](const std::string &unit, compiler::UnitCompileResult &result) {
      result.ok = unit != "u1";
    });
    Observed observed(3, &compiler, deterministic("cost-benefit,horizon=1e6"));
    observed.tiered.call(60, 1000);
    return decisionLog(*observed.log);
  };
  std::string first = run();
  EXPECT_THAT(first, HasSubstr("\"event\":\"install\""));
  EXPECT_EQ(first, run());
}

TEST(TieringEventsTest, PromotionsSayWhetherTheyHavePaid) {
  // A compile of 4 ms, saved by 8 calls of 1 ms that take 0.5 ms less.
  FakeCompiler compiler;
  Observed run(1, &compiler, deterministic("cost-benefit"),
               std::make_shared<ManualTime>(
                   [](Tier tier) { return tier == Tier::Interpreter ? 1e-3 : 0.5e-3; }));
  run.tiered.call(20, 3);
  std::optional<runtime::PayBack> payBack = run.tiered.history(0).promotions[0].payBack;
  ASSERT_TRUE(payBack.has_value());
  EXPECT_EQ(payBack->calls, 18u);
  EXPECT_NEAR(payBack->secondsBefore, 1e-3, 1e-12);
  EXPECT_NEAR(payBack->secondsAt, 0.5e-3, 1e-12);
}

} // namespace
