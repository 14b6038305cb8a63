//===- CostModel.h - Times without a clock ----------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_POLICY_COSTMODEL_H
#define ANNEAL_RUNTIME_POLICY_COSTMODEL_H

#include "anneal/Support/Tier.h"

#include <cstdint>

namespace anneal::runtime {

/// Seconds that calls of a unit take at a tier, from what they do alone: the same on each run and
/// each machine. Roughly those of one core of 2020; for decisions that have to be repeatable, not
/// for predictions.
double modelledSeconds(Tier tier, uint64_t calls, double flops);

/// Seconds that a compile takes, in the same manner.
double modelledCompileSeconds(Tier tier);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_POLICY_COSTMODEL_H
