//===- HalfFloat.h - f16 and bf16 as numbers ---------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_HALFFLOAT_H
#define ANNEAL_SUPPORT_HALFFLOAT_H

#include <cstdint>

namespace anneal {

/// Value of the IEEE half-precision number with these bits.
float halfToFloat(uint16_t bits);
/// Bits of the half-precision number nearest to `value`, ties to even.
uint16_t floatToHalf(float value);
/// The same, from double precision with one rounding.
uint16_t doubleToHalf(double value);

/// Value of the bfloat16 number with these bits.
float bfloatToFloat(uint16_t bits);
/// Bits of the bfloat16 number nearest to `value`, ties to even; NaN stays NaN.
uint16_t floatToBfloat(float value);

} // namespace anneal

#endif // ANNEAL_SUPPORT_HALFFLOAT_H
