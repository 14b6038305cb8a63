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

/// x * x, which is what PowI calculates for 2.
struct Square {
  template <class T> static T apply(T x) { return x * x; }
};

/// The same with one exponent for all: bit by bit for a block of elements, so that each step is a
/// vector operation.
template <class T, class E> void powUniform(const StripArgs &s) {
  constexpr size_t block = 64 / sizeof(T) * 2;
  E exponent = *static_cast<const E *>(s.b);
  if (exponent == 2)
    return mapUnary<Square, T, T>(s);
  const T *a = static_cast<const T *>(s.a);
  T *d = static_cast<T *>(s.dst);
  alignas(64) T base[block], result[block];
  for (size_t i = 0; i < s.n; i += block) {
    size_t count = s.n - i < block ? s.n - i : block;
    fill(base, T(1), block);
    fill(result, T(1), block);
    memcpy(base, a + i, count * sizeof(T));
    for (uint64_t n = sizeOfExponent(exponent); n != 0; n >>= 1) {
      if (n & 1)
        for (size_t j = 0; j < block; ++j)
          result[j] *= base[j];
      for (size_t j = 0; j < block; ++j)
        base[j] *= base[j];
    }
    if (exponent < 0)
      for (size_t j = 0; j < block; ++j)
        result[j] = T(1) / result[j];
    memcpy(d + i, result, count * sizeof(T));
  }
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
