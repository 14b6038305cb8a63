//===- TieringCoreNotes.cpp - What observers of a tiering are told --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Tiering/TieringCore.h"

#include <unistd.h>
#include <utility>

namespace anneal::runtime {

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

} // namespace

void TieringCore::note(TieringEvent event) {
  if (options.observers.empty())
    return;
  event.number = ++numEvents;
  event.atMs = elapsedMs();
  event.atCall = units.calls();
  event.tick = counts.ticks;
  if (event.thread == 0)
    event.thread = ::gettid();
  if (event.end == MachineTime())
    event.begin = event.end = MachineClock::now();
  for (const auto &observer : options.observers)
    observer->noteEvent(event);
}

void TieringCore::noteTick(MachineTime begin) {
  if (options.observers.empty())
    return;
  TieringTick tick;
  tick.number = counts.ticks;
  tick.atCall = units.calls();
  tick.atMs = elapsedMs();
  tick.numWaiting = queue.size();
  tick.numRunning = numRunning;
  tick.begin = begin;
  tick.end = MachineClock::now();
  for (const auto &observer : options.observers)
    observer->noteTick(tick);
}

TieringEvent TieringCore::eventOf(uint32_t unit, Kind kind) const {
  const UnitHistory &history = (*ledger)[unit].history;
  TieringEvent event;
  event.kind = kind;
  event.unit = unitNames[unit];
  event.unitKind = std::string(ledger->state(unit).kind);
  event.from = history.tier;
  event.to = history.decision.tier();
  event.reason = history.decision.reason();
  event.terms = history.decision.terms();
  return event;
}

void TieringCore::noteDecision(uint32_t unit, const Decision &decision) {
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

void TieringCore::pin(uint32_t unit, const Decision &decision, const std::string &detail) {
  (*ledger)[unit].history.detail = detail;
  noteDecision(unit, decision);
  ledger->pin(unit, decision, detail);
}

void TieringCore::noteCancelled(uint32_t unit) {
  ++totals.cancelled;
  note(eventOf(unit, Kind::Cancel));
}

void TieringCore::cancelAll() {
  for (uint32_t u = 0; queue.size() > 0; ++u)
    if (queue.remove(u))
      noteCancelled(u);
}

void TieringCore::noteCompileEnd(const CompileJob &job, const CompileOutcome &outcome) {
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

} // namespace anneal::runtime
