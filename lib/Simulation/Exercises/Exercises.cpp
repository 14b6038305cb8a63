//===- Exercises.cpp - The exercises of the literature, solved ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exercises.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <cstdlib>

namespace anneal::simulation {

namespace {

constexpr ExerciseEntry kExercises[] = {{"x1", solveX1}, {"x2", solveX2}, {"x3", solveX3},
                                        {"x4", solveX4}, {"x5", solveX5}, {"x6", solveX6}};

std::string valueText(double value, const std::string &unit) {
  return absl::StrCat(absl::StrFormat("%.6g", value), unit.empty() ? "" : " ", unit);
}

/// Lines of at most 100 columns, broken between words.
std::string wrapped(absl::string_view text) {
  constexpr size_t kColumns = 100;
  std::string lines;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    size_t column = 0;
    for (absl::string_view word : absl::StrSplit(line, ' ')) {
      bool fits = column + word.size() < kColumns;
      if (column > 0)
        lines += fits ? ' ' : '\n';
      column = (fits && column > 0 ? column + 1 : 0) + word.size();
      lines.append(word.data(), word.size());
    }
    lines += '\n';
  }
  return lines;
}

} // namespace

double Exercise::ours(absl::string_view what) const {
  for (const Finding &finding : findings)
    if (finding.what == what)
      return finding.ours;
  std::abort();
}

std::string exerciseNames() {
  return absl::StrJoin(kExercises, ", ", [](std::string *out, const ExerciseEntry &entry) {
    absl::StrAppend(out, entry.name);
  });
}

absl::StatusOr<std::vector<const ExerciseEntry *>> findExercise(absl::string_view name) {
  std::vector<const ExerciseEntry *> found;
  for (const ExerciseEntry &entry : kExercises)
    if (name == "all" || name == entry.name)
      found.push_back(&entry);
  if (found.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("there is no scenario '", name, "'; there is ", exerciseNames(), ", all"));
  return found;
}

std::string toText(const Exercise &exercise) {
  size_t width = 0;
  for (const Finding &finding : exercise.findings)
    width = std::max(width, finding.what.size());
  std::string text = absl::StrFormat("%s: %s\n%-*s %14s %14s\n", exercise.name, exercise.title,
                                     width, "", "chapter", "ours");
  for (const Finding &finding : exercise.findings)
    absl::StrAppendFormat(&text, "%-*s %14s %14s\n", width, finding.what,
                          finding.chapter ? valueText(*finding.chapter, finding.unit) : "-",
                          valueText(finding.ours, finding.unit));
  absl::StrAppend(&text, wrapped(exercise.care));
  return text;
}

} // namespace anneal::simulation
