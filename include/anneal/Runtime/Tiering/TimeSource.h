//===- TimeSource.h - Clocks of the tiering ---------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_TIERING_TIMESOURCE_H
#define ANNEAL_RUNTIME_TIERING_TIMESOURCE_H

#include "anneal/Support/Tier.h"

#include <atomic>
#include <chrono>
#include <cstdint>

namespace anneal::runtime {

/// Where the tiering's times come from: the machine, or a model. Thread-safe.
class TimeSource {
public:
  virtual ~TimeSource() = default;
  /// Since some moment.
  virtual std::chrono::nanoseconds now() const = 0;
  /// Time that `calls` calls of unit `unit`, with `flops` floating-point operations in all, are
  /// taken to have needed, if they were measured to take `measured` seconds.
  virtual double secondsOf(uint32_t unit, Tier tier, uint64_t calls, double flops,
                           double measured) = 0;
  /// A compile ended.
  virtual void compiled(Tier tier) {}
};

/// The steady clock.
class MeasuredTime : public TimeSource {
public:
  std::chrono::nanoseconds now() const override;
  double secondsOf(uint32_t unit, Tier tier, uint64_t calls, double flops,
                   double measured) override {
    return measured;
  }
};

/// A clock that stands still but for what the cost model says that calls and compiles take.
class ModelledTime final : public TimeSource {
public:
  std::chrono::nanoseconds now() const override;
  double secondsOf(uint32_t unit, Tier tier, uint64_t calls, double flops,
                   double measured) override;
  void compiled(Tier tier) override;

private:
  void advance(double seconds);

  std::atomic<int64_t> nanoseconds{0};
};

inline double toMs(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_TIERING_TIMESOURCE_H
