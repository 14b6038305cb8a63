//===- NearestNameTest.cpp - What a misspelt name was to be ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/NearestName.h"

#include <gtest/gtest.h>

#include <string>

using namespace anneal;

namespace {

TEST(NearestNameTest, DistanceCountsInsertionsDeletionsReplacementsAndExchanges) {
  EXPECT_EQ(editDistance("", ""), 0u);
  EXPECT_EQ(editDistance("", "abc"), 3u);
  EXPECT_EQ(editDistance("abc", ""), 3u);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(editDistance("hotsopt", "hotspot"), 1u);
  EXPECT_EQ(editDistance("ab", "ba"), 1u);
  // The exchanged letters are not changed again.
  EXPECT_EQ(editDistance("ca", "abc"), 3u);
}

TEST(NearestNameTest, FindsWhatIsNearAndNothingElse) {
  constexpr std::string_view kNames[] = {"chapter", "sqrt-n", "eta", "theta"};
  EXPECT_EQ(nearestName("chaptre", kNames), "chapter");
  EXPECT_EQ(nearestName("sqrtn", kNames), "sqrt-n");
  EXPECT_EQ(nearestName("heta", kNames), "eta");
  EXPECT_EQ(nearestName("thet", kNames), "theta");
  EXPECT_EQ(nearestName("greedy", kNames), std::nullopt);
  EXPECT_EQ(nearestName("", kNames), std::nullopt);
  EXPECT_EQ(nearestName("eta", {}), std::nullopt);
  EXPECT_EQ(nearestName(std::string(1000000, 'e'), kNames), std::nullopt);
}

} // namespace
