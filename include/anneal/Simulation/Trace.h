//===- Trace.h - A run, as the simulator plays it ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trace says which calls a program made, what each of them cost at each tier, and what each
// compile cost: enough to make the run again under another policy. `jit-run --record` writes one;
// synthetic ones are made (Synthetic.h). The format of the file is in docs/Simulator.md.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SIMULATION_TRACE_H
#define ANNEAL_SIMULATION_TRACE_H

#include "anneal/Runtime/Policy/UnitState.h"
#include "anneal/Runtime/Tiering/TieringCore.h"
#include "anneal/Support/Tier.h"
#include "anneal/Support/TierSet.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace anneal::simulation {

/// What a compile of a unit at a tier leads to.
struct TracedCompile {
  /// None: the trace doesn't know that tier.
  runtime::Attempt attempt = runtime::Attempt::None;
  double seconds = 0;
  uint64_t codeBytes = 0;
  /// Why there is no code.
  std::string detail;
};

struct TracedUnit {
  std::string name;
  /// MLIR operation that it is built around.
  std::string kind;
  runtime::UnitRole role = runtime::UnitRole::Called;
  /// By tier; nothing for the interpreter.
  std::array<TracedCompile, kNumTiers> compiles{};
};

/// All calls of one unit in one call of the program.
struct TracedWork {
  uint32_t unit = 0;
  uint64_t calls = 1;
  double flops = 0;
  double bytes = 0;
  /// Of all these calls together, by tier; of tiers without code as in the interpreter. Of a loop
  /// 0: its time is that of the units in it, and of what is no unit's.
  std::array<double, kNumTiers> seconds{};
};

/// Calls of the program that do the same: those with the same sizes, as a rule.
struct CallClass {
  /// Of the inputs: "tensor<7x64xf32>, tensor<i64>=5".
  std::string shapes;
  std::vector<TracedWork> work;
  /// Of a call, outside of units.
  double otherSeconds = 0;
  /// Preparing for sizes that are new.
  double instanceSeconds = 0;
};

/// `count` calls one after the other.
struct TracedCalls {
  uint32_t callClass = 0;
  uint64_t count = 1;
  /// The first of them prepares for new sizes.
  bool makesInstance = false;
  /// When the first of them comes, since the run began; none: when the call before has ended.
  std::optional<double> atSeconds;
};

/// A value.
struct Trace {
  std::string model;
  std::string entry;
  /// Times are modelled, and compiles were made between calls (jit-run --deterministic).
  bool isDeterministic = false;
  /// Those that the trace has times of.
  TierSet tiers = TierSet::all();
  /// What the first compile of a thread that makes code takes beyond its own time.
  double compilerStartSeconds = 0;
  std::vector<TracedUnit> units;
  std::vector<CallClass> classes;
  std::vector<TracedCalls> calls;

  uint64_t numCalls() const;
};

/// Longer traces are refused: a mistyped count would keep the simulator busy for days.
inline constexpr uint64_t kMostCalls = 100'000'000;

/// As the text of a file.
std::string toText(const Trace &trace);

/// Reads what toText writes. `name` stands for the file in messages, "name:line: error: ...".
/// Errors: InvalidArgument for what is no trace, a version or tier that is not known, numbers that
/// don't fit (NaN, negative times, a clock that goes back, too many calls); DataLoss if the end is
/// missing.
absl::StatusOr<Trace> parseTrace(absl::string_view text, absl::string_view name);

/// Errors: readFile's, and parseTrace's.
absl::StatusOr<Trace> readTrace(const std::string &path);
/// Errors: writeFile's.
absl::Status writeTrace(const Trace &trace, const std::string &path);

} // namespace anneal::simulation

#endif // ANNEAL_SIMULATION_TRACE_H
