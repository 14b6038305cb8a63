//===- TierOptions.cpp - Options of jit-run on compiling ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TierOptions.h"

#include "anneal/Runtime/Policy/Policy.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <CLI/CLI.hpp>

namespace anneal::jitrun {
namespace {

constexpr char kGroup[] = "Tiers and compiling";

std::string tierNames() {
  std::string names;
  for (unsigned t = 0; t < kNumTiers; ++t)
    absl::StrAppend(&names, t ? ", " : "", runtime::tierName(static_cast<Tier>(t)));
  return names;
}

/// Reads one tier; what is wrong with its name, empty if nothing is.
std::string readTier(absl::string_view text, Tier &tier) {
  std::optional<Tier> parsed = parseTier({text.data(), text.size()});
  if (!parsed)
    return absl::StrCat("there is no tier '", text, "'; there is ", tierNames());
  tier = *parsed;
  return "";
}

std::string readTiers(const std::string &text, TierSet &tiers) {
  tiers = TierSet();
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    Tier tier;
    if (std::string error = readTier(part, tier); !error.empty())
      return error;
    tiers.add(tier);
  }
  return "";
}

/// Reads TIER=PIPELINE; what is wrong with it, empty if nothing is. The pipeline itself is for the
/// compiler to read.
std::string readTierPipeline(const std::string &text, std::vector<TierOverride> &overrides) {
  size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos)
    return absl::StrCat("'", text, "' is not TIER=PIPELINE");
  TierOverride made;
  made.name = text.substr(0, equals);
  made.pipeline = text.substr(equals + 1);
  overrides.push_back(std::move(made));
  return "";
}

/// An option whose value `read` takes, giving back what is wrong with it.
template <typename Read>
void addRead(CLI::App &app, const char *name, const char *type, const std::string &help,
             const Read &read) {
  app.add_option_function<std::string>(
         name,
         [name, read](const std::string &text) {
           if (std::string error = read(text); !error.empty())
             throw CLI::ValidationError(name, error);
         },
         help)
      ->type_name(type)
      ->group(kGroup);
}

} // namespace

void addTierOptions(CLI::App &app, TierOptions &options) {
  engine::TieringOptions &tiering = options.tiering;
  addRead(
      app, "--tiers", "TIER,...",
      absl::StrCat("tiers that may be used, of ", tierNames(),
                   "; the interpreter always is. Default: all. With --tiers=interpreter no unit "
                   "is compiled; functions that only MLIR's own lowering can run still are, whole"),
      [&tiering](const std::string &text) { return readTiers(text, tiering.tiers); });
  addRead(app, "--force-tier", "TIER",
          "compile everything at this tier before the first call; a unit that fails to compile is "
          "answered by a lower tier and named, and the exit status is 1",
          [&options](const std::string &text) {
            Tier tier = Tier::Interpreter;
            std::string error = readTier(text, tier);
            options.forceTier = tier;
            return error;
          });
  addRead(app, "--load-policy-plugin", "LIB",
          "a shared library with a policy that --policy may name (anneal-c/PolicyPlugin.h)",
          [&tiering](const std::string &text) {
            tiering.policyPlugins.push_back(text);
            return std::string(runtime::loadPolicyPlugin(text).message());
          });
  addRead(app, "--policy", "NAME[,PARAM=VALUE,...]",
          "what is compiled and when; default: cost-benefit. See below",
          [&options](const std::string &text) {
            options.hasPolicy = true;
            options.tiering.policy = text;
            absl::Status status = runtime::makePolicy(text).status();
            return std::string(status.message());
          });
  app.add_flag("--wait-for-compiles", options.waitForCompiles,
               "before the last of --repeat's rounds, or else the last call, wait until there is "
               "nothing left to compile")
      ->group(kGroup);
  app.add_flag("--deterministic", tiering.deterministic,
               "compile between calls, on modelled time: runs that call the same do the same")
      ->group(kGroup);
  app.add_option("--compile-threads", tiering.compileThreads, "threads that compile at one time")
      ->type_name("N")
      ->check(CLI::Range(1u, 64u))
      ->capture_default_str()
      ->group(kGroup);
  app.add_option("--compile-share", tiering.compileShare,
                 "what compiling gets at least of a core, also when calls keep all busy; 0: only "
                 "what they leave")
      ->type_name("X")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str()
      ->group(kGroup);
  app.add_option_function<std::vector<std::string>>(
         "--tier-pipeline",
         [&tiering](const std::vector<std::string> &texts) {
           for (const std::string &text : texts)
             if (std::string error = readTierPipeline(text, tiering.tierOverrides); !error.empty())
               throw CLI::ValidationError("--tier-pipeline", error);
         },
         "compile at TIER with this MLIR pass pipeline; `jit-opt --print-tier-pipeline=TIER` "
         "prints "
         "the tier's own. A unit that it fails on stays where it is")
      ->type_name("TIER=PIPELINE")
      ->allow_extra_args(false)
      ->group(kGroup);
  app.add_option("--tier-file", options.tierFiles,
                 "read tiers from a file, as `jit-opt --print-tiers` prints them: "
                 "{\"tiers\": [{\"name\": TIER, \"pipeline\": TEXT, \"llvm_level\": 0 to 3, "
                 "\"codegen\": {OPTION: VALUE}}]}; all but the name may be left out")
      ->type_name("FILE.json")
      ->allow_extra_args(false)
      ->group(kGroup);
  app.add_option("--load-pass-plugin", tiering.passPlugins,
                 "shared library with MLIR passes that pipelines of tiers may name, as for jit-opt")
      ->type_name("LIB")
      ->allow_extra_args(false)
      ->group(kGroup);
  app.add_flag("--perf-map", tiering.perfMap, "name compiled code for perf, in /tmp/perf-PID.map")
      ->group(kGroup);
  app.add_flag("--gdb", tiering.gdb, "name compiled code for GDB")->group(kGroup);
}

std::string tierConflict(const TierOptions &options, unsigned concurrency) {
  if (options.forceTier && options.hasPolicy)
    return "--force-tier and --policy exclude each other";
  if (options.forceTier && !options.tiering.tiers.contains(*options.forceTier))
    return absl::StrCat("--force-tier names '", runtime::tierName(*options.forceTier),
                        "', which --tiers leaves out");
  if (options.tiering.deterministic && concurrency != 1)
    return "--deterministic takes one caller; leave out --concurrency";
  return "";
}

} // namespace anneal::jitrun
