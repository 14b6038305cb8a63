//===- TieringNotes.cpp - What observers of a tiering are told ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TieringManager.h"

#include <unistd.h>
#include <utility>

namespace anneal::engine {

using runtime::Action;
using runtime::Attempt;
using runtime::Decision;
using runtime::Reason;
using Kind = TieringEventKind;

namespace {

Kind kindOf(const Decision &decision) {
  if (decision.reason() == Reason::QueueFull)
    return Kind::Drop;
  switch (decision.action()) {
  case Action::Stay:
    return Kind::Stay;
  case Action::Promote:
    return Kind::Promote;
  case Action::Demote:
    return Kind::Demote;
  case Action::Pin:
    return Kind::Pin;
  }
  return Kind::Stay;
}

Kind kindOf(Attempt attempt) {
  switch (attempt) {
  case Attempt::Installed:
  case Attempt::NothingToCompile:
    return Kind::CompileEnd;
  case Attempt::TimedOut:
    return Kind::CompileGiveUp;
  default:
    return Kind::CompileFail;
  }
}

/// Why a compile ended as it did; `asked`: why it was begun.
Reason reasonOf(const CompileOutcome &outcome, Reason asked) {
  if (outcome.isCompilerBroken)
    return Reason::NoCompiler;
  switch (outcome.attempt) {
  case Attempt::NothingToCompile:
    return Reason::NothingToCompile;
  case Attempt::TimedOut:
    return Reason::CompileTimedOut;
  case Attempt::NoCodeMemory:
    return Reason::NoCodeMemory;
  case Attempt::Failed:
    return Reason::CompileFailed;
  default:
    return asked;
  }
}

bool areSame(const Decision &a, const Decision &b) {
  return a.reason() == b.reason() && a.tier() == b.tier();
}

TieringEvent eventOf(const plan::ForeignFunction &function, Kind kind) {
  TieringEvent event;
  event.kind = kind;
  event.unit = function.name;
  event.unitKind = "stock";
  event.to = Tier::Baseline;
  event.reason = Reason::NoPlan;
  event.detail = function.reason;
  return event;
}

} // namespace

void TieringManager::note(TieringEvent event) {
  if (setup.observers.empty())
    return;
  event.number = ++numEvents;
  event.atMs = sinceAttachedMs();
  event.atCall = numCalls.load(std::memory_order_relaxed);
  event.tick = counts.ticks;
  if (event.thread == 0)
    event.thread = ::gettid();
  if (event.end == MachineTime())
    event.begin = event.end = MachineClock::now();
  for (const auto &observer : setup.observers)
    observer->noteEvent(event);
}

void TieringManager::noteTick(MachineTime begin) {
  if (setup.observers.empty())
    return;
  TieringTick tick;
  tick.number = counts.ticks;
  tick.atCall = numCalls.load(std::memory_order_relaxed);
  tick.atMs = sinceAttachedMs();
  tick.numWaiting = queue.size();
  tick.numRunning = numRunning;
  tick.begin = begin;
  tick.end = MachineClock::now();
  for (const auto &observer : setup.observers)
    observer->noteTick(tick);
}

TieringEvent TieringManager::eventOf(uint32_t unit, Kind kind) const {
  const UnitHistory &history = (*ledger)[unit].history;
  TieringEvent event;
  event.kind = kind;
  event.unit = program->module().units[unit].name;
  event.unitKind = std::string(ledger->state(unit).kind);
  event.from = history.tier;
  event.to = history.decision.tier();
  event.reason = history.decision.reason();
  event.terms = history.decision.terms();
  return event;
}

void TieringManager::noteDecision(uint32_t unit, const Decision &decision) {
  UnitLedger::Unit &known = (*ledger)[unit];
  bool isRepeated = areSame(known.history.decision, decision);
  known.history.decision = decision;
  if (isRepeated) {
    ++known.repeats;
    return;
  }
  TieringEvent event = eventOf(unit, kindOf(decision));
  event.repeats = std::exchange(known.repeats, 0);
  event.detail = known.history.detail;
  note(std::move(event));
}

void TieringManager::pin(uint32_t unit, const Decision &decision, const std::string &detail) {
  (*ledger)[unit].history.detail = detail;
  noteDecision(unit, decision);
  ledger->pin(unit, decision, detail);
}

void TieringManager::noteCancelled(uint32_t unit) {
  ++totals.cancelled;
  note(eventOf(unit, Kind::Cancel));
}

void TieringManager::cancelAll() {
  for (uint32_t u = 0; queue.size() > 0; ++u)
    if (queue.remove(u))
      noteCancelled(u);
}

void TieringManager::noteCompileEnd(const CompileJob &job, const CompileOutcome &outcome) {
  const UnitLedger::Unit &unit = (*ledger)[job.unit];
  TieringEvent event = eventOf(job.unit, kindOf(outcome.attempt));
  event.to = job.tier;
  event.reason = reasonOf(outcome, job.reason);
  event.terms.clear();
  event.compileMs = outcome.compileMs;
  event.codeBytes = outcome.attempt == Attempt::Installed ? outcome.codeBytes : 0;
  event.detail = outcome.detail;
  event.thread = unit.compileThread;
  event.begin = unit.compileBegin;
  event.end = MachineClock::now();
  note(std::move(event));
}

//===----------------------------------------------------------------------===//
// Functions that are compiled whole
//===----------------------------------------------------------------------===//

ForeignCompile TieringManager::foreignCompileBegins(const plan::ForeignFunction &function) {
  ForeignCompile compile;
  compile.start = time->now();
  compile.begin = MachineClock::now();
  std::lock_guard<std::mutex> lock(mutex);
  note(engine::eventOf(function, Kind::CompileBegin));
  return compile;
}

void TieringManager::foreignCompileEnds(const plan::ForeignFunction &function,
                                        const absl::Status &status, ForeignCompile &compile) {
  time->compiled(Tier::Baseline);
  compile.ms = toMs(time->now() - compile.start);
  TieringEvent event =
      engine::eventOf(function, status.ok() ? Kind::CompileEnd : Kind::CompileFail);
  event.compileMs = compile.ms;
  event.begin = compile.begin;
  event.end = MachineClock::now();
  std::lock_guard<std::mutex> lock(mutex);
  compile.endedAtMs = sinceAttachedMs();
  if (!status.ok()) {
    event.reason = Reason::CompileFailed;
    event.detail = std::string(status.message());
    return note(std::move(event));
  }
  note(event);
  ++counts.promotions;
  event.kind = Kind::Install;
  event.begin = event.end;
  note(std::move(event));
}

} // namespace anneal::engine
