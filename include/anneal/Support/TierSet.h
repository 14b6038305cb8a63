//===- TierSet.h - Some of the tiers ----------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_TIERSET_H
#define ANNEAL_SUPPORT_TIERSET_H

#include "anneal/Support/Tier.h"

namespace anneal {

/// A set of tiers. The interpreter is always in it: it answers while there is no code yet, and
/// where there never will be.
class TierSet {
public:
  /// The interpreter alone.
  constexpr TierSet() = default;
  static constexpr TierSet all() {
    TierSet set;
    for (unsigned t = 0; t < kNumTiers; ++t)
      set.add(static_cast<Tier>(t));
    return set;
  }

  constexpr void add(Tier tier) { bits |= maskOf(tier); }
  constexpr bool contains(Tier tier) const { return bits & maskOf(tier); }

  /// The highest tier of the set that is not above `limit`.
  constexpr Tier highestUpTo(Tier limit) const {
    auto t = static_cast<unsigned>(limit);
    while (!contains(static_cast<Tier>(t)))
      --t;
    return static_cast<Tier>(t);
  }
  /// The lowest tier of the set that is above `tier`, if there is one.
  constexpr std::optional<Tier> lowestAbove(Tier tier) const {
    for (auto t = static_cast<unsigned>(tier) + 1; t < kNumTiers; ++t)
      if (contains(static_cast<Tier>(t)))
        return static_cast<Tier>(t);
    return std::nullopt;
  }
  constexpr Tier highest() const { return highestUpTo(static_cast<Tier>(kNumTiers - 1)); }

  constexpr bool operator==(const TierSet &) const = default;

private:
  static constexpr uint32_t maskOf(Tier tier) { return 1u << static_cast<unsigned>(tier); }

  uint32_t bits = maskOf(Tier::Interpreter);
};

} // namespace anneal

#endif // ANNEAL_SUPPORT_TIERSET_H
