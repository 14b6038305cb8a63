//===- RoundingModes.cpp - arith.truncf by a rounding mode ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RoundingModes.h"

using namespace mlir;

namespace anneal {
namespace {

using arith::CmpFPredicate;

/// Writes the correction of one conversion. All comparisons are ordered, so NaN stays as it is.
class RoundingExpander {
public:
  RoundingExpander(OpBuilder &builder, arith::TruncFOp op)
      : b(builder), loc(op.getLoc()), exact(op.getIn()), wide(exact.getType()),
        narrow(op.getType()), bits(b.getIntegerType(narrow.getIntOrFloatBitWidth())),
        nearest(arith::TruncFOp::create(b, loc, narrow, exact)), asWide(widen(nearest)) {}

  /// The nearest value, or where it compares so with the exact one the next below (above).
  Value directed(CmpFPredicate isWrong, bool isDown) {
    // A positive number gets smaller, and a negative one larger, by one less in its bits.
    Value isNegative =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, patternOf(nearest), integer(0));
    Value step = arith::SelectOp::create(b, loc, isNegative, integer(isDown ? 1 : -1),
                                         integer(isDown ? -1 : 1));
    return choose(compare(isWrong, asWide, exact), moved(step), nearest);
  }

  Value towardZero() {
    Value tooLarge = compare(CmpFPredicate::OGT, magnitude(asWide), magnitude(exact));
    return choose(tooLarge, moved(integer(-1)), nearest);
  }

  /// Ties, of which half were rounded towards zero, go the other way. What is subtracted lies close
  /// together, so the differences are exact.
  Value nearestAway() {
    Value away = moved(integer(1));
    Value roundedDown = compare(CmpFPredicate::OLT, magnitude(asWide), magnitude(exact));
    Value below = arith::SubFOp::create(b, loc, exact, asWide);
    Value above = arith::SubFOp::create(b, loc, widen(away), exact);
    Value isTie = compare(CmpFPredicate::OEQ, below, above);
    return choose(arith::AndIOp::create(b, loc, roundedDown, isTie), away, nearest);
  }

private:
  Value widen(Value value) { return arith::ExtFOp::create(b, loc, wide, value); }
  Value patternOf(Value value) { return arith::BitcastOp::create(b, loc, bits, value); }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits, value));
  }
  Value compare(CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  Value choose(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  /// The nearest value with `step` added to its bits.
  Value moved(Value step) {
    Value pattern = arith::AddIOp::create(b, loc, patternOf(nearest), step);
    return arith::BitcastOp::create(b, loc, narrow, pattern);
  }
  Value magnitude(Value value) {
    Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(wide, 0.0));
    Value negated = arith::NegFOp::create(b, loc, value);
    return choose(compare(CmpFPredicate::OLT, value, zero), negated, value);
  }

  OpBuilder &b;
  Location loc;
  Value exact;
  Type wide, narrow;
  IntegerType bits;
  Value nearest, asWide;
};

bool isFloatOfUse(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

} // namespace

Value expandRoundingMode(OpBuilder &builder, arith::TruncFOp op) {
  arith::RoundingMode mode = op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even);
  if (mode == arith::RoundingMode::to_nearest_even || !isFloatOfUse(op.getIn().getType()) ||
      !isFloatOfUse(op.getType()))
    return {};
  RoundingExpander expander(builder, op);
  switch (mode) {
  case arith::RoundingMode::downward:
    return expander.directed(CmpFPredicate::OGT, /*isDown=*/true);
  case arith::RoundingMode::upward:
    return expander.directed(CmpFPredicate::OLT, /*isDown=*/false);
  case arith::RoundingMode::toward_zero:
    return expander.towardZero();
  default:
    return expander.nearestAway();
  }
}

} // namespace anneal
