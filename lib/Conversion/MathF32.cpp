//===- MathF32.cpp - Transcendental functions in f32 ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of lib/Runtime/Kernels/Strip/ScalarMath32.h, step by step.
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"

#include "anneal/Support/MathPolynomials.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace anneal {

using F = MathBuilder::F;
using I = MathBuilder::I;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

//===----------------------------------------------------------------------===//
// In f32
//===----------------------------------------------------------------------===//

constexpr float kLog2E = 0x1.715476p+0f, kLog2ELow = 0x1.4ae0cp-26f;
constexpr float kLn2 = 0x1.62e43p-1f, kLn2Low = -0x1.05c61p-29f;

Value exp(MathBuilder &m, Value x) {
  x = bounded(m, x, -104.0, 89.0);
  NearestInteger k = nearestOf(m, x, kLog2E);
  Value r = m.fma(k.value, -kLn2Low, m.fma(k.value, -kLn2, x));
  Value p = m.fma(m.mul(r, r), m.horner(polynomials::kExpF32, r), r);
  return scaleBy(m, m.add(p, m.number(x, 1)), k.bits);
}

/// 2^r for |r| <= 1/2.
Value exp2Near(MathBuilder &m, Value r) {
  return m.fma(r, m.horner(polynomials::kExp2F32, r), m.number(r, 1));
}

Value exp2(MathBuilder &m, Value x) {
  x = bounded(m, x, -151.0, 129.0);
  NearestInteger k = nearestOf(m, x, 1.0);
  return scaleBy(m, exp2Near(m, m.sub(x, k.value)), k.bits);
}

/// 2^x for |x| <= 100.
Value exp2Small(MathBuilder &m, Value x) {
  NearestInteger k = nearestOf(m, x, 1.0);
  Value near = m.bits(exp2Near(m, m.sub(x, k.value)));
  return m.fromBits(m.addI(near, m.shiftLeft(k.bits, 23)));
}

/// x = 2^exponent (1 + f), |f| < 0.42.
struct LogParts {
  Value exponent, f;
};

/// x positive and finite.
LogParts logParts(MathBuilder &m, Value x) {
  constexpr uint64_t kRootHalf = 0x3f3504f3;
  Value tiny = m.compare(F::OLT, x, 0x1p-126);
  x = m.select(tiny, m.mul(x, m.number(x, 0x1p23)), x);
  Value bits = m.bits(x);
  Value exponent = m.shiftRightSigned(m.subI(bits, m.integer(bits, kRootHalf)), 23);
  Value fraction = m.fromBits(m.subI(bits, m.shiftLeft(exponent, 23)));
  Value f = m.sub(fraction, m.number(x, 1));
  Value shifted = m.subI(exponent, m.integer(bits, 23));
  Value chosen = m.select(tiny, shifted, exponent);
  return {m.make<arith::SIToFPOp>(x.getType(), chosen), f};
}

Value log(MathBuilder &m, Value x) {
  LogParts l = logParts(m, x);
  Value square = m.mul(l.f, l.f);
  Value rest = m.fma(l.f, m.horner(polynomials::kLogF32, l.f), m.number(x, -0.5));
  Value small = m.fma(square, rest, m.mul(l.exponent, m.number(x, kLn2Low)));
  Value r = m.fma(l.exponent, kLn2, m.add(l.f, small));
  return logSpecial(m, x, r);
}

Value log2(MathBuilder &m, Value x) {
  LogParts l = logParts(m, x);
  Value rest = m.fma(l.f, m.horner(polynomials::kLog2F32, l.f), m.number(x, kLog2ELow));
  Value term = m.mul(l.f, m.number(x, kLog2E));
  Value termLow = m.fma(l.f, kLog2E, m.neg(term));
  Value high = m.add(l.exponent, term);
  Value lost = m.add(m.add(m.sub(l.exponent, high), term), termLow);
  return logSpecial(m, x, m.add(high, m.fma(l.f, rest, lost)));
}

Value smaller(MathBuilder &m, Value a, double most) {
  return m.select(m.compare(F::OGT, a, most), m.number(a, most), a);
}

Value tanh(MathBuilder &m, Value x) {
  Value a = m.abs(x), square = m.mul(x, x), one = m.number(x, 1);
  Value near = m.fma(m.mul(square, a), m.horner(polynomials::kTanhF32, square), a);
  Value e = exp2Small(m, m.mul(smaller(m, a, 10), m.number(x, 2 * kLog2E)));
  Value far = m.sub(one, m.div(m.number(x, 2), m.add(e, one)));
  return m.withSign(m.select(m.compare(F::OGE, a, 0.625), far, near), x);
}

Value erf(MathBuilder &m, Value x) {
  Value a = m.abs(x), square = m.mul(x, x), one = m.number(x, 1);
  Value near = m.fma(a, m.horner(polynomials::kErfF32, square), a);
  Value tail = m.horner(polynomials::kErfTailF32, smaller(m, a, 4));
  Value far = m.sub(one, exp2Small(m, tail));
  return m.withSign(m.select(m.compare(F::OGE, a, 1.0), far, near), x);
}

//===----------------------------------------------------------------------===//
// Through f64
//===----------------------------------------------------------------------===//

/// asin(a) for 0 <= a <= 1/2.
Value asinNear(MathBuilder &m, Value a) {
  Value z = m.mul(a, a);
  return m.fma(m.mul(z, a), m.horner(polynomials::kAsin, z), a);
}

/// a, or sqrt((1 - a) / 2) beyond 1/2.
Value asinArgument(MathBuilder &m, Value a, Value near) {
  Value half = m.mul(m.sub(m.number(a, 1), a), m.number(a, 0.5));
  return m.select(near, a, m.sqrt(half));
}

Value asin(MathBuilder &m, Value x) {
  Value a = m.widen(m.abs(x));
  Value near = m.compare(F::OLE, a, 0.5);
  Value r = asinNear(m, asinArgument(m, a, near));
  Value far = m.sub(m.number(a, math64::kHalfPi), m.mul(m.number(a, 2), r));
  return m.withSign(m.narrow(m.select(near, r, far)), x);
}

Value acos(MathBuilder &m, Value x) {
  Value a = m.widen(m.abs(x));
  Value near = m.compare(F::OLE, a, 0.5);
  Value r = asinNear(m, asinArgument(m, a, near));
  Value positive = m.select(near, m.sub(m.number(a, math64::kHalfPi), r), m.mul(m.number(a, 2), r));
  Value negative = m.sub(m.number(a, math64::kPi), positive);
  return m.narrow(m.select(m.compare(F::OLT, x, 0.0), negative, positive));
}

/// The angle of (x, y) in the first quadrant, for x, y >= 0, in f64.
Value angleOf(MathBuilder &m, Value y, Value x) {
  Value steep = m.compare(F::OGT, y, x);
  Value t = m.div(m.select(steep, x, y), m.select(steep, y, x));
  Value z = m.mul(t, t);
  Value r = m.fma(m.mul(z, t), m.horner(polynomials::kAtan, z), t);
  return m.select(steep, m.sub(m.number(r, math64::kHalfPi), r), r);
}

Value atan(MathBuilder &m, Value x) {
  Value a = m.abs(m.widen(x));
  return m.withSign(m.narrow(angleOf(m, a, m.number(a, 1))), x);
}

Value atan2(MathBuilder &m, Value y, Value x) {
  Value dx = m.widen(x), ax = m.abs(dx), ay = m.abs(m.widen(y));
  Value zero = m.number(dx, 0), one = m.number(dx, 1);
  Value onlyX = m.select(m.compare(F::OEQ, ax, kInfinity), one, zero);
  Value onlyY = m.select(m.compare(F::OEQ, ay, kInfinity), one, zero);
  Value infinite = m.compare(F::OGT, m.add(onlyX, onlyY), zero);
  ax = m.select(infinite, onlyX, ax);
  ay = m.select(infinite, onlyY, ay);
  ax = m.select(m.compare(F::OEQ, m.add(ax, ay), zero), one, ax);
  Value r = angleOf(m, ay, ax);
  Value isLeft = m.compare(I::slt, m.bits(dx), uint64_t(0));
  r = m.select(isLeft, m.sub(m.number(r, math64::kPi), r), r);
  Value rounded = m.withSign(m.narrow(r), y);
  rounded = m.select(m.compare(F::UNO, y, y), y, rounded);
  return m.select(m.compare(F::UNO, x, x), x, rounded);
}

Value asinh(MathBuilder &m, Value x) {
  Value a = m.widen(m.abs(x)), square = m.mul(a, a), one = m.number(a, 1);
  Value root = m.sqrt(m.add(one, square));
  Value r = math64::log1p(m, m.add(a, m.div(square, m.add(one, root))));
  Value isFinite = m.compare(F::OLT, m.abs(x), kInfinity);
  return m.select(isFinite, m.withSign(m.narrow(r), x), x);
}

Value acosh(MathBuilder &m, Value x) {
  Value wide = m.widen(x);
  Value t = m.sub(wide, m.number(wide, 1));
  Value root = m.sqrt(m.mul(t, m.add(t, m.number(t, 2))));
  Value r = m.narrow(math64::log1p(m, m.add(t, root)));
  return m.select(m.compare(F::OLT, x, 1.0), m.number(x, kNaN), r);
}

Value atanh(MathBuilder &m, Value x) {
  Value a = m.widen(m.abs(x));
  Value ratio = m.div(m.mul(m.number(a, 2), a), m.sub(m.number(a, 1), a));
  Value r = m.mul(m.number(a, 0.5), math64::log1p(m, ratio));
  return m.withSign(m.narrow(r), x);
}

Value cbrt(MathBuilder &m, Value x) {
  Value tiny = m.compare(F::OLT, m.abs(x), 0x1p-126);
  Value a = m.abs(m.select(tiny, m.mul(x, m.number(x, 0x1p24)), x));
  // A third of the bits, by the reciprocal of 3 in 33 bits.
  Value bits = m.make<arith::ExtUIOp>(m.integer(64), m.bits(a));
  Value third = m.shiftRight(m.mulI(bits, m.integer(bits, 0xaaaaaaab)), 33);
  Value narrow = m.make<arith::TruncIOp>(m.integer(32), third);
  Value y = m.widen(m.fromBits(m.addI(narrow, m.integer(narrow, 0x2a5119f2))));
  Value target = m.widen(a), two = m.number(y, 2);
  for (int step = 0; step < 2; ++step) {
    Value cube = m.mul(m.mul(y, y), y);
    Value above = m.add(cube, m.mul(two, target));
    y = m.mul(y, m.div(above, m.add(m.mul(two, cube), target)));
  }
  y = m.select(tiny, m.mul(y, m.number(y, 0x1p-8)), y);
  Value isNumber = m.bitAnd(m.compare(F::OGT, a, 0.0), m.compare(F::OLT, a, kInfinity));
  return m.withSign(m.select(isNumber, m.narrow(y), x), x);
}

Value erfc(MathBuilder &m, Value x) {
  Value a = m.widen(m.abs(x));
  a = smaller(m, a, 10.1);
  Value three = m.number(a, 3);
  Value p = m.horner(polynomials::kErfcx, m.div(m.sub(a, three), m.add(a, three)));
  Value r = m.mul(math64::exp(m, m.mul(m.neg(a), a)), p);
  Value mirrored = m.sub(m.number(a, 2), r);
  return m.narrow(m.select(m.compare(F::OLT, x, 0.0), mirrored, r));
}

/// y is an integer, an odd integer.
Value isWhole(MathBuilder &m, Value y) { return m.compare(F::OEQ, m.trunc(y), y); }
Value isOdd(MathBuilder &m, Value y) {
  Value half = m.mul(y, m.number(y, 0.5));
  return m.bitAnd(isWhole(m, y), m.negate(isWhole(m, half)));
}

/// Where the exponent is neither 2 nor 3.
Value powGeneral(MathBuilder &m, Value x, Value y) {
  Value a = m.widen(m.abs(x));
  math64::LogParts l = math64::logParts(m, a);
  Value log = m.fma(m.sub(l.f, m.sub(l.halfSquare, l.tail)), math64::kLog2E, l.exponent);
  Value r = m.narrow(math64::exp2(m, m.mul(m.widen(y), logSpecial(m, a, log))));
  Value negative = m.compare(I::slt, m.bits(x), uint64_t(0));
  Value isNegativeNumber = m.bitAnd(m.compare(F::OLT, x, 0.0), m.compare(F::OGT, x, -kInfinity));
  Value undefined = m.bitAnd(isNegativeNumber, m.negate(isWhole(m, y)));
  r = m.select(m.bitAnd(negative, isOdd(m, y)), m.neg(r), r);
  r = m.select(undefined, m.number(x, kNaN), r);
  Value infiniteOfOne =
      m.bitAnd(m.compare(F::OEQ, x, -1.0), m.compare(F::OEQ, m.abs(y), kInfinity));
  Value isOne = m.bitOr(m.compare(F::OEQ, x, 1.0), m.compare(F::OEQ, y, 0.0));
  return m.select(m.bitOr(isOne, infiniteOfOne), m.number(x, 1), r);
}

Value pow(MathBuilder &m, Value x, Value y) {
  Value wide = m.widen(x);
  Value cube = m.narrow(m.mul(m.mul(wide, wide), wide));
  Value r = powGeneral(m, x, y);
  r = m.select(m.compare(F::OEQ, y, 2.0), m.mul(x, x), r);
  return m.select(m.compare(F::OEQ, y, 3.0), cube, r);
}

template <Value (*function)(MathBuilder &, Value)> Value throughF64(MathBuilder &m, Value x) {
  return m.narrow(function(m, m.widen(x)));
}

/// Functions that Numerics.md takes from f64.
Value expandThroughF64(MathBuilder &m, Operation *op) {
  Value x = op->getOperand(0);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpM1Op) { return throughF64<math64::expM1>(m, x); })
      .Case([&](math::Log1pOp) { return throughF64<math64::log1p>(m, x); })
      .Case([&](math::Log10Op) { return throughF64<math64::log10>(m, x); })
      .Case([&](math::SinhOp) { return throughF64<math64::sinh>(m, x); })
      .Case([&](math::CoshOp) { return throughF64<math64::cosh>(m, x); })
      .Case([&](math::AsinOp) { return asin(m, x); })
      .Case([&](math::AcosOp) { return acos(m, x); })
      .Case([&](math::AtanOp) { return atan(m, x); })
      .Case([&](math::Atan2Op) { return atan2(m, x, op->getOperand(1)); })
      .Case([&](math::AsinhOp) { return asinh(m, x); })
      .Case([&](math::AcoshOp) { return acosh(m, x); })
      .Case([&](math::AtanhOp) { return atanh(m, x); })
      .Case([&](math::CbrtOp) { return cbrt(m, x); })
      .Case([&](math::ErfcOp) { return erfc(m, x); })
      .Case([&](math::PowFOp) { return pow(m, x, op->getOperand(1)); })
      .Default(Value());
}

} // namespace

Value expandF32(MathBuilder &m, Operation *op) {
  Value x = op->getOperand(0);
  Value value = llvm::TypeSwitch<Operation *, Value>(op)
                    .Case([&](math::ExpOp) { return exp(m, x); })
                    .Case([&](math::Exp2Op) { return exp2(m, x); })
                    .Case([&](math::LogOp) { return log(m, x); })
                    .Case([&](math::Log2Op) { return log2(m, x); })
                    .Case([&](math::TanhOp) { return tanh(m, x); })
                    .Case([&](math::ErfOp) { return erf(m, x); })
                    .Default(Value());
  return value ? value : expandThroughF64(m, op);
}

} // namespace anneal
