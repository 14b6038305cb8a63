//===- Comparison.cpp - Policies side by side -----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Simulation/Comparison.h"

#include "anneal/Support/Counted.h"

#include "absl/strings/str_format.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace anneal::simulation {

using Json = nlohmann::ordered_json;

double Comparison::regretOf(const PolicyResult &policy) const {
  return optimum.seconds > 0 ? policy.run.totalSeconds() / optimum.seconds : 1;
}

absl::StatusOr<Comparison> compare(const Trace &trace, const std::string &name,
                                   const std::vector<std::string> &policies,
                                   const SimulationOptions &options) {
  Comparison comparison;
  comparison.trace = name;
  comparison.numCalls = trace.numCalls();
  comparison.numUnits = trace.units.size();
  comparison.optimum = clairvoyantOptimum(trace, options.tiers);
  comparison.isOptimumExact = options.compileThreads.value_or(trace.isDeterministic ? 0 : 1) == 0;
  for (const std::string &policy : policies) {
    SimulationOptions ofPolicy = options;
    ofPolicy.policy = policy;
    absl::StatusOr<SimulationResult> run = simulate(trace, ofPolicy);
    if (!run.ok())
      return run.status();
    comparison.policies.push_back({policy, *std::move(run)});
  }
  return comparison;
}

std::string toTable(const Comparison &comparison) {
  size_t width = 12;
  for (const PolicyResult &policy : comparison.policies)
    width = std::max(width, policy.policy.size());
  std::string text = absl::StrFormat(
      "%s: %s, %s\n%-*s %12s %12s %12s %8s %9s %8s\n", comparison.trace,
      counted(comparison.numCalls, "call"), counted(comparison.numUnits, "unit"), width, "policy",
      "total_ms", "calls_ms", "compile_ms", "compiles", "rollbacks", "regret");
  for (const PolicyResult &policy : comparison.policies) {
    const SimulationResult &run = policy.run;
    absl::StrAppendFormat(&text, "%-*s %12.3f %12.3f %12.3f %8d %9d %8.3f\n", width, policy.policy,
                          run.totalSeconds() * 1e3, run.callSeconds * 1e3, run.compileSeconds * 1e3,
                          run.report.compile.jobs, run.report.counts.rollbacks,
                          comparison.regretOf(policy));
  }
  const Optimum &optimum = comparison.optimum;
  absl::StrAppendFormat(&text, "%-*s %12.3f %12.3f %12.3f %8d %9d %8.3f\n", width,
                        comparison.isOptimumExact ? "clairvoyant" : "lower bound",
                        optimum.seconds * 1e3, (optimum.seconds - optimum.compileSeconds) * 1e3,
                        optimum.compileSeconds * 1e3, optimum.compiles, 0, 1.0);
  return text;
}

std::string toJson(const Comparison &comparison) {
  Json policies = Json::array();
  for (const PolicyResult &policy : comparison.policies) {
    const SimulationResult &run = policy.run;
    Json timeline = Json::array();
    for (const TimelinePoint &point : run.timeline)
      timeline.push_back({point.calls, point.seconds});
    policies.push_back({{"policy", policy.policy},
                        {"total_s", run.totalSeconds()},
                        {"calls_s", run.callSeconds},
                        {"compile_s", run.compileSeconds},
                        {"waited_s", run.waitedSeconds},
                        {"compiles", run.report.compile.jobs},
                        {"failed", run.report.compile.failed},
                        {"promotions", run.report.counts.promotions},
                        {"rollbacks", run.report.counts.rollbacks},
                        {"ticks", run.report.counts.ticks},
                        {"regret", comparison.regretOf(policy)},
                        {"regret_s", run.totalSeconds() - comparison.optimum.seconds},
                        {"timeline", timeline}});
  }
  Json json = {{"trace", comparison.trace},
               {"calls", comparison.numCalls},
               {"units", comparison.numUnits},
               {"optimum",
                {{"total_s", comparison.optimum.seconds},
                 {"compile_s", comparison.optimum.compileSeconds},
                 {"compiles", comparison.optimum.compiles},
                 {"exact", comparison.isOptimumExact}}},
               {"policies", policies}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace anneal::simulation
