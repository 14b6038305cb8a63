//===- Report.h - What happened, as JSON -------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TOOLS_JIT_RUN_REPORT_H
#define ANNEAL_TOOLS_JIT_RUN_REPORT_H

#include "Options.h"
#include "Player.h"
#include "anneal/Engine/Engine.h"

#include "absl/status/status.h"

#include <string>

namespace anneal::jitrun {

/// Moments of the process, for the report.
struct Timeline {
  Clock::time_point mainBegin;
  /// Processor time from exec to main, milliseconds.
  double processStartMs = 0;
};

/// Writes the report of CLI.md to `options.report`.
absl::Status writeReport(const Options &options, const Timeline &timeline,
                         const engine::Engine &engine, const engine::Model &model,
                         const std::string &entry, const std::vector<Request> &requests,
                         const PlayResult &play);

} // namespace anneal::jitrun

#endif // ANNEAL_TOOLS_JIT_RUN_REPORT_H
