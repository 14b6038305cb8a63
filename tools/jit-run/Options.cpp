//===- Options.cpp - Command line of jit-run ------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "anneal/Engine/Engine.h"
#include "anneal/Engine/Version.h"
#include "anneal/Runtime/IO/File.h"
#include "anneal/Runtime/Policy/Policy.h"
#include "anneal/Support/Arguments.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <utility>

namespace anneal::jitrun {
namespace {

constexpr char kDescription[] =
    R"(Runs a function of an MLIR tensor program at once; what is worth it gets compiled in the background.

  jit-run model.mlirbc --input=1x2048xi32=0              run with one made-up input, print the results
  jit-run m.mlir --input=@x.npy --output=@y.npy          NPY files in and out
  jit-run m.mlirbc --inputs-dir=case0 --expected-dir=case0 --rtol=1e-3 --atol=1e-4
                                                         read in0.npy..., compare with out0.npy...
  jit-run m.mlirbc --input='1x32xi64=rand(0,9)' --repeat=100 --report=r.json
                                                         call 100 times, write times to r.json
  jit-run m.mlirbc --requests=calls.jsonl --concurrency=4
                                                         many calls, one JSON object a line
  jit-run m.mlirbc --input='1x32xi64=rand(0,9)' --force-tier=baseline
                                                         compile all of it first
  jit-run m.mlirbc --input='1x32xi64=rand(0,9)' --repeat=200 --wait-for-compiles --report=r.json
                                                         units[].promotions says what was compiled when,
                                                         and units[].decision why, or why not
  jit-run m.mlirbc --input='1x32xi64=rand(0,9)' --repeat=200 --wait-for-compiles --why=main.matmul_0
                                                         the same of one unit, in words
  jit-run m.mlirbc --input='1x32xi64=rand(0,9)' --repeat=200 --decisions=d.jsonl
                                                         every decision with its numbers, in order
  jit-run m.mlirbc --requests=calls.jsonl --concurrency=4 --trace=t.json
                                                         calls and compiles on a time line: ui.perfetto.dev
  jit-run m.mlirbc --requests=calls.jsonl --repeat=100 --metrics=m.prom
                                                         latencies, compiles, rates, memory for Prometheus
  jit-run m.mlirbc --input='1x32xi64=rand(0,9)' --force-tier=baseline --dump-ir=dump
                                                         what went into each compile and what came out
  jit-run m.mlirbc --input='1x32xi64=rand(0,9)' --force-tier=baseline --load-pass-plugin=./MyPass.so \
      --tier-pipeline='baseline=my-pass,jit-tier-baseline'
                                                         a pass of one's own before the tier's
  jit-run m.mlirbc --input='1x32xi64=rand(0,9)' --repeat=50 --deterministic --policy=cost-benefit,factor=2
                                                         the same decisions in each run
  jit-run m.mlirbc --requests=calls.jsonl --record=run.jsonl
                                                         what `jit-sim run.jsonl --policy=NAME` plays again

An input is one of
  @x.npy                     an NPY file (bf16: dtype |V2)
  2x3xf32=1 2 3 4 5 6        sizes, element type, elements; one element fills all
  1x32xi64=iota              0, 1, 2, ...
  1x32xi64=rand(1000,30000)  as numpy.random.default_rng(seed): .integers(low, high), for floats
                             .uniform(low, high); one stream over all arguments
  i64=5                      a scalar, or a tensor without dimensions
Element types: i1 i8 i16 i32 i64 index f16 bf16 f32 f64; ui8 ui16 ui32 ui64 stand for the integer type
of the width and take unsigned values.)";

constexpr char kFooter[] =
    R"(Exit status: 0 all done; 1 the run failed (message on stderr) or a result differs from what was expected;
2 wrong usage; 130 interrupted.)";

/// Of options on what is told of a run.
constexpr char kObserving[] = "What happened";

/// What is wrong with the text of a tolerance; empty if nothing is. NaN compares with nothing, and
/// with an infinite one everything would be equal.
std::string checkTolerance(const std::string &text) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  bool ok = !text.empty() && *end == '\0' && std::isfinite(value) && value >= 0;
  return ok ? "" : "'" + text + "' is not a finite number of at least 0";
}

/// The same of a seed, which is a 64-bit integer without sign.
std::string checkSeed(const std::string &text) {
  bool isDigits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  errno = 0;
  bool fits = isDigits && (std::strtoull(text.c_str(), nullptr, 10), errno == 0);
  return fits ? "" : "'" + text + "' is not an integer from 0 to 18446744073709551615";
}

void addInputOptions(CLI::App &app, Options &options) {
  app.add_option("MODEL", options.model,
                 "MLIR text or bytecode, a plan written by --save-plan, or - for standard input")
      ->required();
  // CLI11 takes an empty text for no value where a variable may have none.
  auto setEntry = [&options](const std::string &name) { options.entry = name; };
  app.add_option_function<std::string>(
         "-e,--entry", setEntry, "function to call; default: the only public one, else 'main'")
      ->type_name("NAME");
  app.add_option("--input", options.inputs, "an argument, in order; see above")
      ->type_name("SPEC")
      ->allow_extra_args(false);
  app.add_option("--inputs-dir", options.inputsDir, "read the arguments from in0.npy, in1.npy, ...")
      ->type_name("DIR");
  app.add_option("--seed", options.seed, "seed of rand(...)")
      ->type_name("N")
      ->check(CLI::Validator(checkSeed, ""))
      ->capture_default_str();
}

void addOutputOptions(CLI::App &app, Options &options) {
  app.add_option("--output", options.outputs, "write a result, in order (@y.npy)")
      ->type_name("@FILE.npy")
      ->allow_extra_args(false);
  app.add_option("--output-dir", options.outputDir,
                 "write the results to out0.npy, ...; with --requests to DIR/LINE/out0.npy, ...")
      ->type_name("DIR");
  app.add_flag("--print-all", options.printAll, "print long results whole");
  app.add_option("--expected", options.expected, "compare a result, in order (@y.npy)")
      ->type_name("@FILE.npy")
      ->allow_extra_args(false);
  app.add_option("--expected-dir", options.expectedDir, "compare the results with out0.npy, ...")
      ->type_name("DIR");
  app.add_option("--rtol", options.tolerance.rtol,
                 "allowed difference: atol + rtol * |expected|, as numpy.allclose")
      ->type_name("X")
      ->check(CLI::Validator(checkTolerance, ""))
      ->capture_default_str();
  app.add_option("--atol", options.tolerance.atol, "see --rtol")
      ->type_name("X")
      ->check(CLI::Validator(checkTolerance, ""))
      ->capture_default_str();
}

void addRunOptions(CLI::App &app, Options &options) {
  app.add_option("--requests", options.requests,
                 "calls to make, one JSON object a line: {\"inputs\": [SPEC, ...], \"expected\": "
                 "[FILE, ...], \"at_ms\": 12.5}; at_ms is when the request arrives, and latency "
                 "counts from there")
      ->type_name("FILE.jsonl");
  app.add_option("--concurrency", options.concurrency, "callers at once")
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u))
      ->capture_default_str();
  app.add_option("--repeat", options.repeat, "make the call, or play the requests, N times")
      ->type_name("N")
      ->check(CLI::Range(uint64_t(1), uint64_t(1) << 62))
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "execution threads, shared by all callers; default ceil(0.8 * usable cores)")
      ->type_name("N")
      ->check(CLI::Range(1u, 1024u));
  app.add_option("--save-plan", options.savePlan,
                 "write the plan with its constants, to be run later as MODEL without the compiler")
      ->type_name("FILE");
}

void addOutputFile(CLI::App &app, const char *name, std::string &file, const char *type,
                   const char *help) {
  app.add_option(name, file, help)->type_name(type)->group(kObserving);
}

void addObservingOptions(CLI::App &app, Options &options) {
  addOutputFile(app, "--report", options.report, "FILE.json",
                "write what happened, as one JSON object");
  addOutputFile(app, "--decisions", options.decisions, "FILE.jsonl",
                "write what was decided about each unit, why and by which numbers, and what was "
                "done about it: one JSON object a line");
  addOutputFile(app, "--trace", options.trace, "FILE.json",
                "write when what was called, decided and compiled, in Chrome's trace format: for "
                "ui.perfetto.dev. Of more than 131072 calls the first and the last are in it");
  addOutputFile(app, "--metrics", options.metrics, "FILE.prom",
                "write counters, times and memory as Prometheus reads them");
  addOutputFile(
      app, "--record", options.record, "FILE.jsonl",
      "write the calls, their times at each tier and the times of compiles, for jit-sim. "
      "One caller; when the calls are done, each size that was called is timed a few times "
      "at each tier, on models loaded anew");
  app.add_option(
         "--dump-ir", options.dumpIr,
         "write the module after each stage of loading; and in DIR/units, for each compile, "
         "UNIT.TIER.in.mlir, UNIT.TIER.out.mlir, a script UNIT.TIER.sh with the line for "
         "jit-opt that makes one of the other, and UNIT.TIER.crash.mlir, or STAGE.crash.mlir, if a "
         "pass fails or crashes (jit-opt FILE --run-reproducer)")
      ->type_name("DIR")
      ->group(kObserving);
  app.add_option("--why", options.why,
                 "print the history of a unit when the calls are done: what was decided and "
                 "compiled when, why, or why not, and whether that has paid")
      ->type_name("UNIT")
      ->group(kObserving);
  app.add_flag("-v,--verbose", options.verbose, "say on stderr what is done and how long it takes")
      ->group(kObserving);
}

int usageError(const std::string &message) {
  std::fprintf(stderr, "jit-run: error: %s\nTry 'jit-run --help'.\n", message.c_str());
  return 2;
}

/// Each option that writes a file of what happened, and the file; empty if it is not given.
std::vector<std::pair<std::string, std::string>> outputFiles(const Options &options) {
  return {{"--report", options.report},
          {"--decisions", options.decisions},
          {"--trace", options.trace},
          {"--metrics", options.metrics},
          {"--record", options.record}};
}

/// A file that can't be written is found before anything is run; empty if all can be.
std::string unwritableFile(const Options &options) {
  for (const auto &[option, file] : outputFiles(options))
    if (absl::Status status = runtime::checkWritable(file); !file.empty() && !status.ok())
      return option + ": " + std::string(status.message());
  return "";
}

/// Options that write to one file: the later would replace the earlier. Devices take them all.
std::string fileConflict(const Options &options) {
  std::map<std::string, std::string> optionOf;
  for (const auto &[option, file] : outputFiles(options)) {
    std::error_code error;
    bool isSpecial =
        std::filesystem::exists(file, error) && !std::filesystem::is_regular_file(file, error);
    auto [first, isNew] = optionOf.try_emplace(file, option);
    if (!file.empty() && !isSpecial && !isNew)
      return first->second + " and " + option + " write the same file '" + file + "'";
  }
  return "";
}

/// Options that contradict each other; empty if none do.
std::string conflict(const Options &options) {
  if (!options.inputs.empty() && !options.inputsDir.empty())
    return "--input and --inputs-dir exclude each other";
  if (!options.outputs.empty() && !options.outputDir.empty())
    return "--output and --output-dir exclude each other";
  if (!options.expected.empty() && !options.expectedDir.empty())
    return "--expected and --expected-dir exclude each other";
  bool single = !options.inputs.empty() || !options.inputsDir.empty() || !options.outputs.empty() ||
                !options.expected.empty() || !options.expectedDir.empty();
  if (!options.requests.empty() && single)
    return "--requests brings its own inputs and expected values; leave out --input, --inputs-dir, "
           "--output, --expected and --expected-dir";
  if (std::string message = fileConflict(options); !message.empty())
    return message;
  if (!options.record.empty() && options.concurrency != 1)
    return "--record takes one caller; leave out --concurrency";
  return tierConflict(options.tiers, options.concurrency);
}

} // namespace

std::optional<Options> parseOptions(int argc, char **argv, int &exitCode) {
  Options options;
  CLI::App app(kDescription, "jit-run");
  app.footer("Policies:\n" + runtime::describePolicies() + "\n" + kFooter);
  app.set_version_flag("--version", [] { return engine::versionText("jit-run"); });
  addInputOptions(app, options);
  addOutputOptions(app, options);
  addRunOptions(app, options);
  addObservingOptions(app, options);
  addTierOptions(app, options.tiers);
  try {
    app.parse(reversedArguments(argc, argv));
  } catch (const CLI::Success &success) {
    app.exit(success);
    exitCode = 0;
    return std::nullopt;
  } catch (const CLI::ParseError &error) {
    exitCode = usageError(error.what());
    return std::nullopt;
  }
  if (std::string message = conflict(options); !message.empty()) {
    exitCode = usageError(message);
    return std::nullopt;
  }
  if (std::string message = unwritableFile(options); !message.empty()) {
    std::fprintf(stderr, "jit-run: error: %s\n", message.c_str());
    exitCode = 1;
    return std::nullopt;
  }
  return options;
}

} // namespace anneal::jitrun
