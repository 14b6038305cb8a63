//===- PowI.cpp - Floats to integer powers --------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {
namespace {

/// |exponent|.
template <class E> uint64_t sizeOfExponent(E e) {
  uint64_t wide = static_cast<uint64_t>(static_cast<int64_t>(e));
  return e < 0 ? uint64_t(0) - wide : wide;
}

/// x to the power of n by squaring, in T: for each bit of n from the lowest, result *= base if it
/// is set, base *= base. A negative power is 1 over the positive one.
struct PowI {
  template <class T, class E> static T apply(T x, E exponent) {
    T result = 1, base = x;
    for (uint64_t n = sizeOfExponent(exponent); n != 0; n >>= 1, base *= base)
      result = n & 1 ? result * base : result;
    return exponent < 0 ? T(1) / result : result;
  }
};

// What PowI calculates for small exponents.
struct Square {
  template <class T> static T apply(T x) { return x * x; }
};
struct Cube {
  template <class T> static T apply(T x) { return x * (x * x); }
};
struct FourthPower {
  template <class T> static T apply(T x) { return (x * x) * (x * x); }
};

/// One block of x to the power of n, bit by bit, so that each step is a vector operation.
template <class T> void powBlock(T *x, uint64_t n, bool isNegative) {
  alignas(64) T result[kChunk];
  fill(result, T(1), kChunk);
  for (; n != 0; n >>= 1) {
    if (n & 1)
      for (size_t j = 0; j < kChunk; ++j)
        result[j] *= x[j];
    for (size_t j = 0; j < kChunk; ++j)
      x[j] *= x[j];
  }
  for (size_t j = 0; j < kChunk; ++j)
    x[j] = isNegative ? T(1) / result[j] : result[j];
}

/// PowI with one exponent for all elements.
template <class T> void powBy(const StripArgs &s, int64_t exponent) {
  switch (exponent) {
  case 2:
    return mapUnary<Square, T, T>(s);
  case 3:
    return mapUnary<Cube, T, T>(s);
  case 4:
    return mapUnary<FourthPower, T, T>(s);
  default:
    break;
  }
  alignas(64) T x[kChunk];
  fill(x, T(1), kChunk);
  for (size_t done = 0; done < s.n; done += kChunk) {
    size_t count = s.n - done < kChunk ? s.n - done : kChunk;
    memcpy(x, static_cast<const T *>(s.a) + done, count * sizeof(T));
    powBlock(x, sizeOfExponent(exponent), exponent < 0);
    memcpy(static_cast<T *>(s.dst) + done, x, count * sizeof(T));
  }
}

template <class T, class E> void powUniform(const StripArgs &s) {
  powBy<T>(s, *static_cast<const E *>(s.b));
}

template <class T, class E> StripFn pick(unsigned mask) {
  return mask == 2
             ? powUniform<T, E>
             : pickExpanded<mapBinary<PowI, T, T, E, 0>, sizeof(T), sizeof(T), sizeof(E)>(mask);
}

template <class T> StripFn findTyped(DType exponent, unsigned mask) {
  switch (exponent) {
  case DType::I8:
    return pick<T, int8_t>(mask);
  case DType::I16:
    return pick<T, int16_t>(mask);
  case DType::I32:
    return pick<T, int32_t>(mask);
  case DType::I64:
    return pick<T, int64_t>(mask);
  default:
    return nullptr;
  }
}

} // namespace

StripFn findFPowI(DType type, DType exponent, unsigned mask) {
  return type == DType::F32   ? findTyped<float>(exponent, mask)
         : type == DType::F64 ? findTyped<double>(exponent, mask)
                              : nullptr;
}

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE
