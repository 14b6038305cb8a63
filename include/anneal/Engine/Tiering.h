//===- Tiering.h - Compiling while a program runs ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Units start in the interpreter; those that are worth it are compiled by threads in the background
// and used from their next call on. What is worth it is for a policy to say
// (anneal/Runtime/Policy/Policy.h).
//
// Compile threads and the threads that call. A compile thread runs at SCHED_IDLE, so that it takes
// what the calls leave. On saturated cores that is next to nothing: a compile that got less than
// the share that it is guaranteed (compileShare) in the last few milliseconds is made an ordinary
// thread, first with the nice value whose weight gives that share beside one other thread, then
// with nice 0, and back again as soon as it has more. Leaving SCHED_IDLE takes CAP_SYS_NICE or an
// RLIMIT_NICE of 20. Where that is not permitted, compile threads are ordinary threads throughout,
// with the nice value of the share: on a saturated core they get about that share, on a free one
// all of it.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ENGINE_TIERING_H
#define ANNEAL_ENGINE_TIERING_H

#include "anneal/Runtime/Tiering/TieringHistory.h"
#include "anneal/Support/Tier.h"
#include "anneal/Support/TierSet.h"
#include "anneal/Support/TierSpec.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace anneal::engine {

/// How the units of a model come to be compiled.
struct TieringOptions {
  /// Those that may be used. The interpreter alone: nothing is compiled.
  TierSet tiers = TierSet::all();
  /// Name and parameters: "cost-benefit,horizon=1000", "fixed:baseline".
  std::string policy = "cost-benefit";
  /// Shared libraries with policies (anneal-c/PolicyPlugin.h) that `policy` may name.
  std::vector<std::string> policyPlugins;
  /// Most threads that compile at one time, for each model; at least 1. The first starts when a
  /// call has given reason to look at the counters, never before the second call.
  unsigned compileThreads = 1;
  /// What compile threads together get at least while something is to be compiled, as a fraction of
  /// a core; 0: only what is left over.
  double compileShare = 0.1;
  /// A compile that takes longer is given up; not those that forceTier asks for, which a load waits
  /// for.
  std::chrono::nanoseconds compileDeadline = std::chrono::seconds(10);
  /// Most code memory of all models of an engine, in bytes.
  size_t codeLimitBytes = size_t(256) << 20;
  /// No threads and no clock: after each call the policy is asked and the compiles are made by the
  /// thread that called, and times come from a model of the costs
  /// (anneal/Runtime/Policy/CostModel.h). Runs that make the same calls one after the other do the
  /// same.
  bool deterministic = false;
  /// What is put in the place of tiers' own pipelines, LLVM levels and options of code generation;
  /// at most one for each of the tiers `baseline` (of units) and `stock` (of functions that are
  /// compiled whole). A unit that its tier's pipeline fails on stays where it is, with the reason.
  std::vector<TierOverride> tierOverrides;
  /// Shared libraries with MLIR passes (`mlirGetPassPluginInfo`) that pipelines may name.
  std::vector<std::string> passPlugins;
  /// Tell perf (in /tmp/perf-PID.map) and GDB of compiled code.
  bool perfMap = false;
  bool gdb = false;
};

using runtime::CompileTotals;
using runtime::PassTotal;
using runtime::Promotion;
using runtime::TieringCounts;
using runtime::TieringOverhead;
using runtime::TieringReport;
using runtime::UnitHistory;

/// A unit that is not at the tier that was asked for, and why.
struct UnitFailure {
  std::string unit;
  std::string reason;
};

} // namespace anneal::engine

#endif // ANNEAL_ENGINE_TIERING_H
