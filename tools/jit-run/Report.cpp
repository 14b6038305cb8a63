//===- Report.cpp - What happened, as JSON --------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "anneal/Engine/Version.h"
#include "anneal/Runtime/IO/File.h"
#include "anneal/Runtime/MachinePeak.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace anneal::jitrun {
namespace {

using Json = nlohmann::ordered_json;

/// Value below which the fraction `q` of the sorted numbers lies (nearest rank).
double quantile(const std::vector<double> &sorted, double q) {
  if (sorted.empty())
    return 0;
  auto rank = static_cast<size_t>(q * static_cast<double>(sorted.size()));
  return sorted[std::min(rank, sorted.size() - 1)];
}

/// Median of the last half of the calls whose inputs have the sizes of the first call's.
double steadyUs(const std::vector<Request> &requests, const PlayResult &play) {
  std::vector<double> same;
  auto sameShapes = [&](size_t request) {
    const auto &a = requests[play.requestOfCall.front()].inputs;
    const auto &b = requests[request].inputs;
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto &x, const auto &y) { return x.dims() == y.dims(); });
  };
  for (size_t i = 0; i < play.latencyUs.size(); ++i)
    if (sameShapes(play.requestOfCall[i]))
      same.push_back(play.latencyUs[i]);
  std::vector<double> last(same.begin() + static_cast<ptrdiff_t>(same.size() / 2), same.end());
  std::sort(last.begin(), last.end());
  return quantile(last, 0.5);
}

Json callsOf(const PlayResult &play) {
  std::vector<double> sorted = play.latencyUs;
  std::sort(sorted.begin(), sorted.end());
  return {{"n", sorted.size()},
          {"failed", play.numFailed},
          {"total_ms", play.totalMs},
          {"min_us", quantile(sorted, 0)},
          {"p50_us", quantile(sorted, 0.5)},
          {"p99_us", quantile(sorted, 0.99)},
          {"p999_us", quantile(sorted, 0.999)},
          {"max_us", sorted.empty() ? 0 : sorted.back()}};
}

Json promotionsOf(const engine::UnitHistory &history) {
  Json promotions = Json::array();
  for (const engine::Promotion &one : history.promotions)
    promotions.push_back({{"tier", name(one.tier)},
                          {"at_call", one.atCall},
                          {"at_ms", one.atMs},
                          {"compile_ms", one.compileMs},
                          {"reason", one.reason}});
  return promotions;
}

/// What was decided last, by which numbers.
Json decisionOf(const engine::UnitHistory &history) {
  Json terms = Json::object();
  for (const runtime::Term &term : history.decision.terms())
    terms[std::string(term.name)] = term.value;
  Json decision = {{"action", std::string(runtime::name(history.decision.action()))},
                   {"reason", std::string(runtime::text(history.decision.reason()))},
                   {"terms", terms}};
  if (!history.detail.empty())
    decision["detail"] = history.detail;
  return decision;
}

Json unitsOf(const runtime::ProgramStats &stats, const engine::TieringReport &tiering,
             double peakGflops) {
  Json units = Json::array();
  for (size_t u = 0; u < stats.units.size(); ++u) {
    const runtime::UnitStats &unit = stats.units[u];
    const engine::UnitHistory &history = tiering.units[u];
    double us = std::chrono::duration<double, std::micro>(unit.time).count();
    double gflops = us > 0 ? unit.timedFlops / us * 1e-3 : 0;
    double usPerCall = unit.timedCalls ? us / static_cast<double>(unit.timedCalls) : 0;
    units.push_back({{"name", unit.name},
                     {"kind", unit.kind},
                     {"calls", unit.calls},
                     {"tier", name(history.tier)},
                     {"us_per_call", usPerCall},
                     {"gflops", gflops},
                     {"pct_peak", peakGflops > 0 ? 100 * gflops / peakGflops : 0},
                     {"promotions", promotionsOf(history)},
                     {"decision", decisionOf(history)}});
  }
  return units;
}

/// Functions that MLIR's own lowering compiled whole.
void appendForeign(Json &units, const std::vector<engine::ForeignReport> &functions) {
  for (const engine::ForeignReport &function : functions) {
    double us = std::chrono::duration<double, std::micro>(function.time).count();
    bool compiled = function.compileMs > 0 && !function.failed;
    Json promotions = Json::array();
    if (compiled)
      promotions.push_back({{"tier", "baseline"},
                            {"at_call", 0},
                            {"compile_ms", function.compileMs},
                            {"reason", function.reason}});
    units.push_back({{"name", function.name},
                     {"kind", "stock"},
                     {"calls", function.calls},
                     {"tier", compiled ? Json("baseline") : Json()},
                     {"us_per_call", function.calls ? us / static_cast<double>(function.calls) : 0},
                     {"gflops", Json()},
                     {"pct_peak", Json()},
                     {"compile_ms", function.compileMs},
                     {"promotions", promotions}});
  }
}

/// Plan instances: how many there are, and how long one takes, without the first.
Json instancesOf(const runtime::ProgramStats &stats, const PlayResult &play) {
  std::vector<double> sorted = play.instanceUs;
  std::sort(sorted.begin(), sorted.end());
  return {{"made", stats.instancesMade},
          {"dropped", stats.instancesDropped},
          {"now", stats.instances},
          {"p50_us", quantile(sorted, 0.5)},
          {"max_us", quantile(sorted, 1)}};
}

/// Resident memory of this process, MB (2^20 bytes).
double residentMb() {
  std::ifstream statm("/proc/self/statm");
  double total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

/// Resident memory of the compiler half's libraries, bytes: what LLVM and MLIR take in this process
/// beside the module itself.
uint64_t compilerBytes() {
  std::ifstream maps("/proc/self/smaps");
  std::string line;
  bool isCompiler = false;
  uint64_t kilobytes = 0;
  while (std::getline(maps, line)) {
    // A mapping begins with its addresses, "from-to ... path"; what follows are fields, "Name:
    // value".
    size_t colon = line.find(':'), dash = line.find('-');
    if (dash < colon) {
      isCompiler = absl::StrContains(line, "libAnnealCompiler") ||
                   absl::StrContains(line, "libMLIR") || absl::StrContains(line, "libLLVM");
      continue;
    }
    uint64_t size = 0;
    if (isCompiler && absl::StartsWith(line, "Rss:") &&
        absl::SimpleAtoi(line.substr(4, line.rfind(' ') - 4), &size))
      kilobytes += size;
  }
  return kilobytes << 10;
}

} // namespace

absl::Status writeReport(const Options &options, const Timeline &timeline,
                         const engine::Engine &engine, const engine::Model &model,
                         const std::string &entry, const std::vector<Request> &requests,
                         const PlayResult &play) {
  double residentAfterCalls = residentMb();
  uint64_t compilerAfterCalls = compilerBytes();
  runtime::MachinePeak peak = runtime::measureMachinePeak(engine.numThreads());
  runtime::ProgramStats stats = model.program().stats();
  engine::TieringReport tiering = model.tiering();
  Json units = unitsOf(stats, tiering, peak.gflops);
  appendForeign(units, model.foreign());
  const engine::LoadTimes &times = model.times();
  double firstMs =
      std::chrono::duration<double, std::milli>(play.firstResult - timeline.mainBegin).count();
  Json report = {
      {"version", std::string(engine::version())},
      {"model", options.model},
      {"entry", entry},
      {"host",
       {{"cpu", engine::cpuName()},
        {"features", engine::cpuFeatures()},
        {"cores", runtime::usableCores()},
        {"threads", engine.numThreads()},
        {"peak_gflops", peak.gflops},
        {"bandwidth_gbs", peak.bandwidthGbs}}},
      {"process_start_ms", timeline.processStartMs},
      {"load_ms", times.open + times.parse},
      {"plan_ms", times.plan + times.prepare},
      {"first_result_ms", play.latencyUs.empty() ? Json() : Json(firstMs)},
      {"load",
       {{"open_ms", times.open},
        {"parse_ms", times.parse},
        {"plan_ms", times.plan},
        {"prepare_ms", times.prepare}}},
      {"calls", callsOf(play)},
      {"steady_us", play.latencyUs.empty() ? Json() : Json(steadyUs(requests, play))},
      {"steps", play.unitCallsOfFirst},
      {"units", units},
      {"compile",
       {{"jobs", tiering.compile.jobs},
        {"ms", tiering.compile.ms},
        {"failed", tiering.compile.failed},
        {"cancelled", tiering.compile.cancelled}}},
      // No cache is asked.
      {"cache", {{"memory_hits", 0}, {"disk_hits", 0}, {"remote_hits", 0}, {"misses", 0}}},
      {"overhead",
       {{"detect", tiering.overhead.detectMs},
        {"compile", tiering.overhead.compileMs},
        {"install", tiering.overhead.installMs},
        {"deopt", tiering.overhead.deoptMs}}},
      {"memory",
       {{"rss_mb", residentAfterCalls},
        {"code_bytes", tiering.codeBytes},
        {"constants_bytes", stats.constantBytes + stats.derivedBytes},
        {"workspace_bytes", stats.workspacePeakBytes},
        {"compiler_bytes", compilerAfterCalls}}},
      {"instances", instancesOf(stats, play)}};
  if (!options.requests.empty())
    report["per_call_us"] = play.latencyUs;
  return runtime::writeFile(options.report, {report.dump(1), "\n"});
}

} // namespace anneal::jitrun
