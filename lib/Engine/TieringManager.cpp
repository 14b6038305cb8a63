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

/// No call gives reason to decide anything before this one has ended.
constexpr uint64_t kFirstTick = 2;
/// Every so many calls of a thread, units are timed: 25 ns each, so that it costs a unit call of 2
/// us three thousandths, and the times of five calls are there after seventeen.
constexpr unsigned kTimeEvery = 4;
/// Most units that wait to be compiled.
constexpr size_t kQueueCapacity = 256;

/// Marks the units that a block calls.
void markUsed(const plan::Block &block, std::vector<bool> &isUsed) {
  for (const plan::Step &step : block.steps) {
    if (step.kind == plan::StepKind::Invoke)
      isUsed[step.unit] = true;
    for (const plan::Block &inner : step.blocks)
      markUsed(inner, isUsed);
  }
}

std::string reasonOf(const UnitHistory &history) {
  std::string reason(runtime::text(history.decision.reason()));
  return history.detail.empty() ? reason : absl::StrCat(reason, ": ", history.detail);
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
    : setup(std::move(given)), time(setup.time), policy(std::move(policy)),
      nextTickAt(setup.options.deterministic ? 1 : kFirstTick), queue(kQueueCapacity) {}

void TieringManager::configure(runtime::ProgramOptions &options) {
  if (!mayCompile())
    return;
  options.listener = this;
  options.timeEvery = setup.options.deterministic ? 1 : kTimeEvery;
}

std::unique_ptr<CompileRunner> TieringManager::makeRunner() const {
  return std::make_unique<CompileRunner>(program->module(), setup.makeCompiler, *setup.code, *time);
}

void TieringManager::attach(runtime::Program &attached) {
  program = &attached;
  const plan::Module &module = program->module();
  isUsed.resize(module.units.size());
  for (const plan::Function &function : module.functions)
    if (function.isPublic)
      markUsed(function.body, isUsed);
  std::lock_guard<std::mutex> lock(mutex);
  attachedAt = time->now();
  ledger.emplace(program->stats(), *time);
  pinWhatCannotChange();
  if (!mayCompile())
    return;
  if (policy->compilesAhead())
    compileAhead();
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

void TieringManager::pinWhatCannotChange() {
  for (uint32_t u = 0; u < ledger->size(); ++u) {
    if (program->module().units[u].isLoop)
      pin(u, Decision::loopOfUnits(Tier::Interpreter));
    else if (!isUsed[u])
      pin(u, Decision::onlyConstants(Tier::Interpreter));
    else if (setup.options.tiers.highest() == Tier::Interpreter)
      noteDecision(u, Decision::noHigherTier(Tier::Interpreter));
    else if (!setup.makeCompiler)
      pin(u, Decision::noUnitIr(Tier::Interpreter));
  }
}

void TieringManager::stop() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isStopped = true;
    nextTickAt = kNever;
    cancelAll();
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
    tick();
    while (std::optional<CompileJob> job = queue.take()) {
      beginJob(*job);
      finishJob(*job, inlineRunner->run(*job));
    }
    program->epochs().collect();
    return;
  }
  // Of all callers one asks for the tick.
  if (!nextTickAt.compare_exchange_strong(due, kNever, std::memory_order_relaxed))
    return;
  isTickDue.store(true);
  if (threads->wake())
    return;
  std::lock_guard<std::mutex> lock(mutex);
  pinAll(Decision::noCompiler(Tier::Interpreter), "no thread can be started");
}

//===----------------------------------------------------------------------===//
// What compile threads ask for and report
//===----------------------------------------------------------------------===//

std::optional<CompileJob> TieringManager::nextJob() {
  bool hasTicked = false;
  std::optional<CompileJob> job;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (isStopped)
      return std::nullopt;
    if (isTickDue.exchange(false)) {
      tick();
      hasTicked = true;
    }
    job = queue.take();
    if (job)
      beginJob(*job);
    else
      settled.notify_all();
  }
  if (hasTicked)
    program->epochs().collect();
  return job;
}

bool TieringManager::hasJobs() {
  std::lock_guard<std::mutex> lock(mutex);
  return queue.size() > 0;
}

void TieringManager::jobEnded(const CompileJob &job, CompileOutcome outcome) {
  std::lock_guard<std::mutex> lock(mutex);
  finishJob(job, std::move(outcome));
  isQuiet = false;
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
  nextTickAt = kNever;
  std::unique_ptr<CompileRunner> runner;
  if (setup.makeCompiler && tier != Tier::Interpreter)
    runner = makeRunner();
  std::vector<UnitFailure> failures;
  for (uint32_t u = 0; u < ledger->size(); ++u) {
    if (!isUsed[u])
      continue;
    const UnitHistory &history = (*ledger)[u].history;
    if (tier == Tier::Interpreter)
      pin(u, Decision::atForcedTier(tier));
    else if (!runner)
      pin(u, Decision::noUnitIr(Tier::Interpreter));
    else if (!history.isPinned)
      forceUnit(u, tier, *runner);
    bool isThere =
        history.tier == tier || history.decision.reason() == runtime::Reason::NothingToCompile;
    if (!isThere)
      failures.push_back({program->module().units[u].name, reasonOf(history)});
  }
  nextTickAt = kNever;
  return failures;
}

void TieringManager::waitForCompiles() {
  if (!threads || numCalls.load() == 0)
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!ledger->hasOpenUnits())
      return;
    ++numWaiting;
    isQuiet = false;
    isTickDue = true;
  }
  threads->setHurry(true);
  bool isAwake = threads->wake();
  std::unique_lock<std::mutex> lock(mutex);
  if (!isAwake)
    pinAll(Decision::noCompiler(Tier::Interpreter), "no thread can be started");
  settled.wait(lock,
               [&] { return isStopped || (isQuiet && queue.size() == 0 && numRunning == 0); });
  if (--numWaiting == 0)
    threads->setHurry(false);
}

TieringReport TieringManager::report() const {
  TieringReport report;
  std::lock_guard<std::mutex> lock(mutex);
  runtime::ProgramStats stats = program->stats();
  for (uint32_t u = 0; u < ledger->size(); ++u)
    report.units.push_back(ledger->historyAt(u, stats.units[u].calls));
  report.compile = totals;
  report.overhead = overhead;
  report.counts = counts;
  report.runMs = sinceAttachedMs();
  report.numWaiting = queue.size();
  report.numRunning = numRunning;
  if (setup.code) {
    runtime::CodeSlabStatistics statistics = setup.code->statistics();
    report.codeBytes = statistics.liveBytes;
    report.codeMemoryBytes = statistics.allocatedBytes;
  }
  return report;
}

} // namespace anneal::engine
