//===- Recorder.h - A run as a trace for the simulator ----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TOOLS_JIT_RUN_RECORDER_H
#define ANNEAL_TOOLS_JIT_RUN_RECORDER_H

#include "Requests.h"
#include "anneal/Engine/Engine.h"
#include "anneal/Runtime/Program.h"
#include "anneal/Simulation/Trace.h"
#include "anneal/Support/TierSet.h"

#include "absl/status/statusor.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace anneal::jitrun {

/// Takes down which calls a run makes, one after the other; what they cost at each tier is measured
/// when the run is done. Calls that have the same sizes, and call each unit equally often, are of
/// one class. Not thread-safe.
class Recorder {
public:
  /// Loads the model again, with an observer.
  using Load = std::function<absl::StatusOr<std::unique_ptr<engine::Model>>(
      std::shared_ptr<engine::TieringObserver>)>;

  /// `tiers`: those that may be used, the interpreter among them. REQUIRES: the program, which
  /// outlives it, has not been called.
  Recorder(const runtime::Program &program, const std::vector<Request> &requests, TierSet tiers,
           bool isDeterministic);

  /// A call with request `request` ended. `atSeconds`: when it came, if it had a time.
  void callEnded(size_t request, std::optional<double> atSeconds);

  /// Measures each class at each tier, and each compile, on models that are loaded for that.
  absl::StatusOr<simulation::Trace> finish(const std::string &model, const std::string &entry,
                                           const Load &load);

private:
  /// What the units did in a call.
  using Work = std::vector<simulation::TracedWork>;

  /// The model with all of its units at one tier, and the function that was recorded.
  struct TierModel {
    Tier tier;
    std::unique_ptr<engine::Model> model;
    const runtime::Function *function;
  };
  struct TimedCall;

  Work workSince(const runtime::ProgramStats &stats);
  void takeModel();
  /// By rising tier; takes down the compiles that this needs.
  absl::StatusOr<std::vector<TierModel>> loadTiers(const std::string &entry, const Load &load);
  void measureClass(size_t index, const std::vector<TierModel> &tiers);
  TimedCall timeCall(const TierModel &tier, simulation::CallClass &callClass,
                     const std::vector<runtime::Value> &arguments);

  const std::vector<Request> &requests;
  const bool isDeterministic;
  const runtime::Program &program;
  runtime::ProgramStats last;
  simulation::Trace trace;
  std::map<std::string, uint32_t> classOf;
  /// By class: a request of it.
  std::vector<size_t> requestOf;
};

} // namespace anneal::jitrun

#endif // ANNEAL_TOOLS_JIT_RUN_RECORDER_H
