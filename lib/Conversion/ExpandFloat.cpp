//===- ExpandFloat.cpp - Functions of floats in plain operations ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What f32 and f64 have in common: extrema, roundings, powers, tests, conversions to integers.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"
#include "MathExpansion.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace anneal {

using F = MathBuilder::F;
using I = MathBuilder::I;

std::optional<APFloat> constantFloat(Value value) {
  FloatAttr attr;
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&attr)))
    return attr.getValue();
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
      isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>();
  return std::nullopt;
}

std::optional<int64_t> constantInteger(Value value) {
  IntegerAttr attr;
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&attr)))
    return attr.getValue().getSExtValue();
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
      isa<IntegerType>(elements.getElementType()))
    return elements.getSplatValue<APInt>().getSExtValue();
  return std::nullopt;
}

namespace {

/// -0 is less than +0; NaN if either is NaN, or (`keepsNumber`) the other one.
Value extremum(MathBuilder &m, Value a, Value b, bool isMax, bool keepsNumber) {
  F isFirst = isMax ? F::OGT : F::OLT;
  std::optional<APFloat> known = constantFloat(b);
  if (!known && (known = constantFloat(a)))
    std::swap(a, b);
  if (known && !known->isNaN() && !keepsNumber) {
    // +0 wins over an equal one, -0 loses.
    bool winsTie = known->isNegative() != isMax;
    F isBound = isMax ? (winsTie ? F::OLE : F::OLT) : (winsTie ? F::OGE : F::OGT);
    return m.select(m.compare(isBound, a, b), b, a);
  }
  Value r = m.select(m.compare(isFirst, a, b), a, b);
  Value both = isMax ? m.bitAnd(m.bits(a), m.bits(b)) : m.bitOr(m.bits(a), m.bits(b));
  r = m.select(m.compare(F::OEQ, a, b), m.fromBits(both), r);
  return m.select(m.compare(F::UNO, keepsNumber ? b : a, keepsNumber ? b : a), a, r);
}

Value clamp(MathBuilder &m, Value x, Value low, Value high) {
  return extremum(m, extremum(m, x, low, true, false), high, false, false);
}

/// To the nearest, halves away from zero.
Value round(MathBuilder &m, Value a) {
  Value t = m.trunc(a);
  Value up = m.add(m.abs(t), m.number(a, 1));
  Value isFar = m.compare(F::OGE, m.abs(m.sub(a, t)), 0.5);
  return m.withSign(m.select(isFar, up, t), a);
}

/// By squaring, as Numerics.md says.
Value powerOf(MathBuilder &m, Value x, int64_t exponent) {
  uint64_t n = exponent < 0 ? uint64_t(0) - static_cast<uint64_t>(exponent)
                            : static_cast<uint64_t>(exponent);
  Value result, base = x;
  for (; n != 0; n >>= 1) {
    if (n & 1)
      result = result ? m.mul(result, base) : base;
    if (n > 1)
      base = m.mul(base, base);
  }
  if (!result)
    result = m.number(x, 1);
  return exponent < 0 ? m.div(m.number(x, 1), result) : result;
}

/// x^2 and x^3; null for other exponents.
Value smallPower(MathBuilder &m, Value x, Value exponent) {
  std::optional<APFloat> known = constantFloat(exponent);
  if (!known || (!known->isExactlyValue(2) && !known->isExactlyValue(3)))
    return Value();
  if (known->isExactlyValue(2))
    return m.mul(x, x);
  bool isSingle = MathBuilder::widthOf(x) == 32;
  Value wide = isSingle ? m.widen(x) : x;
  Value cube = m.mul(m.mul(wide, wide), wide);
  return isSingle ? m.narrow(cube) : cube;
}

/// isfinite, isinf, isnan, isnormal, on the bits without sign.
Value classify(MathBuilder &m, Operation *op, Value x) {
  bool isSingle = MathBuilder::widthOf(x) == 32;
  uint64_t infinity = isSingle ? 0x7f800000 : 0x7ff0000000000000;
  uint64_t smallest = isSingle ? 0x00800000 : 0x0010000000000000;
  Value magnitude = m.bits(m.abs(x));
  if (isa<math::IsNormalOp>(op)) {
    Value above = m.subI(magnitude, m.integer(magnitude, smallest));
    return m.compare(I::ult, above, infinity - smallest);
  }
  I predicate = isa<math::IsFiniteOp>(op) ? I::ult : isa<math::IsInfOp>(op) ? I::eq : I::ugt;
  return m.compare(predicate, magnitude, infinity);
}

/// Truncates; saturates; 0 for NaN.
Value toSigned(MathBuilder &m, Value x, unsigned width) {
  double high = std::ldexp(1.0, static_cast<int>(width) - 1);
  Value isInside = m.bitAnd(m.compare(F::OGE, x, -high), m.compare(F::OLT, x, high));
  Value inside = m.select(isInside, x, m.number(x, 0));
  Value r = m.make<arith::FPToSIOp>(m.integer(std::max(width, 32u)), inside);
  if (width < 32)
    r = m.make<arith::TruncIOp>(m.integer(width), r);
  uint64_t lowest = uint64_t(1) << (width - 1);
  r = m.select(m.compare(F::OGE, x, high), m.integer(r, lowest - 1), r);
  return m.select(m.compare(F::OLT, x, -high), m.integer(r, lowest), r);
}

Value toUnsigned(MathBuilder &m, Value x, unsigned width) {
  double high = std::ldexp(1.0, static_cast<int>(width));
  Value isInside = m.bitAnd(m.compare(F::OGT, x, 0.0), m.compare(F::OLT, x, high));
  Value inside = m.select(isInside, x, m.number(x, 0));
  Value r;
  if (width < 32) {
    Value wide = m.make<arith::FPToSIOp>(m.integer(32), inside);
    r = m.make<arith::TruncIOp>(m.integer(width), wide);
  } else {
    r = m.make<arith::FPToUIOp>(m.integer(width), inside);
  }
  return m.select(m.compare(F::OGE, x, high), m.integer(r, ~uint64_t(0)), r);
}

} // namespace

Value expandFloat(MathBuilder &m, Operation *op) {
  Value a = op->getOperand(0), b = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
  auto resultWidth = [&] { return MathBuilder::widthOf(op->getResult(0)); };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::MaximumFOp) { return extremum(m, a, b, true, false); })
      .Case([&](arith::MinimumFOp) { return extremum(m, a, b, false, false); })
      .Case([&](arith::MaxNumFOp) { return extremum(m, a, b, true, true); })
      .Case([&](arith::MinNumFOp) { return extremum(m, a, b, false, true); })
      .Case([&](math::ClampFOp) { return clamp(m, a, b, op->getOperand(2)); })
      .Case([&](math::RsqrtOp) { return m.div(m.number(a, 1), m.sqrt(a)); })
      .Case([&](math::RoundOp) { return round(m, a); })
      .Case([&](math::FPowIOp) {
        std::optional<int64_t> exponent = constantInteger(b);
        return exponent ? powerOf(m, a, *exponent) : Value();
      })
      .Case([&](math::PowFOp) { return smallPower(m, a, b); })
      .Case<math::IsFiniteOp, math::IsInfOp, math::IsNaNOp, math::IsNormalOp>(
          [&](Operation *test) { return classify(m, test, a); })
      .Case([&](arith::FPToSIOp) { return toSigned(m, a, resultWidth()); })
      .Case([&](arith::FPToUIOp) { return toUnsigned(m, a, resultWidth()); })
      .Default(Value());
}

} // namespace anneal
