//===- PolicyTesting.h - States of units as tests want them -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_UNIT_RUNTIME_POLICY_POLICYTESTING_H
#define ANNEAL_TEST_UNIT_RUNTIME_POLICY_POLICYTESTING_H

#include "anneal/Runtime/Policy/Policy.h"

#include <gtest/gtest.h>

#include <memory>

namespace anneal::runtime::test {

/// A unit that was called `calls` times in two ticks of as many calls of the program, each call
/// timed at `us`.
inline UnitState called(uint64_t calls, double us = 10) {
  UnitState unit;
  uint64_t first = calls / 2;
  for (uint64_t n : {first, calls - first})
    addTick(unit, {n, n, n, static_cast<double>(n) * us * 1e-6, 1000.0 * static_cast<double>(n), 1},
            1);
  return unit;
}

/// Puts code at `tier` and makes `calls` calls that take `us`, in `ticks` ticks.
inline void promote(UnitState &unit, uint64_t calls, double us, unsigned ticks = 1) {
  unit.attempts[1] = Attempt::Installed;
  changeTier(unit, Tier::Baseline);
  unit.isTickMixed = false;
  for (unsigned t = 0; t < ticks; ++t) {
    uint64_t n = calls / ticks;
    addTick(unit, {n, n, n, static_cast<double>(n) * us * 1e-6, 1000.0 * static_cast<double>(n), 1},
            1);
  }
}

/// A policy, and the units that it decides about.
struct Decider {
  explicit Decider(absl::string_view specification)
      : policy(*makePolicy(specification)), context{TierSet::all(), 100, experience} {}

  void tick(const std::vector<UnitState> &units) {
    context.units = units;
    policy->beginTick(context);
  }
  Decision decide(const UnitState &unit) const { return policy->decide(unit, context); }

  Experience experience;
  std::unique_ptr<Policy> policy;
  PolicyContext context;
};

/// Of a decision; fails if it has no such term.
inline double term(const Decision &decision, absl::string_view name) {
  for (const Term &one : decision.terms())
    if (one.name == name)
      return one.value;
  ADD_FAILURE() << decision.toText() << " has no " << std::string(name);
  return 0;
}

} // namespace anneal::runtime::test

#endif // ANNEAL_TEST_UNIT_RUNTIME_POLICY_POLICYTESTING_H
