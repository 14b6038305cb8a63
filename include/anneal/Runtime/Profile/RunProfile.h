//===- RunProfile.h - What runs of a program have shown ---------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md P4. What is known of the units of a program, for the next run to begin with and
// for `jit-opt --jit-annotate-profile` (docs/Profile.md has the file's format).
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_PROFILE_RUNPROFILE_H
#define ANNEAL_RUNTIME_PROFILE_RUNPROFILE_H

#include "anneal/Plan/Plan.h"
#include "anneal/Runtime/Policy/UnitState.h"
#include "anneal/Runtime/Program.h"

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace anneal::runtime {

/// The newest version of the format that is read, and the one that is written.
inline constexpr int64_t kRunProfileVersion = 1;
/// What is left of the counts of a profile when the next run begins with it: of many runs, the last
/// count most.
inline constexpr double kProfileDecay = 0.5;

/// Calls with operands of these sizes.
struct ShapeProfile {
  std::vector<std::vector<int64_t>> sizes;
  uint64_t calls = 0;
  /// Microseconds of a timed call; 0: none was timed.
  double usPerCall = 0;
  /// Of one call.
  double flops = 0;
  double bytes = 0;
};

/// How an operand lay in memory.
struct AccessProfile {
  /// Share of the calls with dense elements.
  double contiguity = 0;
  /// Bytes, at most 64, that divided the address in all timed calls; 0: none was timed.
  uint64_t alignment = 0;
  /// In elements, in the calls seen most.
  std::vector<int64_t> strides;
};

struct UnitProfile {
  std::string name;
  uint64_t calls = 0;
  /// Calls of the unit for each call of the program, smoothed.
  double callsPerCall = 0;
  /// Of the timed calls, which stand for all of them by their share.
  TimedWork timed;
  std::array<TierTimes, kNumTiers> times;
  /// Empty where operands' sizes are not known before a call runs, and for units with scalars.
  std::vector<ShapeProfile> shapes;
  /// One for each operand, or empty.
  std::vector<AccessProfile> memory;
};

/// Compiles at one tier.
struct CompileProfile {
  uint64_t count = 0;
  double meanSeconds = 0;
};

struct RunProfile {
  /// fingerprintOf its plan.
  std::string program;
  /// Name of the processor: times of another are no times.
  std::string cpu;
  uint64_t programCalls = 0;
  std::array<CompileProfile, kNumTiers> compiles;
  std::vector<UnitProfile> units;
  /// What was left out when it was read, and why.
  std::vector<std::string> remarks;
};

/// 16 hexadecimal digits that follow from a plan but for the contents of its constants.
std::string fingerprintOf(const plan::Module &module);

std::string profileJson(const RunProfile &profile);

/// Errors: InvalidArgument for what is no profile, is damaged or of a newer version. Units with
/// numbers that make no sense are left out with a remark.
absl::StatusOr<RunProfile> parseRunProfile(absl::string_view text);

/// Multiplies what is counted by `factor`, from 0 to 1.
void decay(RunProfile &profile, double factor);

/// Sets shapes and memory of the units, in the order of the program's, by what its calls were. With
/// `hasTimes` also the times of shapes.
void addShapes(const Program &program, bool hasTimes, std::vector<UnitProfile> &units);

/// Adds the calls and shapes of `before` to those of `profile`, unit by name.
void addEarlier(const RunProfile &before, RunProfile &profile);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_PROFILE_RUNPROFILE_H
