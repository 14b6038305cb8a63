//===- ProfileJsonTest.cpp - Tests of profiles as JSON --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Profile/RunProfile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace anneal::runtime;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

namespace {

RunProfile sample() {
  RunProfile profile;
  profile.program = "0123456789abcdef";
  profile.cpu = "znver3";
  profile.programCalls = 8;
  profile.compiles[1] = {3, 0.004};
  UnitProfile &unit = profile.units.emplace_back();
  unit.name = "main.add_0";
  unit.calls = 16;
  unit.callsPerCall = 2;
  unit.timed = {4, 0.5, 32, 64};
  unit.times[0].restore(
      {.work = 32, .hasFlops = true, .timedCalls = 4, .ticks = 2, .secondsPerWork = 0.015625});
  unit.shapes.push_back({{{3, 8}, {}}, 15, 7.5, 24, 96});
  unit.shapes.push_back({{{0, 8}, {}}, 1, 0, 0, 0});
  unit.memory.push_back({0.75, 32, {8, 1}});
  return profile;
}

std::string problemOf(absl::string_view text) {
  absl::StatusOr<RunProfile> profile = parseRunProfile(text);
  return profile.ok() ? "" : std::string(profile.status().message());
}

TEST(ProfileJsonTest, ReadsWhatItWrote) {
  absl::StatusOr<RunProfile> profile = parseRunProfile(profileJson(sample()));
  ASSERT_TRUE(profile.ok()) << profile.status();
  EXPECT_TRUE(profile->remarks.empty());
  EXPECT_EQ(profile->program, "0123456789abcdef");
  EXPECT_EQ(profile->cpu, "znver3");
  EXPECT_EQ(profile->programCalls, 8u);
  EXPECT_EQ(profile->compiles[1].count, 3u);
  EXPECT_DOUBLE_EQ(profile->compiles[1].meanSeconds, 0.004);
  ASSERT_THAT(profile->units, SizeIs(1));
  const UnitProfile &unit = profile->units[0];
  EXPECT_EQ(unit.name, "main.add_0");
  EXPECT_EQ(unit.calls, 16u);
  EXPECT_EQ(unit.callsPerCall, 2);
  EXPECT_EQ(unit.timed.calls, 4u);
  EXPECT_DOUBLE_EQ(unit.timed.seconds, 0.5);
  EXPECT_DOUBLE_EQ(unit.timed.flops, 32);
  EXPECT_DOUBLE_EQ(unit.timed.bytes, 64);
  EXPECT_EQ(unit.times[0].timedCalls(), 4u);
  EXPECT_EQ(unit.times[0].ticks(), 2u);
  EXPECT_DOUBLE_EQ(unit.times[0].secondsPerCall(), 0.125);
  ASSERT_THAT(unit.shapes, SizeIs(2));
  EXPECT_THAT(unit.shapes[0].sizes, ElementsAre(ElementsAre(3, 8), ElementsAre()));
  EXPECT_EQ(unit.shapes[0].calls, 15u);
  EXPECT_EQ(unit.shapes[0].usPerCall, 7.5);
  EXPECT_EQ(unit.shapes[0].flops, 24);
  EXPECT_EQ(unit.shapes[0].bytes, 96);
  EXPECT_EQ(unit.shapes[1].usPerCall, 0);
  ASSERT_THAT(unit.memory, SizeIs(1));
  EXPECT_EQ(unit.memory[0].contiguity, 0.75);
  EXPECT_EQ(unit.memory[0].alignment, 32u);
  EXPECT_THAT(unit.memory[0].strides, ElementsAre(8, 1));
}

TEST(ProfileJsonTest, WritesCountsOfAnySize) {
  RunProfile profile = sample();
  profile.programCalls = UINT64_MAX;
  profile.units[0].calls = UINT64_MAX;
  absl::StatusOr<RunProfile> again = parseRunProfile(profileJson(profile));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->programCalls, static_cast<uint64_t>(INT64_MAX));
  ASSERT_THAT(again->units, SizeIs(1));
  EXPECT_EQ(again->units[0].calls, static_cast<uint64_t>(INT64_MAX));
}

TEST(ProfileJsonTest, RefusesWhatIsNoProfile) {
  std::string text = profileJson(sample());
  EXPECT_THAT(problemOf(text.substr(0, text.size() / 2)), HasSubstr("not whole"));
  EXPECT_THAT(problemOf(""), HasSubstr("no JSON"));
  EXPECT_THAT(problemOf("[]"), HasSubstr("no list \"units\""));
  EXPECT_THAT(problemOf(R"({"units": 3})"), HasSubstr("no list \"units\""));
  EXPECT_THAT(problemOf(R"({"units": [], "profile_version": 2})"),
              HasSubstr("profile_version 2, the newest that is known here is 1"));
  EXPECT_THAT(problemOf(R"({"units": [], "profile_version": "x"})"),
              HasSubstr("profile_version \"x\""));
  EXPECT_THAT(problemOf(R"({"units": [], "calls": -1})"),
              HasSubstr("'calls' is not a whole number"));
}

TEST(ProfileJsonTest, LeavesOutUnitsThatMakeNoSense) {
  absl::StatusOr<RunProfile> profile = parseRunProfile(R"({"units": [
      {"name": "a", "calls": -3}, {"calls": 3}, 7, {"name": "b", "calls": 1.5},
      {"name": "c", "memory": [{"contiguity": 2}]}, {"name": "d", "shapes": [{"sizes": [["x"]]}]},
      {"name": "e", "calls": 9223372036854775808}, {"name": "f", "tiers": 3, "calls": null},
      {"name": "g", "shapes": {"sizes": []}}]})");
  ASSERT_TRUE(profile.ok()) << profile.status();
  ASSERT_THAT(profile->units, SizeIs(1));
  EXPECT_EQ(profile->units[0].name, "f");
  EXPECT_EQ(profile->units[0].calls, 0u);
  EXPECT_THAT(profile->remarks,
              ElementsAre("unit 'a' is left out: 'calls' is not a whole number from 0 to 2^63 - 1",
                          "an entry of \"units\" without a name is left out",
                          "an entry of \"units\" without a name is left out",
                          "unit 'b' is left out: 'calls' is not a whole number from 0 to 2^63 - 1",
                          "unit 'c' is left out: 'contiguity' is not a number from 0 to 1",
                          "unit 'd' is left out: 'sizes' is not a list of whole numbers",
                          "unit 'e' is left out: 'calls' is not a whole number from 0 to 2^63 - 1",
                          "unit 'g' is left out: 'shapes' is not a list"));
}

TEST(ProfileJsonTest, Decays) {
  RunProfile profile = sample();
  decay(profile, 0.5);
  EXPECT_EQ(profile.programCalls, 4u);
  EXPECT_EQ(profile.units[0].calls, 8u);
  EXPECT_EQ(profile.units[0].timed.calls, 2u);
  EXPECT_DOUBLE_EQ(profile.units[0].timed.seconds, 0.25);
  decay(profile, 0);
  EXPECT_EQ(profile.units[0].calls, 0u);
  EXPECT_TRUE(profile.units[0].shapes.empty());
}

TEST(ProfileJsonTest, AddsAnEarlierRun) {
  RunProfile before = sample(), profile = sample();
  before.units.push_back(before.units[0]);
  before.units.back().name = "of another program";
  before.units[0].shapes[1].sizes = {{5, 8}, {}};
  addEarlier(before, profile);
  EXPECT_EQ(profile.programCalls, 16u);
  ASSERT_THAT(profile.units, SizeIs(1));
  EXPECT_EQ(profile.units[0].calls, 32u);
  ASSERT_THAT(profile.units[0].shapes, SizeIs(3));
  EXPECT_EQ(profile.units[0].shapes[0].calls, 30u);
  EXPECT_EQ(profile.units[0].shapes[2].calls, 1u);
}

TEST(ProfileJsonTest, TellsProgramsApart) {
  anneal::plan::Module one, other;
  one.functions.emplace_back().name = "one";
  other.functions.emplace_back().name = "other";
  EXPECT_THAT(fingerprintOf(one), SizeIs(16));
  EXPECT_EQ(fingerprintOf(one), fingerprintOf(one));
  EXPECT_NE(fingerprintOf(one), fingerprintOf(other));
}

} // namespace
