//===- MathF32.cpp - Transcendental functions of f32 on strips ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathLoops.h"
#include "ScalarMath32.h"

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {
namespace {

#define ANNEAL_MATH_UNARY(Name, function)                                                          \
  struct Name {                                                                                    \
    static float apply(float x) { return math32::function(x); }                                    \
  }
ANNEAL_MATH_UNARY(Acos, acos);
ANNEAL_MATH_UNARY(Acosh, acosh);
ANNEAL_MATH_UNARY(Asin, asin);
ANNEAL_MATH_UNARY(Asinh, asinh);
ANNEAL_MATH_UNARY(Atan, atan);
ANNEAL_MATH_UNARY(Atanh, atanh);
ANNEAL_MATH_UNARY(Cbrt, cbrt);
ANNEAL_MATH_UNARY(Cosh, cosh);
ANNEAL_MATH_UNARY(Erf, erf);
ANNEAL_MATH_UNARY(Erfc, erfc);
ANNEAL_MATH_UNARY(Exp, exp);
ANNEAL_MATH_UNARY(Exp2, exp2);
ANNEAL_MATH_UNARY(ExpM1, expM1);
ANNEAL_MATH_UNARY(Log, log);
ANNEAL_MATH_UNARY(Log10, log10);
ANNEAL_MATH_UNARY(Log1p, log1p);
ANNEAL_MATH_UNARY(Log2, log2);
ANNEAL_MATH_UNARY(Sinh, sinh);
ANNEAL_MATH_UNARY(Tanh, tanh);
#undef ANNEAL_MATH_UNARY

/// Finite angles beyond what `reduce` handles.
struct Trigonometric {
  static unsigned isHard(float x) {
    return (absolute(x) > static_cast<float>(math64::kMaxAngle)) & (magnitude(x) < kInfBits<float>);
  }
};
struct Sin : Trigonometric {
  static float apply(float x) { return math32::sin(x); }
  static float slow(float x) {
    math64::Angle a = math32::reduceLarge(x);
    return static_cast<float>(math64::sinOf(a, a.quadrant));
  }
};
struct Cos : Trigonometric {
  static float apply(float x) { return math32::cos(x); }
  static float slow(float x) { return static_cast<float>(math64::cosOf(math32::reduceLarge(x))); }
};
struct Tan : Trigonometric {
  static float apply(float x) { return math32::tan(x); }
  static float slow(float x) { return static_cast<float>(math64::tanOf(math32::reduceLarge(x))); }
};

struct Atan2 {
  static float apply(float a, float b) { return math32::atan2(a, b); }
};
struct PowF {
  static float apply(float a, float b) { return math32::pow(a, b); }
};

} // namespace

StripFn findMathF32(Opcode op, unsigned mask) {
  switch (op) {
#define ANNEAL_CASE(Name)                                                                          \
  case Opcode::Name:                                                                               \
    return mapBlocks<Name, float>;
    ANNEAL_CASE(Acos)
    ANNEAL_CASE(Acosh)
    ANNEAL_CASE(Asin)
    ANNEAL_CASE(Asinh)
    ANNEAL_CASE(Atan)
    ANNEAL_CASE(Atanh)
    ANNEAL_CASE(Cbrt)
    ANNEAL_CASE(Cosh)
    ANNEAL_CASE(Erf)
    ANNEAL_CASE(Erfc)
    ANNEAL_CASE(Exp)
    ANNEAL_CASE(Exp2)
    ANNEAL_CASE(ExpM1)
    ANNEAL_CASE(Log)
    ANNEAL_CASE(Log10)
    ANNEAL_CASE(Log1p)
    ANNEAL_CASE(Log2)
    ANNEAL_CASE(Sinh)
    ANNEAL_CASE(Tanh)
#undef ANNEAL_CASE
  case Opcode::Sin:
    return mapChecked<Sin, float>;
  case Opcode::Cos:
    return mapChecked<Cos, float>;
  case Opcode::Tan:
    return mapChecked<Tan, float>;
  case Opcode::Atan2:
    return pickMath2<mapBlocks2<Atan2, float>, float>(mask);
  case Opcode::PowF:
    return pickPower<mapBlocks2<Power<PowF>, float>, float>(mask);
  case Opcode::RemF:
    return pickMath2<mapChecked2<Remainder<float>, float>, float>(mask);
  default:
    return nullptr;
  }
}

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE
