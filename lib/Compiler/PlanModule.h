//===- PlanModule.h - From a source to a plan -------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_PLANMODULE_H
#define ANNEAL_LIB_COMPILER_PLANMODULE_H

#include "anneal/Compiler/CompilerApi.h"

namespace anneal::compiler {

/// Entry `planModule` of the table (CompilerApi.h).
void planModule(const Source &source, const PlanOptions &options, PlanResult &result);

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_PLANMODULE_H
