//===- ExperienceTest.cpp - What compiling was worth so far ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Policy/Experience.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace anneal;
using namespace anneal::runtime;

namespace {

UnitState promoted(absl::string_view kind, double interpreterUs, double baselineUs) {
  UnitState unit;
  unit.kind = kind;
  auto sample = [](double us) { return TickSample{8, 8, 8, 8 * us * 1e-6, 8000, 1}; };
  addTick(unit, sample(interpreterUs), 1);
  changeTier(unit, Tier::Baseline);
  addTick(unit, {}, 1);
  addTick(unit, sample(baselineUs), 1);
  return unit;
}

TEST(ExperienceTest, AnAssumptionCountsAsOneMeasurement) {
  Experience experience;
  EXPECT_DOUBLE_EQ(experience.compileSeconds(Tier::Baseline, 4e-3), 4e-3);
  experience.addCompile(Tier::Baseline, 10e-3);
  EXPECT_DOUBLE_EQ(experience.compileSeconds(Tier::Baseline, 4e-3), 7e-3);
  experience.addCompile(Tier::Baseline, 10e-3);
  EXPECT_DOUBLE_EQ(experience.compileSeconds(Tier::Baseline, 4e-3), 8e-3);
}

TEST(ExperienceTest, ACompileThatTookNoTimeThatThereIsTeachesNothing) {
  Experience experience;
  for (double seconds : {std::nan(""), -1.0, HUGE_VAL, -HUGE_VAL})
    experience.addCompile(Tier::Baseline, seconds);
  EXPECT_DOUBLE_EQ(experience.compileSeconds(Tier::Baseline, 4e-3), 4e-3);
}

TEST(ExperienceTest, GainsAreThoseOfUnitsOfTheKind) {
  Experience experience;
  UnitState units[] = {promoted("linalg.generic", 10, 2), promoted("linalg.matmul", 10, 11),
                       UnitState()};
  experience.measureGains(units);
  EXPECT_DOUBLE_EQ(experience.timeRatio("linalg.generic", Tier::Baseline, 0.8), 0.5);
  EXPECT_DOUBLE_EQ(experience.timeRatio("linalg.matmul", Tier::Baseline, 0.8), 0.95);
  EXPECT_DOUBLE_EQ(experience.timeRatio("tensor.pad", Tier::Baseline, 0.8), 0.8);
  // Measuring again does not count twice.
  experience.measureGains(units);
  EXPECT_DOUBLE_EQ(experience.timeRatio("linalg.generic", Tier::Baseline, 0.8), 0.5);
}

} // namespace
