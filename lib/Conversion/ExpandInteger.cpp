//===- ExpandInteger.cpp - Integer arithmetic that is always defined ------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Division, remainder and shifts as anneal/Plan/Opcodes.def defines them for all operands, without
// branches and without instructions that trap; and arithmetic on i1, whose signed values are 0 and
// -1, as logic.
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"
#include "MathExpansion.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace anneal {

using I = MathBuilder::I;

namespace {

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// Truncated quotient of up to 32 bits by b, which is not 0 (and, if signed, not -1), through a
/// float type in which it is exact once truncated.
Value narrowQuotient(MathBuilder &m, Value a, Value b, bool isSigned) {
  unsigned width = MathBuilder::widthOf(a);
  Type type = width < 32 ? m.f32() : m.f64();
  auto toFloat = [&](Value x) {
    return isSigned ? m.make<arith::SIToFPOp>(type, x) : m.make<arith::UIToFPOp>(type, x);
  };
  Value quotient = m.div(toFloat(a), toFloat(b));
  if (width < 32)
    return m.make<arith::TruncIOp>(m.integer(width),
                                   m.make<arith::FPToSIOp>(m.integer(32), quotient));
  return isSigned ? m.make<arith::FPToSIOp>(m.integer(32), quotient)
                  : m.make<arith::FPToUIOp>(m.integer(32), quotient);
}

/// |x|, to be read as an unsigned number.
Value magnitude(MathBuilder &m, Value x) {
  Value negative = m.compare(I::slt, x, uint64_t(0));
  return m.select(negative, m.subI(m.integer(x, 0), x), x);
}

/// The same of signed 64-bit values. The quotient of the magnitudes in f64 is wrong by some
/// thousand at most; so many times the divisor is too much or too little for the remainder, which
/// then gives the quotient up to one.
Value wideQuotient(MathBuilder &m, Value a, Value b) {
  Value n = magnitude(m, a), d = magnitude(m, b);
  Value zero = m.integer(a, 0), one = m.integer(a, 1);
  Value divisor = m.make<arith::UIToFPOp>(m.f64(), d);
  Value first = m.div(m.make<arith::UIToFPOp>(m.f64(), n), divisor);
  Value q = m.make<arith::FPToUIOp>(a.getType(), first);
  Value r = m.subI(n, m.mulI(q, d));
  Value second = m.div(m.make<arith::SIToFPOp>(m.f64(), r), divisor);
  Value more = m.make<arith::FPToSIOp>(a.getType(), second);
  q = m.addI(q, more);
  r = m.subI(r, m.mulI(more, d));
  Value isLess = m.compare(I::slt, r, zero);
  Value isMore = m.bitAnd(m.negate(isLess), m.compare(I::uge, r, d));
  q = m.select(isLess, m.subI(q, one), m.select(isMore, m.addI(q, one), q));
  Value isNegative = m.compare(I::slt, m.bitXor(a, b), zero);
  return m.select(isNegative, m.subI(zero, q), q);
}

/// The truncated quotient of any operands: all ones where b is 0, -a where it is -1.
Value quotientOf(MathBuilder &m, Value a, Value b, bool isSigned) {
  Value zero = m.integer(a, 0), ones = m.integer(a, ~uint64_t(0)), one = m.integer(a, 1);
  Value isZero = m.compare(I::eq, b, zero);
  Value isSpecial = isSigned ? m.bitOr(isZero, m.compare(I::eq, b, ones)) : isZero;
  Value divisor = m.select(isSpecial, one, b);
  Value quotient = MathBuilder::widthOf(a) == 64 ? wideQuotient(m, a, divisor)
                                                 : narrowQuotient(m, a, divisor, isSigned);
  if (isSigned)
    quotient = m.select(isSpecial, m.subI(zero, a), quotient);
  return m.select(isZero, ones, quotient);
}

Value remainderOf(MathBuilder &m, Value a, Value b, Value quotient) {
  return m.subI(a, m.mulI(quotient, b));
}

/// The quotient rounded up (or down) instead of towards zero: one more (or less) where there is a
/// remainder and the exact quotient is positive (or negative).
Value roundedQuotient(MathBuilder &m, Value a, Value b, bool isSigned, bool isUp) {
  Value zero = m.integer(a, 0), one = m.integer(a, 1);
  Value quotient = quotientOf(m, a, b, isSigned);
  Value moves =
      m.bitAnd(m.compare(I::ne, b, zero), m.compare(I::ne, remainderOf(m, a, b, quotient), zero));
  if (isSigned)
    moves = m.bitAnd(moves, m.compare(isUp ? I::sge : I::slt, m.bitXor(a, b), zero));
  Value moved = isUp ? m.addI(quotient, one) : m.subI(quotient, one);
  return m.select(moves, moved, quotient);
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

template <class Op> Value shift(MathBuilder &m, Value a, Value by) {
  unsigned width = MathBuilder::widthOf(a);
  std::optional<int64_t> known = constantInteger(by);
  if (known && *known >= 0 && *known < width)
    return Value();
  Value isInside = m.compare(I::ult, by, width);
  if (isa<arith::ShRSIOp>(m.operation()))
    return m.make<Op>(a, m.select(isInside, by, m.integer(by, width - 1)));
  Value shifted = m.make<Op>(a, m.bitAnd(by, m.integer(by, width - 1)));
  return m.select(isInside, shifted, m.integer(a, 0));
}

//===----------------------------------------------------------------------===//
// i1
//===----------------------------------------------------------------------===//

Value compareBits(MathBuilder &m, arith::CmpIPredicate predicate, Value a, Value b) {
  switch (predicate) {
  case I::eq:
    return m.negate(m.bitXor(a, b));
  case I::ne:
    return m.bitXor(a, b);
  case I::slt:
  case I::ugt:
    return m.bitAnd(a, m.negate(b));
  case I::sgt:
  case I::ult:
    return m.bitAnd(b, m.negate(a));
  case I::sle:
  case I::uge:
    return m.bitOr(a, m.negate(b));
  default:
    return m.bitOr(b, m.negate(a));
  }
}

Value expandBits(MathBuilder &m, Operation *op) {
  Value a = op->getOperand(0), b = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<arith::AddIOp, arith::SubIOp>([&](Operation *) { return m.bitXor(a, b); })
      .Case<arith::MulIOp, arith::MaxSIOp, arith::MinUIOp>(
          [&](Operation *) { return m.bitAnd(a, b); })
      .Case<arith::MinSIOp, arith::MaxUIOp>([&](Operation *) { return m.bitOr(a, b); })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp, arith::CeilDivUIOp,
            arith::FloorDivSIOp>([&](Operation *) { return m.bitOr(a, m.negate(b)); })
      .Case<arith::RemSIOp, arith::RemUIOp, arith::ShLIOp, arith::ShRUIOp>(
          [&](Operation *) { return m.bitAnd(a, m.negate(b)); })
      .Case([&](arith::ShRSIOp) { return a; })
      .Case([&](arith::CmpIOp compare) { return compareBits(m, compare.getPredicate(), a, b); })
      .Default(Value());
}

} // namespace

Value expandInteger(MathBuilder &m, Operation *op) {
  Value a = op->getOperand(0), b = op->getNumOperands() > 1 ? op->getOperand(1) : Value();
  if (MathBuilder::widthOf(a) == 1)
    return expandBits(m, op);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::DivSIOp) { return quotientOf(m, a, b, true); })
      .Case([&](arith::DivUIOp) { return quotientOf(m, a, b, false); })
      .Case([&](arith::RemSIOp) { return remainderOf(m, a, b, quotientOf(m, a, b, true)); })
      .Case([&](arith::RemUIOp) { return remainderOf(m, a, b, quotientOf(m, a, b, false)); })
      .Case([&](arith::CeilDivSIOp) { return roundedQuotient(m, a, b, true, true); })
      .Case([&](arith::CeilDivUIOp) { return roundedQuotient(m, a, b, false, true); })
      .Case([&](arith::FloorDivSIOp) { return roundedQuotient(m, a, b, true, false); })
      .Case([&](arith::ShLIOp) { return shift<arith::ShLIOp>(m, a, b); })
      .Case([&](arith::ShRUIOp) { return shift<arith::ShRUIOp>(m, a, b); })
      .Case([&](arith::ShRSIOp) { return shift<arith::ShRSIOp>(m, a, b); })
      .Default(Value());
}

} // namespace anneal
