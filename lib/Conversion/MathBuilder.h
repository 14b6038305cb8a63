//===- MathBuilder.h - Arithmetic on values of one shape --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_MATHBUILDER_H
#define ANNEAL_LIB_CONVERSION_MATHBUILDER_H

#include "VectorValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace anneal {

/// Constants of functions, each made once, in the function's entry block.
class ConstantPool {
public:
  /// `user`: an operation that will use it.
  mlir::Value get(mlir::Operation *user, mlir::TypedAttr value);

private:
  llvm::DenseMap<std::pair<mlir::Block *, mlir::Attribute>, mlir::Value> constants;
};

/// Writes arithmetic on values that have the shape of one type, a scalar or vector of floats or
/// integers. Operations are inserted before the one that is expanded.
class MathBuilder {
public:
  MathBuilder(mlir::Operation *op, mlir::Type type, ConstantPool &pool)
      : op(op), builder(op), loc(op->getLoc()), shape(type), pool(&pool) {}

  /// The shape with another element type.
  mlir::Type f32() const { return of(mlir::Float32Type::get(op->getContext())); }
  mlir::Type f64() const { return of(mlir::Float64Type::get(op->getContext())); }
  mlir::Type integer(unsigned width) const {
    return of(mlir::IntegerType::get(op->getContext(), width));
  }
  mlir::Type of(mlir::Type element) const { return withElement(shape, element); }
  mlir::Operation *operation() const { return op; }
  /// Bits of an element of `value`.
  static unsigned widthOf(mlir::Value value) {
    return mlir::getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  }

  mlir::Value number(mlir::Type type, double value);
  mlir::Value integer(mlir::Type type, uint64_t value);
  /// Constants of the type of `like`.
  mlir::Value number(mlir::Value like, double value) { return number(like.getType(), value); }
  mlir::Value integer(mlir::Value like, uint64_t value) { return integer(like.getType(), value); }

  template <class Op, class... Args> mlir::Value make(Args &&...args) {
    return Op::create(builder, loc, std::forward<Args>(args)...).getResult();
  }

  mlir::Value add(mlir::Value a, mlir::Value b) { return make<mlir::arith::AddFOp>(a, b); }
  mlir::Value sub(mlir::Value a, mlir::Value b) { return make<mlir::arith::SubFOp>(a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return make<mlir::arith::MulFOp>(a, b); }
  mlir::Value div(mlir::Value a, mlir::Value b) { return make<mlir::arith::DivFOp>(a, b); }
  mlir::Value neg(mlir::Value a) { return make<mlir::arith::NegFOp>(a); }
  /// a * b + c, rounded once.
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c) {
    return make<mlir::math::FmaOp>(a, b, c);
  }
  mlir::Value fma(mlir::Value a, double b, mlir::Value c) { return fma(a, number(a, b), c); }
  mlir::Value sqrt(mlir::Value a) { return make<mlir::math::SqrtOp>(a); }
  mlir::Value abs(mlir::Value a) { return make<mlir::math::AbsFOp>(a); }
  mlir::Value trunc(mlir::Value a) { return make<mlir::math::TruncOp>(a); }
  /// |x| with the sign of s.
  mlir::Value withSign(mlir::Value x, mlir::Value s) { return make<mlir::math::CopySignOp>(x, s); }
  /// To another float type.
  mlir::Value widen(mlir::Value a) { return make<mlir::arith::ExtFOp>(f64(), a); }
  mlir::Value narrow(mlir::Value a) { return make<mlir::arith::TruncFOp>(f32(), a); }

  mlir::Value addI(mlir::Value a, mlir::Value b) { return make<mlir::arith::AddIOp>(a, b); }
  mlir::Value subI(mlir::Value a, mlir::Value b) { return make<mlir::arith::SubIOp>(a, b); }
  mlir::Value mulI(mlir::Value a, mlir::Value b) { return make<mlir::arith::MulIOp>(a, b); }
  mlir::Value bitAnd(mlir::Value a, mlir::Value b) { return make<mlir::arith::AndIOp>(a, b); }
  mlir::Value bitOr(mlir::Value a, mlir::Value b) { return make<mlir::arith::OrIOp>(a, b); }
  mlir::Value bitXor(mlir::Value a, mlir::Value b) { return make<mlir::arith::XOrIOp>(a, b); }
  /// Of conditions.
  mlir::Value negate(mlir::Value a) { return bitXor(a, integer(a, 1)); }
  mlir::Value shiftLeft(mlir::Value a, unsigned by) {
    return make<mlir::arith::ShLIOp>(a, integer(a, by));
  }
  mlir::Value shiftRight(mlir::Value a, unsigned by) {
    return make<mlir::arith::ShRUIOp>(a, integer(a, by));
  }
  mlir::Value shiftRightSigned(mlir::Value a, unsigned by) {
    return make<mlir::arith::ShRSIOp>(a, integer(a, by));
  }
  /// The bits of a float as an integer, and back.
  mlir::Value bits(mlir::Value a) { return make<mlir::arith::BitcastOp>(integer(widthOf(a)), a); }
  mlir::Value fromBits(mlir::Value a) {
    return make<mlir::arith::BitcastOp>(widthOf(a) == 32 ? f32() : f64(), a);
  }

  using F = mlir::arith::CmpFPredicate;
  using I = mlir::arith::CmpIPredicate;
  mlir::Value compare(F predicate, mlir::Value a, mlir::Value b) {
    return make<mlir::arith::CmpFOp>(predicate, a, b);
  }
  mlir::Value compare(F predicate, mlir::Value a, double b) {
    return compare(predicate, a, number(a, b));
  }
  mlir::Value compare(I predicate, mlir::Value a, mlir::Value b) {
    return make<mlir::arith::CmpIOp>(predicate, a, b);
  }
  mlir::Value compare(I predicate, mlir::Value a, uint64_t b) {
    return compare(predicate, a, integer(a, b));
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return make<mlir::arith::SelectOp>(condition, a, b);
  }

  /// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule with fused steps.
  template <class T, size_t N> mlir::Value horner(const T (&c)[N], mlir::Value x) {
    mlir::Value sum = number(x, c[N - 1]);
    for (size_t i = N - 1; i-- > 0;)
      sum = fma(sum, x, number(x, c[i]));
    return sum;
  }

private:
  mlir::Operation *op;
  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::Type shape;
  ConstantPool *pool;
};

/// The operations of arith and math that need more than one instruction, by what they work on;
/// each gives null for an operation that it doesn't know. Operands have the types of the operation.
mlir::Value expandF32(MathBuilder &m, mlir::Operation *op);
mlir::Value expandF64(MathBuilder &m, mlir::Operation *op);
/// Other functions of floats of either type, and conversions between floats and integers.
mlir::Value expandFloat(MathBuilder &m, mlir::Operation *op);
/// Operations on integers.
mlir::Value expandInteger(MathBuilder &m, mlir::Operation *op);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_MATHBUILDER_H
