//===- CostModel.cpp - Times without a clock ------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Policy/CostModel.h"

#include <iterator>

namespace anneal::runtime {

namespace {

/// What a tier is taken to do.
struct TierModel {
  /// Of one call, whatever is in it.
  double secondsPerCall;
  double flopsPerSecond;
  double compileSeconds;
};
constexpr TierModel kModels[] = {{1e-6, 8e9, 0}, {0.5e-6, 12e9, 4e-3}};
static_assert(std::size(kModels) == kNumTiers);

} // namespace

double modelledSeconds(Tier tier, uint64_t calls, double flops) {
  const TierModel &model = kModels[static_cast<size_t>(tier)];
  return static_cast<double>(calls) * model.secondsPerCall + flops / model.flopsPerSecond;
}

double modelledCompileSeconds(Tier tier) {
  return kModels[static_cast<size_t>(tier)].compileSeconds;
}

} // namespace anneal::runtime
