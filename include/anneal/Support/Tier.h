//===- Tier.h - Levels of code ----------------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_TIER_H
#define ANNEAL_SUPPORT_TIER_H

#include <cstdint>
#include <optional>
#include <string_view>

namespace anneal {

/// How a unit is run, from what costs nothing to make to what costs most (REQUIREMENTS.md T0-T3).
/// Tiers are listed as they come to exist; the order is that of promotion.
enum class Tier : uint8_t { Interpreter, Baseline };

inline constexpr unsigned kNumTiers = 2;

/// "interpreter", "baseline".
constexpr std::string_view name(Tier tier) {
  return tier == Tier::Interpreter ? "interpreter" : "baseline";
}

/// The tier of that name, if there is one.
constexpr std::optional<Tier> parseTier(std::string_view text) {
  for (unsigned t = 0; t < kNumTiers; ++t)
    if (name(static_cast<Tier>(t)) == text)
      return static_cast<Tier>(t);
  return std::nullopt;
}

} // namespace anneal

#endif // ANNEAL_SUPPORT_TIER_H
