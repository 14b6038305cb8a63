//===- UnitLedger.h - What is known of all units of a program ---*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_TIERING_UNITLEDGER_H
#define ANNEAL_RUNTIME_TIERING_UNITLEDGER_H

#include "anneal/Runtime/Policy/Experience.h"
#include "anneal/Runtime/Policy/UnitState.h"
#include "anneal/Runtime/Profile/RunProfile.h"
#include "anneal/Runtime/Program.h"
#include "anneal/Runtime/Tiering/TieringEvents.h"
#include "anneal/Runtime/Tiering/TieringHistory.h"
#include "anneal/Runtime/Tiering/TimeSource.h"

#include <cstdint>
#include <vector>

namespace anneal::runtime {

/// State and history of each unit, kept up with the program's counters. Not thread-safe.
///
/// A unit is open, then perhaps compiling (which makes it open again), in the end perhaps pinned.
/// The state, history and experience follow from what is called here and from nothing else.
class UnitLedger {
public:
  struct Unit {
    UnitHistory history;
    /// How often the last decision was made again.
    uint64_t repeats = 0;
    /// A thread compiles it: which, and since when.
    bool isCompiling = false;
    int compileThread = 0;
    MachineTime compileBegin;
    bool isOpen() const { return !isCompiling && !history.isPinned; }
  };

  /// Counts from `stats` on. `time` outlives the ledger.
  UnitLedger(const ProgramStats &stats, TimeSource &time);

  /// Begins with what earlier runs have shown, of units of the same names. REQUIRES: no counters
  /// were read.
  void warm(const RunProfile &profile);
  /// Sets what it knows: the units in its order, with names and times, and the compiles.
  void fill(RunProfile &profile) const;

  /// Adds what the counters gained. `smoothing`: see addTick.
  void readCounters(const ProgramStats &stats, uint64_t programCalls, double smoothing);

  /// What became of a unit at a tier.
  void noteAttempt(uint32_t unit, Tier tier, Attempt attempt);
  /// A typical compile took this time.
  void noteCompileTime(Tier tier, double ms) { learnt.addCompile(tier, ms * 1e-3); }
  /// Code of another tier was installed, or taken away.
  void noteTier(uint32_t unit, const Promotion &promotion);
  /// Its history, with the pay-back of the code that is installed now. `calls`: of the program's
  /// counters.
  UnitHistory historyAt(uint32_t unit, uint64_t calls) const;
  /// Nothing will change any more.
  void pin(uint32_t unit, const Decision &decision, const std::string &detail = "");

  size_t size() const { return units.size(); }
  Unit &operator[](uint32_t unit) { return units[unit]; }
  const Unit &operator[](uint32_t unit) const { return units[unit]; }
  const UnitState &state(uint32_t unit) const { return states[unit]; }
  const std::vector<UnitState> &allStates() const { return states; }
  const Experience &experience() const { return learnt; }
  /// Whether a unit is not pinned.
  bool hasOpenUnits() const;

private:
  std::vector<Unit> units;
  std::vector<UnitState> states;
  Experience learnt;
  TimeSource &time;
  /// Counters when they were read last; what the units' kinds refer to.
  ProgramStats last;
  uint64_t lastProgramCalls = 0;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_TIERING_UNITLEDGER_H
