//===- Comparison.h - Policies side by side ---------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SIMULATION_COMPARISON_H
#define ANNEAL_SIMULATION_COMPARISON_H

#include "anneal/Simulation/Clairvoyant.h"
#include "anneal/Simulation/Simulator.h"

#include "absl/status/statusor.h"

#include <string>
#include <vector>

namespace anneal::simulation {

struct PolicyResult {
  std::string policy;
  SimulationResult run;
};

/// What several policies make of one trace.
struct Comparison {
  std::string trace;
  uint64_t numCalls = 0;
  size_t numUnits = 0;
  Optimum optimum;
  /// Whether no decisions are cheaper, or it is only sure that none are.
  bool isOptimumExact = false;
  std::vector<PolicyResult> policies;

  /// Total over the optimum's; 1 for an empty trace.
  double regretOf(const PolicyResult &policy) const;
};

/// `name`: of the trace. `options`: for all, but for their policy and observers. Errors: those of
/// simulate.
absl::StatusOr<Comparison> compare(const Trace &trace, const std::string &name,
                                   const std::vector<std::string> &policies,
                                   const SimulationOptions &options);

/// For people: a table.
std::string toTable(const Comparison &comparison);
/// For programs: one JSON object (docs/Simulator.md).
std::string toJson(const Comparison &comparison);

} // namespace anneal::simulation

#endif // ANNEAL_SIMULATION_COMPARISON_H
