//===- PrintTiers.h - The tiers as text -------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TOOLS_JIT_OPT_PRINTTIERS_H
#define ANNEAL_TOOLS_JIT_OPT_PRINTTIERS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace anneal {

/// The pipeline of a tier on this processor, as --pass-pipeline takes it; empty if there is none of
/// that name.
std::optional<std::string> tierPipelineText(llvm::StringRef tier);

/// All tiers on this processor as JSON, as `jit-run --tier-file` reads it.
std::string tiersJson();

} // namespace anneal

#endif // ANNEAL_TOOLS_JIT_OPT_PRINTTIERS_H
