//===- NearestName.h - What a misspelt name was to be -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_NEARESTNAME_H
#define ANNEAL_SUPPORT_NEARESTNAME_H

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace anneal {

/// Letters that have to be put in, left out or replaced, or pairs of neighbours that have to be
/// exchanged, to make one text of the other (no place twice).
size_t editDistance(std::string_view a, std::string_view b);

/// Of `names` the one that `misspelt` is nearest to, of equals the first; nothing if none is near:
/// a third of the longer of both is wrong at most.
std::optional<std::string_view> nearestName(std::string_view misspelt,
                                            std::span<const std::string_view> names);

} // namespace anneal

#endif // ANNEAL_SUPPORT_NEARESTNAME_H
