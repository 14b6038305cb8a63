//===- ScalarMath32.h - Transcendental functions in f32 ---------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch-free functions on single values, so that loops over them vectorise: the ones of which
// neural networks are made in f32 throughout, the others in f64, rounded once. docs/Numerics.md
// states methods and errors.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_STRIP_SCALARMATH32_H
#define ANNEAL_LIB_RUNTIME_KERNELS_STRIP_SCALARMATH32_H

#include "ScalarMath64.h"

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE::math32 {

inline constexpr float kLog2E = 0x1.715476p+0f, kLog2ELow = 0x1.4ae0cp-26f;
inline constexpr float kLn2 = 0x1.62e43p-1f, kLn2Low = -0x1.05c61p-29f;

inline float exp(float x) {
  x = bounded(x, -104.0f, 89.0f);
  Nearest<float> k = nearestOf(x, kLog2E);
  float r = fusedMulAdd(k.value, -kLn2, x);
  r = fusedMulAdd(k.value, -kLn2Low, r);
  float p = fusedMulAdd(r * r, horner(polynomials::kExpF32, r), r) + 1;
  return scaleBy(p, k.bits);
}

/// 2^r for |r| <= 1/2.
inline float exp2Near(float r) { return fusedMulAdd(r, horner(polynomials::kExp2F32, r), 1.0f); }

inline float exp2(float x) {
  x = bounded(x, -151.0f, 129.0f);
  Nearest<float> k = nearestOf(x, 1.0f);
  return scaleBy(exp2Near(x - k.value), k.bits);
}

/// 2^x for |x| <= 100.
inline float exp2Small(float x) {
  Nearest<float> k = nearestOf(x, 1.0f);
  return fromBits<float>(bitsOf(exp2Near(x - k.value)) + (k.bits << 23));
}

/// x = 2^exponent (1 + f), |f| < 0.42.
struct LogParts {
  float exponent, f;
};
/// x positive and finite.
inline LogParts logParts(float x) {
  constexpr uint32_t kRootHalf = 0x3f3504f3; // bits of sqrt(1/2)
  bool tiny = x < 0x1p-126f;
  x = tiny ? x * 0x1p23f : x;
  uint32_t bits = bitsOf(x);
  int32_t exponent = static_cast<int32_t>(bits - kRootHalf) >> 23;
  float f = fromBits<float>(bits - (static_cast<uint32_t>(exponent) << 23)) - 1;
  return {static_cast<float>(tiny ? exponent - 23 : exponent), f};
}

inline float log(float x) {
  LogParts l = logParts(x);
  float square = l.f * l.f;
  float rest = fusedMulAdd(l.f, horner(polynomials::kLogF32, l.f), -0.5f);
  float small = fusedMulAdd(square, rest, l.exponent * kLn2Low);
  float r = fusedMulAdd(l.exponent, kLn2, l.f + small);
  return logSpecial(x, r);
}

inline float log2(float x) {
  LogParts l = logParts(x);
  float rest = fusedMulAdd(l.f, horner(polynomials::kLog2F32, l.f), kLog2ELow);
  // Exactly exponent + f log2(e) as high + lost; the exponent is 0 or the larger term.
  float term = l.f * kLog2E, termLow = fusedMulAdd(l.f, kLog2E, -term);
  float high = l.exponent + term;
  float lost = ((l.exponent - high) + term) + termLow;
  float r = high + fusedMulAdd(l.f, rest, lost);
  return logSpecial(x, r);
}

/// Up to 0.625 by a polynomial, then 1 - 2 / (exp(2|x|) + 1).
inline float tanh(float x) {
  float a = absolute(x);
  float square = x * x;
  float near = fusedMulAdd(square * a, horner(polynomials::kTanhF32, square), a);
  float e = exp2Small((a > 10.0f ? 10.0f : a) * (2 * kLog2E));
  float far = 1 - 2 / (e + 1);
  return withSign(a >= 0.625f ? far : near, x);
}

/// Up to 1 by a polynomial, then 1 - 2^P(|x|).
inline float erf(float x) {
  float a = absolute(x);
  float square = x * x;
  float near = fusedMulAdd(a, horner(polynomials::kErfF32, square), a);
  float far = 1 - exp2Small(horner(polynomials::kErfTailF32, a > 4.0f ? 4.0f : a));
  return withSign(a >= 1 ? far : near, x);
}

//===----------------------------------------------------------------------===//
// Through f64
//===----------------------------------------------------------------------===//

#define ANNEAL_THROUGH_F64(name)                                                                   \
  inline float name(float x) { return static_cast<float>(math64::name(static_cast<double>(x))); }
ANNEAL_THROUGH_F64(expM1)
ANNEAL_THROUGH_F64(log1p)
ANNEAL_THROUGH_F64(log10)
ANNEAL_THROUGH_F64(sinh)
ANNEAL_THROUGH_F64(cosh)
ANNEAL_THROUGH_F64(sin)
ANNEAL_THROUGH_F64(cos)
ANNEAL_THROUGH_F64(tan)
#undef ANNEAL_THROUGH_F64

/// x less a multiple of pi/2 for any finite x of at least 2^26: the product of the mantissa with
/// those 128 bits of 2/pi that decide the result (Payne and Hanek).
inline math64::Angle reduceLarge(float x) {
  constexpr uint64_t twoOverPi[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                    0xfe5163abdebbc561};
  __extension__ typedef unsigned __int128 UInt128;
  __extension__ typedef __int128 Int128;
  uint32_t mantissa = (bitsOf(x) & kMantissaMask<float>) | 0x800000;
  // |x| = mantissa 2^exponent; bits of 2/pi above weight 2^(1 - exponent) give multiples of 4.
  unsigned exponent = (magnitude(x) >> 23) - 150;
  unsigned skip = exponent - 2, word = skip / 64, shift = skip % 64;
  UInt128 window = (static_cast<UInt128>(twoOverPi[word]) << 64) | twoOverPi[word + 1];
  if (shift)
    window = (window << shift) | (twoOverPi[word + 2] >> (64 - shift));
  // In units of 2^-126, modulo 4.
  UInt128 product = window * mantissa;
  uint64_t quadrant = static_cast<uint64_t>((product + (static_cast<UInt128>(1) << 125)) >> 126);
  Int128 fraction = static_cast<Int128>(product - (static_cast<UInt128>(quadrant) << 126));
  double angle = static_cast<double>(fraction) * (math64::kHalfPi * 0x1p-126);
  bool negative = (bitsOf(x) & kSignBit<float>) != 0;
  return {negative ? -angle : angle, 0, negative ? uint64_t(0) - quadrant : quadrant};
}

/// asin(a) for 0 <= a <= 1/2.
inline double asinNear(double a) {
  double z = a * a;
  return fusedMulAdd(z * a, horner(polynomials::kAsin, z), a);
}

inline float asin(float x) {
  double a = absolute(x);
  bool near = a <= 0.5;
  double argument = near ? a : Sqrt::apply((1 - a) * 0.5);
  double r = asinNear(argument);
  return withSign(static_cast<float>(near ? r : math64::kHalfPi - 2 * r), x);
}

inline float acos(float x) {
  double a = absolute(x);
  bool near = a <= 0.5;
  double r = asinNear(near ? a : Sqrt::apply((1 - a) * 0.5));
  double positive = near ? math64::kHalfPi - r : 2 * r;
  return static_cast<float>(x < 0 ? math64::kPi - positive : positive);
}

/// The angle of (x, y) in the first quadrant, for x, y >= 0.
inline double angleOf(double y, double x) {
  bool steep = y > x;
  double t = (steep ? x : y) / (steep ? y : x);
  double z = t * t;
  double r = fusedMulAdd(z * t, horner(polynomials::kAtan, z), t);
  return steep ? math64::kHalfPi - r : r;
}

inline float atan(float x) {
  return withSign(static_cast<float>(angleOf(absolute(static_cast<double>(x)), 1)), x);
}

inline float atan2(float y, float x) {
  // In f64 throughout, as conditions on one type and choices in another vectorise badly. Of
  // infinite coordinates only which of them are infinite counts.
  double dx = x, dy = y, ax = absolute(dx), ay = absolute(dy);
  double onlyX = ax == kInfinity<double> ? 1.0 : 0.0, onlyY = ay == kInfinity<double> ? 1.0 : 0.0;
  bool infinite = onlyX + onlyY > 0;
  ax = infinite ? onlyX : ax;
  ay = infinite ? onlyY : ay;
  // The angle of (0, 0) is that of (1, 0).
  ax = ax + ay == 0 ? 1.0 : ax;
  double r = angleOf(ay, ax);
  r = static_cast<int64_t>(bitsOf(dx)) < 0 ? math64::kPi - r : r;
  float rounded = withSign(static_cast<float>(r), y);
  return x != x ? x : y != y ? y : rounded;
}

inline float asinh(float x) {
  double a = absolute(x), square = a * a;
  double r = math64::log1p(a + square / (1 + Sqrt::apply(1 + square)));
  return magnitude(x) < kInfBits<float> ? withSign(static_cast<float>(r), x) : x;
}

inline float acosh(float x) {
  double t = static_cast<double>(x) - 1;
  float r = static_cast<float>(math64::log1p(t + Sqrt::apply(t * (t + 2))));
  return x < 1 ? kNaN<float> : r;
}

inline float atanh(float x) {
  double a = absolute(x);
  return withSign(static_cast<float>(0.5 * math64::log1p(2 * a / (1 - a))), x);
}

inline float cbrt(float x) {
  bool tiny = absolute(x) < 0x1p-126f;
  float a = absolute(tiny ? x * 0x1p24f : x);
  // A third of the exponent, within 4 %; each step of Halley's cubes the error.
  double y = fromBits<float>(bitsOf(a) / 3 + 0x2a5119f2), target = a;
  for (int step = 0; step < 2; ++step) {
    double cube = y * y * y;
    y = y * ((cube + 2 * target) / (2 * cube + target));
  }
  y = tiny ? y * 0x1p-8 : y;
  return withSign(a > 0 && a < kInfinity<float> ? static_cast<float>(y) : x, x);
}

/// erfc(x) = exp(-x^2) P((|x| - 3) / (|x| + 3)), less from 2 for negative x.
inline float erfc(float x) {
  double a = absolute(x);
  a = a > 10.1 ? 10.1 : a;
  double p = horner(polynomials::kErfcx, (a - 3) / (a + 3));
  double r = math64::exp(-a * a) * p;
  return static_cast<float>(x < 0 ? 2 - r : r);
}

/// y is an integer, an odd integer.
inline bool isWhole(float y) { return Trunc::apply(y) == y; }
inline bool isOdd(float y) { return isWhole(y) & !isWhole(y * 0.5f); }

inline float pow(float x, float y) {
  // Of the absolute value, then the sign.
  double a = absolute(x);
  math64::LogParts l = math64::logParts(a);
  double log = fusedMulAdd(l.f - (l.halfSquare - l.tail), math64::kLog2E, l.exponent);
  float r = static_cast<float>(math64::exp2(y * logSpecial(a, log)));
  bool negative = static_cast<int32_t>(bitsOf(x)) < 0;
  bool undefined = (x < 0) & (x > -kInfinity<float>)&!isWhole(y);
  r = negative & isOdd(y) ? -r : r;
  r = undefined ? kNaN<float> : r;
  // 1 to any power and anything to the power of 0, even NaN; -1 to an infinite power.
  bool infiniteOfOne = (x == -1) & (magnitude(y) == kInfBits<float>);
  return (x == 1) | (y == 0) | infiniteOfOne ? 1.0f : r;
}

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE::math32

#endif // ANNEAL_LIB_RUNTIME_KERNELS_STRIP_SCALARMATH32_H
