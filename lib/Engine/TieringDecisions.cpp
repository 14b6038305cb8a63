//===- TieringDecisions.cpp - From counters to installed code -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TieringManager.h"

#include <algorithm>
#include <unistd.h>

namespace anneal::engine {

using runtime::Action;
using runtime::Attempt;
using runtime::Decision;

/// Most calls between two ticks.
static constexpr uint64_t kLongestTick = 1024;

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

runtime::PolicyContext TieringManager::policyContext() const {
  return {setup.options.tiers,  numCalls.load(std::memory_order_relaxed),
          ledger->experience(), ledger->allStates(),
          queue.size(),         setup.options.compileThreads};
}

Decision TieringManager::decide(uint32_t unit, runtime::PolicyContext context) const {
  context.queueLength = queue.size() - queue.contains(unit);
  return policy->decide(ledger->state(unit), context);
}

void TieringManager::tick() {
  MachineTime begin = MachineClock::now();
  auto start = time->now();
  ++counts.ticks;
  uint64_t calls = numCalls.load(std::memory_order_relaxed);
  ledger->readCounters(program->stats(), calls, policy->smoothing());
  runtime::PolicyContext context = policyContext();
  policy->beginTick(context);
  for (uint32_t u = 0; u < ledger->size(); ++u)
    if ((*ledger)[u].isOpen())
      apply(u, decide(u, context));
  isQuiet = queue.size() == 0 && numRunning == 0;
  uint64_t distance =
      setup.options.deterministic ? 1 : std::clamp<uint64_t>(calls / 8, 1, kLongestTick);
  nextTickAt = ledger->hasOpenUnits() && !isStopped ? calls + distance : kNever;
  // What the model says of the calls has passed on its clock in the meantime.
  if (!setup.options.deterministic)
    overhead.detectMs += toMs(time->now() - start);
  noteTick(begin);
}

void TieringManager::apply(uint32_t unit, const Decision &decision) {
  if (decision.action() != Action::Promote && queue.remove(unit))
    noteCancelled(unit);
  switch (decision.action()) {
  case Action::Stay:
    noteDecision(unit, decision);
    break;
  case Action::Promote:
    enqueue(unit, decision);
    break;
  case Action::Demote:
    rollBack(unit, decision);
    break;
  case Action::Pin:
    pin(unit, decision, (*ledger)[unit].history.detail);
    break;
  }
}

void TieringManager::enqueue(uint32_t unit, const Decision &decision) {
  std::optional<uint32_t> dropped =
      queue.put({unit, decision.tier(), decision.gain(), decision.reason()});
  // One that asks in vain tick by tick has one decision, not two in turn.
  if (dropped != unit)
    noteDecision(unit, decision);
  if (!dropped)
    return;
  ++counts.dropped;
  noteDecision(*dropped, Decision::queueFull((*ledger)[*dropped].history.tier));
}

void TieringManager::rollBack(uint32_t unit, const Decision &decision) {
  static_assert(kNumTiers == 2, "what lies below is not always the interpreter any more");
  noteDecision(unit, decision);
  TieringEvent event = eventOf(unit, TieringEventKind::Remove);
  event.begin = MachineClock::now();
  auto start = time->now();
  UnitHistory &history = (*ledger)[unit].history;
  program->codeSlot(unit).install(nullptr);
  ledger->noteAttempt(unit, history.tier, Attempt::SlowerThanBelow);
  ledger->noteTier(unit, {decision.tier(),
                          numCalls.load(std::memory_order_relaxed),
                          sinceAttachedMs(),
                          0,
                          std::string(text(decision.reason())),
                          {}});
  history.detail = decision.toText();
  overhead.deoptMs += toMs(time->now() - start);
  ++counts.rollbacks;
  event.end = MachineClock::now();
  note(std::move(event));
  apply(unit, decide(unit, policyContext()));
}

void TieringManager::pinAll(const Decision &decision, const std::string &detail) {
  cancelAll();
  for (uint32_t u = 0; u < ledger->size(); ++u)
    if ((*ledger)[u].isOpen())
      pin(u, decision, detail);
  nextTickAt = kNever;
  isQuiet = true;
  settled.notify_all();
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

void TieringManager::beginJob(const CompileJob &job) {
  UnitLedger::Unit &unit = (*ledger)[job.unit];
  unit.isCompiling = true;
  unit.compileThread = ::gettid();
  unit.compileBegin = MachineClock::now();
  ++numRunning;
  ++totals.jobs;
  TieringEvent event = eventOf(job.unit, TieringEventKind::CompileBegin);
  event.to = job.tier;
  event.reason = job.reason;
  note(std::move(event));
}

void TieringManager::addPasses(const std::vector<compiler::PassTime> &passes) {
  if (setup.options.deterministic)
    return;
  for (const compiler::PassTime &pass : passes) {
    auto same = std::find_if(totals.passes.begin(), totals.passes.end(),
                             [&](const PassTotal &total) { return total.name == pass.name; });
    if (same == totals.passes.end())
      same = totals.passes.insert(same, {pass.name, 0});
    same->ms += pass.ms;
  }
}

void TieringManager::finishJob(const CompileJob &job, CompileOutcome outcome) {
  UnitLedger::Unit &unit = (*ledger)[job.unit];
  unit.isCompiling = false;
  --numRunning;
  totals.ms += outcome.compileMs;
  addPasses(outcome.passes);
  overhead.compileMs += outcome.compileMs;
  overhead.installMs += outcome.loadMs;
  bool hasFailed =
      outcome.attempt != Attempt::Installed && outcome.attempt != Attempt::NothingToCompile;
  totals.failed += hasFailed;
  noteCompileEnd(job, outcome);
  if (outcome.isCompilerBroken)
    return pinAll(Decision::noCompiler(unit.history.tier), outcome.detail);
  unit.history.detail = outcome.detail;
  ledger->noteAttempt(job.unit, job.tier, outcome.attempt);
  if (outcome.attempt == Attempt::Installed && !outcome.isFirst)
    ledger->noteCompileTime(job.tier, outcome.compileMs);
  if (outcome.attempt == Attempt::Installed)
    install(job, outcome);
  apply(job.unit, decide(job.unit, policyContext()));
}

void TieringManager::install(const CompileJob &job, CompileOutcome &outcome) {
  TieringEvent event = eventOf(job.unit, TieringEventKind::Install);
  event.to = job.tier;
  event.reason = job.reason;
  event.terms.clear();
  event.compileMs = outcome.compileMs;
  event.codeBytes = outcome.codeBytes;
  event.begin = MachineClock::now();
  auto start = time->now();
  program->codeSlot(job.unit).install(std::move(outcome.code));
  overhead.installMs += toMs(time->now() - start);
  ledger->noteTier(job.unit, {job.tier,
                              numCalls.load(std::memory_order_relaxed),
                              sinceAttachedMs(),
                              outcome.compileMs,
                              std::string(runtime::text(job.reason)),
                              {}});
  ++counts.promotions;
  event.end = MachineClock::now();
  note(std::move(event));
}

void TieringManager::compileAhead() {
  std::unique_ptr<CompileRunner> runner = makeRunner();
  runtime::PolicyContext context = policyContext();
  policy->beginTick(context);
  for (uint32_t u = 0; u < ledger->size(); ++u) {
    if (!(*ledger)[u].isOpen())
      continue;
    Decision decision = decide(u, context);
    if (decision.action() != Action::Promote)
      continue;
    noteDecision(u, decision);
    CompileJob job{u, decision.tier(), decision.gain(), decision.reason()};
    beginJob(job);
    finishJob(job, runner->run(job));
  }
}

void TieringManager::forceUnit(uint32_t unit, Tier tier, CompileRunner &runner) {
  noteDecision(unit, Decision::forced(tier));
  CompileJob job{unit, tier, 0, runtime::Reason::Forced};
  beginJob(job);
  finishJob(job, runner.run(job));
  if ((*ledger)[unit].history.tier == tier)
    pin(unit, Decision::atForcedTier(tier));
}

} // namespace anneal::engine
