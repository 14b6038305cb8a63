//===- Trace.h - What happened when, to look at -----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ENGINE_TRACE_H
#define ANNEAL_ENGINE_TRACE_H

#include "anneal/Engine/TieringEvents.h"

#include "absl/types/span.h"

#include <cstdint>
#include <string>

namespace anneal::engine {

/// A call that somebody made.
struct TracedCall {
  /// Of all calls, from 0.
  uint64_t number = 0;
  /// Who made it, from 0. The calls of a caller follow each other.
  unsigned caller = 0;
  bool hasFailed = false;
  MachineTime begin;
  MachineTime end;
  /// Of it: making an instance for new sizes; 0 if they were known.
  double instanceUs = 0;
};

struct TraceOptions {
  /// What the process is called.
  std::string process;
  /// In any order, as long as those of one caller are in theirs; and how many more there were.
  absl::Span<const TracedCall> calls;
  uint64_t droppedCalls = 0;
};

/// Chrome's trace event format, which Perfetto (ui.perfetto.dev) and chrome://tracing show: a track
/// for each caller and each thread that compiled, one for ticks, for installs and for decisions,
/// and the length of the queue. Times are the machine's, also of a deterministic run. Thread-safe.
std::string traceJson(const EventLog &log, const TraceOptions &options);

} // namespace anneal::engine

#endif // ANNEAL_ENGINE_TRACE_H
