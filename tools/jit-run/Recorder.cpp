//===- Recorder.cpp - A run as a trace for the simulator ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"

#include "anneal/Runtime/IO/ValueText.h"
#include "anneal/Runtime/Policy/CostModel.h"
#include "anneal/Runtime/Tiering/TieringCore.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <chrono>

namespace anneal::jitrun {

using runtime::Attempt;
using runtime::Reason;
using simulation::CallClass;
using simulation::TracedCompile;
using simulation::TracedUnit;
using simulation::TracedWork;
using Kind = engine::TieringEventKind;

namespace {

/// Calls of each class at each tier, of which the median counts; the first is not among them. For
/// long calls fewer do: of all tiers together no more than that, or the least number.
constexpr size_t kMostTimedCalls = 9, kLeastTimedCalls = 3;
constexpr double kTimedSeconds = 1;

double seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Sizes of all inputs, and the values of those that may be sizes themselves.
std::string shapesOf(const Request &request) {
  std::string text;
  for (const runtime::Tensor &input : request.inputs) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", input.typeString());
    if (input.dims().empty() && plan::isInteger(input.dtype()))
      absl::StrAppend(&text, "=", runtime::elementText(input.dtype(), input.data()));
  }
  return text;
}

Attempt attemptOf(const engine::TieringEvent &event) {
  if (event.kind == Kind::CompileEnd)
    return event.reason == Reason::NothingToCompile ? Attempt::NothingToCompile
                                                    : Attempt::Installed;
  return event.reason == Reason::NoCodeMemory ? Attempt::NoCodeMemory : Attempt::Failed;
}

/// Fills in the compiles at a tier from the events of a load that forced it. The first that made
/// code started the compiler, too: what it took beyond a typical one is that start.
void takeCompiles(const engine::EventLog &log, Tier tier, simulation::Trace &trace) {
  auto index = static_cast<size_t>(tier);
  TracedCompile *first = nullptr;
  std::vector<double> others;
  for (const engine::TieringEvent &event : log.events()) {
    if (!event.endsCompile())
      continue;
    for (TracedUnit &unit : trace.units) {
      if (unit.name != event.unit)
        continue;
      TracedCompile &compile = unit.compiles[index];
      compile = {attemptOf(event), event.compileMs * 1e-3, event.codeBytes, event.detail};
      if (compile.attempt != Attempt::Installed)
        continue;
      if (first)
        others.push_back(compile.seconds);
      else
        first = &compile;
    }
  }
  if (others.empty())
    return;
  double typical = median(others);
  trace.compilerStartSeconds = std::max(trace.compilerStartSeconds, first->seconds - typical);
  first->seconds = std::min(first->seconds, typical);
}

/// Units that were not even tried at a tier, for want of a compiler or of their IR, fail at once.
void takeFailures(const std::vector<engine::UnitFailure> &failures, Tier tier,
                  simulation::Trace &trace) {
  for (const engine::UnitFailure &failure : failures)
    for (TracedUnit &unit : trace.units)
      if (TracedCompile &compile = unit.compiles[static_cast<size_t>(tier)];
          unit.name == failure.unit && compile.attempt == Attempt::None)
        compile = {Attempt::Failed, 0, 0, failure.reason};
}

} // namespace

Recorder::Recorder(const runtime::Program &program, const std::vector<Request> &requests,
                   TierSet tiers, bool isDeterministic)
    : requests(requests), isDeterministic(isDeterministic), program(program),
      last(program.stats()) {
  trace.isDeterministic = isDeterministic;
  trace.tiers = tiers;
  std::vector<runtime::UnitRole> roles = runtime::rolesOf(program.module());
  for (size_t u = 0; u < last.units.size(); ++u) {
    TracedUnit unit;
    unit.name = last.units[u].name;
    unit.kind = last.units[u].kind;
    unit.role = roles[u];
    trace.units.push_back(std::move(unit));
  }
}

Recorder::Work Recorder::workSince(const runtime::ProgramStats &stats) {
  Work work;
  for (uint32_t u = 0; u < stats.units.size(); ++u) {
    const runtime::UnitStats &now = stats.units[u], &before = last.units[u];
    if (now.calls == before.calls)
      continue;
    TracedWork each;
    each.unit = u;
    each.calls = now.calls - before.calls;
    each.flops = now.timedFlops - before.timedFlops;
    each.bytes = now.timedBytes - before.timedBytes;
    work.push_back(each);
  }
  return work;
}

void Recorder::callEnded(size_t request, std::optional<double> atSeconds) {
  runtime::ProgramStats now = program.stats();
  Work work = workSince(now);
  std::string key = shapesOf(requests[request]);
  std::string shapes = key;
  for (const TracedWork &each : work) {
    absl::StrAppend(&key, ";", each.unit, "*", each.calls);
    // Modelled times follow from the work, which may depend on the values of tensors.
    if (isDeterministic)
      absl::StrAppend(&key, ":", each.flops);
  }
  auto [found, isNew] = classOf.try_emplace(key, static_cast<uint32_t>(trace.classes.size()));
  if (isNew) {
    trace.classes.push_back({shapes, std::move(work), 0, 0});
    requestOf.push_back(request);
  }
  bool makesInstance = now.instancesMade != last.instancesMade;
  last = std::move(now);
  if (isDeterministic)
    atSeconds = {};
  if (trace.calls.empty() || trace.calls.back().callClass != found->second || makesInstance ||
      atSeconds)
    trace.calls.push_back({found->second, 0, makesInstance, atSeconds});
  ++trace.calls.back().count;
}

/// Times by the model that deterministic runs go by.
void Recorder::takeModel() {
  trace.compilerStartSeconds = 0;
  for (TracedUnit &unit : trace.units)
    for (unsigned t = 1; t < kNumTiers; ++t)
      unit.compiles[t].seconds = runtime::modelledCompileSeconds(static_cast<Tier>(t));
  for (CallClass &callClass : trace.classes)
    for (TracedWork &work : callClass.work)
      for (unsigned t = 0; t < kNumTiers; ++t)
        work.seconds[t] = runtime::modelledSeconds(static_cast<Tier>(t), work.calls, work.flops);
}

/// One call with times: of each unit of the class, and of all else.
struct Recorder::TimedCall {
  std::vector<double> units;
  double other = 0;
};

Recorder::TimedCall Recorder::timeCall(const TierModel &tier, CallClass &callClass,
                                       const std::vector<runtime::Value> &arguments) {
  TimedCall timed;
  runtime::ProgramStats before = tier.model->program().stats();
  runtime::CallStats stats;
  runtime::CallOptions options;
  options.collectTimes = true;
  options.stats = &stats;
  auto start = std::chrono::steady_clock::now();
  // Calls that fail cost what they cost.
  tier.function->call(arguments, options).status().IgnoreError();
  timed.other = seconds(std::chrono::steady_clock::now() - start);
  runtime::ProgramStats after = tier.model->program().stats();
  for (TracedWork &work : callClass.work) {
    const runtime::UnitStats &unit = after.units[work.unit];
    const runtime::UnitStats &earlier = before.units[work.unit];
    // The time of a loop is that of the units in it, and of what is no unit's.
    bool isLoop = trace.units[work.unit].role == runtime::UnitRole::Loop;
    timed.units.push_back(isLoop ? 0 : seconds(unit.time - earlier.time));
    timed.other -= timed.units.back();
    work.flops = unit.timedFlops - earlier.timedFlops;
    work.bytes = unit.timedBytes - earlier.timedBytes;
  }
  if (stats.newInstance) {
    double instance = seconds(stats.instanceTime);
    callClass.instanceSeconds = std::max(callClass.instanceSeconds, instance);
    timed.other -= instance;
  }
  timed.other = std::max(0.0, timed.other);
  return timed;
}

/// Calls of the tiers take turns, so that what else the machine does slows all of them.
void Recorder::measureClass(size_t index, const std::vector<TierModel> &tiers) {
  CallClass &callClass = trace.classes[index];
  std::vector<runtime::Value> arguments =
      argumentsFor(*tiers[0].function, requests[requestOf[index]].inputs);
  // By tier, then by unit: of each call.
  std::vector<std::vector<std::vector<double>>> times(
      tiers.size(), std::vector<std::vector<double>>(callClass.work.size()));
  std::vector<double> others;
  double spent = 0;
  for (size_t i = 0; i <= kMostTimedCalls && (i <= kLeastTimedCalls || spent < kTimedSeconds); ++i)
    for (size_t t = 0; t < tiers.size(); ++t) {
      TimedCall timed = timeCall(tiers[t], callClass, arguments);
      // The first finds cold caches.
      if (i == 0)
        continue;
      spent += timed.other;
      for (size_t w = 0; w < timed.units.size(); ++w) {
        times[t][w].push_back(timed.units[w]);
        spent += timed.units[w];
      }
      if (tiers[t].tier == Tier::Interpreter)
        others.push_back(timed.other);
    }
  callClass.otherSeconds = median(others);
  for (size_t w = 0; w < callClass.work.size(); ++w) {
    TracedWork &work = callClass.work[w];
    work.seconds.fill(median(times[0][w]));
    for (size_t t = 1; t < tiers.size(); ++t) {
      auto tier = static_cast<size_t>(tiers[t].tier);
      if (trace.units[work.unit].compiles[tier].attempt == Attempt::Installed)
        work.seconds[tier] = median(times[t][w]);
    }
  }
}

absl::StatusOr<std::vector<Recorder::TierModel>> Recorder::loadTiers(const std::string &entry,
                                                                     const Load &load) {
  std::vector<TierModel> tiers;
  for (unsigned t = 0; t < kNumTiers; ++t) {
    auto tier = static_cast<Tier>(t);
    if (!trace.tiers.contains(tier))
      continue;
    auto log = std::make_shared<engine::EventLog>();
    auto model = load(log);
    if (!model.ok())
      return model.status();
    std::vector<engine::UnitFailure> failures = (*model)->forceTier(tier);
    if (tier != Tier::Interpreter) {
      takeCompiles(*log, tier, trace);
      takeFailures(failures, tier, trace);
    }
    absl::StatusOr<const runtime::Function *> function = (*model)->function(entry);
    if (!function.ok())
      return function.status();
    tiers.push_back({tier, *std::move(model), *function});
  }
  return tiers;
}

absl::StatusOr<simulation::Trace> Recorder::finish(const std::string &model,
                                                   const std::string &entry, const Load &load) {
  trace.model = model;
  trace.entry = entry;
  absl::StatusOr<std::vector<TierModel>> tiers = loadTiers(entry, load);
  if (!tiers.ok())
    return tiers.status();
  if (isDeterministic)
    takeModel();
  else
    for (size_t c = 0; c < trace.classes.size(); ++c)
      measureClass(c, *tiers);
  return std::move(trace);
}

} // namespace anneal::jitrun
