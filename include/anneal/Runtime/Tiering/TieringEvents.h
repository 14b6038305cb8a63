//===- TieringEvents.h - What the tiering of a model does -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md P4. Whatever is decided about a unit, and whatever is done about it, is an event.
// All that tells of tiering is made of them: decision log, history of a unit, trace, metrics.
//
// Observers are told of events by the threads that tier, one at a time, while the tiering is
// locked: an observer stores or counts them, and what is slow, files for example, is made of them
// later by somebody else.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_TIERING_TIERINGEVENTS_H
#define ANNEAL_RUNTIME_TIERING_TIERINGEVENTS_H

#include "anneal/Runtime/Policy/Decision.h"
#include "anneal/Runtime/Tiering/BoundedHistory.h"
#include "anneal/Support/Tier.h"

#include "absl/strings/string_view.h"

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace anneal::runtime {

/// The first five are decisions: they are events only where they differ from the last one on the
/// unit by action, tier or reason.
enum class TieringEventKind : uint8_t {
  Stay,
  Promote,
  Demote,
  Pin,
  /// Too many units wait: this one doesn't any more.
  Drop,
  /// A unit that waited doesn't any more, since it is not wanted, or nothing is.
  Cancel,
  CompileBegin,
  /// There is code, or there is nothing in the unit to compile.
  CompileEnd,
  CompileFail,
  /// It ran past the deadline, and may run on.
  CompileGiveUp,
  /// Calls that begin now run the code of a tier; or don't any more.
  Install,
  Remove
};

/// "stay", "promote", "demote", "pin", "drop", "cancel", "compile-begin", "compile-end",
/// "compile-fail", "compile-give-up", "install", "remove".
absl::string_view name(TieringEventKind kind);

/// Of the machine's clock, also where the tiering's own time is modelled.
using MachineClock = std::chrono::steady_clock;
using MachineTime = MachineClock::time_point;

/// Something that was decided or done about a unit. All but `begin`, `end` and `thread` is the same
/// in each deterministic run that makes the same calls.
struct TieringEvent {
  TieringEventKind kind = TieringEventKind::Stay;
  /// From 1, without a gap: that of the model's events.
  uint64_t number = 0;
  /// Since the model was loaded, by the tiering's clock.
  double atMs = 0;
  /// Calls of the program that had ended, and ticks that had begun.
  uint64_t atCall = 0;
  uint64_t tick = 0;
  /// Name of the unit, and what it is built around; for a function that is compiled whole its name
  /// and "stock".
  std::string unit;
  std::string unitKind;
  /// Where it is. None: a function that can't run yet.
  std::optional<Tier> from;
  /// What is decided for it, compiled, installed or, of Cancel, no longer wanted.
  Tier to = Tier::Interpreter;
  Reason reason = Reason::NotLookedAt;
  /// Of the decision that this is, or follows.
  Terms terms;
  /// Of a decision: how often the one before it was made again, without an event.
  uint64_t repeats = 0;
  /// Of the end of a compile, and of what is installed.
  double compileMs = 0;
  uint64_t codeBytes = 0;
  /// Beyond the reason: the message of a compile that failed, for example.
  std::string detail;

  /// When it happened; they differ for what takes time.
  MachineTime begin;
  MachineTime end;
  /// The system's number of the thread that did it.
  int thread = 0;

  bool isDecision() const { return kind <= TieringEventKind::Drop; }
  bool endsCompile() const {
    return kind == TieringEventKind::CompileEnd || kind == TieringEventKind::CompileFail ||
           kind == TieringEventKind::CompileGiveUp;
  }
};

/// The counters were read and the policy was asked about each unit that is open.
struct TieringTick {
  /// From 1.
  uint64_t number = 0;
  uint64_t atCall = 0;
  double atMs = 0;
  /// Units that wait to be compiled, and that are being compiled, when it ended.
  size_t numWaiting = 0;
  unsigned numRunning = 0;
  MachineTime begin;
  MachineTime end;
};

/// Is told what the tiering of one model or of several does.
class TieringObserver {
public:
  virtual ~TieringObserver() = default;
  /// Thread-safe; must be quick, do no input or output, and call nothing of the model.
  virtual void noteEvent(const TieringEvent &event) = 0;
  virtual void noteTick(const TieringTick &tick) {}
};

/// Keeps events, and ticks if they are wanted: the first and the newest, if there are more than
/// `capacity` of one of them. Thread-safe.
class EventLog final : public TieringObserver {
public:
  /// About 20 MB.
  static constexpr size_t kDefaultCapacity = size_t(1) << 16;

  explicit EventLog(size_t capacity = kDefaultCapacity, bool keepsTicks = false)
      : keepsTicks(keepsTicks), kept(capacity), keptTicks(capacity) {}

  void noteEvent(const TieringEvent &event) override;
  void noteTick(const TieringTick &tick) override;

  /// In order.
  std::vector<TieringEvent> events() const;
  std::vector<TieringTick> ticks() const;
  uint64_t numDroppedEvents() const;
  uint64_t numDroppedTicks() const;

private:
  const bool keepsTicks;
  /// Guards what follows; no other is taken while it is held.
  mutable std::mutex mutex;
  BoundedHistory<TieringEvent> kept;
  BoundedHistory<TieringTick> keptTicks;
};

/// The log of decisions (docs/Observability.md): a JSON object a line for each event, and where
/// events were dropped one line that says how many.
std::string decisionLog(const EventLog &log);

/// "promote to baseline: saves more than compiling costs (saved_ms=12.5, compile_ms=4)", "compiled
/// in 3.2 ms".
std::string toText(const TieringEvent &event);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_TIERING_TIERINGEVENTS_H
