//===- Why.h - The history of a unit in words -------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TOOLS_JIT_RUN_WHY_H
#define ANNEAL_TOOLS_JIT_RUN_WHY_H

#include "anneal/Engine/Engine.h"

#include "absl/status/status.h"

#include <string>

namespace anneal::jitrun {

/// Whether the model has a unit of that name, or a function that was compiled whole; "" is fine.
/// NotFound: names those that there are.
absl::Status checkUnit(const engine::Model &model, const std::string &unit);

/// The history of a unit in words: calls and time, tier, every decision with its numbers and what
/// was done about it, whether compiles have paid, and what was decided last. REQUIRES: checkUnit is
/// ok.
std::string explainUnit(const engine::Model &model, const engine::EventLog &log,
                        const std::string &unit);

} // namespace anneal::jitrun

#endif // ANNEAL_TOOLS_JIT_RUN_WHY_H
