//===- UnitState.h - What is known of a unit --------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain numbers, counted in ticks: the counters of a program are read every now and then, and what
// came on top since the last time is a sample. Where the numbers come from, a running program, a
// virtual clock or a recorded run, makes no difference here.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_POLICY_UNITSTATE_H
#define ANNEAL_RUNTIME_POLICY_UNITSTATE_H

#include "anneal/Support/Tier.h"

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"

#include <array>
#include <cstdint>
#include <vector>

namespace anneal::runtime {

/// What the counters of a unit gained in a tick. The times of a tick that are no measurement (not a
/// number, 0, less than 0 since a clock went back) count for nothing, and neither do flops that are
/// no finite number above 0.
struct TickSample {
  /// Calls of the program.
  uint64_t programCalls = 0;
  /// Calls of the unit; those that were timed, their time and floating-point operations.
  uint64_t calls = 0;
  uint64_t timedCalls = 0;
  double seconds = 0;
  double flops = 0;
  /// Changes when the program is called with sizes that are new.
  uint64_t shapesSeen = 0;
  /// Of the timed calls: bytes read and written.
  double bytes = 0;
};

/// What all timed calls of a unit did, at whichever tier.
struct TimedWork {
  uint64_t calls = 0;
  double seconds = 0;
  double flops = 0;
  double bytes = 0;
};

/// How a tier compares with another, over the calls of equal work that both were timed on.
struct TimeComparison {
  /// Time of the one over time of the other.
  double ratio = 1;
  /// Of the one.
  uint64_t timedCalls = 0;
  uint32_t ticks = 0;
};

/// Times of a unit at one tier. Of all ticks that saw the same amount of work in a call, the
/// fastest counts: what else runs on the machine, a compile for example, only ever adds time, and
/// the first calls find cold caches. Amounts are equal if their flops in a call lie in one quarter
/// of an octave; where a unit has no flops, if no new sizes were seen in between. A value.
class TierTimes {
public:
  void add(const TickSample &sample);

  /// What is known of one amount of work, for another run.
  struct Kept {
    /// Flops of all timed calls, or their number where there are no flops.
    double work = 0;
    bool hasFlops = false;
    uint64_t timedCalls = 0;
    uint32_t ticks = 0;
    double secondsPerWork = 0;
  };
  std::vector<Kept> kept() const;
  /// Adds what another run has kept. What is no measurement counts for nothing.
  void restore(const Kept &kept);

  uint64_t timedCalls() const;
  /// Ticks in which calls were timed.
  uint32_t ticks() const;
  /// Mean over the timed calls, each taken to be as fast as the fastest of its kind; 0 without any.
  double secondsPerCall() const;
  /// This tier against `other`. Without calls of equal work, `timedCalls` is 0.
  TimeComparison comparedWith(const TierTimes &other) const;

private:
  /// Calls of one amount of work.
  struct Entry {
    int64_t key;
    /// Sums over all ticks: flops, or calls where there are none.
    double work;
    uint64_t timedCalls;
    uint32_t ticks;
    /// Of the fastest tick.
    double secondsPerWork;
  };
  /// More amounts are not told apart: the one that was seen least is forgotten.
  static constexpr size_t kMaxEntries = 16;

  const Entry *find(int64_t key) const;

  absl::InlinedVector<Entry, 1> entries;
};

/// What became of a unit at a tier.
enum class Attempt : uint8_t {
  None,
  Installed,
  NothingToCompile,
  Failed,
  TimedOut,
  NoCodeMemory,
  /// It was installed, and taken away again.
  SlowerThanBelow
};

/// What a policy knows of a unit. A value; not thread-safe.
struct UnitState {
  /// MLIR operation that it is built around. Outlives the state.
  absl::string_view kind;
  /// That whose code is installed.
  Tier tier = Tier::Interpreter;
  /// That whose code was installed before.
  Tier tierBefore = Tier::Interpreter;
  /// In all; stays at the largest number once it is there.
  uint64_t calls = 0;
  /// Of these: up to the last change of tier.
  uint64_t callsBefore = 0;
  /// N_expected of REQUIREMENTS.md T6, as calls of the unit for each call of the program (ticks
  /// differ in length): the exponential average over the ticks.
  double callsPerCall = 0;
  std::array<TierTimes, kNumTiers> times;
  std::array<Attempt, kNumTiers> attempts{};
  TimedWork timed;
  /// The next tick has seen calls of two tiers.
  bool isTickMixed = false;

  const TierTimes &timesAt(Tier at) const { return times[static_cast<size_t>(at)]; }
  Attempt attemptAt(Tier at) const { return attempts[static_cast<size_t>(at)]; }
  /// Calls since the unit came to its tier.
  uint64_t callsAtTier() const { return calls - callsBefore; }
  /// What a call of the program spends in the unit at its tier; 0 while that isn't known.
  double secondsPerProgramCall() const { return callsPerCall * timesAt(tier).secondsPerCall(); }
};

/// N_expected(t+1) = smoothing * N_actual(t) + (1 - smoothing) * N_expected(t), the first tick's
/// being N_actual; and the tick's times, unless the tier changed in it.
void addTick(UnitState &state, const TickSample &sample, double smoothing);

/// Code of another tier was installed just now.
void changeTier(UnitState &state, Tier tier);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_POLICY_UNITSTATE_H
