//===- NearestName.cpp - What a misspelt name was to be -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/NearestName.h"

#include <algorithm>
#include <vector>

namespace anneal {

size_t editDistance(std::string_view a, std::string_view b) {
  // Rows of the table for the first i, i - 1 and i - 2 letters of `a`.
  std::vector<size_t> row(b.size() + 1), above(b.size() + 1), twoAbove(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    std::swap(above, twoAbove);
    std::swap(row, above);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], twoAbove[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::optional<std::string_view> nearestName(std::string_view misspelt,
                                            std::span<const std::string_view> names) {
  // What is much longer than each name is near none, and takes no table.
  constexpr size_t kLongest = 100;
  std::optional<std::string_view> nearest;
  size_t least = 0;
  for (std::string_view name : names) {
    size_t longer = std::max(name.size(), misspelt.size());
    if (longer > kLongest)
      continue;
    size_t distance = editDistance(misspelt, name);
    if (distance * 3 <= longer && (!nearest || distance < least)) {
      nearest = name;
      least = distance;
    }
  }
  return nearest;
}

} // namespace anneal
