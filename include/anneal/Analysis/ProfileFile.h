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

namespace anneal {

/// What a profile says of a unit or function. What isn't there isn't known; nothing is negative.
struct ProfiledUnit {
  std::optional<double> calls;
  /// Microseconds of one call.
  std::optional<double> usPerCall;
  std::optional<double> score;
};

/// By name of the unit or function.
using ProfiledUnits = llvm::StringMap<ProfiledUnit>;

/// Reads the list "units" of a JSON file, as `jit-run --report` writes it and docs/analyses/Heat.md
/// describes it: `{"units": [{"name": "u", "calls": 12, "us_per_call": 3.5}]}`. Other fields are
/// not looked at. An error names the file and, where there is one, the unit.
llvm::Expected<ProfiledUnits> readProfileFile(llvm::StringRef path);

/// The same of a text; `name` is what errors call it.
llvm::Expected<ProfiledUnits> parseProfile(llvm::StringRef text, llvm::StringRef name);

} // namespace anneal

#endif // ANNEAL_ANALYSIS_PROFILEFILE_H
