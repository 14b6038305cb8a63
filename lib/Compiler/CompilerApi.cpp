//===- CompilerApi.cpp - The one symbol of the compiler library -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Compiler/CompilerApi.h"

#include "BaselineCompiler.h"
#include "PlanModule.h"

#include "llvm/Config/llvm-config.h"

static constexpr anneal::compiler::CompilerApi kApi = {
    anneal::compiler::kCompilerApiVersion, LLVM_VERSION_STRING, anneal::compiler::planModule,
    anneal::compiler::makeUnitCompiler};

extern "C" __attribute__((visibility("default"))) const anneal::compiler::CompilerApi *
annealGetCompilerApi() {
  return &kApi;
}
