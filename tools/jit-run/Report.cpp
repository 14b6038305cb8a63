//===- Report.cpp - What happened, as JSON --------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "anneal/Engine/Report.h"
#include "anneal/Runtime/IO/File.h"
#include "anneal/Runtime/MachinePeak.h"

#include <algorithm>
#include <nlohmann/json.hpp>

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

/// How long a plan instance takes, without the first; null where there was no other.
void addInstanceTimes(const PlayResult &play, Json &instances) {
  std::vector<double> sorted = play.instanceUs;
  std::sort(sorted.begin(), sorted.end());
  instances["p50_us"] = sorted.empty() ? Json() : Json(quantile(sorted, 0.5));
  instances["max_us"] = sorted.empty() ? Json() : Json(quantile(sorted, 1));
}

} // namespace

absl::Status writeReport(const Options &options, const Timeline &timeline,
                         const engine::Engine &engine, const engine::Model &model,
                         const std::string &entry, const std::vector<Request> &requests,
                         const PlayResult &play) {
  // Measuring the machine takes memory that the calls did not.
  Json memory = Json::parse(engine::reportJson(model, {}))["memory"];
  runtime::MachinePeak peak = runtime::measureMachinePeak(engine.numThreads());
  Json report =
      Json::parse(engine::reportJson(model, {options.model, engine.numThreads(), peak.gflops}));
  report["memory"] = memory;
  report["entry"] = entry;
  report["host"]["peak_gflops"] = peak.gflops;
  report["host"]["bandwidth_gbs"] = peak.bandwidthGbs;
  report["process_start_ms"] = timeline.processStartMs;
  double firstMs =
      std::chrono::duration<double, std::milli>(play.firstResult - timeline.mainBegin).count();
  report["first_result_ms"] = play.latencyUs.empty() ? Json() : Json(firstMs);
  report["calls"] = callsOf(play);
  report["steady_us"] = play.latencyUs.empty() ? Json() : Json(steadyUs(requests, play));
  report["steps"] = play.unitCallsOfFirst;
  addInstanceTimes(play, report["instances"]);
  if (!options.requests.empty())
    report["per_call_us"] = play.latencyUs;
  return runtime::writeFile(options.report, {report.dump(1), "\n"});
}

} // namespace anneal::jitrun
