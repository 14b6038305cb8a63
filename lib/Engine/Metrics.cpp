//===- Metrics.cpp - Numbers for monitoring -------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Engine/Metrics.h"

#include "PrometheusText.h"
#include "anneal/Engine/Report.h"
#include "anneal/Engine/Version.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace anneal::engine {

using Json = nlohmann::ordered_json;
using Kind = TieringEventKind;

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

void Histogram::add(double value) {
  auto bound = std::lower_bound(bounds.begin(), bounds.end(), value);
  ++counts[static_cast<size_t>(bound - bounds.begin())];
  ++numValues;
  total += value;
}

std::vector<Histogram::Bucket> Histogram::cumulative() const {
  std::vector<Bucket> buckets;
  uint64_t below = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    below += counts[i];
    buckets.push_back(
        {i < bounds.size() ? bounds[i] : std::numeric_limits<double>::infinity(), below});
  }
  return buckets;
}

/// Seconds of a compile: 0.5 ms to 10 s.
static constexpr double kCompileBounds[] = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05,
                                            0.1,    0.25,  0.5,    1,     2.5,  5,     10};
/// Seconds of a call: 1 us to 10 s.
static constexpr double kCallBounds[] = {1e-6, 2.5e-6, 5e-6,   1e-5, 2.5e-5, 5e-5,   1e-4, 2.5e-4,
                                         5e-4, 1e-3,   2.5e-3, 5e-3, 1e-2,   2.5e-2, 5e-2, 0.1,
                                         0.25, 0.5,    1,      2.5,  5,      10};

void TieringMetrics::noteEvent(const TieringEvent &event) {
  std::lock_guard<std::mutex> lock(mutex);
  if (event.isDecision())
    ++counted.decisions[{std::string(name(event.kind)), std::string(text(event.reason))}];
  if (event.endsCompile())
    addCompile(event);
}

/// REQUIRES: the lock.
void TieringMetrics::addCompile(const TieringEvent &event) {
  Compiles &compiles =
      counted.compiles.try_emplace(event.to, Compiles{Histogram(kCompileBounds), 0, {}})
          .first->second;
  compiles.seconds.add(event.compileMs * 1e-3);
  compiles.codeBytes += event.codeBytes;
  const char *result = "failed";
  if (event.kind == Kind::CompileGiveUp)
    result = "given-up";
  else if (event.reason == runtime::Reason::NothingToCompile)
    result = "nothing";
  else if (event.kind == Kind::CompileEnd)
    result = "installed";
  ++compiles.results[result];
}

TieringMetrics::Counts TieringMetrics::counts() const {
  std::lock_guard<std::mutex> lock(mutex);
  return counted;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

/// The metrics of one model, group by group.
class MetricsWriter {
public:
  MetricsWriter(const Model &model, const TieringMetrics &metrics, const MetricsOptions &options)
      : model(model), options(options), tiering(model.tiering()), stats(model.program().stats()),
        foreign(model.foreign()), counts(metrics.counts()) {}

  std::string write() {
    addModel();
    addCalls();
    addUnits();
    addDecisions();
    addCompiles();
    addOverhead();
    addMemory();
    return text.text();
  }

private:
  void addModel();
  void addCalls();
  void addUnits();
  void addDecisions();
  void addRates();
  void addCompiles();
  void addThroughput();
  void addOverhead();
  void addMemory();

  /// Calls of units, and of these those that ran compiled code.
  struct Executions {
    double all = 0;
    double compiled = 0;
  };
  Executions executions() const;

  const Model &model;
  const MetricsOptions &options;
  const TieringReport tiering;
  const runtime::ProgramStats stats;
  const std::vector<ForeignReport> foreign;
  const TieringMetrics::Counts counts;
  PrometheusText text;
};

double asNumber(uint64_t count) { return static_cast<double>(count); }
double asSeconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

void MetricsWriter::addModel() {
  text.gauge("info", "What runs; always 1.");
  text.sample(
      {{"version", std::string(version())}, {"model", options.model}, {"entry", options.entry}}, 1);
  const LoadTimes &times = model.times();
  text.gauge("load_seconds", "Time that loading took, by stage.");
  text.sample({{"stage", "open"}}, times.open * 1e-3);
  text.sample({{"stage", "parse"}}, times.parse * 1e-3);
  text.sample({{"stage", "plan"}}, times.plan * 1e-3);
  text.sample({{"stage", "prepare"}}, times.prepare * 1e-3);
  text.gauge("run_seconds", "Time since the model was loaded.");
  text.sample(tiering.runMs * 1e-3);
}

void MetricsWriter::addCalls() {
  std::vector<double> sorted(options.callSeconds.begin(), options.callSeconds.end());
  std::sort(sorted.begin(), sorted.end());
  Histogram histogram(kCallBounds);
  for (double seconds : sorted)
    histogram.add(seconds);
  text.counter("calls_total", "Calls of the function that gave a result.");
  text.sample(asNumber(histogram.count()));
  text.counter("failed_calls_total", "Calls of the function that failed.");
  text.sample(asNumber(options.failedCalls));
  text.histogram("call_duration_seconds", "Time of a call, from its arrival to its result.");
  text.samples({}, histogram);
  text.summary("call_latency_seconds", "The same, as quantiles over all calls.");
  for (const char *quantile : {"0.5", "0.99", "0.999"}) {
    if (sorted.empty())
      break;
    auto rank = static_cast<size_t>(std::stod(quantile) * asNumber(sorted.size()));
    text.sample({{"quantile", quantile}}, sorted[std::min(rank, sorted.size() - 1)]);
  }
  text.sample({}, histogram.sum(), "_sum");
  text.sample({}, asNumber(histogram.count()), "_count");
}

void MetricsWriter::addUnits() {
  auto forEach = [&](const auto &ofUnit, const auto &ofForeign) {
    for (size_t u = 0; u < stats.units.size(); ++u)
      ofUnit(PrometheusText::Labels{{"unit", stats.units[u].name}, {"kind", stats.units[u].kind}},
             u);
    for (const ForeignReport &function : foreign)
      ofForeign(PrometheusText::Labels{{"unit", function.name}, {"kind", "stock"}}, function);
  };
  text.counter("unit_calls_total", "Calls of a unit.");
  forEach(
      [&](const auto &labels, size_t u) { text.sample(labels, asNumber(stats.units[u].calls)); },
      [&](const auto &labels, const auto &one) { text.sample(labels, asNumber(one.calls)); });
  text.counter("unit_timed_calls_total", "Calls of a unit that were timed.");
  forEach([&](const auto &labels,
              size_t u) { text.sample(labels, asNumber(stats.units[u].timedCalls)); },
          [&](const auto &labels, const auto &one) { text.sample(labels, asNumber(one.calls)); });
  text.counter("unit_timed_seconds_total", "Time of those calls.");
  forEach(
      [&](const auto &labels, size_t u) { text.sample(labels, asSeconds(stats.units[u].time)); },
      [&](const auto &labels, const auto &one) { text.sample(labels, asSeconds(one.time)); });
  text.gauge("unit_tier", "1 for the tier that a unit is at, 0 for the others.");
  for (unsigned t = 0; t < kNumTiers; ++t) {
    auto tier = static_cast<Tier>(t);
    auto add = [&](PrometheusText::Labels labels, bool isThere) {
      labels.emplace_back("tier", std::string(name(tier)));
      text.sample(labels, isThere);
    };
    forEach([&](const auto &labels, size_t u) { add(labels, tiering.units[u].tier == tier); },
            [&](const auto &labels, const auto &one) {
              add(labels, tier == Tier::Baseline && one.compileMs > 0 && !one.failed);
            });
  }
}

MetricsWriter::Executions MetricsWriter::executions() const {
  Executions result;
  for (const runtime::UnitStats &unit : stats.units)
    result.all += asNumber(unit.calls);
  for (const UnitHistory &unit : tiering.units)
    for (const Promotion &promotion : unit.promotions)
      result.compiled += promotion.payBack ? asNumber(promotion.payBack->calls) : 0;
  return result;
}

void MetricsWriter::addDecisions() {
  text.counter("ticks_total", "How often counters were read and units decided about.");
  text.sample(asNumber(tiering.counts.ticks));
  text.counter("decisions_total", "Decisions on units that differed from the one before.");
  for (const auto &[key, count] : counts.decisions)
    text.sample({{"action", key.first}, {"reason", key.second}}, asNumber(count));
  text.counter("promotions_total", "How often compiled code was installed.");
  text.sample(asNumber(tiering.counts.promotions));
  text.counter("rollbacks_total", "How often it was taken away again.");
  text.sample(asNumber(tiering.counts.rollbacks));
  text.counter("queue_drops_total", "How often the full queue left a unit out.");
  text.sample(asNumber(tiering.counts.dropped));
  addRates();
}

void MetricsWriter::addRates() {
  Executions calls = executions();
  text.counter("compiled_unit_calls_total", "Calls of units that ran compiled code.");
  text.sample(calls.compiled);
  if (calls.all > 0) {
    text.gauge("promotion_ratio", "Promotions over calls of units.");
    text.sample(asNumber(tiering.counts.promotions) / calls.all);
  }
  if (calls.compiled > 0) {
    text.gauge("rollback_ratio", "Roll-backs over calls of compiled code.");
    text.sample(asNumber(tiering.counts.rollbacks) / calls.compiled);
  }
}

void MetricsWriter::addCompiles() {
  auto ofTier = [](Tier tier) { return PrometheusText::Labels{{"tier", std::string(name(tier))}}; };
  text.counter("compiles_total", "Compiles that ended, by how.");
  for (const auto &[tier, compiles] : counts.compiles)
    for (const auto &[result, count] : compiles.results) {
      PrometheusText::Labels labels = ofTier(tier);
      labels.emplace_back("result", result);
      text.sample(labels, asNumber(count));
    }
  text.counter("compiles_cancelled_total", "Units that waited to be compiled and don't any more.");
  text.sample(asNumber(tiering.compile.cancelled));
  text.gauge("compiles_waiting", "Units that wait to be compiled.");
  text.sample(asNumber(tiering.numWaiting));
  text.gauge("compiles_running", "Units that are being compiled.");
  text.sample(tiering.numRunning);
  text.histogram("compile_duration_seconds", "Time of a compile.");
  for (const auto &[tier, compiles] : counts.compiles)
    text.samples(ofTier(tier), compiles.seconds);
  text.counter("compiled_code_bytes_total", "Bytes of code that compiles have made.");
  for (const auto &[tier, compiles] : counts.compiles)
    text.sample(ofTier(tier), asNumber(compiles.codeBytes));
  addThroughput();
  if (tiering.compile.passes.empty())
    return;
  text.counter("compile_pass_seconds_total", "Time of a pass in all compiles of units.");
  for (const PassTotal &pass : tiering.compile.passes)
    text.sample({{"pass", pass.name}}, pass.ms * 1e-3);
}

void MetricsWriter::addThroughput() {
  double bytes = 0, seconds = 0;
  for (const auto &[tier, compiles] : counts.compiles) {
    bytes += asNumber(compiles.codeBytes);
    seconds += compiles.seconds.sum();
  }
  if (!(seconds > 0))
    return;
  text.gauge("compile_throughput_bytes_per_second", "Bytes of code made in a second of compiling.");
  text.sample(bytes / seconds);
}

void MetricsWriter::addOverhead() {
  double foreignMs = 0;
  for (const ForeignReport &function : foreign)
    foreignMs += function.compileMs;
  text.counter("overhead_seconds_total", "Time that tiering took, by part.");
  text.sample({{"part", "detect"}}, tiering.overhead.detectMs * 1e-3);
  text.sample({{"part", "compile"}}, (tiering.overhead.compileMs + foreignMs) * 1e-3);
  text.sample({{"part", "install"}}, tiering.overhead.installMs * 1e-3);
  text.sample({{"part", "deopt"}}, tiering.overhead.deoptMs * 1e-3);
}

void MetricsWriter::addMemory() {
  Json memory = Json::parse(reportJson(model, {}))["memory"];
  auto add = [&](const char *name, const char *help, double value) {
    text.gauge(name, help);
    text.sample(value);
  };
  constexpr double kMegabyte = 1 << 20;
  add("resident_memory_bytes", "Resident memory of the process.",
      memory["rss_mb"].get<double>() * kMegabyte);
  add("compiler_memory_bytes", "Resident memory of the compiler's libraries.",
      memory["compiler_bytes"].get<double>());
  add("code_bytes", "Code that is installed, of all models of the engine.",
      asNumber(tiering.codeBytes));
  add("code_reserved_bytes", "Memory that was taken for code.", asNumber(tiering.codeMemoryBytes));
  add("constants_bytes", "Constants, and their packed forms.",
      asNumber(stats.constantBytes + stats.derivedBytes));
  add("workspace_peak_bytes", "Largest workspace of one call.", asNumber(stats.workspacePeakBytes));
  text.gauge("pool_bytes", "Memory of calls and results, in use and idle.");
  text.sample({{"state", "in_use"}}, asNumber(stats.poolBytesInUse));
  text.sample({{"state", "idle"}}, asNumber(stats.poolBytesIdle));
  add("instances", "Combinations of input sizes that are kept.", asNumber(stats.instances));
  text.counter("instances_made_total", "Combinations of input sizes that were new.");
  text.sample(asNumber(stats.instancesMade));
  text.counter("instances_dropped_total", "Combinations of input sizes that had to go.");
  text.sample(asNumber(stats.instancesDropped));
}

} // namespace

std::string metricsText(const Model &model, const TieringMetrics &tiering,
                        const MetricsOptions &options) {
  return MetricsWriter(model, tiering, options).write();
}

} // namespace anneal::engine
