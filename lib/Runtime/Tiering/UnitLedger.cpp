//===- UnitLedger.cpp - What is known of all units of a program -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Tiering/UnitLedger.h"

#include "absl/container/flat_hash_map.h"

#include <algorithm>

namespace anneal::runtime {

UnitLedger::UnitLedger(const ProgramStats &stats, TimeSource &time)
    : units(stats.units.size()), states(stats.units.size()), time(time), last(stats) {
  for (size_t u = 0; u < states.size(); ++u)
    states[u].kind = last.units[u].kind;
}

void UnitLedger::warm(const RunProfile &profile) {
  absl::flat_hash_map<absl::string_view, const UnitProfile *> profileOf;
  for (const UnitProfile &unit : profile.units)
    profileOf[unit.name] = &unit;
  for (size_t u = 0; u < states.size(); ++u) {
    auto found = profileOf.find(last.units[u].name);
    if (found == profileOf.end())
      continue;
    const UnitProfile &earlier = *found->second;
    UnitState &state = states[u];
    state.calls = earlier.calls;
    state.callsPerCall = earlier.callsPerCall;
    state.timed = earlier.timed;
    state.times = earlier.times;
  }
  for (unsigned t = 1; t < kNumTiers; ++t)
    if (profile.compiles[t].count > 0)
      learnt.addCompile(static_cast<Tier>(t), profile.compiles[t].meanSeconds);
  learnt.measureGains(states);
}

void UnitLedger::fill(RunProfile &profile) const {
  for (size_t u = 0; u < states.size(); ++u) {
    UnitProfile &unit = profile.units.emplace_back();
    unit.name = last.units[u].name;
    unit.callsPerCall = states[u].callsPerCall;
    unit.timed = states[u].timed;
    unit.times = states[u].times;
  }
  for (unsigned t = 1; t < kNumTiers; ++t) {
    auto tier = static_cast<Tier>(t);
    profile.compiles[t] = {learnt.numCompiles(tier), learnt.meanCompileSeconds(tier)};
  }
}

void UnitLedger::readCounters(const ProgramStats &stats, uint64_t programCalls, double smoothing) {
  for (uint32_t u = 0; u < states.size(); ++u) {
    const UnitStats &now = stats.units[u];
    UnitStats &before = last.units[u];
    TickSample sample;
    sample.programCalls = programCalls - lastProgramCalls;
    sample.calls = now.calls - before.calls;
    sample.timedCalls = now.timedCalls - before.timedCalls;
    sample.flops = now.timedFlops - before.timedFlops;
    sample.bytes = now.timedBytes - before.timedBytes;
    sample.shapesSeen = stats.instancesMade;
    double measured = std::chrono::duration<double>(now.time - before.time).count();
    sample.seconds = time.secondsOf(u, states[u].tier, sample.timedCalls, sample.flops, measured);
    addTick(states[u], sample, smoothing);
    before.calls = now.calls;
    before.timedCalls = now.timedCalls;
    before.time = now.time;
    before.timedFlops = now.timedFlops;
    before.timedBytes = now.timedBytes;
  }
  lastProgramCalls = programCalls;
  learnt.measureGains(states);
}

void UnitLedger::noteAttempt(uint32_t unit, Tier tier, Attempt attempt) {
  states[unit].attempts[static_cast<size_t>(tier)] = attempt;
}

void UnitLedger::noteTier(uint32_t unit, const Promotion &promotion) {
  UnitHistory before = historyAt(unit, last.units[unit].calls);
  changeTier(states[unit], promotion.tier);
  UnitHistory &history = units[unit].history;
  history.promotions = std::move(before.promotions);
  history.promotions.push_back(promotion);
  history.tier = promotion.tier;
}

UnitHistory UnitLedger::historyAt(uint32_t unit, uint64_t calls) const {
  UnitHistory history = units[unit].history;
  if (history.tier == Tier::Interpreter)
    return history;
  Promotion &promotion = history.promotions.back();
  promotion.payBack = payBackOf(states[unit], promotion.compileMs * 1e-3);
  // Calls since the counters were read last.
  promotion.payBack->calls += calls - last.units[unit].calls;
  return history;
}

void UnitLedger::pin(uint32_t unit, const Decision &decision, const std::string &detail) {
  UnitHistory &history = units[unit].history;
  history.decision = decision;
  history.detail = detail;
  history.isPinned = true;
}

bool UnitLedger::hasOpenUnits() const {
  return std::any_of(units.begin(), units.end(),
                     [](const Unit &unit) { return !unit.history.isPinned; });
}

} // namespace anneal::runtime
