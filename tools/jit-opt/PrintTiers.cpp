//===- PrintTiers.cpp - The tiers as text ---------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrintTiers.h"

#include "anneal/Pipelines/Tiers.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace anneal {

std::optional<std::string> tierPipelineText(llvm::StringRef tier) {
  std::optional<TierSpec> spec = tierSpec(tier, levelOf(hostCpuFeatures()));
  return spec ? std::optional(spec->pipeline) : std::nullopt;
}

std::string tiersJson() {
  llvm::json::Array tiers;
  for (llvm::StringRef name : tierNames()) {
    TierSpec spec = *tierSpec(name, levelOf(hostCpuFeatures()));
    llvm::json::Object codegen;
    for (const auto &[option, value] : spec.codegen)
      codegen[option] = value;
    tiers.push_back(llvm::json::Object{{"name", spec.name},
                                       {"pipeline", spec.pipeline},
                                       {"llvm_level", spec.llvmLevel},
                                       {"codegen", std::move(codegen)}});
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv("{0:2}", llvm::json::Value(llvm::json::Object{{"tiers", std::move(tiers)}}));
  return text;
}

} // namespace anneal
