//===- HalfFloat.cpp - f16 and bf16 as numbers ----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/HalfFloat.h"

#include <bit>

namespace anneal {

float halfToFloat(uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

uint16_t floatToHalf(float value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); }

uint16_t doubleToHalf(double value) {
  return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
}

float bfloatToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t floatToBfloat(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1)) >> 16);
}

} // namespace anneal
