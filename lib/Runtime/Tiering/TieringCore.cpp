//===- TieringCore.cpp - From counters to installed code ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Tiering/TieringCore.h"

#include "anneal/Support/Saturating.h"

#include <algorithm>
#include <unistd.h>

namespace anneal::runtime {

namespace {

/// Most calls between two ticks.
constexpr uint64_t kLongestTick = 1024;
/// Most units that wait to be compiled.
constexpr size_t kQueueCapacity = 256;

/// Marks the units that a block calls.
void markCalled(const plan::Block &block, std::vector<UnitRole> &roles) {
  for (const plan::Step &step : block.steps) {
    if (step.kind == plan::StepKind::Invoke && roles[step.unit] != UnitRole::Loop)
      roles[step.unit] = UnitRole::Called;
    for (const plan::Block &inner : step.blocks)
      markCalled(inner, roles);
  }
}

} // namespace

absl::string_view name(UnitRole role) {
  switch (role) {
  case UnitRole::Called:
    return "called";
  case UnitRole::ConstantsOnly:
    return "constants-only";
  case UnitRole::Loop:
    return "loop";
  }
  return "";
}

std::vector<UnitRole> rolesOf(const plan::Module &module) {
  std::vector<UnitRole> roles;
  for (const plan::Unit &unit : module.units)
    roles.push_back(unit.isLoop ? UnitRole::Loop : UnitRole::ConstantsOnly);
  for (const plan::Function &function : module.functions)
    if (function.isPublic)
      markCalled(function.body, roles);
  return roles;
}

TieringCore::TieringCore(TieringCoreOptions options, std::unique_ptr<Policy> policy,
                         TimeSource &time, TieredUnits &units)
    : options(std::move(options)), policy(std::move(policy)), time(time), units(units),
      queue(kQueueCapacity) {}

void TieringCore::begin(const std::vector<UnitRole> &roles) {
  begunAt = time.now();
  const ProgramStats &stats = units.counters();
  for (const UnitStats &unit : stats.units)
    unitNames.push_back(unit.name);
  ledger.emplace(stats, time);
  for (uint32_t u = 0; u < ledger->size(); ++u) {
    if (roles[u] == UnitRole::Loop)
      pin(u, Decision::loopOfUnits(Tier::Interpreter));
    else if (roles[u] == UnitRole::ConstantsOnly)
      pin(u, Decision::onlyConstants(Tier::Interpreter));
    else if (options.tiers.highest() == Tier::Interpreter)
      noteDecision(u, Decision::noHigherTier(Tier::Interpreter));
    else if (!options.canCompile)
      pin(u, Decision::noUnitIr(Tier::Interpreter));
  }
}

void TieringCore::warm(const RunProfile &profile) {
  earlierCalls = profile.programCalls;
  ledger->warm(profile);
}

void TieringCore::stop() {
  hasStopped = true;
  units.setNextTick(kNever);
  cancelAll();
}

TieringReport TieringCore::report() const {
  TieringReport report;
  const ProgramStats &stats = units.counters();
  for (uint32_t u = 0; u < ledger->size(); ++u)
    report.units.push_back(ledger->historyAt(u, stats.units[u].calls));
  report.compile = totals;
  report.overhead = overhead;
  report.counts = counts;
  report.runMs = elapsedMs();
  report.numWaiting = queue.size();
  report.numRunning = numRunning;
  return report;
}

//===----------------------------------------------------------------------===//
// Deciding
//===----------------------------------------------------------------------===//

PolicyContext TieringCore::policyContext() const {
  return {options.tiers,        addSaturating(units.calls(), earlierCalls),
          ledger->experience(), ledger->allStates(),
          queue.size(),         options.compileThreads};
}

Decision TieringCore::decide(uint32_t unit, PolicyContext context) const {
  context.queueLength = queue.size() - queue.contains(unit);
  return policy->decide(ledger->state(unit), context);
}

void TieringCore::tick() {
  MachineTime begin = MachineClock::now();
  auto start = time.now();
  ++counts.ticks;
  uint64_t calls = units.calls();
  ledger->readCounters(units.counters(), calls, policy->smoothing());
  PolicyContext context = policyContext();
  policy->beginTick(context);
  for (uint32_t u = 0; u < ledger->size(); ++u)
    if ((*ledger)[u].isOpen())
      apply(u, decide(u, context));
  isQuiet = queue.size() == 0 && numRunning == 0;
  uint64_t distance =
      options.isDeterministic ? 1 : std::clamp<uint64_t>(calls / 8, 1, kLongestTick);
  units.setNextTick(ledger->hasOpenUnits() && !hasStopped ? calls + distance : kNever);
  // What the model says of the calls has passed on its clock in the meantime.
  if (!options.isDeterministic)
    overhead.detectMs += toMs(time.now() - start);
  noteTick(begin);
}

void TieringCore::apply(uint32_t unit, const Decision &decision) {
  if (decision.action() != Action::Promote && queue.remove(unit))
    noteCancelled(unit);
  switch (decision.action()) {
  case Action::Stay:
    noteDecision(unit, decision);
    break;
  case Action::Promote:
    enqueue(unit, decision);
    break;
  case Action::Demote:
    rollBack(unit, decision);
    break;
  case Action::Pin:
    pin(unit, decision, (*ledger)[unit].history.detail);
    break;
  }
}

void TieringCore::enqueue(uint32_t unit, const Decision &decision) {
  std::optional<uint32_t> dropped =
      queue.put({unit, decision.tier(), decision.gain(), decision.reason()});
  // One that asks in vain tick by tick has one decision, not two in turn.
  if (dropped != unit)
    noteDecision(unit, decision);
  if (!dropped)
    return;
  ++counts.dropped;
  noteDecision(*dropped, Decision::queueFull((*ledger)[*dropped].history.tier));
}

void TieringCore::rollBack(uint32_t unit, const Decision &decision) {
  static_assert(kNumTiers == 2, "what lies below is not always the interpreter any more");
  noteDecision(unit, decision);
  TieringEvent event = eventOf(unit, TieringEventKind::Remove);
  event.begin = MachineClock::now();
  auto start = time.now();
  UnitHistory &history = (*ledger)[unit].history;
  units.install(unit, decision.tier(), nullptr);
  ledger->noteAttempt(unit, history.tier, Attempt::SlowerThanBelow);
  ledger->noteTier(
      unit,
      {decision.tier(), units.calls(), elapsedMs(), 0, std::string(text(decision.reason())), {}});
  history.detail = decision.toText();
  overhead.deoptMs += toMs(time.now() - start);
  ++counts.rollbacks;
  event.end = MachineClock::now();
  note(std::move(event));
  apply(unit, decide(unit, policyContext()));
}

void TieringCore::pinAll(const Decision &decision, const std::string &detail) {
  cancelAll();
  for (uint32_t u = 0; u < ledger->size(); ++u)
    if ((*ledger)[u].isOpen())
      pin(u, decision, detail);
  units.setNextTick(kNever);
  isQuiet = true;
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

std::optional<CompileJob> TieringCore::takeJob() {
  std::optional<CompileJob> job = queue.take();
  if (job)
    beginJob(*job);
  return job;
}

void TieringCore::beginJob(const CompileJob &job) {
  UnitLedger::Unit &unit = (*ledger)[job.unit];
  unit.isCompiling = true;
  unit.compileThread = ::gettid();
  unit.compileBegin = MachineClock::now();
  ++numRunning;
  ++totals.jobs;
  TieringEvent event = eventOf(job.unit, TieringEventKind::CompileBegin);
  event.to = job.tier;
  event.reason = job.reason;
  note(std::move(event));
}

void TieringCore::addPasses(const std::vector<PassTotal> &passes) {
  if (options.isDeterministic)
    return;
  for (const PassTotal &pass : passes) {
    auto same = std::find_if(totals.passes.begin(), totals.passes.end(),
                             [&](const PassTotal &total) { return total.name == pass.name; });
    if (same == totals.passes.end())
      same = totals.passes.insert(same, {pass.name, 0});
    same->ms += pass.ms;
  }
}

void TieringCore::finishJob(const CompileJob &job, CompileOutcome outcome) {
  UnitLedger::Unit &unit = (*ledger)[job.unit];
  unit.isCompiling = false;
  --numRunning;
  totals.ms += outcome.compileMs;
  addPasses(outcome.passes);
  overhead.compileMs += outcome.compileMs;
  overhead.installMs += outcome.loadMs;
  bool hasFailed =
      outcome.attempt != Attempt::Installed && outcome.attempt != Attempt::NothingToCompile;
  totals.failed += hasFailed;
  noteCompileEnd(job, outcome);
  if (outcome.isCompilerBroken)
    return pinAll(Decision::noCompiler(unit.history.tier), outcome.detail);
  unit.history.detail = outcome.detail;
  ledger->noteAttempt(job.unit, job.tier, outcome.attempt);
  if (outcome.attempt == Attempt::Installed && !outcome.isFirst)
    ledger->noteCompileTime(job.tier, outcome.compileMs);
  if (outcome.attempt == Attempt::Installed)
    install(job, outcome);
  apply(job.unit, decide(job.unit, policyContext()));
}

void TieringCore::install(const CompileJob &job, CompileOutcome &outcome) {
  TieringEvent event = eventOf(job.unit, TieringEventKind::Install);
  event.to = job.tier;
  event.reason = job.reason;
  event.terms.clear();
  event.compileMs = outcome.compileMs;
  event.codeBytes = outcome.codeBytes;
  event.begin = MachineClock::now();
  auto start = time.now();
  units.install(job.unit, job.tier, std::move(outcome.code));
  overhead.installMs += toMs(time.now() - start);
  ledger->noteTier(
      job.unit,
      {job.tier, units.calls(), elapsedMs(), outcome.compileMs, std::string(text(job.reason)), {}});
  ++counts.promotions;
  event.end = MachineClock::now();
  note(std::move(event));
}

void TieringCore::compileAhead(const Compile &compile) {
  PolicyContext context = policyContext();
  policy->beginTick(context);
  for (uint32_t u = 0; u < ledger->size(); ++u) {
    if (!(*ledger)[u].isOpen())
      continue;
    Decision decision = decide(u, context);
    if (decision.action() != Action::Promote)
      continue;
    noteDecision(u, decision);
    CompileJob job{u, decision.tier(), decision.gain(), decision.reason()};
    beginJob(job);
    finishJob(job, compile(job));
  }
}

void TieringCore::forceUnit(uint32_t unit, Tier tier, const Compile &compile) {
  noteDecision(unit, Decision::forced(tier));
  CompileJob job{unit, tier, 0, Reason::Forced};
  beginJob(job);
  finishJob(job, compile(job));
  if ((*ledger)[unit].history.tier == tier)
    pin(unit, Decision::atForcedTier(tier));
}

} // namespace anneal::runtime
