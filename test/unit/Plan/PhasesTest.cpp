//===- PhasesTest.cpp - When registers are known --------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SamplePlans.h"

#include "anneal/Plan/Phases.h"

#include <gtest/gtest.h>

using namespace anneal::plan;
using namespace anneal::plan::test;

namespace {

TEST(PhasesTest, FollowsValuesFromConstantsAndSizes) {
  Module module;
  FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {kAny});
  Reg constant = f.constant(3);
  Reg product = f.shape(Opcode::MulI, constant, constant);
  Reg sum = f.shape(Opcode::AddI, product, f.size(x, 0));
  Reg key = f.scalarArgument("key", DType::Index, true);
  Reg plain = f.scalarArgument("plain", DType::Index, false);
  Reg late = f.run(Opcode::AddI, constant, constant);
  std::vector<Phase> phases = registerPhases(f.finish());
  EXPECT_EQ(phases[constant], Phase::Fixed);
  EXPECT_EQ(phases[product], Phase::Fixed);
  EXPECT_EQ(phases[f.size(x, 0)], Phase::Shape);
  EXPECT_EQ(phases[sum], Phase::Shape);
  EXPECT_EQ(phases[key], Phase::Shape);
  EXPECT_EQ(phases[plain], Phase::Run);
  EXPECT_EQ(phases[late], Phase::Run);
}

TEST(PhasesTest, SizesThatOnlyAHandOverGivesAreOfTheRunPhase) {
  Module module = makeGrowingModule();
  const Function &function = module.functions[0];
  std::vector<Phase> phases = registerPhases(function);
  const Step &loop = function.body.steps[1];
  const MemRef &carried = function.memrefs[loop.resultMemRefs[0]];
  EXPECT_EQ(phases[carried.sizes[0]], Phase::Run);
  // The stride is the constant 1, which the hand-over must agree with.
  EXPECT_EQ(phases[carried.strides[0]], Phase::Fixed);
  EXPECT_EQ(phases[loop.ivReg], Phase::Run);
}

TEST(PhasesTest, ASizeOfZeroIsAConstantLikeOthers) {
  Module module;
  FunctionBuilder f(module, "main");
  Reg zero = f.constant(0), one = f.constant(1), turns = f.constant(2);
  uint32_t empty = f.slot({zero}), carried = f.slot({zero});
  f.allocate(empty);
  f.makeFor(zero, turns, one, {{}, {empty}}, {{}, {carried}},
            [&](Reg) -> FunctionBuilder::Yield { return {{}, {carried}}; });
  std::vector<Phase> phases = registerPhases(f.finish());
  EXPECT_EQ(phases[zero], Phase::Fixed);
}

} // namespace
