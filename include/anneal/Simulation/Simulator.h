//===- Simulator.h - A trace under another policy ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SIMULATION_SIMULATOR_H
#define ANNEAL_SIMULATION_SIMULATOR_H

#include "anneal/Runtime/Tiering/TieringEvents.h"
#include "anneal/Runtime/Tiering/TieringHistory.h"
#include "anneal/Simulation/Trace.h"
#include "anneal/Support/TierSet.h"

#include "absl/status/statusor.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace anneal::simulation {

struct SimulationOptions {
  /// As jit-run's --policy.
  std::string policy = "cost-benefit";
  /// Of those that the trace has times of.
  TierSet tiers = TierSet::all();
  /// Threads that compile beside the calls, each on a core of its own. 0: compiles are made between
  /// calls, as in a deterministic run. None: as in the run that was recorded, with one thread.
  std::optional<unsigned> compileThreads;
  std::vector<std::shared_ptr<runtime::TieringObserver>> observers = {};
};

/// Cost of the run up to a call.
struct TimelinePoint {
  uint64_t calls = 0;
  double seconds = 0;
};

struct SimulationResult {
  /// Of calls; of compiles, also of those that did not end before the last call did.
  double callSeconds = 0;
  double compileSeconds = 0;
  /// Of the compiles: what calls waited for.
  double waitedSeconds = 0;
  runtime::TieringReport report;
  /// About 200 points, the last of them at the end.
  std::vector<TimelinePoint> timeline;

  /// REQUIREMENTS.md M1: sum(c_i) + N*t.
  double totalSeconds() const { return callSeconds + compileSeconds; }
};

/// Plays a trace: the decisions are those of runtime::TieringCore, as in a running program, on a
/// virtual clock. A call runs the code that is installed when it begins. Does the same on each run.
/// Errors: InvalidArgument for a policy that does not exist.
absl::StatusOr<SimulationResult> simulate(const Trace &trace, const SimulationOptions &options);

} // namespace anneal::simulation

#endif // ANNEAL_SIMULATION_SIMULATOR_H
