//===- Exercises.h - The exercises of the literature, solved ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// REQUIREMENTS.md X1 to X6: six exercises of the chapter that the policies come from. Each gives
// the chapter's value, ours, and, where the chapter's algebra is off, why. docs/Exercises.md has
// them all.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SIMULATION_EXERCISES_H
#define ANNEAL_SIMULATION_EXERCISES_H

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <optional>
#include <string>
#include <vector>

namespace anneal::simulation {

/// One value of an exercise.
struct Finding {
  std::string what;
  /// None: the chapter gives none.
  std::optional<double> chapter;
  double ours = 0;
  /// "s", "ms", "%"; empty for a number.
  std::string unit;
};

struct Exercise {
  std::string name;
  std::string title;
  std::vector<Finding> findings;
  /// Where the chapter's algebra is off, and what we did in its place.
  std::string care;

  /// REQUIRES: there is a finding of that name.
  double ours(absl::string_view what) const;
};

struct ExerciseEntry {
  absl::string_view name;
  /// The same on each call.
  Exercise (*solve)();
};

/// "x1, x2, ...".
std::string exerciseNames();

/// The exercise of that name; all of them for "all". Error: InvalidArgument, naming those that
/// exist.
absl::StatusOr<std::vector<const ExerciseEntry *>> findExercise(absl::string_view name);

/// A table, and what there is to say about it.
std::string toText(const Exercise &exercise);

} // namespace anneal::simulation

#endif // ANNEAL_SIMULATION_EXERCISES_H
