//===- jit-run.cpp - Run a function of an MLIR program --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interrupt.h"
#include "Observation.h"
#include "Options.h"
#include "Player.h"
#include "Recorder.h"
#include "Report.h"
#include "Requests.h"
#include "Why.h"

#include "anneal/Plan/Serialize.h"
#include "anneal/Runtime/IO/File.h"
#include "anneal/Runtime/IO/Npy.h"
#include "anneal/Runtime/IO/ValueText.h"
#include "anneal/Support/Counted.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <thread>
#include <unistd.h>

using namespace anneal;
using namespace anneal::jitrun;

namespace {

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

/// Prints an error; compiler diagnostics already have their "file:line:col: error:".
int fail(const absl::Status &status) {
  absl::string_view message = status.message();
  bool hasPrefix = absl::ConsumePrefix(&message, "error: ");
  bool located = !hasPrefix && absl::StrContains(message, ": error: ");
  std::fprintf(stderr, located ? "%s\n" : "jit-run: error: %s\n", std::string(message).c_str());
  return kFailed;
}

double processCpuMs() {
  timespec time;
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

/// One run of the tool, from options to exit status.
class Run {
public:
  Run(const Options &options, const Timeline &timeline)
      : options(options), timeline(timeline), observation(options) {}

  int go() {
    if (int status = makeEngine())
      return status;
    if (absl::Status status = checkModelFile(); !status.ok())
      return fail(status);
    if (int status = readInputsAndLoad())
      return status;
    if (!options.savePlan.empty())
      if (absl::Status status = model->save(options.savePlan); !status.ok())
        return fail(status);
    int forced = forceTier();
    int answered = callAndAnswer();
    return answered ? answered : forced;
  }

private:
  /// Tiers are checked here: of a wrong pipeline or tier file the command line is to blame.
  int makeEngine() {
    TierOptions tiers = options.tiers;
    absl::Status read = readTierFiles(tiers);
    engine::EngineOptions engineOptions;
    engineOptions.threads = options.threads;
    engineOptions.tiering = tiers.tiering;
    auto created = read.ok() ? engine::Engine::create(engineOptions)
                             : absl::StatusOr<std::unique_ptr<engine::Engine>>(read);
    if (created.ok()) {
      engine = *std::move(created);
      return 0;
    }
    std::fprintf(stderr, "jit-run: error: %s\n", std::string(created.status().message()).c_str());
    return !read.ok() || absl::IsInvalidArgument(created.status()) ? kWrongUsage : kFailed;
  }

  /// The model comes before its inputs: of a wrong name for it they would be no better.
  absl::Status checkModelFile() const {
    return options.model == "-" ? absl::OkStatus() : runtime::checkReadable(options.model);
  }

  int readInputsAndLoad() {
    // The compiler library takes a while to open; the inputs are read meanwhile. A saved plan does
    // without.
    std::thread opener;
    if (!plan::isSavedModule(options.model))
      opener = std::thread([this] { engine->openCompiler().IgnoreError(); });
    auto read = readRequests();
    if (opener.joinable())
      opener.join();
    if (!read.ok())
      return fail(read.status());
    requests = *std::move(read);

    engine::LoadOptions loadOptions;
    loadOptions.dumpDirectory = options.dumpIr;
    loadOptions.observers = observation.observers();
    if (options.model == "-")
      standardInput.assign(std::istreambuf_iterator<char>(std::cin),
                           std::istreambuf_iterator<char>());
    auto loaded = load(loadOptions);
    if (!loaded.ok())
      return fail(loaded.status());
    model = *std::move(loaded);
    for (const std::string &warning : model->warnings())
      std::fprintf(stderr, "%s\n", warning.c_str());
    return chooseEntry();
  }

  absl::StatusOr<Requests> readRequests() const {
    if (!options.requests.empty())
      return requestsFromFile(options.requests, options.seed);
    absl::StatusOr<Request> single = requestFromOptions(options);
    if (!single.ok())
      return single.status();
    Requests one;
    one.list.push_back(*std::move(single));
    return one;
  }

  absl::StatusOr<std::unique_ptr<engine::Model>> load(const engine::LoadOptions &loadOptions) {
    if (options.model != "-")
      return engine->load(options.model, loadOptions);
    return engine->loadBytes(standardInput, "<stdin>", loadOptions);
  }

  int chooseEntry() {
    entry = options.entry.value_or("");
    if (!options.entry) {
      auto chosen = model->defaultEntry();
      if (!chosen.ok())
        return fail(
            absl::NotFoundError(absl::StrCat(options.model, ": ", chosen.status().message())));
      entry = *chosen;
    }
    auto found = model->function(entry);
    if (!found.ok())
      return fail(absl::NotFoundError(absl::StrCat(options.model, ": ", found.status().message())));
    function = *found;
    if (absl::Status status = checkUnit(*model, options.why); !status.ok())
      return fail(status);
    return 0;
  }

  /// Compiles everything, if that is asked for; names what stays behind, units with the same reason
  /// in one line.
  int forceTier() {
    if (!options.tiers.forceTier)
      return 0;
    Tier tier = *options.tiers.forceTier;
    std::vector<std::pair<std::string, std::vector<std::string>>> unitsByReason;
    for (const engine::UnitFailure &failure : model->forceTier(tier)) {
      auto same = std::find_if(unitsByReason.begin(), unitsByReason.end(),
                               [&](const auto &entry) { return entry.first == failure.reason; });
      if (same == unitsByReason.end())
        same = unitsByReason.insert(same, {failure.reason, {}});
      same->second.push_back(absl::StrCat("'", failure.unit, "'"));
    }
    for (const auto &[reason, units] : unitsByReason)
      std::fprintf(stderr, "jit-run: error: not at tier %s: %s %s: %s\n",
                   std::string(name(tier)).c_str(), units.size() == 1 ? "unit" : "units",
                   absl::StrJoin(units, ", ").c_str(), reason.c_str());
    return unitsByReason.empty() ? 0 : kFailed;
  }

  int callAndAnswer() {
    PlayOptions playOptions;
    playOptions.concurrency = options.concurrency;
    playOptions.repeat = options.repeat;
    playOptions.requestsFile = options.requests;
    playOptions.showProgress = ::isatty(STDERR_FILENO);
    playOptions.collectTimes = !options.report.empty();
    playOptions.traceCalls = !options.trace.empty();
    playOptions.keepResults =
        options.requests.empty() || !options.outputs.empty() || !options.outputDir.empty();
    playOptions.interrupt = &interruptFlag();
    if (options.tiers.waitForCompiles)
      playOptions.beforeLast = [this] { model->waitForCompiles(); };
    std::optional<Recorder> recorder;
    if (!options.record.empty()) {
      const engine::TieringOptions &tiering = options.tiers.tiering;
      recorder.emplace(model->program(), requests.list, tiering.tiers, tiering.deterministic);
      // The work of each call goes into its modelled time. Elsewhere calls are timed as they are
      // without a recorder.
      playOptions.collectTimes |= tiering.deterministic;
      playOptions.afterCall = [&](size_t request, std::optional<double> at) {
        recorder->callEnded(request, at);
      };
    }
    setCallsRun(true);
    if (options.verbose)
      std::fprintf(stderr, "jit-run: loaded, calling '%s'\n", entry.c_str());
    PlayResult played = play(*function, requests.list, playOptions);
    setCallsRun(false);
    if (played.interrupted) {
      // What was taken down so far is whole; a second Ctrl-C leaves it.
      if (absl::Status written = observation.write(*model, entry, played); !written.ok())
        fail(written);
      std::fprintf(stderr, "jit-run: interrupted\n");
      return kInterrupted;
    }
    int status = answer(played);
    if (!requests.error.empty()) {
      bool located = requests.error.find(": error: ") != std::string::npos;
      std::fprintf(stderr, located ? "%s\n" : "jit-run: error: %s\n", requests.error.c_str());
      status = kFailed;
    }
    if (!options.report.empty()) {
      absl::Status written =
          writeReport(options, timeline, *engine, *model, entry, requests.list, played);
      if (!written.ok())
        status = fail(written);
    }
    if (absl::Status written = observation.write(*model, entry, played); !written.ok())
      status = fail(written);
    if (recorder)
      if (absl::Status written = record(*recorder); !written.ok())
        status = fail(written);
    if (!options.why.empty())
      std::fputs(explainUnit(*model, *observation.log(), options.why).c_str(), stdout);
    if (options.verbose)
      printTimes(played);
    return status;
  }

  absl::Status record(Recorder &recorder) {
    auto loadAgain = [this](std::shared_ptr<engine::TieringObserver> observer) {
      engine::LoadOptions loadOptions;
      loadOptions.observers = {std::move(observer)};
      return load(loadOptions);
    };
    auto trace = recorder.finish(options.model, entry, loadAgain);
    return trace.ok() ? simulation::writeTrace(*trace, options.record) : trace.status();
  }

  int answer(const PlayResult &played) {
    for (const std::string &failure : played.failures)
      std::fprintf(stderr, "%s\n", failure.c_str());
    int status = played.numFailed ? kFailed : 0;
    for (size_t i = 0; i < requests.list.size(); ++i) {
      const std::vector<runtime::Value> &results = played.results[i];
      if (results.empty() && !function->results().empty())
        continue;
      if (int bad = deliver(requests.list[i], results))
        status = bad;
      if (int bad = compare(requests.list[i], results))
        status = bad;
    }
    if (!options.requests.empty())
      std::printf("%s, %llu failed, %.3f ms%s\n", counted(played.latencyUs.size(), "call").c_str(),
                  static_cast<unsigned long long>(played.numFailed), played.totalMs,
                  requests.error.empty() ? "" : ", stopped before the broken line");
    return status;
  }

  static runtime::Tensor asTensor(const runtime::Value &value) {
    if (value.isTensor())
      return value.tensor();
    auto bits = std::make_shared<uint64_t>(value.scalar().bits);
    return runtime::Tensor::view(value.scalar().dtype, {}, bits.get(), bits);
  }

  /// Writes or prints results.
  int deliver(const Request &request, const std::vector<runtime::Value> &results) {
    std::vector<std::string> files = options.outputs;
    if (!options.outputDir.empty()) {
      std::string folder =
          request.line ? absl::StrCat(options.outputDir, "/", request.line) : options.outputDir;
      std::error_code error;
      std::filesystem::create_directories(folder, error);
      if (error)
        return fail(absl::UnavailableError(
            absl::StrCat("cannot make folder '", folder, "': ", error.message())));
      for (size_t i = 0; i < results.size(); ++i)
        files.push_back(absl::StrCat("@", folder, "/out", i, ".npy"));
    }
    if (files.size() > results.size())
      return fail(absl::InvalidArgumentError(absl::StrCat("'", entry, "' has ",
                                                          counted(results.size(), "result"),
                                                          ", --output names ", files.size())));
    for (size_t i = 0; i < files.size(); ++i) {
      absl::string_view path = files[i];
      absl::ConsumePrefix(&path, "@");
      absl::Status status = runtime::writeNpy(std::string(path), asTensor(results[i]));
      if (!status.ok())
        return fail(status);
    }
    constexpr int64_t kPrintedWhole = 100;
    if (files.empty() && options.requests.empty())
      for (size_t i = 0; i < results.size(); ++i)
        std::printf("result[%zu]: %s\n", i,
                    runtime::valueText(results[i], options.printAll ? -1 : kPrintedWhole).c_str());
    return 0;
  }

  int compare(const Request &request, const std::vector<runtime::Value> &results) {
    std::string where = request.line ? absl::StrCat(options.requests, ":", request.line, ": ") : "";
    if (request.expected.size() > results.size())
      return fail(absl::InvalidArgumentError(
          absl::StrCat(where, "'", entry, "' has ", counted(results.size(), "result"),
                       ", expected are ", request.expected.size())));
    int status = 0;
    for (size_t i = 0; i < request.expected.size(); ++i) {
      std::string mismatch =
          runtime::describeMismatch(asTensor(results[i]), request.expected[i], options.tolerance);
      if (!mismatch.empty())
        status = fail(absl::DataLossError(absl::StrCat(where, "result[", i, "]: ", mismatch)));
    }
    return status;
  }

  void printTimes(const PlayResult &played) const {
    const engine::LoadTimes &times = model->times();
    std::fprintf(stderr,
                 "jit-run: open compiler %.1f ms, parse %.1f ms, plan %.1f ms, prepare %.1f ms\n",
                 times.open, times.parse, times.plan, times.prepare);
    if (played.latencyUs.empty())
      return;
    double first =
        std::chrono::duration<double, std::milli>(played.firstResult - timeline.mainBegin).count();
    std::fprintf(stderr,
                 "jit-run: first result after %.1f ms; %zu calls in %.1f ms, %llu unit calls each, "
                 "%u threads\n",
                 first, played.latencyUs.size(), played.totalMs,
                 static_cast<unsigned long long>(played.unitCallsOfFirst), engine->numThreads());
  }

  const Options &options;
  const Timeline &timeline;
  Observation observation;
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<engine::Model> model;
  Requests requests;
  /// The model, where it comes from there.
  std::string standardInput;
  std::string entry;
  const runtime::Function *function = nullptr;
};

} // namespace

int main(int argc, char **argv) {
  Timeline timeline;
  timeline.mainBegin = Clock::now();
  timeline.processStartMs = processCpuMs();
  int exitCode = 0;
  std::optional<Options> options = parseOptions(argc, argv, exitCode);
  if (!options)
    return exitCode;
  installInterruptHandler();
  // Never taken apart: its memory goes with the process, much faster than piece by piece.
  auto *run = new Run(*options, timeline);
  int status = run->go();
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
    std::fprintf(stderr, "jit-run: error: cannot write to standard output\n");
    status = kFailed;
  }
  // Everything is written. Destructors of static objects, LLVM's among them, have nothing to add.
  std::_Exit(status);
}
