//===- ValidateTest.cpp - What is not a plan ------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SamplePlans.h"

#include "anneal/Plan/Validate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

using namespace anneal::plan;
using namespace anneal::plan::test;
using testing::HasSubstr;

namespace {

TEST(ValidateTest, AcceptsWhatIsWellFormed) {
  for (const Module &module : {makeLinearModule(), makeChainModule(5), makeRowSumModule(),
                               makeGrowingModule(), makeEverythingModule(), Module()})
    EXPECT_EQ(validate(module), std::nullopt) << module.name;
}

/// One way to break the sample with everything in it, and a part of what must be said about it.
struct Damage {
  const char *message;
  std::function<void(Module &)> apply;
};

Function &allSteps(Module &module) { return module.functions[2]; }
Step &stepOf(Module &module, StepKind kind) {
  for (Step &step : allSteps(module).body.steps)
    if (step.kind == kind)
      return step;
  ADD_FAILURE() << "no such step";
  return allSteps(module).body.steps[0];
}

const Damage kDamages[] = {
    {"constant #0: sizes", [](Module &m) { m.constants[0].dims = {INT64_MAX, 4}; }},
    {"constant #0: sizes", [](Module &m) { m.constants[0].dims = {-1}; }},
    {"constant #0: a type", [](Module &m) { m.constants[0].dtype = DType(77); }},
    {"constant #1: computed", [](Module &m) { m.constants[1].initResult = 5; }},
    {"constant #1: computed", [](Module &m) { m.initFunction = -1; }},
    {"init function does not exist", [](Module &m) { m.initFunction = 9; }},
    {"init function reads what it computes",
     [](Module &m) { m.functions[1].memrefs[1].base.index = 1; }},
    {"unit 'matmul': the anchor", [](Module &m) { m.units[0].anchor = 2; }},
    {"numbers of inputs", [](Module &m) { m.units[0].numInputs = 9; }},
    {"numbers of inputs", [](Module &m) { m.units[0].outputIsRead.clear(); }},
    {"kernel 1 (linalg.matmul): an operand's tensor",
     [](Module &m) { m.units[0].kernels[1].operands[0].tensor = 3; }},
    {"wrong number of indices",
     [](Module &m) { m.units[0].kernels[1].operands[0].indices.pop_back(); }},
    {"malformed index",
     [](Module &m) { m.units[0].kernels[1].operands[0].indices[0].coefficients.pop_back(); }},
    {"malformed index",
     [](Module &m) {
       m.units[2].kernels[0].operands[0].indices[0].postfix.erase(
           m.units[2].kernels[0].operands[0].indices[0].postfix.begin());
     }},
    {"iteration dimension refers", [](Module &m) { m.units[0].kernels[1].domain[0].dim = 2; }},
    {"iteration dimension refers", [](Module &m) { m.units[0].kernels[1].domain[0].operand = 3; }},
    {"gathered tensor", [](Module &m) { m.units[2].kernels[0].gathers[0] = 8; }},
    {"gather with a wrong number",
     [](Module &m) { m.units[2].kernels[0].body.instrs[0].numExtra = 0; }},
    {"further sources", [](Module &m) { m.units[2].kernels[0].body.instrs[0].extraBegin = 7; }},
    {"a size that is no shape scalar", [](Module &m) { m.units[4].scalars[0].isShape = false; }},
    {"refers to a later tensor",
     [](Module &m) { m.units[4].tensors[2].sizes[0] = {SizeExpr::Kind::Dim, 2, 0}; }},
    {"a register of MulF out of range",
     [](Module &m) { m.units[0].kernels[1].body.instrs[0].a = 99; }},
    {"is f32, not f64", [](Module &m) { m.units[0].kernels[1].body.instrs[0].type = DType::F64; }},
    {"an operation that does not exist",
     [](Module &m) { m.units[0].kernels[1].body.instrs[0].op = Opcode(999); }},
    {"yields a wrong number", [](Module &m) { m.units[0].kernels[1].body.yields.clear(); }},
    {"a message", [](Module &m) { m.messages.clear(); }},
    {"branches in a body",
     [](Module &m) { m.units[0].kernels[1].body.instrs[0].op = Opcode::Jump; }},
    {"a pad whose ranks differ", [](Module &m) { m.units[6].kernels[0].padLow.clear(); }},
    {"function 'all steps': types and initial",
     [](Module &m) { allSteps(m).scalarInit.pop_back(); }},
    {"memref #0: a base", [](Module &m) { allSteps(m).memrefs[0].base.index = 3; }},
    {"memref #0: a size or stride", [](Module &m) { allSteps(m).memrefs[0].sizes[0] = 999; }},
    {"memref #0: a size or stride",
     [](Module &m) { allSteps(m).memrefs[0].sizes[0] = allSteps(m).keyScalars[0]; }},
    {"argument #0: sizes", [](Module &m) { allSteps(m).arguments[0].dimRegs[0] = 1; }},
    {"a key that is no scalar", [](Module &m) { allSteps(m).keyScalars[0] = 0; }},
    {"alloc #0: a life", [](Module &m) { allSteps(m).allocs[0].lastStep = 99; }},
    {"used outside the life", [](Module &m) { allSteps(m).allocs[0].firstStep = 1; }},
    {"a location out of range", [](Module &m) { allSteps(m).codeLocations[0] = 99; }},
    {"mixes the phases", [](Module &m) { allSteps(m).code[0].a = stepOf(m, StepKind::For).ivReg; }},
    {"said to be static",
     [](Module &m) { allSteps(m).memrefs[1].offset = stepOf(m, StepKind::For).ivReg; }},
    {"step 1: a wrong number of values",
     [](Module &m) {
       stepOf(m, StepKind::For).number = 1;
       stepOf(m, StepKind::Invoke).number = 0;
       stepOf(m, StepKind::Copy).number = 0;
       allSteps(m).body.steps.erase(allSteps(m).body.steps.begin(),
                                    allSteps(m).body.steps.begin() + 2);
       stepOf(m, StepKind::For).initScalars.clear();
     }},
    {"out of order", [](Module &m) { stepOf(m, StepKind::For).number = 0; }},
    {"a unit that does not exist", [](Module &m) { stepOf(m, StepKind::Invoke).unit = 99; }},
    {"wrong number of operands", [](Module &m) { stepOf(m, StepKind::Invoke).memrefs.clear(); }},
    {"operand 1 of unit 'temporary' is of another type",
     [](Module &m) { allSteps(m).memrefs[2].dtype = allSteps(m).results[0].dtype = DType::I32; }},
    {"a copy between tensors of different types",
     [](Module &m) { allSteps(m).memrefs[1].dtype = DType::F64; }},
    {"a malformed for", [](Module &m) { stepOf(m, StepKind::For).scalars.pop_back(); }},
    {"bounds of another type",
     [](Module &m) { stepOf(m, StepKind::For).scalars[0] = allSteps(m).keyScalars[0]; }},
    {"handed to what is no slot", [](Module &m) { stepOf(m, StepKind::For).resultMemRefs[0] = 0; }},
    {"handed over", [](Module &m) { stepOf(m, StepKind::For).initMemRefs.clear(); }},
    {"a while without condition",
     [](Module &m) { stepOf(m, StepKind::While).blocks[0].yieldScalars.clear(); }},
    {"a malformed if", [](Module &m) { stepOf(m, StepKind::If).blocks.clear(); }},
    {"a malformed switch", [](Module &m) { stepOf(m, StepKind::Switch).cases.push_back(7); }},
    {"an element that does not fit",
     [](Module &m) { stepOf(m, StepKind::LoadScalar).scalars.pop_back(); }},
    {"a register out of range",
     [](Module &m) { stepOf(m, StepKind::LoadScalar).scalars[1] = 999; }},
    {"a memref out of range", [](Module &m) { stepOf(m, StepKind::Copy).memrefs[0] = 999; }},
    {"is not the result", [](Module &m) { allSteps(m).results[0].memref = 0; }},
};

TEST(ValidateTest, NamesWhatIsWrong) {
  for (size_t i = 0; i < std::size(kDamages); ++i) {
    Module module = makeEverythingModule();
    kDamages[i].apply(module);
    std::optional<std::string> problem = validate(module);
    ASSERT_TRUE(problem) << "damage " << i << ": " << kDamages[i].message;
    EXPECT_THAT(*problem, HasSubstr(kDamages[i].message)) << "damage " << i;
  }
}

TEST(ValidateTest, RefusesBlocksThatAreNestedTooDeeply) {
  Module module;
  FunctionBuilder f(module, "deep");
  Reg condition = f.constant(1, DType::I1);
  std::function<FunctionBuilder::Yield(int)> nest = [&](int depth) -> FunctionBuilder::Yield {
    if (depth > 0)
      f.makeIf(
          condition, [&] { return nest(depth - 1); },
          []() -> FunctionBuilder::Yield { return {}; });
    return {};
  };
  nest(400);
  f.finish();
  EXPECT_THAT(validate(module).value_or(""), HasSubstr("nested too deeply"));
}

} // namespace
