//===- TimeSource.cpp - Clocks of the tiering -----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Tiering/TimeSource.h"

#include "anneal/Runtime/Policy/CostModel.h"

#include <cmath>

namespace anneal::runtime {

std::chrono::nanoseconds MeasuredTime::now() const {
  return std::chrono::steady_clock::now().time_since_epoch();
}

std::chrono::nanoseconds ModelledTime::now() const {
  return std::chrono::nanoseconds(nanoseconds.load(std::memory_order_relaxed));
}

double ModelledTime::secondsOf(uint32_t unit, Tier tier, uint64_t calls, double flops,
                               double measured) {
  double seconds = modelledSeconds(tier, calls, flops);
  advance(seconds);
  return seconds;
}

void ModelledTime::compiled(Tier tier) { advance(modelledCompileSeconds(tier)); }

void ModelledTime::advance(double seconds) {
  nanoseconds.fetch_add(std::llround(seconds * 1e9), std::memory_order_relaxed);
}

} // namespace anneal::runtime
