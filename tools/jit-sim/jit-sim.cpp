//===- jit-sim.cpp - Plays a recorded run under other policies ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/File.h"
#include "anneal/Runtime/Policy/Policy.h"
#include "anneal/Runtime/Tiering/TieringEvents.h"
#include "anneal/Simulation/Comparison.h"
#include "anneal/Simulation/Exercises.h"
#include "anneal/Simulation/Synthetic.h"
#include "anneal/Simulation/Trace.h"
#include "anneal/Support/Arguments.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace anneal;
using namespace anneal::simulation;

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;
constexpr unsigned kMostThreads = 1024;
/// Before a specification, in the place of a file.
constexpr char kSynthetic[] = "synthetic:";

constexpr char kDescription[] =
    R"(Plays a recorded run of jit-run again under other policies: the decisions are those of the engine's own
code, on a virtual clock. Total time is that of all calls and all compiles; regret is the total over that of the
best decisions, for who knows all calls that come.

  jit-run m.mlirbc --requests=calls.jsonl --record=run.jsonl
                                                   record a run
  jit-sim run.jsonl --policy=cost-benefit --policy=sqrt-n --policy=fixed:interpreter
                                                   what other policies would have made of it
  jit-sim run.jsonl --policy=cost-benefit,horizon=2000 --compile-threads=4
                                                   with other parameters, on other hardware
  jit-sim synthetic:zipf,units=1000,calls=20000 --policy=hotspot
                                                   a run that nobody recorded
  jit-sim synthetic:bursts,seed=7 --write-trace=bursts.jsonl
                                                   the same, to look at
  jit-sim run.jsonl --policy=chapter --decisions=d.jsonl
                                                   every decision, as jit-run --decisions writes them
  jit-sim run.jsonl --policy=aot --policy=chapter --json=r.json
                                                   for utils/bench/plot_simulation.py, which draws it
  jit-sim run.jsonl --load-policy-plugin=./every.so --policy=every,calls=50
                                                   a policy of one's own
  jit-sim --scenario=x4                            the exercises of the literature, solved)";

struct Options {
  std::string trace;
  std::vector<std::string> policies;
  TierSet tiers = TierSet::all();
  std::optional<unsigned> compileThreads;
  std::string json;
  std::string decisions;
  std::string writeTrace;
  std::vector<std::string> scenarios;
};

int usageError(const std::string &message) {
  std::fprintf(stderr, "jit-sim: error: %s\nTry 'jit-sim --help'.\n", message.c_str());
  return kWrongUsage;
}

int fail(const absl::Status &status) {
  std::string text(status.message());
  bool isLocated = absl::StrContains(text, ": error: ");
  std::fprintf(stderr, isLocated ? "%s\n" : "jit-sim: error: %s\n", text.c_str());
  return kFailed;
}

std::string checkPolicy(const std::string &text) {
  return std::string(runtime::makePolicy(text).status().message());
}

std::string checkTrace(const std::string &text) {
  absl::string_view specification = text;
  if (!absl::ConsumePrefix(&specification, kSynthetic))
    return "";
  return std::string(makeSyntheticTrace(specification).status().message());
}

std::string checkScenario(const std::string &text) {
  return std::string(findExercise(text).status().message());
}

std::string tierNames() {
  std::string names;
  for (unsigned t = 0; t < kNumTiers; ++t)
    absl::StrAppend(&names, t ? ", " : "", runtime::tierName(static_cast<Tier>(t)));
  return names;
}

/// Reads "interpreter,baseline"; what is wrong with it, empty if nothing is.
std::string readTiers(const std::string &text, TierSet &tiers) {
  tiers = TierSet();
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    std::optional<Tier> tier = parseTier({part.data(), part.size()});
    if (!tier)
      return absl::StrCat("there is no tier '", part, "'; there is ", tierNames());
    tiers.add(*tier);
  }
  return "";
}

void addOptions(CLI::App &app, Options &options) {
  app.add_option("TRACE", options.trace,
                 "a file that jit-run --record wrote, or synthetic:KIND[,PARAM=VALUE,...]")
      ->check(CLI::Validator(checkTrace, ""));
  // Before --policy, which may name what it brings.
  app.add_option_function<std::vector<std::string>>(
         "--load-policy-plugin",
         [](const std::vector<std::string> &libraries) {
           for (const std::string &library : libraries)
             if (absl::Status status = runtime::loadPolicyPlugin(library); !status.ok())
               throw CLI::ValidationError("--load-policy-plugin", std::string(status.message()));
         },
         "a shared library with a policy that --policy may name (anneal-c/PolicyPlugin.h)")
      ->type_name("LIB")
      ->allow_extra_args(false);
  app.add_option("--policy", options.policies,
                 "a policy to play the trace under, as jit-run's; more than one are compared. "
                 "Default: cost-benefit")
      ->type_name("NAME[,PARAM=VALUE,...]")
      ->allow_extra_args(false)
      ->check(CLI::Validator(checkPolicy, ""));
  app.add_option_function<std::string>(
         "--tiers",
         [&options](const std::string &text) {
           if (std::string error = readTiers(text, options.tiers); !error.empty())
             throw CLI::ValidationError("--tiers", error);
         },
         "tiers that may be used; the interpreter always is. Default: those of the trace")
      ->type_name("TIER,...");
  app.add_option(
         "--compile-threads", options.compileThreads,
         "threads that compile beside the calls, each on a core of its own; 0: compiles are "
         "made between calls, which wait for them. Default: 0 for the trace of a "
         "deterministic run, else 1")
      ->type_name("N")
      ->check(CLI::Range(0u, kMostThreads));
  app.add_option("--json", options.json,
                 "write the comparison, with its course, as one JSON object")
      ->type_name("FILE.json");
  app.add_option("--decisions", options.decisions,
                 "write what was decided about each unit, one JSON object a line; takes one policy")
      ->type_name("FILE.jsonl");
  app.add_option("--write-trace", options.writeTrace,
                 "write the trace, and play it only for --policy")
      ->type_name("FILE.jsonl");
  app.add_option("--scenario", options.scenarios,
                 absl::StrCat("print an exercise: the value of the literature, ours, and why they "
                              "differ; one of ",
                              exerciseNames(), ", or all"))
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->check(CLI::Validator(checkScenario, ""));
}

/// Each option that writes a file, and the file.
std::vector<std::pair<std::string, std::string>> outputFiles(const Options &options) {
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto &[option, file] : {std::pair("--json", options.json),
                                     {"--decisions", options.decisions},
                                     {"--write-trace", options.writeTrace}})
    if (!file.empty())
      files.emplace_back(option, file);
  return files;
}

/// A file that can't be written is found before anything is played.
absl::Status checkOutputs(const Options &options) {
  for (const auto &[option, file] : outputFiles(options))
    if (absl::Status status = runtime::checkWritable(file); !status.ok())
      return absl::Status(status.code(), absl::StrCat(option, ": ", status.message()));
  return absl::OkStatus();
}

/// Options that contradict each other; empty if none do.
std::string conflict(const Options &options) {
  if (options.trace.empty() == options.scenarios.empty())
    return "give either a trace or --scenario";
  bool plays = !options.policies.empty() || !options.json.empty() || !options.decisions.empty() ||
               !options.writeTrace.empty() || options.compileThreads ||
               options.tiers != TierSet::all();
  if (!options.scenarios.empty() && plays)
    return "--scenario takes no other options";
  if (!options.decisions.empty() && options.policies.size() > 1)
    return "--decisions takes one policy";
  std::map<std::string, std::string> optionOf;
  for (const auto &[option, file] : outputFiles(options))
    if (auto [other, isNew] = optionOf.try_emplace(file, option); !isNew)
      return absl::StrCat(other->second, " and ", option, " write to the same file '", file, "'");
  return "";
}

absl::StatusOr<Trace> loadTrace(const std::string &text) {
  absl::string_view specification = text;
  if (absl::ConsumePrefix(&specification, kSynthetic))
    return makeSyntheticTrace(specification);
  absl::StatusOr<Trace> trace = readTrace(text);
  std::string synthetic = absl::StrCat(kSynthetic, text);
  if (absl::IsNotFound(trace.status()) && checkTrace(synthetic).empty())
    return absl::NotFoundError(
        absl::StrCat(trace.status().message(), " (did you mean '", synthetic, "'?)"));
  return trace;
}

absl::Status playAndWrite(const Options &options, const Trace &trace) {
  auto log = std::make_shared<runtime::EventLog>();
  SimulationOptions simulation;
  simulation.tiers = options.tiers;
  simulation.compileThreads = options.compileThreads;
  if (!options.decisions.empty())
    simulation.observers = {log};
  std::vector<std::string> policies = options.policies;
  if (policies.empty())
    policies = {"cost-benefit"};
  absl::StatusOr<Comparison> comparison = compare(trace, options.trace, policies, simulation);
  if (!comparison.ok())
    return comparison.status();
  std::fputs(toTable(*comparison).c_str(), stdout);
  absl::Status status;
  if (!options.json.empty())
    status.Update(runtime::writeFile(options.json, {toJson(*comparison)}));
  if (!options.decisions.empty())
    status.Update(runtime::writeFile(options.decisions, {runtime::decisionLog(*log)}));
  return status;
}

absl::Status run(const Options &options) {
  if (absl::Status status = checkOutputs(options); !status.ok())
    return status;
  for (const std::string &name : options.scenarios) {
    absl::StatusOr<std::vector<const ExerciseEntry *>> found = findExercise(name);
    if (!found.ok())
      return found.status();
    for (const ExerciseEntry *entry : *found)
      std::fputs(toText(entry->solve()).c_str(), stdout);
  }
  if (options.trace.empty())
    return absl::OkStatus();
  absl::StatusOr<Trace> trace = loadTrace(options.trace);
  if (!trace.ok())
    return trace.status();
  if (!options.writeTrace.empty())
    if (absl::Status status = writeTrace(*trace, options.writeTrace); !status.ok())
      return status;
  if (!options.writeTrace.empty() && options.policies.empty())
    return absl::OkStatus();
  return playAndWrite(options, *trace);
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app(kDescription, "jit-sim");
  app.footer("Policies:\n" + runtime::describePolicies() + "\nSynthetic traces:\n" +
             describeSyntheticTraces() +
             "\nExit status: 0 all done; 1 the run failed (message on stderr); 2 wrong usage.");
  app.set_version_flag("--version", "jit-sim (Anneal) " ANNEAL_VERSION
                                    "\nTraces of version 1; without LLVM, for any machine");
  addOptions(app, options);
  try {
    app.parse(reversedArguments(argc, argv));
  } catch (const CLI::Success &success) {
    return app.exit(success);
  } catch (const CLI::ParseError &error) {
    return usageError(error.what());
  }
  if (std::string message = conflict(options); !message.empty())
    return usageError(message);
  int status = 0;
  if (absl::Status ran = run(options); !ran.ok())
    status = fail(ran);
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    std::fprintf(stderr, "jit-sim: error: cannot write to standard output\n");
    status = kFailed;
  }
  return status;
}
