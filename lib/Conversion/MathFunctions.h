//===- MathFunctions.h - Parts that functions of floats share ---*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter's scalar functions (lib/Runtime/Kernels/Strip/ScalarMath64.h), step by step.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_MATHFUNCTIONS_H
#define ANNEAL_LIB_CONVERSION_MATHFUNCTIONS_H

#include "MathBuilder.h"

namespace anneal {

/// The integer nearest to a float, as a float and in the low bits of `bits`.
struct NearestInteger {
  mlir::Value value, bits;
};
/// Of x * scale.
NearestInteger nearestOf(MathBuilder &m, mlir::Value x, double scale);
/// x * 2^k, where `bits` are those that nearestOf gave for k.
mlir::Value scaleBy(MathBuilder &m, mlir::Value x, mlir::Value bits);
/// x within the bounds; NaN stays.
mlir::Value bounded(MathBuilder &m, mlir::Value x, double low, double high);
/// What a logarithm is at x where x is not positive and finite, else r.
mlir::Value logSpecial(MathBuilder &m, mlir::Value x, mlir::Value r);

/// Of f64 values.
namespace math64 {
mlir::Value exp(MathBuilder &m, mlir::Value x);
mlir::Value exp2(MathBuilder &m, mlir::Value x);
mlir::Value expM1(MathBuilder &m, mlir::Value x);
mlir::Value log(MathBuilder &m, mlir::Value x);
mlir::Value log1p(MathBuilder &m, mlir::Value x);
mlir::Value log2(MathBuilder &m, mlir::Value x);
mlir::Value log10(MathBuilder &m, mlir::Value x);
mlir::Value tanh(MathBuilder &m, mlir::Value x);
mlir::Value sinh(MathBuilder &m, mlir::Value x);
mlir::Value cosh(MathBuilder &m, mlir::Value x);

inline constexpr double kLog2E = 0x1.71547652b82fep+0, kLog2ELow = 0x1.777d0ffda0d24p-56;
inline constexpr double kPi = 0x1.921fb54442d18p+1, kHalfPi = 0x1.921fb54442d18p+0;

/// log(x) = exponent ln(2) + log(1 + f), log(1 + f) = f - (halfSquare - tail).
struct LogParts {
  mlir::Value exponent, f, halfSquare, tail;
};
/// x positive and finite.
LogParts logParts(MathBuilder &m, mlir::Value x);
} // namespace math64

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_MATHFUNCTIONS_H
