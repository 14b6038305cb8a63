//===- Version.cpp - What this build is -----------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Engine/Version.h"

#include "CompilerLibrary.h"
#include "anneal/Runtime/Kernels/Isa.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <fstream>
#include <vector>

namespace anneal::engine {

absl::string_view version() { return ANNEAL_VERSION; }

std::string cpuName() {
  std::ifstream cpuInfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuInfo, line);) {
    size_t colon = line.find(':');
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
  }
  return "unknown";
}

std::string cpuFeatures() {
  std::vector<absl::string_view> features;
#define ANNEAL_FEATURE(name)                                                                       \
  if (__builtin_cpu_supports(name))                                                                \
  features.push_back(name)
  ANNEAL_FEATURE("avx2");
  ANNEAL_FEATURE("fma");
  ANNEAL_FEATURE("avx512f");
  ANNEAL_FEATURE("avx512bw");
  ANNEAL_FEATURE("avx512dq");
  ANNEAL_FEATURE("avx512vl");
  ANNEAL_FEATURE("avx512vnni");
  ANNEAL_FEATURE("avx512bf16");
#undef ANNEAL_FEATURE
  return absl::StrJoin(features, " ");
}

std::string versionText(absl::string_view tool) {
  auto api = openCompilerLibrary("");
  std::string isa(runtime::name(runtime::detectIsa()));
  return absl::StrCat(tool, " (Anneal) ", version(), "\nLLVM ",
                      api.ok() ? (*api)->llvmVersion : "not available (compiler library not found)",
                      "\nTarget: x86_64-linux-gnu, kernels for ", isa, "\nCPU: ", cpuName(), " (",
                      cpuFeatures(), ")");
}

} // namespace anneal::engine
