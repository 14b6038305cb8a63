//===- Simulator.cpp - A trace under another policy -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Simulation/Simulator.h"

#include "anneal/Runtime/Policy/Policy.h"
#include "anneal/Runtime/Tiering/TieringCore.h"

#include <algorithm>
#include <cmath>

namespace anneal::simulation {

using runtime::Attempt;
using runtime::CompileJob;
using runtime::CompileOutcome;
using std::chrono::nanoseconds;

namespace {

constexpr uint64_t kTimelinePoints = 200;

nanoseconds toNanoseconds(double seconds) { return nanoseconds(std::llround(seconds * 1e9)); }
double toSeconds(nanoseconds time) { return std::chrono::duration<double>(time).count(); }

TierSet common(TierSet a, TierSet b) {
  TierSet both;
  for (unsigned t = 0; t < kNumTiers; ++t)
    if (auto tier = static_cast<Tier>(t); a.contains(tier) && b.contains(tier))
      both.add(tier);
  return both;
}

/// The program's counters, and the times that were measured since they were read.
class SimulatedCounters {
public:
  explicit SimulatedCounters(const Trace &trace)
      : pending(trace.units.size(), 0), callsOfClass(trace.classes.size(), 0) {
    for (const TracedUnit &unit : trace.units) {
      stats.units.emplace_back();
      stats.units.back().name = unit.name;
      stats.units.back().kind = unit.kind;
    }
  }

  /// A call of a class begins; whether its units are timed.
  bool beginCall(uint32_t callClass, bool makesInstance, bool isDeterministic) {
    stats.instancesMade += makesInstance;
    // A new instance counts its calls anew.
    if (makesInstance)
      callsOfClass[callClass] = 0;
    return callsOfClass[callClass]++ % runtime::timedCallDistance(isDeterministic) == 0;
  }

  void add(const TracedWork &work, double seconds, bool isTimed) {
    runtime::UnitStats &unit = stats.units[work.unit];
    unit.calls += work.calls;
    if (!isTimed)
      return;
    unit.timedCalls += work.calls;
    unit.timedFlops += work.flops;
    unit.timedBytes += work.bytes;
    pending[work.unit] += seconds;
  }

  const runtime::ProgramStats &all() const { return stats; }
  double takeSeconds(uint32_t unit) { return std::exchange(pending[unit], 0); }

private:
  runtime::ProgramStats stats;
  std::vector<double> pending;
  std::vector<uint64_t> callsOfClass;
};

/// One run: the units, the clock and the threads of a core.
class Simulation final : runtime::TieredUnits, runtime::TimeSource {
public:
  Simulation(const Trace &trace, const SimulationOptions &options,
             std::unique_ptr<runtime::Policy> policy)
      : trace(trace), isInline(options.compileThreads.value_or(trace.isDeterministic ? 0 : 1) == 0),
        threads(options.compileThreads.value_or(1)), tiers(trace.units.size(), Tier::Interpreter),
        counted(trace), nextTick(runtime::firstTickAt(isInline)),
        core({common(options.tiers, trace.tiers), std::max<unsigned>(1, numThreads()), isInline,
              true, options.observers},
             std::move(policy), *this, *this) {}

  SimulationResult run();

private:
  /// A thread that compiles: what, until when.
  struct Thread {
    std::optional<CompileJob> job;
    nanoseconds begin{0};
    nanoseconds end{0};
    /// Its first compile also starts its compiler.
    bool hasCompiled = false;
  };

  unsigned numThreads() const { return static_cast<unsigned>(threads.size()); }

  const runtime::ProgramStats &counters() override { return counted.all(); }
  uint64_t calls() const override { return numCalls; }
  void setNextTick(uint64_t atCalls) override { nextTick = atCalls; }
  void install(uint32_t unit, Tier tier, std::unique_ptr<runtime::UnitCode>) override {
    tiers[unit] = tier;
  }
  nanoseconds now() const override { return clock; }
  double secondsOf(uint32_t unit, Tier, uint64_t, double, double) override {
    return counted.takeSeconds(unit);
  }

  void begin();
  void call(const TracedCalls &calls, bool isFirst);
  void callEnded();
  void mark();

  const TracedCompile &compileOf(const CompileJob &job) const;
  bool startsCompiler(const CompileJob &job, bool hasCompiled) const;
  double secondsOf(const CompileJob &job, bool isFirst) const;
  CompileOutcome outcomeOf(const CompileJob &job, bool isFirst) const;
  CompileOutcome compileNow(const CompileJob &job, bool &hasCompiled);
  void advanceTo(nanoseconds time);
  void giveWork();

  const Trace &trace;
  const bool isInline;
  std::vector<Thread> threads;
  /// Whose code is installed.
  std::vector<Tier> tiers;
  SimulatedCounters counted;
  nanoseconds clock{0};
  nanoseconds callsBeganAt{0};
  uint64_t numCalls = 0;
  uint64_t nextTick;
  bool isTickDue = false;
  bool hasCompiledInline = false;
  uint64_t pointDistance = 1;
  SimulationResult result;
  runtime::TieringCore core;
};

SimulationResult Simulation::run() {
  pointDistance = std::max<uint64_t>(1, trace.numCalls() / kTimelinePoints);
  begin();
  for (const TracedCalls &calls : trace.calls)
    for (uint64_t i = 0; i < calls.count; ++i)
      call(calls, i == 0);
  for (const Thread &thread : threads)
    if (thread.job)
      result.compileSeconds += toSeconds(clock - thread.begin);
  mark();
  result.report = core.report();
  return std::move(result);
}

/// Until the first call.
void Simulation::begin() {
  std::vector<runtime::UnitRole> roles;
  for (const TracedUnit &unit : trace.units)
    roles.push_back(unit.role);
  core.begin(roles);
  if (core.compilesAhead()) {
    bool hasCompiled = false;
    core.compileAhead([&](const CompileJob &job) { return compileNow(job, hasCompiled); });
  }
  callsBeganAt = clock;
}

void Simulation::call(const TracedCalls &calls, bool isFirst) {
  if (isFirst && calls.atSeconds)
    advanceTo(std::max(clock, callsBeganAt + toNanoseconds(*calls.atSeconds)));
  const CallClass &callClass = trace.classes[calls.callClass];
  bool makesInstance = isFirst && calls.makesInstance;
  bool isTimed = counted.beginCall(calls.callClass, makesInstance, isInline);
  double seconds = callClass.otherSeconds + (makesInstance ? callClass.instanceSeconds : 0);
  nanoseconds end = clock + toNanoseconds(seconds);
  for (const TracedWork &work : callClass.work) {
    double ofUnit = work.seconds[static_cast<size_t>(tiers[work.unit])];
    counted.add(work, ofUnit, isTimed);
    seconds += ofUnit;
    end += toNanoseconds(ofUnit);
  }
  result.callSeconds += seconds;
  advanceTo(end);
  callEnded();
  if (numCalls % pointDistance == 0)
    mark();
}

void Simulation::callEnded() {
  ++numCalls;
  if (numCalls < nextTick)
    return;
  if (isInline) {
    core.tick();
    while (std::optional<CompileJob> job = core.takeJob())
      core.finishJob(*job, compileNow(*job, hasCompiledInline));
    return;
  }
  nextTick = runtime::kNever;
  isTickDue = true;
  giveWork();
}

void Simulation::mark() {
  if (result.timeline.empty() || result.timeline.back().calls != numCalls)
    result.timeline.push_back({numCalls, result.totalSeconds()});
}

//===----------------------------------------------------------------------===//
// Compiles
//===----------------------------------------------------------------------===//

const TracedCompile &Simulation::compileOf(const CompileJob &job) const {
  return trace.units[job.unit].compiles[static_cast<size_t>(job.tier)];
}

/// Whether a compile starts the compiler of its thread: the first that comes to making code.
bool Simulation::startsCompiler(const CompileJob &job, bool hasCompiled) const {
  return !hasCompiled && compileOf(job).attempt != Attempt::NothingToCompile;
}

double Simulation::secondsOf(const CompileJob &job, bool isFirst) const {
  return compileOf(job).seconds + (isFirst ? trace.compilerStartSeconds : 0);
}

CompileOutcome Simulation::outcomeOf(const CompileJob &job, bool isFirst) const {
  const TracedCompile &compile = compileOf(job);
  CompileOutcome outcome;
  outcome.attempt = compile.attempt;
  outcome.codeBytes = compile.codeBytes;
  outcome.detail = compile.detail;
  if (compile.attempt == Attempt::None) {
    outcome.attempt = Attempt::Failed;
    outcome.detail = "the trace has no compile of it";
  }
  outcome.compileMs = runtime::toMs(toNanoseconds(secondsOf(job, isFirst)));
  outcome.isFirst = isFirst;
  return outcome;
}

/// A compile that calls wait for.
CompileOutcome Simulation::compileNow(const CompileJob &job, bool &hasCompiled) {
  bool isFirst = startsCompiler(job, hasCompiled);
  hasCompiled |= isFirst;
  double seconds = secondsOf(job, isFirst);
  result.compileSeconds += seconds;
  result.waitedSeconds += seconds;
  clock += toNanoseconds(seconds);
  return outcomeOf(job, isFirst);
}

/// Lets compiles end until then, in the order of time.
void Simulation::advanceTo(nanoseconds time) {
  for (;;) {
    Thread *next = nullptr;
    for (Thread &thread : threads)
      if (thread.job && thread.end <= time && (!next || thread.end < next->end))
        next = &thread;
    if (!next)
      break;
    clock = std::max(clock, next->end);
    result.compileSeconds += toSeconds(next->end - next->begin);
    CompileJob job = *std::exchange(next->job, std::nullopt);
    bool isFirst = startsCompiler(job, next->hasCompiled);
    next->hasCompiled |= isFirst;
    core.finishJob(job, outcomeOf(job, isFirst));
    giveWork();
  }
  clock = time;
}

/// Idle threads do what the engine's do: a tick if one is due, then jobs.
void Simulation::giveWork() {
  for (Thread &thread : threads) {
    if (thread.job)
      continue;
    if (std::exchange(isTickDue, false))
      core.tick();
    thread.job = core.takeJob();
    if (!thread.job)
      return;
    thread.begin = clock;
    bool isFirst = startsCompiler(*thread.job, thread.hasCompiled);
    thread.end = clock + toNanoseconds(secondsOf(*thread.job, isFirst));
  }
}

} // namespace

absl::StatusOr<SimulationResult> simulate(const Trace &trace, const SimulationOptions &options) {
  auto policy = runtime::makePolicy(options.policy);
  if (!policy.ok())
    return policy.status();
  return Simulation(trace, options, *std::move(policy)).run();
}

} // namespace anneal::simulation
