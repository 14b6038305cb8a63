//===- ScalarFloat.h - Float operations on single values --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Float operations of Opcodes.def other than transcendental functions, on float and double,
// branch-free.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_STRIP_SCALARFLOAT_H
#define ANNEAL_LIB_RUNTIME_KERNELS_STRIP_SCALARFLOAT_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {

/// Unsigned integer as wide as the float T, and what its parts are.
template <class T> using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
template <class T> inline constexpr unsigned kMantissaBits = sizeof(T) == 4 ? 23 : 52;
template <class T> inline constexpr Bits<T> kSignBit = Bits<T>(1) << (sizeof(T) * 8 - 1);
template <class T> inline constexpr Bits<T> kMantissaMask = (Bits<T>(1) << kMantissaBits<T>)-1;
/// Bits of infinity: the exponent field alone.
template <class T> inline constexpr Bits<T> kInfBits = kSignBit<T> - 1 - kMantissaMask<T>;

template <class T> inline Bits<T> bitsOf(T x) { return __builtin_bit_cast(Bits<T>, x); }
template <class T> inline T fromBits(Bits<T> bits) { return __builtin_bit_cast(T, bits); }
template <class T> inline Bits<T> magnitude(T x) { return bitsOf(x) & ~kSignBit<T>; }
template <class T> inline T absolute(T x) { return fromBits<T>(magnitude(x)); }
/// |x| with the sign of s.
template <class T> inline T withSign(T x, T s) {
  return fromBits<T>(magnitude(x) | (bitsOf(s) & kSignBit<T>));
}

/// a * b + c with one rounding.
inline double fusedMulAdd(double a, double b, double c) { return __builtin_fma(a, b, c); }
#if ANNEAL_ISA >= 1
inline float fusedMulAdd(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
#else
/// Without the instruction: the product is exact in f64. Only where its sum with c, in f64, lies
/// half-way between two f32 numbers or is denormal in f32 does it matter that the sum was rounded.
inline float fusedMulAdd(float a, float b, float c) {
  double product = static_cast<double>(a) * static_cast<double>(b), addend = c;
  double sum = product + addend;
  uint64_t bits = bitsOf(sum);
  constexpr uint64_t dropped = 0x1fffffff, halfWay = 0x10000000;
  if (__builtin_expect((bits & dropped) == halfWay || absolute(sum) < 0x1p-126, false)) {
    // What the sum lacks, exactly (two-sum). Rounded to odd, on the side of the true value, it
    // gives what one rounding would have given.
    double part = sum - product;
    double error = (product - (sum - part)) + (addend - part);
    bool outward = (error > 0) == (sum > 0);
    if (error != 0 && (bits & 1) == 0)
      bits = outward ? bits + 1 : bits - 1;
  }
  return static_cast<float>(fromBits<double>(bits));
}
#endif

#define ANNEAL_FLOAT_BINARY(Name, Expression)                                                      \
  struct Name {                                                                                    \
    template <class T> static T apply(T a, T b) { return Expression; }                             \
  }
ANNEAL_FLOAT_BINARY(AddF, a + b);
ANNEAL_FLOAT_BINARY(SubF, a - b);
ANNEAL_FLOAT_BINARY(MulF, a *b);
ANNEAL_FLOAT_BINARY(DivF, a / b);
ANNEAL_FLOAT_BINARY(CopySign, withSign(a, b));
#undef ANNEAL_FLOAT_BINARY

// Equal values differ in the sign of zero at most, which "and" clears and "or" sets.
template <class T> inline T equalMax(T a, T b) { return fromBits<T>(bitsOf(a) & bitsOf(b)); }
template <class T> inline T equalMin(T a, T b) { return fromBits<T>(bitsOf(a) | bitsOf(b)); }

struct MaximumF {
  template <class T> static T apply(T a, T b) {
    T r = a > b ? a : b; // b if either is NaN
    r = a == b ? equalMax(a, b) : r;
    return a != a ? a : r;
  }
  /// The same for a b that is no NaN, in fewer steps: +0 wins over an equal a, -0 loses.
  template <class T> static T withPositive(T a, T b) { return a <= b ? b : a; }
  template <class T> static T withNegative(T a, T b) { return a < b ? b : a; }
};
struct MinimumF {
  template <class T> static T apply(T a, T b) {
    T r = a < b ? a : b;
    r = a == b ? equalMin(a, b) : r;
    return a != a ? a : r;
  }
  template <class T> static T withPositive(T a, T b) { return a > b ? b : a; }
  template <class T> static T withNegative(T a, T b) { return a >= b ? b : a; }
};
struct MaxNumF {
  template <class T> static T apply(T a, T b) {
    T r = a > b ? a : b; // b if either is NaN
    r = a == b ? equalMax(a, b) : r;
    return b != b ? a : r;
  }
};
struct MinNumF {
  template <class T> static T apply(T a, T b) {
    T r = a < b ? a : b;
    r = a == b ? equalMin(a, b) : r;
    return b != b ? a : r;
  }
};

struct NegF {
  template <class T> static T apply(T a) { return fromBits<T>(bitsOf(a) ^ kSignBit<T>); }
};
struct AbsF {
  template <class T> static T apply(T a) { return absolute(a); }
};
struct Sqrt {
  static float apply(float a) { return __builtin_sqrtf(a); }
  static double apply(double a) { return __builtin_sqrt(a); }
};
struct Rsqrt {
  template <class T> static T apply(T a) { return T(1) / Sqrt::apply(a); }
};

/// Integers in f32 and f64 that are large enough to have no fraction.
template <class T> inline constexpr T kNoFraction = T(Bits<T>(1) << kMantissaBits<T>);

/// The integer next to a towards zero.
#if ANNEAL_ISA >= 1
inline float truncated(float a) { return __builtin_truncf(a); }
inline double truncated(double a) { return __builtin_trunc(a); }
#else
template <class T> inline T truncated(T a) {
  // Adding 2^mantissa rounds to an integer; one too many is taken off again.
  T x = absolute(a);
  T rounded = (x + kNoFraction<T>)-kNoFraction<T>;
  rounded = rounded > x ? rounded - T(1) : rounded;
  return withSign(x < kNoFraction<T> ? rounded : x, a);
}
#endif

struct Trunc {
  template <class T> static T apply(T a) { return truncated(a); }
};
struct Floor {
  template <class T> static T apply(T a) {
    T t = Trunc::apply(a);
    return t > a ? t - T(1) : t;
  }
};
struct Ceil {
  template <class T> static T apply(T a) {
    T t = Trunc::apply(a);
    return withSign(t < a ? t + T(1) : t, a);
  }
};
/// To the nearest, halves away from zero.
struct Round {
  template <class T> static T apply(T a) {
    T t = Trunc::apply(a);
    T up = absolute(t) + T(1);
    return withSign(absolute(a - t) >= T(0.5) ? up : t, a);
  }
};
/// To the nearest, halves to even.
struct RoundEven {
  template <class T> static T apply(T a) {
    T x = absolute(a);
    T rounded = (x + kNoFraction<T>)-kNoFraction<T>;
    return withSign(x < kNoFraction<T> ? rounded : a, a);
  }
};

struct Fma {
  template <class T> static T apply(T a, T b, T c) { return fusedMulAdd(a, b, c); }
};
struct ClampF {
  template <class T> static T apply(T a, T b, T c) {
    return MinimumF::apply(MaximumF::apply(a, b), c);
  }
};

#define ANNEAL_FLOAT_TEST(Name, Expression)                                                        \
  struct Name {                                                                                    \
    template <class T> static uint8_t apply(T a) { return Expression; }                            \
  }
ANNEAL_FLOAT_TEST(IsFinite, magnitude(a) < kInfBits<T>);
ANNEAL_FLOAT_TEST(IsInf, magnitude(a) == kInfBits<T>);
ANNEAL_FLOAT_TEST(IsNaN, magnitude(a) > kInfBits<T>);
ANNEAL_FLOAT_TEST(IsNormal,
                  magnitude(a) - kMantissaMask<T> - 1 < kInfBits<T> - kMantissaMask<T> - 1);
#undef ANNEAL_FLOAT_TEST

#define ANNEAL_FLOAT_COMPARE(Name, Expression)                                                     \
  struct Name {                                                                                    \
    template <class T> static uint8_t apply(T a, T b) { return Expression; }                       \
  }
ANNEAL_FLOAT_COMPARE(CmpFOeq, a == b);
ANNEAL_FLOAT_COMPARE(CmpFOlt, a < b);
ANNEAL_FLOAT_COMPARE(CmpFOle, a <= b);
ANNEAL_FLOAT_COMPARE(CmpFOne, __builtin_islessgreater(a, b));
ANNEAL_FLOAT_COMPARE(CmpFOrd, !__builtin_isunordered(a, b));
ANNEAL_FLOAT_COMPARE(CmpFUeq, !__builtin_islessgreater(a, b));
ANNEAL_FLOAT_COMPARE(CmpFUlt, !(a >= b));
ANNEAL_FLOAT_COMPARE(CmpFUle, !(a > b));
ANNEAL_FLOAT_COMPARE(CmpFUne, a != b);
ANNEAL_FLOAT_COMPARE(CmpFUno, __builtin_isunordered(a, b));
#undef ANNEAL_FLOAT_COMPARE

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE

#endif // ANNEAL_LIB_RUNTIME_KERNELS_STRIP_SCALARFLOAT_H
