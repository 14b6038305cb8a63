//===- MathF64.cpp - Transcendental functions in f64 ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"

#include "anneal/Support/MathPolynomials.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;

namespace anneal {

using F = MathBuilder::F;

//===----------------------------------------------------------------------===//
// Parts for f32 and f64
//===----------------------------------------------------------------------===//

/// Sum with which a float of up to half the mantissa is rounded to an integer in its lowest bits,
/// and that float's bits.
static double rounderOf(unsigned width) { return width == 32 ? 0x1.8p23 : 0x1.8p52; }
static uint64_t rounderBits(unsigned width) {
  return width == 32 ? 0x4b400000 : 0x4338000000000000;
}
static unsigned mantissaBits(unsigned width) { return width == 32 ? 23 : 52; }

NearestInteger nearestOf(MathBuilder &m, Value x, double scale) {
  Value rounder = m.number(x, rounderOf(MathBuilder::widthOf(x)));
  Value shifted = m.fma(x, scale, rounder);
  return {m.sub(shifted, rounder), m.bits(shifted)};
}

/// In two steps, so that the result is rounded once even if it is denormal.
Value scaleBy(MathBuilder &m, Value x, Value bits) {
  unsigned width = MathBuilder::widthOf(x), mantissa = mantissaBits(width);
  uint64_t bias = width == 32 ? 127 : 1023;
  Value both = m.addI(bits, m.integer(bits, 2 * bias - rounderBits(width)));
  Value half = m.shiftRight(both, 1);
  Value first = m.fromBits(m.shiftLeft(half, mantissa));
  Value second = m.fromBits(m.shiftLeft(m.subI(both, half), mantissa));
  return m.mul(m.mul(x, first), second);
}

Value bounded(MathBuilder &m, Value x, double low, double high) {
  Value isLow = m.compare(F::OLT, x, low), isHigh = m.compare(F::OGT, x, high);
  return m.select(isHigh, m.number(x, high), m.select(isLow, m.number(x, low), x));
}

Value logSpecial(MathBuilder &m, Value x, Value r) {
  double infinity = std::numeric_limits<double>::infinity();
  r = m.select(m.compare(F::OLT, x, infinity), r, x);
  r = m.select(m.compare(F::OLT, x, 0.0), m.number(x, std::numeric_limits<double>::quiet_NaN()), r);
  return m.select(m.compare(F::OEQ, x, 0.0), m.number(x, -infinity), r);
}

//===----------------------------------------------------------------------===//
// f64
//===----------------------------------------------------------------------===//

namespace math64 {

static constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;
static constexpr double kLog10E = 0x1.bcb7b1526e50ep-2, kLog10ELow = 0x1.95355baaafad3p-57;
static constexpr double kLog10Of2 = 0x1.34413509f79ffp-2, kLog10Of2Low = -0x1.9dc1da994fd21p-59;

/// exp(x) = 2^k (1 + p).
struct ExpParts {
  NearestInteger k;
  Value p;
};

static ExpParts expParts(MathBuilder &m, Value x) {
  NearestInteger k = nearestOf(m, x, kLog2E);
  Value high = m.fma(k.value, -kLn2, x);
  Value r = m.fma(k.value, -kLn2Low, high);
  Value lost = m.fma(k.value, -kLn2Low, m.sub(high, r));
  return {k, m.add(m.fma(m.mul(r, r), m.horner(polynomials::kExpF64, r), lost), r)};
}

Value exp(MathBuilder &m, Value x) {
  ExpParts e = expParts(m, bounded(m, x, -746.0, 711.0));
  return scaleBy(m, m.add(e.p, m.number(x, 1)), e.k.bits);
}

Value exp2(MathBuilder &m, Value x) {
  x = bounded(m, x, -1080.0, 1025.0);
  NearestInteger k = nearestOf(m, x, 1.0);
  Value r = m.sub(x, k.value);
  return scaleBy(m, m.fma(r, m.horner(polynomials::kExp2F64, r), m.number(x, 1)), k.bits);
}

/// 2^k for |k| <= 1000 from nearestOf's bits.
static Value powerOfTwo(MathBuilder &m, Value bits) {
  return m.fromBits(m.shiftLeft(m.addI(bits, m.integer(bits, 1023)), 52));
}

static Value expM1FromParts(MathBuilder &m, const ExpParts &e) {
  Value half = powerOfTwo(m, m.subI(e.k.bits, m.integer(e.k.bits, 1)));
  Value sum = m.fma(half, e.p, m.sub(half, m.number(half, 0.5)));
  Value all = m.mul(m.number(half, 2), sum);
  return m.select(m.compare(F::OEQ, e.k.value, 0.0), e.p, all);
}

Value expM1(MathBuilder &m, Value x) {
  return m.withSign(expM1FromParts(m, expParts(m, bounded(m, x, -40.0, 709.9))), x);
}

LogParts logParts(MathBuilder &m, Value x) {
  constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd, kOne = uint64_t(1023) << 52;
  Value tiny = m.compare(F::OLT, x, 0x1p-1022);
  x = m.select(tiny, m.mul(x, m.number(x, 0x1p54)), x);
  Value bits = m.bits(x);
  Value exponentBits = m.shiftRight(m.addI(bits, m.integer(bits, kOne - kRootHalf)), 52);
  Value fraction = m.addI(m.subI(bits, m.shiftLeft(exponentBits, 52)), m.integer(bits, kOne));
  Value f = m.sub(m.fromBits(fraction), m.number(x, 1));
  Value high = m.fromBits(m.bitOr(exponentBits, m.integer(bits, 0x4330000000000000)));
  Value exponent = m.sub(high, m.number(x, 0x1p52 + 1023));
  Value s = m.div(f, m.add(m.number(x, 2), f)), z = m.mul(s, s);
  Value halfSquare = m.mul(m.mul(m.number(x, 0.5), f), f);
  Value tail = m.mul(s, m.fma(z, m.horner(polynomials::kLogF64, z), halfSquare));
  return {m.select(tiny, m.sub(exponent, m.number(x, 54)), exponent), f, halfSquare, tail};
}

/// exponent ln(2) + log(1 + f) + low.
static Value sumLog(MathBuilder &m, const LogParts &l, Value low) {
  Value small = m.sub(l.f, m.sub(l.halfSquare, m.add(l.tail, m.fma(l.exponent, kLn2Low, low))));
  return m.fma(l.exponent, kLn2, small);
}

Value log(MathBuilder &m, Value x) {
  return logSpecial(m, x, sumLog(m, logParts(m, x), m.number(x, 0)));
}

Value log1p(MathBuilder &m, Value x) {
  Value one = m.number(x, 1);
  Value u = m.add(one, x);
  Value part = m.sub(u, one);
  Value lost = m.add(m.sub(one, m.sub(u, part)), m.sub(x, part));
  Value r = sumLog(m, logParts(m, u), m.div(lost, u));
  return logSpecial(m, u, m.select(m.compare(F::OEQ, x, 0.0), x, r));
}

/// exponent c + log(1 + f) d, c and d in two parts.
static Value scaledLog(MathBuilder &m, const LogParts &l, double c, double cLow, double d,
                       double dLow) {
  Value high = m.sub(l.f, l.halfSquare);
  Value low = m.add(m.sub(m.sub(l.f, high), l.halfSquare), l.tail);
  Value y = m.mul(high, m.number(high, d));
  Value yLow = m.add(m.fma(high, d, m.neg(y)), m.fma(high, dLow, m.mul(low, m.number(low, d))));
  Value t = m.mul(l.exponent, m.number(high, c));
  Value tLow = m.add(m.fma(l.exponent, c, m.neg(t)), m.mul(l.exponent, m.number(high, cLow)));
  Value sum = m.add(t, y);
  Value error = m.add(m.sub(t, sum), y);
  return m.add(sum, m.add(error, m.add(yLow, tLow)));
}

Value log2(MathBuilder &m, Value x) {
  return logSpecial(m, x, scaledLog(m, logParts(m, x), 1, 0, kLog2E, kLog2ELow));
}

Value log10(MathBuilder &m, Value x) {
  LogParts parts = logParts(m, x);
  return logSpecial(m, x, scaledLog(m, parts, kLog10Of2, kLog10Of2Low, kLog10E, kLog10ELow));
}

/// |x|, `most` where it is more.
static Value magnitudeUpTo(MathBuilder &m, Value x, double most) {
  Value a = m.abs(x);
  return m.select(m.compare(F::OGT, a, most), m.number(x, most), a);
}

Value tanh(MathBuilder &m, Value x) {
  Value two = m.number(x, 2);
  Value t = expM1(m, m.mul(two, magnitudeUpTo(m, x, 22)));
  return m.withSign(m.div(t, m.add(t, two)), x);
}

Value sinh(MathBuilder &m, Value x) {
  Value a = magnitudeUpTo(m, x, 711), one = m.number(x, 1);
  ExpParts e = expParts(m, a);
  Value less = expM1FromParts(m, e);
  Value small = m.mul(m.number(x, 0.5), m.add(less, m.div(less, m.add(less, one))));
  Value large = scaleBy(m, m.add(e.p, one), m.subI(e.k.bits, m.integer(e.k.bits, 1)));
  return m.withSign(m.select(m.compare(F::OLT, a, 22.0), small, large), x);
}

Value cosh(MathBuilder &m, Value x) {
  ExpParts e = expParts(m, magnitudeUpTo(m, x, 711));
  Value half = scaleBy(m, m.add(e.p, m.number(x, 1)), m.subI(e.k.bits, m.integer(e.k.bits, 1)));
  return m.add(half, m.div(m.number(x, 0.25), half));
}

} // namespace math64

Value expandF64(MathBuilder &m, Operation *op) {
  Value x = op->getOperand(0);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::ExpOp) { return math64::exp(m, x); })
      .Case([&](math::Exp2Op) { return math64::exp2(m, x); })
      .Case([&](math::ExpM1Op) { return math64::expM1(m, x); })
      .Case([&](math::LogOp) { return math64::log(m, x); })
      .Case([&](math::Log1pOp) { return math64::log1p(m, x); })
      .Case([&](math::Log2Op) { return math64::log2(m, x); })
      .Case([&](math::Log10Op) { return math64::log10(m, x); })
      .Case([&](math::TanhOp) { return math64::tanh(m, x); })
      .Case([&](math::SinhOp) { return math64::sinh(m, x); })
      .Case([&](math::CoshOp) { return math64::cosh(m, x); })
      .Default(Value());
}

} // namespace anneal
