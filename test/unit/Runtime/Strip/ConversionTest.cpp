//===- ConversionTest.cpp - Conversions on strips -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripTesting.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::testing;

namespace {

/// A float as an integer in [low, high], towards zero; NaN is 0.
Raw toInt(long double x, DType type, bool isSigned) {
  int width = static_cast<int>(plan::bitWidth(type));
  long double high = std::ldexp(1.0L, isSigned ? width - 1 : width), low = isSigned ? -high : 0;
  if (std::isnan(x))
    return 0;
  long double t = std::trunc(x);
  if (t >= high)
    return wrapped(type, isSigned ? (Raw(1) << (width - 1)) - 1 : ~Raw(0));
  if (t <= low)
    return isSigned ? wrapped(type, Raw(1) << (width - 1)) : 0;
  return wrapped(type, t < 0 ? static_cast<Raw>(static_cast<int64_t>(t)) : static_cast<Raw>(t));
}

Raw reference(const plan::Instr &instr, Raw a) {
  DType to = instr.type, from = instr.srcType;
  switch (instr.op) {
  case Opcode::ExtSI:
    return wrapped(to, static_cast<Raw>(signedValue(from, a)));
  case Opcode::ExtUI:
  case Opcode::TruncI:
    return wrapped(to, a);
  case Opcode::ExtF:
  case Opcode::TruncF:
    return encode(to, decode(from, a));
  case Opcode::SIToFP:
    return encode(to, signedValue(from, a));
  case Opcode::UIToFP:
    return encode(to, a);
  case Opcode::FPToSI:
    return toInt(decode(from, a), to, true);
  case Opcode::FPToUI:
    return toInt(decode(from, a), to, false);
  default:
    return a;
  }
}

/// Values of `from` where rounding to `to` is hard: ties, and neighbours of ties, of every
/// magnitude.
std::vector<Raw> hardValues(DType from, DType to) {
  std::vector<Raw> values = someValues(from, 1200, 5);
  std::vector<Raw> random = randomValues(from, 1200, 6);
  if (plan::isInteger(from)) {
    unsigned width = plan::bitWidth(from);
    for (size_t i = 0; i < random.size(); ++i)
      // Few leading bits and few trailing ones.
      values.push_back(wrapped(
          from, (random[i] >> (width / 2 + i % (width / 2 + 1)) << (i % width)) + i % 3 - 1));
    return values;
  }
  int dropped = to == DType::F16 ? 10 : to == DType::BF16 ? 7 : 23;
  int kept = from == DType::F64 ? 52 : from == DType::F32 ? 23 : from == DType::F16 ? 10 : 7;
  Raw half = kept > dropped ? Raw(1) << (kept - dropped - 1) : 0;
  for (size_t i = 0; i < random.size(); ++i) {
    Raw head = half ? random[i] & ~(2 * half - 1) : random[i];
    values.push_back(wrapped(from, head + half + i % 3 - 1));
  }
  // Around the limits of integers and of F16.
  for (int exponent : {-26, -25, -24, -14, 0, 1, 7, 8, 15, 16, 31, 32, 63, 64})
    for (long double delta : {-1.0L, -0.5L, 0.0L, 0.5L, 1.0L})
      for (int sign : {-1, 1})
        values.push_back(encode(from, sign * (std::ldexp(1.0L, exponent) + delta)));
  for (long double x : {65504.0L, 65519.0L, 65519.99L, 65520.0L, 65536.0L})
    values.push_back(encode(from, x));
  return values;
}

TEST(ConversionTest, EveryConversionRoundsOnceAndSaturates) {
  for (const plan::Instr &instr : allInstructions()) {
    if (plan::classOf(instr.op) != plan::OpClass::Convert)
      continue;
    std::vector<Raw> values = hardValues(instr.srcType, instr.type);
    for (Isa isa : availableIsas()) {
      SCOPED_TRACE(describe(instr) + " " + std::string(name(isa)));
      Results results = run(instr, 0, isa, {{values, {}, {}}}, values.size());
      ASSERT_EQ(results.first.size(), values.size());
      for (size_t i = 0; i < values.size(); ++i) {
        Raw expected = reference(instr, values[i]);
        ASSERT_TRUE(same(instr.type, results.first[i], expected))
            << std::hex << values[i] << ": " << results.first[i] << " instead of " << expected;
      }
    }
  }
}

TEST(ConversionTest, HalfTypesAgreeOnAllValues) {
  for (DType type : {DType::F16, DType::BF16}) {
    std::vector<Raw> all(65536);
    for (size_t i = 0; i < all.size(); ++i)
      all[i] = i;
    plan::Instr widen, narrow;
    widen.op = Opcode::ExtF;
    widen.type = narrow.srcType = DType::F32;
    widen.srcType = narrow.type = type;
    narrow.op = Opcode::TruncF;
    for (Isa isa : availableIsas()) {
      std::vector<Raw> wide = run(widen, 0, isa, {{all, {}, {}}}, all.size()).first;
      std::vector<Raw> back = run(narrow, 0, isa, {{wide, {}, {}}}, all.size()).first;
      for (size_t i = 0; i < all.size(); ++i) {
        ASSERT_TRUE(same(DType::F32, wide[i], encode(DType::F32, decode(type, i)))) << i;
        ASSERT_TRUE(same(type, back[i], i)) << i;
      }
    }
  }
}

TEST(ConversionTest, RefusesWhatHasNoMeaning) {
  plan::Instr instr;
  instr.op = Opcode::ExtSI;
  instr.type = DType::I8;
  instr.srcType = DType::I32;
  EXPECT_EQ(findStripOp(instr, 0, Isa::Portable), nullptr);
  instr.op = Opcode::SIToFP;
  instr.srcType = DType::F32;
  instr.type = DType::F64;
  EXPECT_EQ(findStripOp(instr, 0, Isa::Portable), nullptr);
  instr.op = Opcode::Bitcast;
  EXPECT_EQ(findStripOp(instr, 0, Isa::Portable), nullptr);
}

} // namespace
