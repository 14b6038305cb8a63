//===- Player.h - Makes the calls and measures them --------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TOOLS_JIT_RUN_PLAYER_H
#define ANNEAL_TOOLS_JIT_RUN_PLAYER_H

#include "Requests.h"
#include "anneal/Engine/Trace.h"
#include "anneal/Runtime/Program.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace anneal::jitrun {

using Clock = std::chrono::steady_clock;

/// What was measured and what came out.
struct PlayResult {
  /// Of each call that succeeded, in the order of the play: from arrival to result, microseconds.
  std::vector<double> latencyUs;
  /// For each of these calls: its request.
  std::vector<size_t> requestOfCall;
  /// Of the calls with new sizes, except the first: the time to make an instance, microseconds.
  std::vector<double> instanceUs;
  /// When the first call had its result.
  Clock::time_point firstResult;
  double totalMs = 0;
  uint64_t unitCallsOfFirst = 0;
  size_t workspaceBytes = 0;
  /// Results of each request's last call; empty where it failed, was not made or they aren't kept.
  std::vector<std::vector<runtime::Value>> results;
  /// "FILE:LINE: message" or "message", one for each call that failed.
  std::vector<std::string> failures;
  uint64_t numFailed = 0;
  /// Those that the trace shows, failed ones too, and how many more there were.
  std::vector<engine::TracedCall> traced;
  uint64_t numUntraced = 0;
  bool interrupted = false;
};

struct PlayOptions {
  unsigned concurrency = 1;
  uint64_t repeat = 1;
  /// Name of the requests file for messages; empty for a call from the command line.
  std::string requestsFile;
  bool showProgress = false;
  bool collectTimes = false;
  /// Whether calls are taken down for a trace; of very many the first and the last.
  bool traceCalls = false;
  /// Whether results are kept of requests that expect none.
  bool keepResults = true;
  /// If set, run before the last round, or before the last call if there is one round only, when
  /// all calls before have ended. What it takes counts for no call.
  std::function<void()> beforeLast;
  /// If set, run after each call, before the next: its request, and when it came, in seconds from
  /// the start of the play, if it had a time. REQUIRES: one caller.
  std::function<void(size_t request, std::optional<double> at)> afterCall;
  const std::atomic<bool> *interrupt = nullptr;
};

/// Calls the function with every request, in order, `repeat` times over, by `concurrency` callers
/// that take the next request when they are free and not before it arrives.
PlayResult play(const runtime::Function &function, const std::vector<Request> &requests,
                const PlayOptions &options);

} // namespace anneal::jitrun

#endif // ANNEAL_TOOLS_JIT_RUN_PLAYER_H
