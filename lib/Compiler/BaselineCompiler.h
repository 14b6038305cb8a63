//===- BaselineCompiler.h - From a unit's IR to its image -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_BASELINECOMPILER_H
#define ANNEAL_LIB_COMPILER_BASELINECOMPILER_H

#include "Toolbox.h"

#include "anneal/Compiler/CompilerApi.h"

namespace anneal::compiler {

/// CompilerApi::makeUnitCompiler, with the passes of `toolbox`.
std::unique_ptr<UnitCompiler> makeUnitCompiler(const std::string &unitIr,
                                               const UnitCompileOptions &options,
                                               const Toolbox &toolbox, std::string &error);

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_BASELINECOMPILER_H
