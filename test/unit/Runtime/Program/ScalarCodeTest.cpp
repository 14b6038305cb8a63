//===- ScalarCodeTest.cpp - Host scalars ----------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTesting.h"

#include "ScalarCode.h"

#include <bit>
#include <random>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;
using plan::DType;
using plan::Instr;
using plan::Opcode;
using plan::Reg;

namespace {

/// Code with one instruction on registers 0, 1, 2 (sources) and 3, 4 (results).
class OneInstruction {
public:
  OneInstruction(Opcode op, DType type, DType srcType) {
    function.scalarTypes.assign(6, type);
    function.scalarInit.assign(6, 0);
    instr.op = op;
    instr.type = type;
    instr.srcType = srcType;
    instr.dst = 3;
    instr.dst2 = plan::classOf(op) == plan::OpClass::IntExtended ? 4 : plan::kNoReg;
    Reg *sources[] = {&instr.a, &instr.b, &instr.c};
    for (unsigned i = 0; i < plan::numSources(op); ++i)
      *sources[i] = i;
    function.code = {instr};
    function.codeLocations = {0};
    function.shapeCodeEnd = 1;
  }

  std::vector<uint64_t> run(std::vector<uint64_t> registers) {
    registers.resize(6);
    absl::StatusOr<ScalarCode> code = ScalarCode::create(function, module, detectIsa());
    EXPECT_TRUE(code.ok()) << code.status();
    EXPECT_TRUE(code->run(0, 1, registers.data()).ok());
    return registers;
  }

  plan::Module module;
  plan::Function function;
  Instr instr;
};

/// What ScalarCode does in line and what strips do are the same.
TEST(ScalarCodeTest, OperationsInLineAgreeWithStrips) {
  const Opcode ops[] = {Opcode::AddI,    Opcode::SubI,    Opcode::MulI,    Opcode::MaxSI,
                        Opcode::MinSI,   Opcode::CmpIEq,  Opcode::CmpINe,  Opcode::CmpISlt,
                        Opcode::CmpISle, Opcode::CmpISgt, Opcode::CmpISge, Opcode::Select};
  const uint64_t values[] = {0, 1, 2, uint64_t(-1), uint64_t(INT64_MIN), uint64_t(INT64_MAX), 77};
  for (Opcode op : ops)
    for (DType type : {DType::I64, DType::Index}) {
      OneInstruction one(op, type, type);
      StripFn strip = findStripOp(one.instr, 0, detectIsa());
      ASSERT_NE(strip, nullptr);
      for (uint64_t a : values)
        for (uint64_t b : values)
          for (uint64_t c : values) {
            uint64_t first = op == Opcode::Select ? a & 1 : a;
            uint64_t expected = 0;
            StripArgs args;
            args.dst = &expected;
            args.a = &first;
            args.b = &b;
            args.c = &c;
            args.n = 1;
            strip(args);
            EXPECT_EQ(one.run({first, b, c})[3], expected) << plan::name(op);
          }
    }
}

TEST(ScalarCodeTest, NarrowValuesStayZeroExtended) {
  EXPECT_EQ(OneInstruction(Opcode::AddI, DType::I8, DType::I8).run({200, 100})[3], 44u);
  EXPECT_EQ(OneInstruction(Opcode::SubI, DType::I32, DType::I32).run({1, 2})[3], 0xFFFFFFFFu);
  EXPECT_EQ(OneInstruction(Opcode::ExtSI, DType::I64, DType::I32).run({0xFFFFFFFE})[3],
            uint64_t(-2));
  EXPECT_EQ(OneInstruction(Opcode::TruncI, DType::I1, DType::I64).run({6})[3], 0u);
  EXPECT_EQ(OneInstruction(Opcode::CmpISlt, DType::I16, DType::I16).run({0xFFFF, 0})[3], 1u);
  auto extended =
      OneInstruction(Opcode::MulUIExtended, DType::I32, DType::I32).run({0xFFFFFFFF, 0x10});
  EXPECT_EQ(extended[3], 0xFFFFFFF0u);
  EXPECT_EQ(extended[4], 0xFu);
}

TEST(ScalarCodeTest, ComputesSizesThroughFloats) {
  auto bits = [](double value) { return std::bit_cast<uint64_t>(value); };
  EXPECT_EQ(OneInstruction(Opcode::SIToFP, DType::F64, DType::I64).run({uint64_t(-7)})[3],
            bits(-7.0));
  EXPECT_EQ(OneInstruction(Opcode::Floor, DType::F64, DType::F64).run({bits(2.75)})[3], bits(2.0));
  EXPECT_EQ(OneInstruction(Opcode::DivF, DType::F64, DType::F64).run({bits(7), bits(2)})[3],
            bits(3.5));
  EXPECT_EQ(OneInstruction(Opcode::FPToSI, DType::I64, DType::F64).run({bits(-3.5)})[3],
            uint64_t(-3));
  EXPECT_EQ(
      OneInstruction(Opcode::FloorDivSI, DType::Index, DType::Index).run({uint64_t(-7), 2})[3],
      uint64_t(-4));
}

TEST(ScalarCodeTest, ChecksSlices) {
  plan::Module module;
  plan::test::FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {plan::test::kAny});
  Reg offset = f.scalarArgument("offset", DType::Index, true);
  Reg size = f.scalarArgument("size", DType::Index, true);
  Reg stride = f.scalarArgument("stride", DType::Index, true);
  f.check(Opcode::CheckSlice, "", "m.mlir:1:2", offset, size, stride, {f.size(x, 0)});
  f.finish();
  auto program = makeProgram(module);
  auto index = [](int64_t value) { return Scalar::of<int64_t>(DType::Index, value); };
  auto check = [&](int64_t o, int64_t n, int64_t s) {
    return mainOf(*program).call({iota({10}), index(o), index(n), index(s)}).status();
  };
  EXPECT_TRUE(check(0, 10, 1).ok());
  EXPECT_TRUE(check(1, 5, 2).ok());
  EXPECT_TRUE(check(100, 0, 1).ok());
  for (auto [o, n, s] : {std::tuple<int64_t, int64_t, int64_t>{1, 10, 1},
                         {2, 5, 2},
                         {-1, 2, 1},
                         {0, -1, 1},
                         {0, 1, 0},
                         {0, 2, INT64_MAX},
                         {INT64_MAX, INT64_MAX, INT64_MAX}})
    EXPECT_THAT(check(o, n, s), IsError(absl::StatusCode::kOutOfRange,
                                        "does not fit a dimension of size 10 (at m.mlir:1:2)"));
}

} // namespace
