//===- Linearise.h - Maps that are not linear become gathers ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_LINEARISE_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_LINEARISE_H

#include "anneal/Plan/Unit.h"

namespace anneal::runtime::interpreter {

/// Some input is read through a map that is not linear (floordiv, mod).
bool hasNonLinearInput(const plan::Kernel &kernel);

/// The same kernel, each such input being read by a Gather in the body, at indices computed from
/// the position: bounds are checked at each element, and nothing else is lost.
plan::Kernel withGatheredInputs(const plan::Kernel &kernel);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_LINEARISE_H
