//===- MathTest.cpp - Errors of transcendental functions ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripTesting.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <random>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::testing;

namespace {

/// A function with the bounds that docs/Numerics.md promises, in units in the last place.
struct Function {
  Opcode op;
  double (*inDouble)(double);
  long double (*inExtended)(long double);
  double maxF32, maxF64;
};

const Function kFunctions[] = {
    {Opcode::Acos, std::acos, std::acos, 0.501, 1.0},
    {Opcode::Acosh, std::acosh, std::acosh, 0.501, 2.5},
    {Opcode::Asin, std::asin, std::asin, 0.501, 1.0},
    {Opcode::Asinh, std::asinh, std::asinh, 0.501, 2.0},
    {Opcode::Atan, std::atan, std::atan, 0.501, 1.0},
    {Opcode::Atanh, std::atanh, std::atanh, 0.501, 2.5},
    {Opcode::Cbrt, std::cbrt, std::cbrt, 0.501, 4.0},
    {Opcode::Cos, std::cos, std::cos, 0.501, 1.0},
    {Opcode::Cosh, std::cosh, std::cosh, 0.501, 1.5},
    {Opcode::Erf, std::erf, std::erf, 1.15, 1.0},
    {Opcode::Erfc, std::erfc, std::erfc, 0.51, 4.0},
    {Opcode::Exp, std::exp, std::exp, 1.05, 1.0},
    {Opcode::Exp2, std::exp2, std::exp2, 0.9, 1.0},
    {Opcode::ExpM1, std::expm1, std::expm1, 0.501, 1.6},
    {Opcode::Log, std::log, std::log, 0.9, 1.0},
    {Opcode::Log10, std::log10, std::log10, 0.501, 1.0},
    {Opcode::Log1p, std::log1p, std::log1p, 0.501, 1.0},
    {Opcode::Log2, std::log2, std::log2, 0.95, 1.0},
    {Opcode::Sin, std::sin, std::sin, 0.501, 1.0},
    {Opcode::Sinh, std::sinh, std::sinh, 0.501, 2.4},
    {Opcode::Tan, std::tan, std::tan, 0.501, 2.5},
    {Opcode::Tanh, std::tanh, std::tanh, 1.7, 2.4},
};

/// Distance of `got` from `exact` in units of the last place of T at `exact`; 0 where both are NaN
/// or the same infinity, or `exact` is beyond the largest number and `got` infinite; infinite where
/// only one is.
template <class T> double ulps(T got, long double exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(got) || std::isnan(exact))
    return std::isnan(got) && std::isnan(exact) ? 0 : Limits::infinity();
  long double nearest = static_cast<T>(exact);
  if (std::isinf(got) || std::isinf(nearest))
    return got == nearest ? 0 : Limits::infinity();
  if (exact == 0)
    return got == 0 && std::signbit(got) == std::signbit(exact) ? 0 : Limits::infinity();
  int exponent = std::max(std::ilogb(exact), Limits::min_exponent - 1);
  return static_cast<double>(std::fabs(got - exact) /
                             std::ldexp(1.0L, exponent - Limits::digits + 1));
}

StripFn find(Opcode op, DType type, Isa isa, unsigned mask = 0) {
  plan::Instr instr;
  instr.op = op;
  instr.type = instr.srcType = type;
  return findStripOp(instr, mask, isa);
}

template <class T>
std::vector<T> computed(StripFn fn, const std::vector<T> &a, const std::vector<T> &b = {}) {
  std::vector<T> results(a.size());
  StripArgs args;
  args.dst = results.data();
  args.a = a.data();
  args.b = b.data();
  args.n = a.size();
  fn(args);
  return results;
}

/// The largest error over all `x`, and where it is.
template <class T, class Reference>
std::pair<double, T> worst(const std::vector<T> &x, const std::vector<T> &results,
                           Reference exact) {
  std::pair<double, T> found = {0, T(0)};
  for (size_t i = 0; i < x.size(); ++i)
    if (double error = ulps(results[i], exact(x[i])); error > found.first)
      found = {error, x[i]};
  return found;
}

TEST(MathTest, F32FunctionsStayWithinTheirErrors) {
  // Every 1999th bit pattern.
  std::vector<float> x;
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 1999)
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (Raw bits : edgeValues(DType::F32))
    x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (const Function &f : kFunctions) {
    std::vector<float> results = computed(find(f.op, DType::F32, detectIsa()), x);
    auto [error, where] = worst(x, results, [&](float v) { return f.inDouble(v); });
    EXPECT_LE(error, f.maxF32) << plan::name(f.op) << " at " << std::hexfloat << where;
    RecordProperty(std::string(plan::name(f.op)), std::to_string(error));
  }
}

/// Numbers of all magnitudes, more of them where functions change.
std::vector<double> samplesF64() {
  std::vector<double> x;
  std::mt19937_64 generator(7);
  for (int i = 0; i < 20000; ++i) {
    x.push_back(std::bit_cast<double>(generator()));
    double unit = std::ldexp(static_cast<double>(generator() >> 11), -53);
    for (double scale : {1.0, 2.0, 40.0, 745.0})
      x.push_back((2 * unit - 1) * scale);
    x.push_back(1 + (unit - 0.5) * std::ldexp(1.0, -static_cast<int>(generator() % 50)));
    x.push_back((unit - 0.5) * std::ldexp(1.0, static_cast<int>(generator() % 80) - 50));
  }
  for (Raw bits : edgeValues(DType::F64))
    x.push_back(std::bit_cast<double>(bits));
  return x;
}

TEST(MathTest, F64FunctionsStayWithinTheirErrors) {
  std::vector<double> x = samplesF64();
  for (const Function &f : kFunctions) {
    std::vector<double> results = computed(find(f.op, DType::F64, detectIsa()), x);
    auto [error, where] = worst(x, results, [&](double v) { return f.inExtended(v); });
    EXPECT_LE(error, f.maxF64) << plan::name(f.op) << " at " << std::hexfloat << where;
    RecordProperty(std::string(plan::name(f.op)), std::to_string(error));
  }
}

/// Checks a binary function on pairs of edge values and on random ones.
template <class T, class Reference>
void checkBinary(Opcode op, DType type, const std::vector<T> &a, const std::vector<T> &b,
                 double maxError, Reference exact) {
  std::vector<T> x = a, y = b;
  for (Raw first : edgeValues(type))
    for (Raw second : edgeValues(type)) {
      x.push_back(static_cast<T>(decode(type, first)));
      y.push_back(static_cast<T>(decode(type, second)));
    }
  std::vector<T> results = computed(find(op, type, detectIsa()), x, y);
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    double error = ulps(results[i], exact(x[i], y[i]));
    EXPECT_LE(error, maxError) << plan::name(op) << " at " << std::hexfloat << x[i] << ", " << y[i];
    largest = std::max(largest, error);
  }
  ::testing::Test::RecordProperty(std::string(plan::name(op)), std::to_string(largest));
}

template <class T> std::vector<T> random(size_t count, double low, double high, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> distribution(low, high);
  std::vector<T> values(count);
  for (T &value : values)
    value = static_cast<T>(distribution(generator));
  return values;
}

template <class T> std::vector<T> exponentials(std::vector<T> values) {
  for (T &value : values)
    value = std::exp2(value);
  return values;
}

TEST(MathTest, PowersAndAnglesStayWithinTheirErrors) {
  auto power = [](long double a, long double b) { return std::pow(a, b); };
  auto angle = [](long double a, long double b) { return std::atan2(a, b); };
  std::vector<float> bases = exponentials(random<float>(100000, -20, 20, 1));
  checkBinary(Opcode::PowF, DType::F32, bases, random<float>(100000, -6, 6, 2), 0.51, power);
  std::vector<float> whole = random<float>(20000, -9, 9, 3),
                     negative = random<float>(20000, -5, 0, 4);
  for (float &n : whole)
    n = std::round(n);
  checkBinary(Opcode::PowF, DType::F32, negative, whole, 0.51, power);
  checkBinary(Opcode::PowF, DType::F64, exponentials(random<double>(20000, -20, 20, 1)),
              random<double>(20000, -6, 6, 2), 1.0, power);
  checkBinary(Opcode::Atan2, DType::F32, random<float>(100000, -2, 2, 5),
              exponentials(random<float>(100000, -30, 30, 6)), 0.51, angle);
  checkBinary(Opcode::Atan2, DType::F64, random<double>(20000, -2, 2, 5),
              exponentials(random<double>(20000, -30, 30, 6)), 1.0, angle);
}

TEST(MathTest, SquaresAndCubesAreProducts) {
  for (DType type : kFloatTypes)
    for (double exponent : {2.0, 3.0}) {
      plan::Instr instr;
      instr.op = Opcode::PowF;
      instr.type = type;
      std::vector<Raw> x = someValues(type, 700, 1), y(x.size(), encode(type, exponent));
      for (Isa isa : availableIsas()) {
        std::vector<Raw> each = run(instr, 0, isa, {{x, y, {}}}, x.size()).first;
        std::vector<Raw> uniform = run(instr, 2, isa, {{x, {y[0]}, {}}}, x.size()).first;
        ASSERT_EQ(each.size(), x.size());
        for (size_t i = 0; i < x.size(); ++i) {
          double v = static_cast<double>(decode(type, x[i])),
                 power = exponent == 2 ? v * v : v * v * v;
          // F16 and BF16 are rounded to f32 first.
          Raw expected =
              type == DType::F64 ? encode(type, power) : encode(type, static_cast<float>(power));
          ASSERT_TRUE(same(type, each[i], expected)) << v << "^" << exponent;
          ASSERT_TRUE(same(type, uniform[i], expected)) << v << "^" << exponent;
        }
      }
    }
}

TEST(MathTest, HugeAnglesAreReducedExactly) {
  std::vector<float> x;
  std::mt19937 generator(11);
  while (x.size() < 20000)
    if (float v = std::bit_cast<float>(static_cast<uint32_t>(generator())); std::fabs(v) > 0x1p29f)
      x.push_back(v);
  for (Isa isa : availableIsas())
    for (const Function &f : kFunctions)
      if (f.op == Opcode::Sin || f.op == Opcode::Cos || f.op == Opcode::Tan) {
        std::vector<float> results = computed(find(f.op, DType::F32, isa), x);
        auto [error, where] = worst(x, results, [&](float v) { return f.inDouble(v); });
        EXPECT_LE(error, f.maxF32) << plan::name(f.op) << " at " << std::hexfloat << where;
      }
}

TEST(MathTest, HalfTypesAreTheF32FunctionRoundedOnce) {
  for (DType type : {DType::F16, DType::BF16}) {
    std::vector<Raw> all(65536), wide(65536);
    for (size_t i = 0; i < all.size(); ++i) {
      all[i] = i;
      wide[i] = encode(DType::F32, decode(type, i));
    }
    for (const Function &f : kFunctions) {
      plan::Instr instr;
      instr.op = f.op;
      instr.type = type;
      std::vector<Raw> results = run(instr, 0, detectIsa(), {{all, {}, {}}}, all.size()).first;
      instr.type = DType::F32;
      std::vector<Raw> exact = run(instr, 0, detectIsa(), {{wide, {}, {}}}, all.size()).first;
      ASSERT_EQ(results.size(), all.size());
      for (size_t i = 0; i < all.size(); ++i)
        ASSERT_TRUE(same(type, results[i], encode(type, decode(DType::F32, exact[i]))))
            << plan::name(f.op) << " at " << i;
    }
  }
}

} // namespace
