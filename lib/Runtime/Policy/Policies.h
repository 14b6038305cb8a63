//===- Policies.h - The policies that there are -----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_POLICY_POLICIES_H
#define ANNEAL_LIB_RUNTIME_POLICY_POLICIES_H

#include "PolicyParameters.h"

#include "anneal/Runtime/Policy/Policy.h"

namespace anneal::runtime {

/// `fixed:<tier>`: each unit at that tier, or the highest one below it that may be used, as soon as
/// it was called.
std::unique_ptr<Policy> makeFixedPolicy(Tier tier);

/// `aot`: each unit at the highest tier that may be used, before the first call.
std::unique_ptr<Policy> makeAotPolicy();

/// `sqrt-n`: REQUIREMENTS.md H6.
std::unique_ptr<Policy> makeSqrtNPolicy();

PolicyParameters hotSpotParameters();
/// `hotspot`: HotSpot's thresholds, scaled by the load.
std::unique_ptr<Policy> makeHotSpotPolicy(const PolicyParameters &parameters);

PolicyParameters chapterParameters();
/// `chapter`: REQUIREMENTS.md H1, H4, H5, T4, T6. Error: InvalidArgument for a threshold that is
/// not between its bounds.
absl::StatusOr<std::unique_ptr<Policy>> makeChapterPolicy(const PolicyParameters &parameters);

PolicyParameters costBenefitParameters();
/// `cost-benefit`: REQUIREMENTS.md T6, by measured times.
std::unique_ptr<Policy> makeCostBenefitPolicy(const PolicyParameters &parameters);

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_POLICY_POLICIES_H
