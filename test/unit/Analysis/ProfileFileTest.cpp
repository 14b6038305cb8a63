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

TEST(ProfileFileTest, NamesWhatIsWrong) {
  EXPECT_NE(errorOf("{\n \"units\": [}").find("p.json: [2:"), std::string::npos);
  EXPECT_EQ(errorOf("{}"), "p.json: a profile is an object with a list \"units\"");
  EXPECT_EQ(errorOf(R"({"units": [3]})"), "p.json: units[0] is not an object with a \"name\"");
  EXPECT_EQ(errorOf(R"({"units": [{"name": "a", "us_per_call": "3"}]})"),
            "p.json: unit 'a': 'us_per_call' must be a number that is not negative");
  EXPECT_EQ(errorOf(R"({"units": [{"name": "a"}, {"name": "a"}]})"),
            "p.json: unit 'a' is there twice");
}

} // namespace
