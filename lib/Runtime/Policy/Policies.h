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

PolicyParameters costBenefitParameters();
/// `cost-benefit`: REQUIREMENTS.md T6, by measured times.
std::unique_ptr<Policy> makeCostBenefitPolicy(const PolicyParameters &parameters);

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_POLICY_POLICIES_H
