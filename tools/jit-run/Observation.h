//===- Observation.h - What is taken down of a run ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TOOLS_JIT_RUN_OBSERVATION_H
#define ANNEAL_TOOLS_JIT_RUN_OBSERVATION_H

#include "Options.h"
#include "Player.h"
#include "anneal/Engine/Metrics.h"
#include "anneal/Engine/Trace.h"

#include "absl/status/status.h"

#include <memory>
#include <string>
#include <vector>

namespace anneal::jitrun {

/// What the options want to be known of tiering beyond the report: taken down while calls run,
/// written when they are done or were interrupted.
class Observation {
public:
  explicit Observation(const Options &options);

  /// For the model that is loaded; none if nothing is asked for.
  std::vector<std::shared_ptr<engine::TieringObserver>> observers() const;
  /// Null if nobody asked for it.
  const engine::EventLog *log() const { return events.get(); }

  /// Writes the files, each of them whole or not at all; the first error.
  absl::Status write(const engine::Model &model, const std::string &entry,
                     const PlayResult &play) const;

private:
  std::string metricsText(const engine::Model &model, const std::string &entry,
                          const PlayResult &play) const;

  const Options &options;
  std::shared_ptr<engine::EventLog> events;
  std::shared_ptr<engine::TieringMetrics> metrics;
};

} // namespace anneal::jitrun

#endif // ANNEAL_TOOLS_JIT_RUN_OBSERVATION_H
