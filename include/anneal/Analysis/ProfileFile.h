//===- ProfileFile.h - What was measured of units, from a file --*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_PROFILEFILE_H
#define ANNEAL_ANALYSIS_PROFILEFILE_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <vector>

namespace anneal {

/// How the memory of an argument was seen to lie.
struct ProfiledAccess {
  /// Share of the calls with dense elements, from 0 to 1.
  std::optional<double> contiguity;
  /// Bytes that divided the address in all calls.
  std::optional<int64_t> alignment;
  /// Elements from one index to the next in each dimension, in the call seen most.
  std::optional<std::vector<int64_t>> strides;
};

/// Sizes of each argument ({} for a scalar), and how many calls had them.
struct ProfiledShape {
  std::vector<std::vector<int64_t>> sizes;
  int64_t count = 0;
};

/// What a profile says of a unit or function. What isn't there isn't known; nothing but strides is
/// negative.
struct ProfiledUnit {
  std::optional<int64_t> calls;
  /// Microseconds of one call.
  std::optional<double> usPerCall;
  /// Microseconds of all calls, where the file says so.
  std::optional<double> timeUs;
  std::optional<double> score;
  /// Of all calls.
  std::optional<int64_t> bytes;
  std::optional<int64_t> flops;
  std::optional<std::vector<ProfiledShape>> shapes;
  /// For each `scf.if`, the share of times that its condition held.
  std::optional<std::vector<double>> branches;
  /// One for each argument.
  std::optional<std::vector<ProfiledAccess>> memory;

  /// Microseconds of all calls: `timeUs`, else the product of calls and `usPerCall`.
  std::optional<double> getTimeUs() const;
};

/// By name of the unit or function.
using ProfiledUnits = llvm::StringMap<ProfiledUnit>;

/// The newest version of the format, docs/Profile.md, that is read.
inline constexpr int64_t kProfileVersion = 1;

/// Reads the list "units" of a JSON file, as `jit-run --report` writes it and docs/Profile.md
/// describes it: `{"units": [{"name": "u", "calls": 12, "us_per_call": 3.5}]}`. Fields that the
/// format doesn't have are not looked at. An error names the file and, where there is one, the
/// unit.
llvm::Expected<ProfiledUnits> readProfileFile(llvm::StringRef path);

/// The same of a text; `name` is what errors call it.
llvm::Expected<ProfiledUnits> parseProfile(llvm::StringRef text, llvm::StringRef name);

} // namespace anneal

#endif // ANNEAL_ANALYSIS_PROFILEFILE_H
