//===- Observation.cpp - What is taken down of a run ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Observation.h"

#include "anneal/Runtime/IO/File.h"

namespace anneal::jitrun {

Observation::Observation(const Options &options) : options(options) {
  bool isTraced = !options.trace.empty();
  if (isTraced || !options.decisions.empty() || !options.why.empty())
    events = std::make_shared<engine::EventLog>(engine::EventLog::kDefaultCapacity, isTraced);
  if (!options.metrics.empty())
    metrics = std::make_shared<engine::TieringMetrics>();
}

std::vector<std::shared_ptr<engine::TieringObserver>> Observation::observers() const {
  std::vector<std::shared_ptr<engine::TieringObserver>> result;
  if (events)
    result.push_back(events);
  if (metrics)
    result.push_back(metrics);
  return result;
}

std::string Observation::metricsText(const engine::Model &model, const std::string &entry,
                                     const PlayResult &play) const {
  std::vector<double> seconds;
  for (double us : play.latencyUs)
    seconds.push_back(us * 1e-6);
  return engine::metricsText(model, *metrics, {options.model, entry, seconds, play.numFailed});
}

absl::Status Observation::write(const engine::Model &model, const std::string &entry,
                                const PlayResult &play) const {
  absl::Status status;
  auto writeTo = [&](const std::string &path, const std::string &text) {
    status.Update(runtime::writeFile(path, {text}));
  };
  if (!options.decisions.empty())
    writeTo(options.decisions, engine::decisionLog(*events));
  if (!options.trace.empty())
    writeTo(options.trace, engine::traceJson(*events, {"jit-run " + options.model, play.traced,
                                                       play.numUntraced}));
  if (metrics)
    writeTo(options.metrics, metricsText(model, entry, play));
  return status;
}

} // namespace anneal::jitrun
