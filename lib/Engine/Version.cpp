//===- Version.cpp - What this build is -----------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Engine/Version.h"

#include "CompilerLibrary.h"
#include "anneal/Runtime/Kernels/Isa.h"
#include "anneal/Runtime/Report.h"

#include "absl/strings/str_cat.h"

namespace anneal::engine {

absl::string_view version() { return ANNEAL_VERSION; }

std::string versionText(absl::string_view tool) {
  auto api = openCompilerLibrary("");
  std::string isa(runtime::name(runtime::detectIsa()));
  return absl::StrCat(tool, " (Anneal) ", version(), "\nLLVM ",
                      api.ok() ? (*api)->llvmVersion : "not available (compiler library not found)",
                      "\nTarget: x86_64-linux-gnu, kernels for ", isa,
                      "\nCPU: ", runtime::cpuName(), " (", runtime::cpuFeatures(), ")");
}

} // namespace anneal::engine
