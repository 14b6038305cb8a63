//===- Player.cpp - Makes the calls and measures them ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Player.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <thread>

namespace anneal::jitrun {
namespace {

/// Calls that a trace shows: 20 MB of it.
constexpr size_t kMostTraced = size_t(1) << 17;

/// One play: what all callers share.
class Play {
public:
  Play(const runtime::Function &function, const std::vector<Request> &requests,
       const PlayOptions &options)
      : function(function), requests(requests), options(options),
        numCalls(options.repeat * requests.size()) {
    for (const Request &request : requests)
      arguments.push_back(argumentsFor(function, request.inputs));
    if (options.traceCalls)
      traced.assign(options.concurrency,
                    History(std::max<size_t>(2, kMostTraced / options.concurrency)));
    result.results.resize(requests.size());
  }

  PlayResult run() {
    start = Clock::now();
    if (options.beforeLast && !requests.empty()) {
      runUntil(options.repeat > 1 ? numCalls - requests.size() : numCalls - 1);
      Clock::time_point pause = Clock::now();
      if (!stopped())
        options.beforeLast();
      // Requests arrive later by what the pause took.
      start += Clock::now() - pause;
    }
    runUntil(numCalls);
    result.totalMs = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (progressShown)
      std::fprintf(stderr, "\r\x1b[K");
    collect();
    return std::move(result);
  }

private:
  using History = engine::BoundedHistory<engine::TracedCall>;

  struct Record {
    uint64_t call;
    double us;
    /// Of it: making an instance for new sizes; 0 if they were known.
    double instanceUs;
  };

  /// What a thread that calls has to itself.
  struct Caller {
    unsigned index;
    std::vector<Record> records;
    runtime::CallStats stats;
  };

  /// Makes the calls before number `end` that have not been made.
  void runUntil(uint64_t end) {
    endCall = end;
    std::vector<std::thread> others;
    for (unsigned i = 1; i < options.concurrency; ++i)
      others.emplace_back([this, i] { caller(i); });
    caller(0);
    for (std::thread &thread : others)
      thread.join();
    // Each caller took one too many.
    nextCall = end;
  }

  void caller(unsigned index) {
    Caller self{index, {}, {}};
    for (;;) {
      uint64_t call = nextCall.fetch_add(1, std::memory_order_relaxed);
      if (call >= endCall || stopped())
        break;
      Clock::time_point begin = waitForArrival(call);
      if (stopped())
        break;
      callOnce(call, begin, self);
      if (index == 0)
        progress(call);
    }
    std::lock_guard<std::mutex> lock(mutex);
    allRecords.insert(allRecords.end(), self.records.begin(), self.records.end());
  }

  void callOnce(uint64_t call, Clock::time_point begin, Caller &self) {
    size_t index = call % requests.size();
    std::vector<runtime::Value> outputs(function.results().size());
    runtime::CallOptions callOptions;
    callOptions.cancel = options.interrupt;
    callOptions.collectTimes = options.collectTimes;
    runtime::CallStats &stats = self.stats;
    callOptions.stats = &stats;
    // A request may have waited for its caller.
    Clock::time_point called = options.traceCalls ? Clock::now() : begin;
    absl::Status status = function.call(arguments[index], absl::MakeSpan(outputs), callOptions);
    Clock::time_point end = Clock::now();
    using Us = std::chrono::duration<double, std::micro>;
    double instanceUs = stats.newInstance ? Us(stats.instanceTime).count() : 0;
    if (status.ok())
      self.records.push_back({call, Us(end - begin).count(), instanceUs});
    if (options.traceCalls)
      traced[self.index].add({call, self.index, !status.ok(), called, end, instanceUs});
    if (options.afterCall)
      tellOf(index, begin);
    bool isLast = call >= numCalls - requests.size();
    if (status.ok() && !isLast && call != 0)
      return;
    std::lock_guard<std::mutex> lock(mutex);
    if (!status.ok())
      return fail(index, status);
    if (call == 0) {
      result.firstResult = end;
      result.unitCallsOfFirst = stats.unitCalls;
    }
    result.workspaceBytes = std::max(result.workspaceBytes, stats.workspaceBytes);
    if (isLast && (options.keepResults || !requests[index].expected.empty()))
      result.results[index] = std::move(outputs);
  }

  void tellOf(size_t index, Clock::time_point begin) {
    std::optional<double> at;
    if (requests[index].arrivalMs)
      at = std::chrono::duration<double>(begin - start).count();
    options.afterCall(index, at);
  }

  /// REQUIRES: `mutex` is held.
  void fail(size_t index, const absl::Status &status) {
    if (stopped())
      return;
    ++result.numFailed;
    constexpr size_t kShown = 20;
    if (result.failures.size() >= kShown)
      return;
    size_t line = requests[index].line;
    // What fails at a place in the program comes with it.
    bool located = absl::StrContains(status.message(), ": error: ");
    std::string where = line      ? absl::StrCat(options.requestsFile, ":", line, ": error: ")
                        : located ? ""
                                  : "jit-run: error: ";
    result.failures.push_back(absl::StrCat(where, status.message()));
  }

  /// Sleeps until the request of this call arrives; when it arrived (or, without a time, now).
  Clock::time_point waitForArrival(uint64_t call) {
    const Request &request = requests[call % requests.size()];
    if (!request.arrivalMs)
      return Clock::now();
    double periodMs = requests.back().arrivalMs.value_or(0);
    double ms = *request.arrivalMs + static_cast<double>(call / requests.size()) * periodMs;
    auto due = start + std::chrono::duration_cast<Clock::duration>(
                           std::chrono::duration<double, std::milli>(ms));
    constexpr auto kSlice = std::chrono::milliseconds(50);
    while (!stopped() && Clock::now() < due)
      std::this_thread::sleep_until(std::min(due, Clock::now() + kSlice));
    return due;
  }

  void progress(uint64_t call) {
    if (!options.showProgress)
      return;
    Clock::time_point now = Clock::now();
    if (now - (progressShown ? lastProgress : start) < std::chrono::seconds(1))
      return;
    progressShown = true;
    lastProgress = now;
    std::fprintf(stderr, "\rjit-run: %llu of %llu calls", static_cast<unsigned long long>(call + 1),
                 static_cast<unsigned long long>(numCalls));
    std::fflush(stderr);
  }

  bool stopped() const {
    return options.interrupt && options.interrupt->load(std::memory_order_relaxed);
  }

  void collect() {
    result.interrupted = stopped();
    std::sort(allRecords.begin(), allRecords.end(),
              [](const Record &a, const Record &b) { return a.call < b.call; });
    for (const Record &record : allRecords) {
      result.latencyUs.push_back(record.us);
      result.requestOfCall.push_back(record.call % requests.size());
      if (record.call > 0 && record.instanceUs > 0)
        result.instanceUs.push_back(record.instanceUs);
    }
    for (const History &history : traced) {
      std::vector<engine::TracedCall> calls = history.entries();
      result.traced.insert(result.traced.end(), calls.begin(), calls.end());
      result.numUntraced += history.numDropped();
    }
  }

  const runtime::Function &function;
  const std::vector<Request> &requests;
  const PlayOptions &options;
  const uint64_t numCalls;
  std::vector<std::vector<runtime::Value>> arguments;
  /// For each caller, if there is to be a trace.
  std::vector<History> traced;
  Clock::time_point start;
  std::atomic<uint64_t> nextCall{0};
  /// Written while nobody calls.
  uint64_t endCall = 0;
  bool progressShown = false;
  Clock::time_point lastProgress;

  /// Guards what follows.
  std::mutex mutex;
  std::vector<Record> allRecords;
  PlayResult result;
};

} // namespace

PlayResult play(const runtime::Function &function, const std::vector<Request> &requests,
                const PlayOptions &options) {
  return Play(function, requests, options).run();
}

} // namespace anneal::jitrun
