//===- MathF64.cpp - Transcendental functions of f64 on strips ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathLoops.h"
#include "ScalarMath64.h"

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {
namespace {

// By own polynomials.
#define ANNEAL_MATH_UNARY(Name, function)                                                          \
  struct Name {                                                                                    \
    static double apply(double x) { return math64::function(x); }                                  \
  }
ANNEAL_MATH_UNARY(Cosh, cosh);
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

struct Trigonometric {
  static unsigned isHard(double x) {
    return (absolute(x) > math64::kMaxAngle) & (magnitude(x) < kInfBits<double>);
  }
};
#define ANNEAL_MATH_TRIGONOMETRIC(Name, function)                                                  \
  struct Name : Trigonometric {                                                                    \
    static double apply(double x) { return math64::function(x); }                                  \
    static double slow(double x) { return __builtin_##function(x); }                               \
  }
ANNEAL_MATH_TRIGONOMETRIC(Sin, sin);
ANNEAL_MATH_TRIGONOMETRIC(Cos, cos);
ANNEAL_MATH_TRIGONOMETRIC(Tan, tan);
#undef ANNEAL_MATH_TRIGONOMETRIC

// By the C library, an element at a time.
#define ANNEAL_LIBRARY_UNARY(Name, function)                                                       \
  struct Name {                                                                                    \
    static double apply(double x) { return __builtin_##function(x); }                              \
  }
ANNEAL_LIBRARY_UNARY(Acos, acos);
ANNEAL_LIBRARY_UNARY(Acosh, acosh);
ANNEAL_LIBRARY_UNARY(Asin, asin);
ANNEAL_LIBRARY_UNARY(Asinh, asinh);
ANNEAL_LIBRARY_UNARY(Atan, atan);
ANNEAL_LIBRARY_UNARY(Atanh, atanh);
ANNEAL_LIBRARY_UNARY(Cbrt, cbrt);
ANNEAL_LIBRARY_UNARY(Erf, erf);
ANNEAL_LIBRARY_UNARY(Erfc, erfc);
#undef ANNEAL_LIBRARY_UNARY
struct Atan2 {
  static double apply(double a, double b) { return __builtin_atan2(a, b); }
};
struct PowF {
  static double apply(double a, double b) { return __builtin_pow(a, b); }
};

} // namespace

StripFn findMathF64(Opcode op, unsigned mask) {
  switch (op) {
#define ANNEAL_CASE(Name, loop)                                                                    \
  case Opcode::Name:                                                                               \
    return loop;
#define ANNEAL_OWN(Name) ANNEAL_CASE(Name, (mapBlocks<Name, double>))
#define ANNEAL_CHECKED(Name) ANNEAL_CASE(Name, (mapChecked<Name, double>))
#define ANNEAL_LIBRARY(Name) ANNEAL_CASE(Name, (mapUnary<Name, double, double>))
    ANNEAL_OWN(Cosh)
    ANNEAL_OWN(Exp)
    ANNEAL_OWN(Exp2)
    ANNEAL_OWN(ExpM1)
    ANNEAL_OWN(Log)
    ANNEAL_OWN(Log10)
    ANNEAL_OWN(Log1p)
    ANNEAL_OWN(Log2)
    ANNEAL_OWN(Sinh)
    ANNEAL_OWN(Tanh)
    ANNEAL_CHECKED(Sin)
    ANNEAL_CHECKED(Cos)
    ANNEAL_CHECKED(Tan)
    ANNEAL_LIBRARY(Acos)
    ANNEAL_LIBRARY(Acosh)
    ANNEAL_LIBRARY(Asin)
    ANNEAL_LIBRARY(Asinh)
    ANNEAL_LIBRARY(Atan)
    ANNEAL_LIBRARY(Atanh)
    ANNEAL_LIBRARY(Cbrt)
    ANNEAL_LIBRARY(Erf)
    ANNEAL_LIBRARY(Erfc)
#undef ANNEAL_OWN
#undef ANNEAL_CHECKED
#undef ANNEAL_LIBRARY
#undef ANNEAL_CASE
  case Opcode::Atan2:
    return pickMath2<mapBinary<Atan2, double, double, double, 0>, double>(mask);
  case Opcode::PowF:
    return pickPower<mapBinary<Power<PowF>, double, double, double, 0>, double>(mask);
  case Opcode::RemF:
    return pickMath2<mapChecked2<Remainder<double>, double>, double>(mask);
  default:
    return nullptr;
  }
}

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE
