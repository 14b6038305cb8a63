//===- FloatOpsTest.cpp - Float operations on strips ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripTesting.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <optional>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::testing;

namespace {

/// The larger (sign 1) or smaller (-1) value, zeros ordered.
template <class T> T extremum(T a, T b, int sign) {
  if (a == b)
    return std::signbit(a) == (sign > 0) ? b : a;
  return (a > b) == (sign > 0) ? a : b;
}

template <class T> T propagating(T a, T b, int sign) {
  return std::isnan(a) ? a : std::isnan(b) ? b : extremum(a, b, sign);
}

template <class T> T ignoring(T a, T b, int sign) {
  return std::isnan(a) ? b : std::isnan(b) ? a : extremum(a, b, sign);
}

/// Operations that are exact or correctly rounded, in the type T in which they are calculated.
template <class T> std::optional<T> exact(Opcode op, T a, T b, T c) {
  switch (op) {
  case Opcode::AddF:
    return a + b;
  case Opcode::SubF:
    return a - b;
  case Opcode::MulF:
    return a * b;
  case Opcode::DivF:
    return a / b;
  case Opcode::RemF:
    return std::fmod(a, b);
  case Opcode::MaximumF:
    return propagating(a, b, 1);
  case Opcode::MinimumF:
    return propagating(a, b, -1);
  case Opcode::MaxNumF:
    return ignoring(a, b, 1);
  case Opcode::MinNumF:
    return ignoring(a, b, -1);
  case Opcode::CopySign:
    return std::copysign(a, b);
  case Opcode::NegF:
    return -a;
  case Opcode::AbsF:
    return std::fabs(a);
  case Opcode::Ceil:
    return std::ceil(a);
  case Opcode::Floor:
    return std::floor(a);
  case Opcode::Trunc:
    return std::trunc(a);
  case Opcode::Round:
    return std::round(a);
  case Opcode::RoundEven:
    return std::nearbyint(a);
  case Opcode::Sqrt:
    return std::sqrt(a);
  case Opcode::Rsqrt:
    return T(1) / std::sqrt(a);
  case Opcode::Fma:
    return std::fma(a, b, c);
  case Opcode::ClampF:
    return propagating(propagating(a, b, 1), c, -1);
  default:
    return std::nullopt;
  }
}

bool compare(Opcode op, long double a, long double b) {
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (op) {
  case Opcode::CmpFFalse:
    return false;
  case Opcode::CmpFOeq:
    return a == b;
  case Opcode::CmpFOgt:
    return a > b;
  case Opcode::CmpFOge:
    return a >= b;
  case Opcode::CmpFOlt:
    return a < b;
  case Opcode::CmpFOle:
    return a <= b;
  case Opcode::CmpFOne:
    return !unordered && a != b;
  case Opcode::CmpFOrd:
    return !unordered;
  case Opcode::CmpFUeq:
    return unordered || a == b;
  case Opcode::CmpFUgt:
    return unordered || a > b;
  case Opcode::CmpFUge:
    return unordered || a >= b;
  case Opcode::CmpFUlt:
    return unordered || a < b;
  case Opcode::CmpFUle:
    return unordered || a <= b;
  case Opcode::CmpFUne:
    return unordered || a != b;
  case Opcode::CmpFUno:
    return unordered;
  default:
    return true;
  }
}

bool test(Opcode op, DType type, long double a) {
  long double smallest = decode(type, encode(type, std::ldexp(1.0L, type == DType::F16   ? -14
                                                                    : type == DType::F64 ? -1022
                                                                                         : -126)));
  switch (op) {
  case Opcode::IsFinite:
    return std::isfinite(a);
  case Opcode::IsInf:
    return std::isinf(a);
  case Opcode::IsNaN:
    return std::isnan(a);
  default:
    return std::isfinite(a) && std::fabs(a) >= smallest;
  }
}

/// Result of an exact operation; nothing for the others.
std::optional<Raw> reference(const plan::Instr &instr, Raw a, Raw b, Raw c) {
  DType type = instr.type;
  long double x = decode(type, a), y = decode(type, b), z = decode(type, c);
  if (plan::classOf(instr.op) == plan::OpClass::FloatCompare)
    return compare(instr.op, x, y);
  if (plan::classOf(instr.op) == plan::OpClass::FloatTest)
    return test(instr.op, type, x);
  if (type == DType::F64) {
    std::optional<double> r = exact<double>(instr.op, x, y, z);
    return r ? std::optional<Raw>(encode(type, *r)) : std::nullopt;
  }
  std::optional<float> r = exact<float>(instr.op, x, y, z);
  return r ? std::optional<Raw>(encode(type, *r)) : std::nullopt;
}

/// Every pair of edge values with a third, and random ones.
std::array<std::vector<Raw>, 3> operands(DType type) {
  std::array<std::vector<Raw>, 3> sources;
  std::vector<Raw> edges = edgeValues(type);
  for (size_t i = 0; i < edges.size(); ++i)
    for (size_t j = 0; j < edges.size(); ++j) {
      sources[0].push_back(edges[i]);
      sources[1].push_back(edges[j]);
      sources[2].push_back(edges[(3 * i + 5 * j) % edges.size()]);
    }
  for (unsigned k = 0; k < 3; ++k)
    for (Raw value : randomValues(type, 1500, k + 1))
      sources[k].push_back(value);
  // Near each other, so that sums cancel and quotients are close to integers.
  for (Raw value : randomValues(type, 500, 9)) {
    sources[0].push_back(value);
    sources[1].push_back(wrapped(type, value + value % 5 - 2));
    sources[2].push_back(wrapped(type, value * 3));
  }
  return sources;
}

TEST(FloatOpsTest, ExactOperationsAgreeWithTheLibrary) {
  size_t checked = 0;
  for (const plan::Instr &instr : allInstructions()) {
    plan::OpClass opClass = plan::classOf(instr.op);
    if (opClass < plan::OpClass::FloatBinary || opClass > plan::OpClass::FloatTest ||
        !reference(instr, 0, 0, 0))
      continue;
    ++checked;
    std::array<std::vector<Raw>, 3> sources = operands(instr.type);
    size_t n = sources[0].size();
    for (Isa isa : availableIsas()) {
      SCOPED_TRACE(describe(instr) + " " + std::string(name(isa)));
      Results results = run(instr, 0, isa, sources, n);
      ASSERT_EQ(results.first.size(), n);
      DType result = typesOf(instr).result;
      for (size_t i = 0; i < n; ++i) {
        Raw expected = *reference(instr, sources[0][i], sources[1][i], sources[2][i]);
        ASSERT_TRUE(same(result, results.first[i], expected))
            << std::hex << sources[0][i] << ", " << sources[1][i] << ", " << sources[2][i] << ": "
            << results.first[i] << " instead of " << expected;
      }
    }
  }
  // 21 arithmetic operations, 16 comparisons and 4 tests on 4 types.
  EXPECT_EQ(checked, 4u * (21 + 16 + 4));
}

/// Squaring in T, as docs/Numerics.md has it.
template <class T> T power(T x, int64_t n) {
  uint64_t count = n < 0 ? uint64_t(0) - uint64_t(n) : uint64_t(n);
  T result = 1;
  for (T base = x; count; count /= 2, base *= base)
    if (count % 2)
      result *= base;
  return n < 0 ? 1 / result : result;
}

TEST(FloatOpsTest, IntegerPowersAreRepeatedSquares) {
  for (const plan::Instr &instr : allInstructions()) {
    if (instr.op != Opcode::FPowI)
      continue;
    std::array<std::vector<Raw>, 3> sources;
    sources[0] = someValues(instr.type, 400, 3);
    sources[1] = someValues(instr.srcType, 400, 4);
    for (size_t i = 0; i < 200; ++i)
      sources[1][i] = wrapped(instr.srcType, Raw(i % 40) - 20);
    for (Isa isa : availableIsas()) {
      SCOPED_TRACE(describe(instr) + " " + std::string(name(isa)));
      Results results = run(instr, 0, isa, sources, 400);
      ASSERT_EQ(results.first.size(), 400u);
      for (size_t i = 0; i < 400; ++i) {
        int64_t n = signedValue(instr.srcType, sources[1][i]);
        long double x = decode(instr.type, sources[0][i]);
        Raw expected = instr.type == DType::F64 ? encode(instr.type, power<double>(x, n))
                                                : encode(instr.type, power<float>(x, n));
        ASSERT_TRUE(same(instr.type, results.first[i], expected)) << double(x) << "^" << n;
        // The same with a uniform exponent.
        Results uniform = run(instr, 2, isa, {{{sources[0][i]}, {sources[1][i]}, {}}}, 1);
        ASSERT_TRUE(same(instr.type, uniform.first[0], expected)) << double(x) << "^" << n;
      }
    }
  }
}

TEST(FloatOpsTest, ExtremaWithUniformBoundsOrderZerosAndKeepNaN) {
  for (Opcode op : {Opcode::MaximumF, Opcode::MinimumF}) {
    plan::Instr instr;
    instr.op = op;
    for (DType type : kFloatTypes) {
      instr.type = type;
      std::vector<Raw> edges = edgeValues(type);
      for (Isa isa : availableIsas())
        for (Raw bound : edges) {
          Results byRight = run(instr, 2, isa, {{edges, {bound}, {}}}, edges.size());
          Results byLeft = run(instr, 1, isa, {{{bound}, edges, {}}}, edges.size());
          for (size_t i = 0; i < edges.size(); ++i) {
            Raw expected = *reference(instr, edges[i], bound, 0);
            ASSERT_TRUE(same(type, byRight.first[i], expected)) << edges[i] << ", " << bound;
            ASSERT_TRUE(same(type, byLeft.first[i], expected)) << bound << ", " << edges[i];
          }
        }
    }
  }
}

} // namespace
