//===- Metrics.h - Numbers for monitoring -----------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ENGINE_METRICS_H
#define ANNEAL_ENGINE_METRICS_H

#include "anneal/Engine/Engine.h"

#include "absl/types/span.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace anneal::engine {

/// How many values are at most as large as each of some bounds. A value.
class Histogram {
public:
  /// `bounds` rise, and outlive the histogram.
  explicit Histogram(absl::Span<const double> bounds) : bounds(bounds), counts(bounds.size() + 1) {}

  void add(double value);

  struct Bucket {
    /// Infinite of the last one.
    double bound;
    /// Of values up to the bound.
    uint64_t count;
  };
  std::vector<Bucket> cumulative() const;
  uint64_t count() const { return numValues; }
  double sum() const { return total; }

private:
  absl::Span<const double> bounds;
  /// Not cumulative.
  std::vector<uint64_t> counts;
  uint64_t numValues = 0;
  double total = 0;
};

/// Counts the events of a model, or of several. Takes memory for kinds of events, not for each of
/// them. Thread-safe.
class TieringMetrics final : public TieringObserver {
public:
  struct Compiles {
    Histogram seconds;
    uint64_t codeBytes = 0;
    /// By how they ended: "installed", "nothing", "failed", "given-up".
    std::map<std::string, uint64_t> results;
  };
  struct Counts {
    std::map<Tier, Compiles> compiles;
    /// Decisions that were something new, by action and reason.
    std::map<std::pair<std::string, std::string>, uint64_t> decisions;
  };

  void noteEvent(const TieringEvent &event) override;
  Counts counts() const;

private:
  void addCompile(const TieringEvent &event);

  /// Guards what follows; no other is taken while it is held.
  mutable std::mutex mutex;
  Counts counted;
};

/// What metrics say that the model doesn't know.
struct MetricsOptions {
  /// File name, or what stands for it, and the function that was called.
  std::string model;
  std::string entry;
  /// Of each call that succeeded; and calls that failed.
  absl::Span<const double> callSeconds;
  uint64_t failedCalls = 0;
};

/// REQUIREMENTS.md P3, in Prometheus' text exposition format, version 0.0.4: what
/// docs/Observability.md lists. What isn't measured is absent. Thread-safe.
std::string metricsText(const Model &model, const TieringMetrics &tiering,
                        const MetricsOptions &options);

} // namespace anneal::engine

#endif // ANNEAL_ENGINE_METRICS_H
