//===- TierOptions.h - Options of jit-run on compiling ----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TOOLS_JIT_RUN_TIEROPTIONS_H
#define ANNEAL_TOOLS_JIT_RUN_TIEROPTIONS_H

#include "anneal/Engine/Tiering.h"

#include "absl/status/status.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace anneal::jitrun {

/// What the command line says of tiers; CLI.md explains each.
struct TierOptions {
  engine::TieringOptions tiering;
  std::optional<Tier> forceTier;
  bool hasPolicy = false;
  bool waitForCompiles = false;
  std::vector<std::string> tierFiles;
};

/// Adds the group "Tiers and compiling". Names that do not exist are refused when they are parsed.
void addTierOptions(CLI::App &app, TierOptions &options);

/// Adds what --tier-file names to the overrides, after those of --tier-pipeline. Errors: readFile's
/// for a file that can't be read; InvalidArgument, naming the file and the key.
absl::Status readTierFiles(TierOptions &options);

/// Options that contradict each other; empty if none do.
std::string tierConflict(const TierOptions &options, unsigned concurrency);

} // namespace anneal::jitrun

#endif // ANNEAL_TOOLS_JIT_RUN_TIEROPTIONS_H
