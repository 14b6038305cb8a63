//===- ValidateSteps.h - Checks of the steps of a function ------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_PLAN_VALIDATESTEPS_H
#define ANNEAL_LIB_PLAN_VALIDATESTEPS_H

#include "ValidateCode.h"

#include "anneal/Plan/Phases.h"

namespace anneal::plan {

/// Blocks inside each other: more would not fit the stack of who walks them.
inline constexpr unsigned kMaxNesting = 256;

/// Checks the body of a function whose registers and memrefs are sound.
Problem validateSteps(const Function &function, const Module &module);

} // namespace anneal::plan

#endif // ANNEAL_LIB_PLAN_VALIDATESTEPS_H
