//===- Half.h - f16 and bf16 rows to f32 and back ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions by bit arithmetic where the instruction set has none. Widening is exact, narrowing
// rounds to nearest even; a NaN stays a NaN.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_HALF_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_HALF_H

#include "Vec.h"

namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE {

ANNEAL_ALWAYS_INLINE inline float floatFromBits(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, 4);
  return value;
}

ANNEAL_ALWAYS_INLINE inline uint32_t bitsOfFloat(float value) {
  uint32_t bits;
  __builtin_memcpy(&bits, &value, 4);
  return bits;
}

ANNEAL_ALWAYS_INLINE inline float bfloatToFloat(uint16_t bits) {
  return floatFromBits(static_cast<uint32_t>(bits) << 16);
}

ANNEAL_ALWAYS_INLINE inline uint16_t floatToBFloat(float value) {
  const uint32_t bits = bitsOfFloat(value);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
  return static_cast<uint16_t>(isNaN ? (bits >> 16) | 0x40 : rounded);
}

#if ANNEAL_ISA > 0

ANNEAL_ALWAYS_INLINE inline float halfToFloat(uint16_t bits) { return _cvtsh_ss(bits); }

ANNEAL_ALWAYS_INLINE inline uint16_t floatToHalf(float value) {
  return static_cast<uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT));
}

#else

ANNEAL_ALWAYS_INLINE inline float halfToFloat(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent == 31)
    return floatFromBits(sign | 0x7f800000 | (fraction ? 0x400000 | fraction << 13 : 0));
  if (exponent != 0)
    return floatFromBits(sign | (exponent + 112) << 23 | fraction << 13);
  // Zero or denormal: fraction units of 2^-24, exact in f32.
  const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
  return floatFromBits(sign | bitsOfFloat(magnitude));
}

ANNEAL_ALWAYS_INLINE inline uint16_t floatToHalf(float value) {
  const uint32_t bits = bitsOfFloat(value), magnitude = bits & 0x7fffffff;
  const uint32_t sign = (bits >> 16) & 0x8000;
  if (magnitude > 0x7f800000)
    return static_cast<uint16_t>(sign | 0x7e00 | ((bits >> 13) & 1023));
  if (magnitude >= 0x47800000) // 2^16 and above
    return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x38800000) {
    // Denormal result: adding 0.5 aligns the units of 2^-24 with the last bit of the sum and
    // rounds.
    const float sum = floatFromBits(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (bitsOfFloat(sum) - 0x3f000000));
  }
  const uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13));
}

#endif

} // namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_HALF_H
