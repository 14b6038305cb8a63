//===- TieringManager.cpp - Brings the units of a model to their tiers ----===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TieringManager.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace anneal::engine {

using runtime::Attempt;
using runtime::Decision;

namespace {

std::string reasonOf(const UnitHistory &history) {
  std::string reason(runtime::text(history.decision.reason()));
  return history.detail.empty() ? reason : absl::StrCat(reason, ": ", history.detail);
}

TieringEvent eventOf(const plan::ForeignFunction &function, TieringEventKind kind) {
  TieringEvent event;
  event.kind = kind;
  event.unit = function.name;
  event.unitKind = "stock";
  event.to = Tier::Baseline;
  event.reason = runtime::Reason::NoPlan;
  event.detail = function.reason;
  return event;
}

} // namespace

absl::StatusOr<std::unique_ptr<TieringManager>> TieringManager::create(TieringSetup setup) {
  auto policy = runtime::makePolicy(setup.options.policy);
  if (!policy.ok())
    return policy.status();
  setup.options.compileThreads = std::max(1u, setup.options.compileThreads);
  setup.options.compileShare = std::clamp(setup.options.compileShare, 0.0, 1.0);
  if (!setup.time && setup.options.deterministic)
    setup.time = std::make_shared<ModelledTime>();
  else if (!setup.time)
    setup.time = std::make_shared<MeasuredTime>();
  return std::unique_ptr<TieringManager>(new TieringManager(std::move(setup), *std::move(policy)));
}

TieringManager::TieringManager(TieringSetup given, std::unique_ptr<runtime::Policy> policy)
    : setup(std::move(given)), time(setup.time),
      nextTickAt(runtime::firstTickAt(setup.options.deterministic)),
      core({setup.options.tiers, setup.options.compileThreads, setup.options.deterministic,
            static_cast<bool>(setup.makeCompiler), setup.observers},
           std::move(policy), *time, *this) {}

void TieringManager::configure(runtime::ProgramOptions &options) {
  if (!mayCompile())
    return;
  options.listener = this;
  options.timeEvery = runtime::timedCallDistance(setup.options.deterministic);
}

std::unique_ptr<CompileRunner> TieringManager::makeRunner() const {
  return std::make_unique<CompileRunner>(program->module(), setup.makeCompiler, *setup.code, *time);
}

void TieringManager::attach(runtime::Program &attached) {
  program = &attached;
  roles = runtime::rolesOf(program->module());
  std::lock_guard<std::mutex> lock(mutex);
  core.begin(roles);
  if (!mayCompile())
    return;
  if (core.compilesAhead()) {
    std::unique_ptr<CompileRunner> runner = makeRunner();
    core.compileAhead([&](const CompileJob &job) { return runner->run(job); });
  }
  if (setup.options.deterministic) {
    inlineRunner = makeRunner();
    return;
  }
  CompileThreadOptions options;
  options.numThreads = setup.options.compileThreads;
  options.share = setup.options.compileShare;
  options.deadline = setup.options.compileDeadline;
  threads.emplace(options, static_cast<JobSource &>(*this), [this] { return makeRunner(); }, *time);
}

const runtime::ProgramStats &TieringManager::counters() {
  latestCounters = program->stats();
  return latestCounters;
}

void TieringManager::install(uint32_t unit, Tier tier, std::unique_ptr<runtime::UnitCode> code) {
  program->codeSlot(unit).install(std::move(code));
}

void TieringManager::giveUpThreads() {
  core.pinAll(Decision::noCompiler(Tier::Interpreter), "no thread can be started");
  settled.notify_all();
}

void TieringManager::stop() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    core.stop();
    settled.notify_all();
  }
  if (threads)
    threads->stop();
}

void TieringManager::callEnded() noexcept {
  uint64_t calls = numCalls.fetch_add(1, std::memory_order_relaxed) + 1;
  uint64_t due = nextTickAt.load(std::memory_order_relaxed);
  if (calls < due)
    return;
  if (setup.options.deterministic) {
    std::lock_guard<std::mutex> lock(mutex);
    core.tick();
    while (std::optional<CompileJob> job = core.takeJob())
      core.finishJob(*job, inlineRunner->run(*job));
    program->epochs().collect();
    return;
  }
  // Of all callers one asks for the tick.
  if (!nextTickAt.compare_exchange_strong(due, runtime::kNever, std::memory_order_relaxed))
    return;
  isTickDue.store(true);
  if (threads->wake())
    return;
  std::lock_guard<std::mutex> lock(mutex);
  giveUpThreads();
}

//===----------------------------------------------------------------------===//
// What compile threads ask for and report
//===----------------------------------------------------------------------===//

std::optional<CompileJob> TieringManager::nextJob() {
  bool hasTicked = false;
  std::optional<CompileJob> job;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (core.isStopped())
      return std::nullopt;
    if (isTickDue.exchange(false)) {
      core.tick();
      hasTicked = true;
    }
    job = core.takeJob();
    if (!job)
      settled.notify_all();
  }
  if (hasTicked)
    program->epochs().collect();
  return job;
}

bool TieringManager::hasJobs() {
  std::lock_guard<std::mutex> lock(mutex);
  return core.hasJobs();
}

void TieringManager::jobEnded(const CompileJob &job, CompileOutcome outcome) {
  std::lock_guard<std::mutex> lock(mutex);
  core.finishJob(job, std::move(outcome));
  core.expectMore();
  if (numWaiting > 0)
    isTickDue = true;
}

void TieringManager::jobGivenUp(const CompileJob &job) {
  CompileOutcome outcome;
  outcome.attempt = Attempt::TimedOut;
  outcome.compileMs = toMs(setup.options.compileDeadline);
  outcome.detail = absl::StrCat("more than ", outcome.compileMs * 1e-3, " s");
  jobEnded(job, std::move(outcome));
}

std::vector<UnitFailure> TieringManager::forceTier(Tier tier) {
  std::lock_guard<std::mutex> lock(mutex);
  nextTickAt = runtime::kNever;
  std::unique_ptr<CompileRunner> runner;
  if (setup.makeCompiler && tier != Tier::Interpreter)
    runner = makeRunner();
  std::vector<UnitFailure> failures;
  for (uint32_t u = 0; u < roles.size(); ++u) {
    if (roles[u] != runtime::UnitRole::Called)
      continue;
    const UnitHistory &history = core.history(u);
    if (tier == Tier::Interpreter)
      core.pin(u, Decision::atForcedTier(tier));
    else if (!runner)
      core.pin(u, Decision::noUnitIr(Tier::Interpreter));
    else if (!history.isPinned)
      core.forceUnit(u, tier, [&](const CompileJob &job) { return runner->run(job); });
    bool isThere =
        history.tier == tier || history.decision.reason() == runtime::Reason::NothingToCompile;
    if (!isThere)
      failures.push_back({program->module().units[u].name, reasonOf(history)});
  }
  nextTickAt = runtime::kNever;
  return failures;
}

void TieringManager::waitForCompiles() {
  if (!threads || numCalls.load() == 0)
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!core.hasOpenUnits())
      return;
    ++numWaiting;
    core.expectMore();
    isTickDue = true;
  }
  threads->setHurry(true);
  bool isAwake = threads->wake();
  std::unique_lock<std::mutex> lock(mutex);
  if (!isAwake)
    giveUpThreads();
  settled.wait(lock, [&] { return core.isStopped() || core.isSettled(); });
  if (--numWaiting == 0)
    threads->setHurry(false);
}

TieringReport TieringManager::report() const {
  std::lock_guard<std::mutex> lock(mutex);
  TieringReport report = core.report();
  if (setup.code) {
    runtime::CodeSlabStatistics statistics = setup.code->statistics();
    report.codeBytes = statistics.liveBytes;
    report.codeMemoryBytes = statistics.allocatedBytes;
  }
  return report;
}

//===----------------------------------------------------------------------===//
// Functions that are compiled whole
//===----------------------------------------------------------------------===//

ForeignCompile TieringManager::foreignCompileBegins(const plan::ForeignFunction &function) {
  ForeignCompile compile;
  compile.start = time->now();
  compile.begin = MachineClock::now();
  std::lock_guard<std::mutex> lock(mutex);
  core.note(eventOf(function, TieringEventKind::CompileBegin));
  return compile;
}

void TieringManager::foreignCompileEnds(const plan::ForeignFunction &function,
                                        const absl::Status &status, ForeignCompile &compile) {
  time->compiled(Tier::Baseline);
  compile.ms = toMs(time->now() - compile.start);
  TieringEvent event =
      eventOf(function, status.ok() ? TieringEventKind::CompileEnd : TieringEventKind::CompileFail);
  event.compileMs = compile.ms;
  event.begin = compile.begin;
  event.end = MachineClock::now();
  std::lock_guard<std::mutex> lock(mutex);
  compile.endedAtMs = core.elapsedMs();
  if (!status.ok()) {
    event.reason = runtime::Reason::CompileFailed;
    event.detail = std::string(status.message());
    return core.note(std::move(event));
  }
  core.note(event);
  core.countPromotion();
  event.kind = TieringEventKind::Install;
  event.begin = event.end;
  core.note(std::move(event));
}

} // namespace anneal::engine
