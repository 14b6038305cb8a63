//===- Phases.h - When the scalars of a function are known ------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PLAN_PHASES_H
#define ANNEAL_PLAN_PHASES_H

#include "anneal/Plan/Plan.h"

#include <vector>

namespace anneal::plan {

/// When the value of a register is known, earliest first.
enum class Phase : uint8_t {
  Fixed, ///< with the plan: constants, and what the shape code computes from them
  Shape, ///< with the sizes of the inputs and the key scalars
  Run    ///< only in the call
};

/// The phase of each register of a function. Of the run phase are: what is written by `Scalars` and
/// `LoadScalar` steps, loop counters, values handed over by structured steps (scalars, and sizes
/// and strides of tensors that nothing else writes), scalar arguments that are no key. The indices
/// in the function must be in range.
std::vector<Phase> registerPhases(const Function &function);

/// Calls `visit(step)` for each step of a block, those in nested blocks included, in preorder.
template <typename Visit> void forEachStep(const Block &block, const Visit &visit) {
  for (const Step &step : block.steps) {
    visit(step);
    for (const Block &nested : step.blocks)
      forEachStep(nested, visit);
  }
}

} // namespace anneal::plan

#endif // ANNEAL_PLAN_PHASES_H
