//===- Division.h - Integer division on single values -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Division and remainder as Opcodes.def defines them, for all operands: nothing traps. `T` is an
// unsigned type of 8 to 64 bits.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_STRIP_DIVISION_H
#define ANNEAL_LIB_RUNTIME_KERNELS_STRIP_DIVISION_H

#include "ScalarFloat.h"
#include "ScalarInt.h"

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {

/// Truncated quotients by b, which is not 0 (and, if signed, not -1). Up to 32 bits through a float
/// type in which they are exact once truncated, so that they can be vectorised.
template <class T> inline T quotientUnsigned(T a, T b) {
  if constexpr (sizeof(T) < 4)
    return static_cast<T>(static_cast<int32_t>(static_cast<float>(a) / static_cast<float>(b)));
  else if constexpr (sizeof(T) == 4)
    return static_cast<T>(static_cast<int64_t>(static_cast<double>(a) / static_cast<double>(b)));
  else
    return a / b;
}
template <class T> inline T quotientSigned(T a, T b) {
  using F = std::conditional_t<sizeof(T) < 4, float, double>;
  if constexpr (sizeof(T) <= 4)
    return static_cast<T>(
        static_cast<int32_t>(static_cast<F>(Signed<T>(a)) / static_cast<F>(Signed<T>(b))));
  else
    return static_cast<T>(Signed<T>(a) / Signed<T>(b));
}

template <class T> inline T remainderFrom(T a, T b, T quotient) {
  return static_cast<T>(Calc<T>(a) - Calc<T>(quotient) * Calc<T>(b));
}

// The operations, by what they make of the truncated quotient (all ones where b is 0).
struct DivUI {
  static constexpr bool kSigned = false;
  template <class T> static T finish(T, T, T quotient) { return quotient; }
};
struct DivSI {
  static constexpr bool kSigned = true;
  template <class T> static T finish(T, T, T quotient) { return quotient; }
};
struct RemUI {
  static constexpr bool kSigned = false;
  template <class T> static T finish(T a, T b, T quotient) { return remainderFrom(a, b, quotient); }
};
struct RemSI {
  static constexpr bool kSigned = true;
  template <class T> static T finish(T a, T b, T quotient) { return remainderFrom(a, b, quotient); }
};
struct CeilDivUI {
  static constexpr bool kSigned = false;
  template <class T> static T finish(T a, T b, T quotient) {
    bool up = (b != 0) & (remainderFrom(a, b, quotient) != 0);
    return static_cast<T>(quotient + T(up));
  }
};
struct CeilDivSI {
  static constexpr bool kSigned = true;
  template <class T> static T finish(T a, T b, T quotient) {
    bool up = (b != 0) & (remainderFrom(a, b, quotient) != 0) & (Signed<T>(a ^ b) >= 0);
    return static_cast<T>(quotient + T(up));
  }
};
struct FloorDivSI {
  static constexpr bool kSigned = true;
  template <class T> static T finish(T a, T b, T quotient) {
    bool down = (b != 0) & (remainderFrom(a, b, quotient) != 0) & (Signed<T>(a ^ b) < 0);
    return static_cast<T>(quotient - T(down));
  }
};

/// An operation on any operands.
template <class Op> struct Division {
  template <class T> static T apply(T a, T b) {
    bool special = (b == 0) | (Op::kSigned & (b == kAllOnes<T>));
    T divisor = special ? T(1) : b, quotient;
    if constexpr (Op::kSigned)
      quotient = quotientSigned(a, divisor);
    else
      quotient = quotientUnsigned(a, divisor);
    T negated = static_cast<T>(Calc<T>(0) - Calc<T>(a));
    quotient = special ? negated : quotient; // by -1
    return Op::finish(a, b, b == 0 ? kAllOnes<T> : quotient);
  }
};

/// An operation on 64-bit operands of less than 50 bits, as indices are: through f64, vectorised.
/// Others are hard (see mapChecked2).
template <class Op> struct SmallDivision {
  static unsigned isHard(uint64_t a, uint64_t b) {
    return ((Op::kSigned ? absoluteInt(a) | absoluteInt(b) : a | b) >> 50) != 0;
  }
  static uint64_t apply(uint64_t a, uint64_t b) {
    double quotient = truncated(toFloat(a) / toFloat(b == 0 ? 1 : b));
    return Op::finish(a, b, b == 0 ? kAllOnes<uint64_t> : toInt(quotient));
  }
  static uint64_t slow(uint64_t a, uint64_t b) { return Division<Op>::apply(a, b); }

private:
  /// Added to an integer, the bits of a float that is larger by this.
  static constexpr double kOffset = 0x1.8p52;
  static double toFloat(uint64_t a) { return fromBits<double>(a + bitsOf(kOffset)) - kOffset; }
  static uint64_t toInt(double x) { return bitsOf(x + kOffset) - bitsOf(kOffset); }
};

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE

#endif // ANNEAL_LIB_RUNTIME_KERNELS_STRIP_DIVISION_H
