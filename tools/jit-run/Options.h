//===- Options.h - Command line of jit-run -----------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TOOLS_JIT_RUN_OPTIONS_H
#define ANNEAL_TOOLS_JIT_RUN_OPTIONS_H

#include "TierOptions.h"
#include "anneal/Runtime/IO/Compare.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace anneal::jitrun {

/// What the command line asks for; CLI.md explains each.
struct Options {
  std::string model;
  /// Nothing: the default. A function may be named ''.
  std::optional<std::string> entry;
  std::vector<std::string> inputs;
  std::string inputsDir;
  uint64_t seed = 0;

  std::vector<std::string> outputs;
  std::string outputDir;
  bool printAll = false;

  std::vector<std::string> expected;
  std::string expectedDir;
  runtime::Tolerance tolerance;

  std::string requests;
  unsigned concurrency = 1;
  uint64_t repeat = 1;
  unsigned threads = 0;

  TierOptions tiers;

  std::string report;
  std::string decisions;
  std::string metrics;
  std::string trace;
  std::string record;
  std::string dumpIr;
  std::string savePlan;
  std::string why;
  bool verbose = false;
};

/// Parses the command line. Empty: the process is to end with `exitCode` (after --help, --version,
/// or a usage error, which has been printed).
std::optional<Options> parseOptions(int argc, char **argv, int &exitCode);

} // namespace anneal::jitrun

#endif // ANNEAL_TOOLS_JIT_RUN_OPTIONS_H
