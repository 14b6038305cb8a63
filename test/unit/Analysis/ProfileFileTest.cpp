//===- ProfileFileTest.cpp - Tests of reading profiles --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/ProfileFile.h"

#include "gtest/gtest.h"

using namespace anneal;

namespace {

std::string errorOf(llvm::StringRef text) {
  llvm::Expected<ProfiledUnits> units = parseProfile(text, "p.json");
  return units ? "" : llvm::toString(units.takeError());
}

TEST(ProfileFileTest, ReadsWhatIsKnownOfUnits) {
  llvm::Expected<ProfiledUnits> units = parseProfile(
      R"({"x": 1, "units": [{"name": "a", "calls": 12, "us_per_call": 0.5}, {"name": "b", "calls": null}]})",
      "p.json");
  ASSERT_TRUE(bool(units));
  EXPECT_EQ((*units)["a"].calls, 12);
  EXPECT_EQ((*units)["a"].usPerCall, 0.5);
  EXPECT_EQ((*units)["a"].score, std::nullopt);
  EXPECT_EQ((*units)["b"].calls, std::nullopt);
}

TEST(ProfileFileTest, ReadsHistogramsBranchesAndMemory) {
  llvm::Expected<ProfiledUnits> units = parseProfile(
      R"({"profile_version": 1, "units": [{"name": "a", "calls": 9007199254740993, "flops": 7,
          "shapes": [{"sizes": [[8, 0], []], "count": 2}], "branches": [0.5],
          "memory": [{"strides": [-1]}, {}]}]})",
      "p.json");
  ASSERT_TRUE(bool(units));
  const ProfiledUnit &unit = (*units)["a"];
  // More than a double holds exactly.
  EXPECT_EQ(unit.calls, 9007199254740993);
  EXPECT_EQ(unit.flops, 7);
  EXPECT_EQ(unit.bytes, std::nullopt);
  ASSERT_EQ(unit.shapes->size(), 1u);
  EXPECT_EQ(unit.shapes->front().sizes, (std::vector<std::vector<int64_t>>{{8, 0}, {}}));
  EXPECT_EQ(unit.shapes->front().count, 2);
  EXPECT_EQ(unit.branches, (std::vector<double>{0.5}));
  ASSERT_EQ(unit.memory->size(), 2u);
  EXPECT_EQ(unit.memory->front().strides, (std::vector<int64_t>{-1}));
  EXPECT_EQ(unit.memory->back().alignment, std::nullopt);
}

TEST(ProfileFileTest, TakesTheTimeOfAllCallsBeforeThatOfOne) {
  ProfiledUnit unit;
  EXPECT_EQ(unit.getTimeUs(), std::nullopt);
  unit.usPerCall = 2.5;
  EXPECT_EQ(unit.getTimeUs(), std::nullopt);
  unit.calls = 4;
  EXPECT_EQ(unit.getTimeUs(), 10);
  unit.timeUs = 11;
  EXPECT_EQ(unit.getTimeUs(), 11);
}

TEST(ProfileFileTest, NamesWhatIsWrong) {
  EXPECT_NE(errorOf("{\n \"units\": [}").find("p.json: [2:"), std::string::npos);
  EXPECT_EQ(errorOf("{}"), "p.json: a profile is an object with a list \"units\"");
  EXPECT_EQ(errorOf(R"({"units": [3]})"), "p.json: units[0] is not an object with a \"name\"");
  EXPECT_EQ(errorOf(R"({"units": [{"name": "a", "us_per_call": "3"}]})"),
            "p.json: unit 'a': 'us_per_call' must be a number that is not negative");
  EXPECT_EQ(errorOf(R"({"units": [{"name": "a"}, {"name": "a"}]})"),
            "p.json: unit 'a' is there twice");
  EXPECT_EQ(errorOf(R"({"profile_version": "1", "units": []})"),
            "p.json: 'profile_version' must be a whole number from 1 to 1, the newest that is "
            "known here");
  EXPECT_EQ(errorOf(R"({"units": [{"name": "a", "shapes": {}}]})"),
            "p.json: unit 'a': 'shapes' must be a list");
  EXPECT_EQ(errorOf(R"({"units": [{"name": "a", "memory": [{"strides": [0.5]}]}]})"),
            "p.json: unit 'a': 'memory'[0]: 'strides' must be a list of whole numbers");
}

} // namespace
