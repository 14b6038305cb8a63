//===- ScalarInt.h - Integer operations on single values --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The integer operations of Opcodes.def. `T` is an unsigned type of 8 to 64 bits; operations on
// signed values reinterpret it. Every operation is defined for all operands.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_STRIP_SCALARINT_H
#define ANNEAL_LIB_RUNTIME_KERNELS_STRIP_SCALARINT_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {

template <class T> using Signed = std::make_signed_t<T>;
/// Type to calculate in, so that small types are not promoted to signed ones.
template <class T> using Calc = std::conditional_t<sizeof(T) < 4, uint32_t, T>;
/// Type of twice the width.
__extension__ typedef unsigned __int128 UInt128;
__extension__ typedef __int128 Int128;
template <class T>
using Double =
    std::conditional_t<sizeof(T) == 1, uint16_t,
                       std::conditional_t<sizeof(T) == 2, uint32_t,
                                          std::conditional_t<sizeof(T) == 4, uint64_t, UInt128>>>;

template <class T> inline constexpr unsigned kBits = sizeof(T) * 8;
template <class T> inline constexpr T kAllOnes = static_cast<T>(~T(0));

#define ANNEAL_INT_BINARY(Name, Expression)                                                        \
  struct Name {                                                                                    \
    template <class T> static T apply(T a, T b) { return static_cast<T>(Expression); }             \
  }
ANNEAL_INT_BINARY(AddI, Calc<T>(a) + Calc<T>(b));
ANNEAL_INT_BINARY(SubI, Calc<T>(a) - Calc<T>(b));
ANNEAL_INT_BINARY(MulI, Calc<T>(a) * Calc<T>(b));
ANNEAL_INT_BINARY(AndI, a &b);
ANNEAL_INT_BINARY(OrI, a | b);
ANNEAL_INT_BINARY(XOrI, a ^ b);
ANNEAL_INT_BINARY(MaxUI, a > b ? a : b);
ANNEAL_INT_BINARY(MinUI, a < b ? a : b);
ANNEAL_INT_BINARY(MaxSI, Signed<T>(a) > Signed<T>(b) ? a : b);
ANNEAL_INT_BINARY(MinSI, Signed<T>(a) < Signed<T>(b) ? a : b);
ANNEAL_INT_BINARY(ShLI, b < kBits<T> ? T(Calc<T>(a) << (b & (kBits<T> - 1))) : T(0));
ANNEAL_INT_BINARY(ShRUI, b < kBits<T> ? T(a >> (b & (kBits<T> - 1))) : T(0));
ANNEAL_INT_BINARY(ShRSI, T(Signed<T>(a) >> (b < kBits<T> ? b : T(kBits<T> - 1))));
#undef ANNEAL_INT_BINARY

/// The magnitude of a signed value; the most negative one stays as it is.
template <class T> inline T absoluteInt(T a) {
  return Signed<T>(a) < 0 ? static_cast<T>(Calc<T>(0) - Calc<T>(a)) : a;
}

/// a to the power of the signed b, modulo 2^width. A negative power is 1/a^-b as a division: 1 or
/// -1 of these, all ones of 0, else 0.
struct IPowI {
  template <class T> static T apply(T a, T b) {
    if (Signed<T>(b) < 0) {
      T odd = b & 1 ? a : T(1);
      return a == 0 ? kAllOnes<T> : a == 1 || a == kAllOnes<T> ? odd : T(0);
    }
    Calc<T> result = 1;
    for (Calc<T> base = a; b != 0; b >>= 1, base *= base)
      result *= b & 1 ? base : Calc<T>(1);
    return static_cast<T>(result);
  }
};

struct AbsI {
  template <class T> static T apply(T a) { return absoluteInt(a); }
};
/// Number of bits that are 1.
struct CtPop {
  template <class T> static T apply(T a) {
    // Counts in fields of 2, 4, 8 bits, then all fields summed by a multiplication into the top
    // one.
    using C = Calc<T>;
    C x = a;
    x = x - ((x >> 1) & C(0x5555555555555555));
    x = (x & C(0x3333333333333333)) + ((x >> 2) & C(0x3333333333333333));
    x = (x + (x >> 4)) & C(0x0f0f0f0f0f0f0f0f);
    return static_cast<T>(static_cast<C>(x * C(0x0101010101010101)) >> (kBits<C> - 8));
  }
};
/// Zeros above the highest 1; the width for 0.
struct CtLz {
  template <class T> static T apply(T a) {
    Calc<T> x = a;
    for (unsigned shift = 1; shift < kBits<T>; shift *= 2)
      x |= x >> shift;
    return static_cast<T>(kBits<T> - CtPop::apply(static_cast<T>(x)));
  }
};
/// Zeros below the lowest 1; the width for 0.
struct CtTz {
  template <class T> static T apply(T a) {
    return CtPop::apply(static_cast<T>(~Calc<T>(a) & (Calc<T>(a) - 1)));
  }
};

// Two results.
struct AddUIExtended {
  template <class T> static void apply(T a, T b, T &sum, uint8_t &carry) {
    sum = AddI::apply(a, b);
    carry = sum < a;
  }
};
struct SubUIExtended {
  template <class T> static void apply(T a, T b, T &difference, uint8_t &borrow) {
    difference = SubI::apply(a, b);
    borrow = a < b;
  }
};
struct MulUIExtended {
  template <class T> static void apply(T a, T b, T &low, T &high) {
    using Wide = Calc<Double<T>>;
    Wide product = Wide(a) * Wide(b);
    low = static_cast<T>(product);
    high = static_cast<T>(product >> kBits<T>);
  }
};
struct MulSIExtended {
  template <class T> static void apply(T a, T b, T &low, T &high) {
    // The high half of the unsigned product, less what the sign bits added to it.
    MulUIExtended::apply(a, b, low, high);
    T correction = static_cast<T>((Signed<T>(a) < 0 ? b : T(0)) + (Signed<T>(b) < 0 ? a : T(0)));
    high = static_cast<T>(high - correction);
  }
};

#define ANNEAL_INT_COMPARE(Name, Expression)                                                       \
  struct Name {                                                                                    \
    template <class T> static uint8_t apply(T a, T b) { return Expression; }                       \
  }
ANNEAL_INT_COMPARE(CmpIEq, a == b);
ANNEAL_INT_COMPARE(CmpINe, a != b);
ANNEAL_INT_COMPARE(CmpIUlt, a < b);
ANNEAL_INT_COMPARE(CmpIUle, a <= b);
ANNEAL_INT_COMPARE(CmpISlt, Signed<T>(a) < Signed<T>(b));
ANNEAL_INT_COMPARE(CmpISle, Signed<T>(a) <= Signed<T>(b));
#undef ANNEAL_INT_COMPARE

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE

#endif // ANNEAL_LIB_RUNTIME_KERNELS_STRIP_SCALARINT_H
