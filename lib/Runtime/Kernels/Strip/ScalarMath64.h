//===- ScalarMath64.h - Transcendental functions in f64 ---------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Branch-free functions on single values, so that loops over them vectorise. They serve f64, and
// f32 through f64 where speed allows. docs/Numerics.md states methods and errors.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_STRIP_SCALARMATH64_H
#define ANNEAL_LIB_RUNTIME_KERNELS_STRIP_SCALARMATH64_H

#include "ScalarFloat.h"

#include "anneal/Support/MathPolynomials.h"

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {

/// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule with fused steps.
template <size_t I = 0, class T, size_t N> inline T horner(const T (&c)[N], T x) {
  if constexpr (I + 1 == N)
    return c[I];
  else
    return fusedMulAdd(horner<I + 1>(c, x), x, c[I]);
}

/// The integer nearest to a float, both as a float and in the low bits of `bits`.
template <class T> struct Nearest {
  T value;
  Bits<T> bits;
};
/// Sum with which a float of up to half the mantissa is rounded to an integer in its lowest bits.
template <class T> inline constexpr T kRounder = T(1.5) * kNoFraction<T>;
/// Of x * scale.
template <class T> inline Nearest<T> nearestOf(T x, T scale) {
  T shifted = fusedMulAdd(x, scale, kRounder<T>);
  return {shifted - kRounder<T>, bitsOf(shifted)};
}

/// x * 2^k, k in [-2 bias, 2 bias], where `bits` are those of kRounder + k: in two steps, so that
/// the result is rounded once even if it is denormal.
template <class T> inline T scaleBy(T x, Bits<T> bits) {
  constexpr Bits<T> bias = kInfBits<T> >> (kMantissaBits<T> + 1);
  Bits<T> both = bits - __builtin_bit_cast(Bits<T>, kRounder<T>) + 2 * bias;
  Bits<T> half = both >> 1;
  return x * fromBits<T>(half << kMantissaBits<T>) * fromBits<T>((both - half) << kMantissaBits<T>);
}

template <class T> inline constexpr T kInfinity = T(__builtin_inff());
template <class T> inline constexpr T kNaN = T(__builtin_nanf(""));

/// x within the bounds; NaN stays.
template <class T> inline T bounded(T x, T low, T high) {
  bool isLow = x<low, isHigh = x> high;
  x = isLow ? low : x;
  return isHigh ? high : x;
}

/// What a logarithm is at x where x is not positive and finite, else r.
template <class T> inline T logSpecial(T x, T r) {
  r = x < kInfinity<T> ? r : x; // infinity, NaN
  r = x < 0 ? kNaN<T> : r;
  return x == 0 ? -kInfinity<T> : r;
}

namespace math64 {

inline constexpr double kLog2E = 0x1.71547652b82fep+0, kLog2ELow = 0x1.777d0ffda0d24p-56;
inline constexpr double kLn2 = 0x1.62e42fefa39efp-1, kLn2Low = 0x1.abc9e3b39803fp-56;
inline constexpr double kLog10E = 0x1.bcb7b1526e50ep-2, kLog10ELow = 0x1.95355baaafad3p-57;
inline constexpr double kLog10Of2 = 0x1.34413509f79ffp-2, kLog10Of2Low = -0x1.9dc1da994fd21p-59;
inline constexpr double kPi = 0x1.921fb54442d18p+1, kHalfPi = 0x1.921fb54442d18p+0;

/// exp(x) = 2^k (1 + p).
struct ExpParts {
  Nearest<double> k;
  double p;
};
/// x in [-746, 711] or NaN.
inline ExpParts expParts(double x) {
  Nearest<double> k = nearestOf(x, kLog2E);
  double high = fusedMulAdd(k.value, -kLn2, x); // exact
  double r = fusedMulAdd(k.value, -kLn2Low, high);
  double lost = fusedMulAdd(k.value, -kLn2Low, high - r);
  return {k, fusedMulAdd(r * r, horner(polynomials::kExpF64, r), lost) + r};
}

inline double exp(double x) {
  ExpParts e = expParts(bounded(x, -746.0, 711.0));
  return scaleBy(e.p + 1, e.k.bits);
}

inline double exp2(double x) {
  x = bounded(x, -1080.0, 1025.0);
  Nearest<double> k = nearestOf(x, 1.0);
  double r = x - k.value;
  return scaleBy(fusedMulAdd(r, horner(polynomials::kExp2F64, r), 1.0), k.bits);
}

/// 2^k for |k| <= 1000, where `bits` are those of kRounder + k.
inline double powerOfTwo(uint64_t bits) { return fromBits<double>((bits + 1023) << 52); }

/// exp(x) - 1 from exp's parts; x in [-40, 709.9]. Half of it is formed first, so that nothing
/// overflows before the result.
inline double expM1FromParts(const ExpParts &e) {
  double half = powerOfTwo(e.k.bits - 1);
  double all = 2 * fusedMulAdd(half, e.p, half - 0.5);
  return e.k.value == 0 ? e.p : all;
}

inline double expM1(double x) {
  return withSign(expM1FromParts(expParts(bounded(x, -40.0, 709.9))), x);
}

/// log(x) = exponent ln(2) + log(1 + f), log(1 + f) = f - (halfSquare - tail).
struct LogParts {
  double exponent, f, halfSquare, tail;
};
/// x positive and finite.
inline LogParts logParts(double x) {
  constexpr uint64_t kRootHalf = 0x3fe6a09e667f3bcd; // bits of sqrt(1/2)
  bool tiny = x < 0x1p-1022;
  x = tiny ? x * 0x1p54 : x;
  uint64_t bits = bitsOf(x);
  uint64_t biased = bits - kRootHalf + (uint64_t(1023) << 52);
  uint64_t exponentBits = biased >> 52;
  double f = fromBits<double>(bits - (exponentBits << 52) + (uint64_t(1023) << 52)) - 1;
  double exponent = fromBits<double>(exponentBits | 0x4330000000000000) - (0x1p52 + 1023);
  double s = f / (2 + f), z = s * s;
  double halfSquare = 0.5 * f * f;
  double tail = s * fusedMulAdd(z, horner(polynomials::kLogF64, z), halfSquare);
  return {tiny ? exponent - 54 : exponent, f, halfSquare, tail};
}

/// exponent ln(2) + log(1 + f) + low.
inline double sumLog(const LogParts &l, double low) {
  double small = l.f - (l.halfSquare - (l.tail + fusedMulAdd(l.exponent, kLn2Low, low)));
  return fusedMulAdd(l.exponent, kLn2, small);
}

inline double log(double x) { return logSpecial(x, sumLog(logParts(x), 0)); }

inline double log1p(double x) {
  double u = 1 + x;
  // What the sum lost.
  double part = u - 1;
  double lost = (1 - (u - part)) + (x - part);
  double r = sumLog(logParts(u), lost / u);
  return logSpecial(u, x == 0 ? x : r);
}

/// exponent c + log(1 + f) d with c = log_b(2), d = log_b(e), each in two parts.
inline double scaledLog(const LogParts &l, double c, double cLow, double d, double dLow) {
  double high = l.f - l.halfSquare;
  double low = ((l.f - high) - l.halfSquare) + l.tail;
  double y = high * d;
  double yLow = fusedMulAdd(high, d, -y) + fusedMulAdd(high, dLow, low * d);
  double t = l.exponent * c;
  double tLow = fusedMulAdd(l.exponent, c, -t) + l.exponent * cLow;
  double sum = t + y;
  // |t| > |y| unless t is 0.
  double error = (t - sum) + y;
  return sum + (error + (yLow + tLow));
}

inline double log2(double x) {
  return logSpecial(x, scaledLog(logParts(x), 1, 0, kLog2E, kLog2ELow));
}
inline double log10(double x) {
  return logSpecial(x, scaledLog(logParts(x), kLog10Of2, kLog10Of2Low, kLog10E, kLog10ELow));
}

inline double tanh(double x) {
  double a = absolute(x);
  double t = expM1(2 * (a > 22 ? 22 : a));
  return withSign(t / (t + 2), x);
}

inline double sinh(double x) {
  double a = absolute(x);
  a = a > 711 ? 711 : a;
  ExpParts e = expParts(a);
  double m = expM1FromParts(e);
  double small = 0.5 * (m + m / (m + 1));
  return withSign(a < 22 ? small : scaleBy(e.p + 1, e.k.bits - 1), x);
}

inline double cosh(double x) {
  double a = absolute(x);
  ExpParts e = expParts(a > 711 ? 711 : a);
  double half = scaleBy(e.p + 1, e.k.bits - 1);
  return half + 0.25 / half;
}

/// An angle less a multiple of pi/2, the nearest: high + low, and the multiple in the two lowest
/// bits.
struct Angle {
  double high, low;
  uint64_t quadrant;
};
/// |x| up to which `reduce` is exact enough: far beyond it quadrants would not fit.
inline constexpr double kMaxAngle = 0x1p30;
inline Angle reduce(double x) {
  constexpr double part1 = kHalfPi, part2 = 0x1.1a62633145c07p-54, part3 = -0x1.f1976b7ed8fbcp-110;
  Nearest<double> k = nearestOf(x, 0x1.45f306dc9c883p-1);
  double first = fusedMulAdd(k.value, -part1, x); // exact
  // Less k * part2, with what its rounding and that of the difference leave.
  double product = k.value * part2;
  double productLow = fusedMulAdd(k.value, part2, -product);
  double high = first - product;
  double rest = high - first;
  double lost = (first - (high - rest)) + (-product - rest);
  double low = (lost - productLow) - k.value * part3;
  return {high, low, k.bits};
}

inline double sinNear(double high, double low) {
  double z = high * high;
  double cubic = z * high;
  double lowPart = fusedMulAdd(z, -0.5, 1.0) * low;
  return high + fusedMulAdd(cubic, horner(polynomials::kSinF64, z), lowPart);
}
inline double cosNear(double high, double low) {
  double z = high * high;
  double half = 0.5 * z;
  double w = 1 - half;
  double rest = fusedMulAdd(z * z, horner(polynomials::kCosF64, z), -high * low);
  return w + (((1 - w) - half) + rest);
}

inline double sinOf(const Angle &a, uint64_t quadrant) {
  double s = sinNear(a.high, a.low), c = cosNear(a.high, a.low);
  double r = quadrant & 1 ? c : s;
  return fromBits<double>(bitsOf(r) ^ (quadrant & 2) << 62);
}
inline double cosOf(const Angle &a) { return sinOf(a, a.quadrant + 1); }
inline double tanOf(const Angle &a) {
  double s = sinNear(a.high, a.low), c = cosNear(a.high, a.low);
  bool odd = (a.quadrant & 1) != 0;
  return (odd ? -c : s) / (odd ? s : c);
}

// |x| <= kMaxAngle, infinite (NaN) or NaN. A zero keeps its sign.
inline double sin(double x) {
  Angle a = reduce(x);
  return x == 0 ? x : sinOf(a, a.quadrant);
}
inline double cos(double x) { return cosOf(reduce(x)); }
inline double tan(double x) { return x == 0 ? x : tanOf(reduce(x)); }

} // namespace math64
} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE

#endif // ANNEAL_LIB_RUNTIME_KERNELS_STRIP_SCALARMATH64_H
