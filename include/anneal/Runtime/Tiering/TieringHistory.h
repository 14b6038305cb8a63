//===- TieringHistory.h - What became of the units of a program -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_TIERING_TIERINGHISTORY_H
#define ANNEAL_RUNTIME_TIERING_TIERINGHISTORY_H

#include "anneal/Runtime/Policy/Decision.h"
#include "anneal/Runtime/Policy/PayBack.h"
#include "anneal/Support/Tier.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace anneal::runtime {

/// A change of a unit's code: to a higher tier, or back to a lower one.
struct Promotion {
  Tier tier = Tier::Interpreter;
  /// Calls of the program that had ended.
  uint64_t atCall = 0;
  /// Since the model was loaded.
  double atMs = 0;
  double compileMs = 0;
  std::string reason;
  /// M1, until the next change; of what was compiled.
  std::optional<PayBack> payBack;
};

/// What became of a unit.
struct UnitHistory {
  Tier tier = Tier::Interpreter;
  /// In order.
  std::vector<Promotion> promotions;
  /// What was decided last, and the numbers that went into it.
  Decision decision;
  /// Beyond the decision's reason: the message of a compile that failed.
  std::string detail;
  /// Nothing will change any more.
  bool isPinned = false;
};

/// What a pass, or a part of LLVM, took in all compiles.
struct PassTotal {
  std::string name;
  double ms = 0;
};

/// Sums over all units.
struct CompileTotals {
  /// Compiles that were begun, and their time.
  uint64_t jobs = 0;
  double ms = 0;
  /// Of these: without code that could be used.
  uint64_t failed = 0;
  /// Taken out of the queue, since they were not worth it any more or the model was destroyed.
  uint64_t cancelled = 0;
  /// In the order in which they first ran; empty in deterministic mode, whose clock does not see
  /// them.
  std::vector<PassTotal> passes;
};

/// REQUIREMENTS.md P1, milliseconds: reading counters and deciding, compiling, making code known to
/// callers, taking it away again.
struct TieringOverhead {
  double detectMs = 0;
  double compileMs = 0;
  double installMs = 0;
  double deoptMs = 0;
};

/// How often.
struct TieringCounts {
  uint64_t ticks = 0;
  /// Compiled code was installed; was taken away again.
  uint64_t promotions = 0;
  uint64_t rollbacks = 0;
  /// A unit left the queue since it was full.
  uint64_t dropped = 0;
};

struct TieringReport {
  /// One for each unit of the program, in its order.
  std::vector<UnitHistory> units;
  CompileTotals compile;
  TieringOverhead overhead;
  TieringCounts counts;
  /// Since the model was loaded, by the clock that the overhead is measured with.
  double runMs = 0;
  /// Units that wait to be compiled, and that are being compiled.
  size_t numWaiting = 0;
  unsigned numRunning = 0;
  /// Of all models of the engine: code that is installed, and memory that was taken for it.
  size_t codeBytes = 0;
  size_t codeMemoryBytes = 0;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_TIERING_TIERINGHISTORY_H
