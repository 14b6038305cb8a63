//===- TieringManager.h - Brings the units of a model to their tiers *- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ENGINE_TIERINGMANAGER_H
#define ANNEAL_LIB_ENGINE_TIERINGMANAGER_H

#include "CompileThreads.h"
#include "UnitLedger.h"

#include "anneal/Engine/Tiering.h"
#include "anneal/Engine/TieringEvents.h"
#include "anneal/Runtime/Policy/Policy.h"
#include "anneal/Runtime/Program.h"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace anneal::engine {

/// What a tiering manager is made of.
struct TieringSetup {
  TieringOptions options;
  /// Makes a compiler of the model's units; empty: they have no IR.
  MakeUnitCompiler makeCompiler;
  std::shared_ptr<CodeSpace> code;
  /// Null: the machine's, or modelled time in deterministic mode.
  std::shared_ptr<TimeSource> time;
  /// Told of all that happens, in this order.
  std::vector<std::shared_ptr<TieringObserver>> observers = {};
};

/// The compile of a function that has no plan.
struct ForeignCompile {
  /// By the tiering's clock.
  std::chrono::nanoseconds start{0};
  MachineTime begin;
  /// How long it took, and when it ended, after the model was loaded.
  double ms = 0;
  double endedAtMs = 0;
};

/// Has the units of one model compiled, and their code installed and taken away again.
///
/// A tick reads the program's counters and asks the policy about each unit that is open. Ticks
/// follow the calls: the listener counts them and, when a tick is due, wakes a compile thread,
/// which makes the tick and then takes jobs. The distance between ticks is an eighth of the calls
/// so far, at most 1024, so that they are many where much is new; there are none while nothing is
/// called.
///
/// States: made -> attached to a program -> stopped. Thread-safe between attach and stop. Belongs
/// to the model, outlives the program (whose listener it is), and is stopped before the program is
/// destroyed.
class TieringManager final : public runtime::CallListener, private JobSource {
public:
  /// Error: InvalidArgument for a policy that does not exist.
  static absl::StatusOr<std::unique_ptr<TieringManager>> create(TieringSetup setup);
  ~TieringManager() override { stop(); }

  /// How the program is to be made: with this object as listener, and times, if anything may be
  /// compiled.
  void configure(runtime::ProgramOptions &options);
  void attach(runtime::Program &program);
  /// Waits for compiles that run; nothing is changed any more. REQUIRES: no call is running or
  /// comes.
  void stop();

  void callEnded() noexcept override;

  /// Brings every unit to `tier` and pins it there; the ones that are not there now. Compiles on
  /// the calling thread. REQUIRES: no call has been made.
  std::vector<UnitFailure> forceTier(Tier tier);

  /// Returns when nothing is being compiled or waits for it, and the policy, asked after that,
  /// wants no unit compiled.
  void waitForCompiles();

  TieringReport report() const;

  /// A function without a plan is about to be compiled by the thread that calls; REQUIRES: the
  /// manager is attached.
  ForeignCompile foreignCompileBegins(const plan::ForeignFunction &function);
  /// That compile ended, with `status`; sets its times.
  void foreignCompileEnds(const plan::ForeignFunction &function, const absl::Status &status,
                          ForeignCompile &compile);

private:
  TieringManager(TieringSetup setup, std::unique_ptr<runtime::Policy> policy);

  bool mayCompile() const {
    return setup.makeCompiler && setup.options.tiers.highest() > Tier::Interpreter;
  }
  std::unique_ptr<CompileRunner> makeRunner() const;
  void pinWhatCannotChange();

  std::optional<CompileJob> nextJob() override;
  bool hasJobs() override;
  void jobEnded(const CompileJob &job, CompileOutcome outcome) override;
  void jobGivenUp(const CompileJob &job) override;

  // What follows REQUIRES the lock.
  /// Tells the observers; sets number, time, call, tick and thread, and, where the event has no
  /// times of its own, when it happened.
  void note(TieringEvent event);
  /// An event on a unit where it is now, with the decision on it.
  TieringEvent eventOf(uint32_t unit, TieringEventKind kind) const;
  /// Takes down what was decided about a unit; an event if it is something new.
  void noteDecision(uint32_t unit, const runtime::Decision &decision);
  void pin(uint32_t unit, const runtime::Decision &decision, const std::string &detail = "");
  void noteCancelled(uint32_t unit);
  void cancelAll();
  void noteCompileEnd(const CompileJob &job, const CompileOutcome &outcome);
  void noteTick(MachineTime begin);

  void tick();
  void apply(uint32_t unit, const runtime::Decision &decision);
  void enqueue(uint32_t unit, const runtime::Decision &decision);
  void rollBack(uint32_t unit, const runtime::Decision &decision);
  void beginJob(const CompileJob &job);
  void finishJob(const CompileJob &job, CompileOutcome outcome);
  void addPasses(const std::vector<compiler::PassTime> &passes);
  void install(const CompileJob &job, CompileOutcome &outcome);
  void pinAll(const runtime::Decision &decision, const std::string &detail);
  void forceUnit(uint32_t unit, Tier tier, CompileRunner &runner);
  runtime::PolicyContext policyContext() const;
  /// What the policy says of a unit, with the queue as it is now.
  runtime::Decision decide(uint32_t unit, runtime::PolicyContext context) const;
  /// Compiles what the policy wants compiled, on this thread.
  void compileAhead();
  /// Calls that no program makes.
  static constexpr uint64_t kNever = UINT64_MAX;

  double sinceAttachedMs() const { return toMs(time->now() - attachedAt); }

  const TieringSetup setup;
  const std::shared_ptr<TimeSource> time;
  const std::unique_ptr<runtime::Policy> policy;
  runtime::Program *program = nullptr;
  /// For each unit: a public function calls it.
  std::vector<bool> isUsed;

  /// Calls that have ended, and how many of them make the next tick due. On a cache line of their
  /// own, since all callers write there.
  alignas(64) std::atomic<uint64_t> numCalls{0};
  std::atomic<uint64_t> nextTickAt;
  alignas(64) std::atomic<bool> isTickDue{false};

  /// Guards what follows. See the lock order in anneal/Engine/Engine.h.
  mutable std::mutex mutex;
  std::condition_variable settled;
  std::optional<UnitLedger> ledger;
  CompileQueue queue;
  unsigned numRunning = 0;
  unsigned numWaiting = 0;
  /// The last tick wanted nothing to be compiled, and nothing has been since.
  bool isQuiet = false;
  bool isStopped = false;
  CompileTotals totals;
  TieringOverhead overhead;
  TieringCounts counts;
  uint64_t numEvents = 0;
  std::chrono::nanoseconds attachedAt{0};
  /// Of deterministic mode.
  std::unique_ptr<CompileRunner> inlineRunner;

  /// Destroyed first.
  std::optional<CompileThreads> threads;
};

} // namespace anneal::engine

#endif // ANNEAL_LIB_ENGINE_TIERINGMANAGER_H
