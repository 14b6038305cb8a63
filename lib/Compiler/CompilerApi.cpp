//===- CompilerApi.cpp - The one symbol of the compiler library -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Compiler/CompilerApi.h"

#include "BaselineCompiler.h"
#include "PlanModule.h"
#include "TierSettings.h"

#include "llvm/Config/llvm-config.h"

using namespace anneal::compiler;

static constexpr CompilerApi kApi = {
    kCompilerApiVersion, LLVM_VERSION_STRING, planModule,
    [](const std::string &unitIr, const UnitCompileOptions &options, std::string &error) {
      return makeUnitCompiler(unitIr, options, kOwnPasses, error);
    },
    [](const UnitCompileOptions &options, std::string &error) {
      return checkTiers(options, kOwnPasses, error);
    }};

extern "C" __attribute__((visibility("default"))) const CompilerApi *annealGetCompilerApi() {
  return &kApi;
}
