//===- SamplePlans.h - Plans that several tests use -------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_UNIT_PLAN_SAMPLEPLANS_H
#define ANNEAL_TEST_UNIT_PLAN_SAMPLEPLANS_H

#include "PlanBuilder.h"

namespace anneal::plan::test {

/// @main(x: ?x4, y: ?x4) = (x @ W) + y, W a constant 4x4; an assert demands equal numbers of rows.
Module makeLinearModule();

/// @main(x: ?xn) = x, added to itself `depth` times: a chain of unit calls through the workspace.
Module makeChainModule(unsigned depth);

/// @main(x: ?x3) = sum of its rows, by a loop that slices a row at a run-phase offset.
Module makeRowSumModule();

/// @main(n: index) -> ?: a tensor that grows by one element in each of n turns, the new element
/// being the number of the turn.
Module makeGrowingModule();

/// A module with every kind of step, base, kernel and field; it is valid, and not meant to be run.
Module makeEverythingModule();

} // namespace anneal::plan::test

#endif // ANNEAL_TEST_UNIT_PLAN_SAMPLEPLANS_H
