//===- TieringManager.h - Brings the units of a model to their tiers *- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ENGINE_TIERINGMANAGER_H
#define ANNEAL_LIB_ENGINE_TIERINGMANAGER_H

#include "CompileThreads.h"

#include "anneal/Engine/Tiering.h"
#include "anneal/Engine/TieringEvents.h"
#include "anneal/Runtime/Program.h"
#include "anneal/Runtime/Tiering/TieringCore.h"

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
/// What is decided, and when, is for the core to say (anneal/Runtime/Tiering/TieringCore.h). Here
/// are the lock, the calls, the threads and the compiler: the listener counts calls and, when a
/// tick is due, wakes a compile thread, which makes the tick and then takes jobs.
///
/// States: made -> attached to a program -> stopped. Thread-safe between attach and stop. Belongs
/// to the model, outlives the program (whose listener it is), and is stopped before the program is
/// destroyed.
class TieringManager final : public runtime::CallListener,
                             private JobSource,
                             private runtime::TieredUnits {
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

  std::optional<CompileJob> nextJob() override;
  bool hasJobs() override;
  void jobEnded(const CompileJob &job, CompileOutcome outcome) override;
  void jobGivenUp(const CompileJob &job) override;

  const runtime::ProgramStats &counters() override;
  uint64_t calls() const override { return numCalls.load(std::memory_order_relaxed); }
  void setNextTick(uint64_t atCalls) override { nextTickAt = atCalls; }
  void install(uint32_t unit, Tier tier, std::unique_ptr<runtime::UnitCode> code) override;

  /// No thread compiles. REQUIRES the lock.
  void giveUpThreads();

  const TieringSetup setup;
  const std::shared_ptr<TimeSource> time;
  runtime::Program *program = nullptr;
  std::vector<runtime::UnitRole> roles;

  /// Calls that have ended, and how many of them make the next tick due. On a cache line of their
  /// own, since all callers write there.
  alignas(64) std::atomic<uint64_t> numCalls{0};
  std::atomic<uint64_t> nextTickAt;
  alignas(64) std::atomic<bool> isTickDue{false};

  /// Guards what follows. See the lock order in anneal/Engine/Engine.h.
  mutable std::mutex mutex;
  std::condition_variable settled;
  runtime::ProgramStats latestCounters;
  runtime::TieringCore core;
  unsigned numWaiting = 0;
  /// Of deterministic mode.
  std::unique_ptr<CompileRunner> inlineRunner;

  /// Destroyed first.
  std::optional<CompileThreads> threads;
};

} // namespace anneal::engine

#endif // ANNEAL_LIB_ENGINE_TIERINGMANAGER_H
