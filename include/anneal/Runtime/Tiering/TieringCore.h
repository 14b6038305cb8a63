//===- TieringCore.h - From counters to installed code ----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a running program and the simulator have in common, all of it but the threads and the
// compiler: counters come in, a policy decides, jobs go out, what they yield is installed and
// judged. Whoever replays the counters and the compiles of a run has the decisions of that run.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_TIERING_TIERINGCORE_H
#define ANNEAL_RUNTIME_TIERING_TIERINGCORE_H

#include "anneal/Plan/Plan.h"
#include "anneal/Runtime/Policy/Policy.h"
#include "anneal/Runtime/Tiering/CompileOutcome.h"
#include "anneal/Runtime/Tiering/CompileQueue.h"
#include "anneal/Runtime/Tiering/TieringEvents.h"
#include "anneal/Runtime/Tiering/TieringHistory.h"
#include "anneal/Runtime/Tiering/TimeSource.h"
#include "anneal/Runtime/Tiering/UnitLedger.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace anneal::runtime {

/// Calls that no program makes.
inline constexpr uint64_t kNever = UINT64_MAX;

/// No call gives reason to decide anything before this one has ended.
constexpr uint64_t firstTickAt(bool isDeterministic) { return isDeterministic ? 1 : 2; }

/// Every so many calls of a thread, units are timed: 25 ns each, so that it costs a unit call of 2
/// us three thousandths, and the times of five calls are there after seventeen.
constexpr unsigned timedCallDistance(bool isDeterministic) { return isDeterministic ? 1 : 4; }

/// The units that a core steers: those of a running program, or simulated ones. Called by the core
/// alone.
class TieredUnits {
public:
  virtual ~TieredUnits() = default;
  /// Counters of all units, as they are now; valid until the next call.
  virtual const ProgramStats &counters() = 0;
  /// Calls of the program that have ended.
  virtual uint64_t calls() const = 0;
  /// The next tick is due when so many calls have ended; perhaps kNever.
  virtual void setNextTick(uint64_t calls) = 0;
  /// Calls of the unit that begin now run this code; null: they run in the interpreter again.
  virtual void install(uint32_t unit, Tier tier, std::unique_ptr<UnitCode> code) = 0;
};

/// Who calls a unit.
enum class UnitRole : uint8_t {
  Called,
  /// The computation of constants, when the program is made.
  ConstantsOnly,
  /// It is a loop, and those in it have roles of their own.
  Loop
};

/// "called", "constants-only", "loop".
absl::string_view name(UnitRole role);

/// That of each unit of a module.
std::vector<UnitRole> rolesOf(const plan::Module &module);

struct TieringCoreOptions {
  TierSet tiers = TierSet::all();
  /// Threads that compile, for the policy to know.
  unsigned compileThreads = 1;
  /// A tick follows each call, and time passes only where the time source says so.
  bool isDeterministic = false;
  /// There is a compiler, and it has the units' IR.
  bool canCompile = true;
  /// Told of all that happens, in this order.
  std::vector<std::shared_ptr<TieringObserver>> observers = {};
};

/// Decides about the units of one program and keeps what became of them.
///
/// A tick reads the counters and asks the policy about each unit that is open; what it wants
/// compiled is queued. Whoever has a compiler takes jobs and says what came out of them. The
/// distance between ticks is an eighth of the calls so far, at most 1024, so that they are many
/// where much is new; there are none while nothing is called.
///
/// States: made -> begun -> stopped. Not thread-safe. `time` and `units` outlive it.
class TieringCore {
public:
  /// Compiles at once, on the thread that asks.
  using Compile = std::function<CompileOutcome(const CompileJob &)>;

  TieringCore(TieringCoreOptions options, std::unique_ptr<Policy> policy, TimeSource &time,
              TieredUnits &units);

  /// From here on times and calls count. `roles`: of each unit. Units that cannot change are
  /// pinned.
  void begin(const std::vector<UnitRole> &roles);
  /// Decisions begin with what earlier runs have shown. REQUIRES: it has begun, no tick was made.
  void warm(const RunProfile &profile);
  /// What is known of the units: times up to the last tick.
  void fillProfile(RunProfile &profile) const { ledger->fill(profile); }
  /// Nothing is decided any more; what waits is cancelled.
  void stop();
  bool isStopped() const { return hasStopped; }

  void tick();
  /// The job with the largest gain, if there is one; its compile begins.
  std::optional<CompileJob> takeJob();
  /// Its compile ended.
  void finishJob(const CompileJob &job, CompileOutcome outcome);

  bool compilesAhead() const { return policy->compilesAhead(); }
  /// Compiles what the policy wants compiled.
  void compileAhead(const Compile &compile);
  /// Compiles a unit at `tier`; pins it if it is there then.
  void forceUnit(uint32_t unit, Tier tier, const Compile &compile);

  void pin(uint32_t unit, const Decision &decision, const std::string &detail = "");
  /// All that are open.
  void pinAll(const Decision &decision, const std::string &detail);

  /// Tells the observers; sets number, time, call, tick and thread, and, where the event has no
  /// times of its own, when it happened.
  void note(TieringEvent event);
  /// Code that is not a unit's was installed.
  void countPromotion() { ++counts.promotions; }

  /// The last tick wanted nothing to be compiled, nothing has been since, and nothing waits.
  bool isSettled() const { return isQuiet && queue.size() == 0 && numRunning == 0; }
  /// There may be something to compile.
  void expectMore() { isQuiet = false; }
  bool hasOpenUnits() const { return ledger->hasOpenUnits(); }
  bool hasJobs() const { return queue.size() > 0; }
  const UnitHistory &history(uint32_t unit) const { return (*ledger)[unit].history; }
  /// All but the engine's code memory.
  TieringReport report() const;
  /// Since it began.
  double elapsedMs() const { return toMs(time.now() - begunAt); }

private:
  /// An event on a unit where it is now, with the decision on it.
  TieringEvent eventOf(uint32_t unit, TieringEventKind kind) const;
  /// Takes down what was decided about a unit; an event if it is something new.
  void noteDecision(uint32_t unit, const Decision &decision);
  void noteCancelled(uint32_t unit);
  void cancelAll();
  void noteCompileEnd(const CompileJob &job, const CompileOutcome &outcome);
  void noteTick(MachineTime begin);

  void apply(uint32_t unit, const Decision &decision);
  void enqueue(uint32_t unit, const Decision &decision);
  void rollBack(uint32_t unit, const Decision &decision);
  void beginJob(const CompileJob &job);
  void addPasses(const std::vector<PassTotal> &passes);
  void install(const CompileJob &job, CompileOutcome &outcome);
  PolicyContext policyContext() const;
  /// What the policy says of a unit, with the queue as it is now.
  Decision decide(uint32_t unit, PolicyContext context) const;

  const TieringCoreOptions options;
  const std::unique_ptr<Policy> policy;
  TimeSource &time;
  TieredUnits &units;
  std::vector<std::string> unitNames;
  std::optional<UnitLedger> ledger;
  /// Calls of the program in earlier runs.
  uint64_t earlierCalls = 0;
  CompileQueue queue;
  unsigned numRunning = 0;
  bool isQuiet = false;
  bool hasStopped = false;
  CompileTotals totals;
  TieringOverhead overhead;
  TieringCounts counts;
  uint64_t numEvents = 0;
  std::chrono::nanoseconds begunAt{0};
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_TIERING_TIERINGCORE_H
