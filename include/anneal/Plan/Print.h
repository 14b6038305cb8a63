//===- Print.h - Plans as text ----------------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PLAN_PRINT_H
#define ANNEAL_PLAN_PRINT_H

#include "anneal/Plan/Plan.h"

#include <iosfwd>

namespace anneal::plan {

/// Writes a module as readable text, one line for each constant, tensor, instruction and step, for
/// people and for FileCheck. Deterministic; contents of constants are left out. The module must be
/// well formed (validate).
void print(const Module &module, std::ostream &os);
void print(const Unit &unit, const Module &module, std::ostream &os);
void print(const Function &function, const Module &module, std::ostream &os);

} // namespace anneal::plan

#endif // ANNEAL_PLAN_PRINT_H
