//===- Policy.h - Decides what is compiled, and when ------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DESIGN.md §6. A policy is arithmetic: state in, decision out, without a clock and without a
// thread, so that the same code decides in a running program, in the simulator and in a test.
// Policies have names, by which makePolicy makes them; a new one is a file and a line in
// PolicyRegistry.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_POLICY_POLICY_H
#define ANNEAL_RUNTIME_POLICY_POLICY_H

#include "anneal/Runtime/Policy/Decision.h"
#include "anneal/Runtime/Policy/Experience.h"
#include "anneal/Runtime/Policy/UnitState.h"
#include "anneal/Support/TierSet.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <cstdint>
#include <memory>
#include <string>

namespace anneal::runtime {

/// What a policy knows besides the unit.
struct PolicyContext {
  /// Those that may be used.
  TierSet tiers = TierSet::all();
  /// Calls of the program so far.
  uint64_t programCalls = 0;
  const Experience &experience;
  /// All units of the program, also those that are pinned.
  absl::Span<const UnitState> units = {};
  /// Other units that wait to be compiled, and threads that compile.
  size_t queueLength = 0;
  unsigned compileThreads = 1;
};

/// Thread-safe but for beginTick, which REQUIRES that nobody else uses the policy.
class Policy {
public:
  virtual ~Policy() = default;

  /// Counters were read: what follows from all units together is found here, once, before decide is
  /// asked about each of them.
  virtual void beginTick(const PolicyContext &context) {}

  /// A unit whose compile led to nothing, or was taken back, is pinned where it is; all else is for
  /// the policy to say.
  Decision decide(const UnitState &unit, const PolicyContext &context) const;

  /// Weight of the newest tick in N_expected (addTick).
  virtual double smoothing() const { return 1; }
  /// What the policy wants compiled at first is to be compiled before the first call.
  virtual bool compilesAhead() const { return false; }

private:
  virtual Decision choose(const UnitState &unit, const PolicyContext &context) const = 0;
};

/// The policy that a specification names: "fixed:baseline", "cost-benefit,horizon=1000,factor=2".
/// Errors: InvalidArgument for a name or a parameter that does not exist (the message names those
/// that do, and the nearest), or a value that does not fit.
absl::StatusOr<std::unique_ptr<Policy>> makePolicy(absl::string_view specification);

/// Makes the policy of a shared library (anneal-c/PolicyPlugin.h) known to makePolicy, for the
/// whole process; once more is harmless. A path without '/' is one in the current folder.
/// Thread-safe. Errors: InvalidArgument for what is no such library or has the name of another
/// policy.
absl::Status loadPolicyPlugin(const std::string &path);

/// For help: a paragraph for each policy with its parameters and their defaults.
std::string describePolicies();

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_POLICY_POLICY_H
