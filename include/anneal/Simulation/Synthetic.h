//===- Synthetic.h - Traces that nobody recorded ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SIMULATION_SYNTHETIC_H
#define ANNEAL_SIMULATION_SYNTHETIC_H

#include "anneal/Simulation/Trace.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace anneal::simulation {

/// Random numbers that are the same everywhere: the standard fixes the engine, but not its
/// distributions. A value.
class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}

  /// From 0 up to, but not, 1.
  double uniform() { return static_cast<double>(engine() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + (high - low) * uniform(); }
  /// From 0 up to, but not, `limit`, which is at least 1.
  size_t below(size_t limit) { return static_cast<size_t>(uniform() * static_cast<double>(limit)); }

private:
  std::mt19937_64 engine;
};

/// Draws places of a list of weights, each as often as its weight says. A value.
class WeightedChoice {
public:
  /// REQUIRES: no weight is negative, one is positive.
  explicit WeightedChoice(const std::vector<double> &weights);
  size_t draw(Random &random) const;

private:
  std::vector<double> sums;
};

/// The trace that a specification names, "zipf,units=1000,seed=7": each call of the program calls
/// one unit, drawn as the kind says. Errors: InvalidArgument for a kind or parameter that does not
/// exist (naming the nearest), or a value that does not fit.
absl::StatusOr<Trace> makeSyntheticTrace(absl::string_view specification);

/// For help: the kinds, and the parameters with their defaults.
std::string describeSyntheticTraces();

} // namespace anneal::simulation

#endif // ANNEAL_SIMULATION_SYNTHETIC_H
