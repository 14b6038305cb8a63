//===- Validate.h - Is a plan well formed? ----------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PLAN_VALIDATE_H
#define ANNEAL_PLAN_VALIDATE_H

#include "anneal/Plan/Plan.h"

#include <optional>
#include <string>

namespace anneal::plan {

/// Checks everything that the runtime relies on without looking again: indices in range, equal
/// counts, ranks and types, steps numbered in order, code that only reads what exists, phases kept
/// apart. Returns what is wrong first, naming function or unit and the place in it; nothing if all
/// is well.
std::optional<std::string> validate(const Module &module);

} // namespace anneal::plan

#endif // ANNEAL_PLAN_VALIDATE_H
