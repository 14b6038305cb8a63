//===- VectorValues.cpp - Values of bodies as vectors ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace anneal {

bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

Type heldElement(Type type) {
  Builder builder(type.getContext());
  return type.isIndex() ? builder.getI64Type() : isHalf(type) ? builder.getF32Type() : type;
}

Type storedElement(Type type) {
  Builder builder(type.getContext());
  return type.isIndex()      ? builder.getI64Type()
         : type.isInteger(1) ? builder.getI8Type()
         : isHalf(type)      ? builder.getI16Type()
                             : type;
}

unsigned elementBytes(Type type) { return storedElement(type).getIntOrFloatBitWidth() / 8; }

Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? VectorType::get(vector.getShape(), element) : element;
}

VectorType VectorValues::held(Type type) const { return vectorOf(heldElement(type)); }
VectorType VectorValues::stored(Type type) const { return vectorOf(storedElement(type)); }

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value VectorValues::constant(TypedAttr value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder builder = OpBuilder::atBlockBegin(entry);
    known = LLVM::ConstantOp::create(builder, builder.getUnknownLoc(), value.getType(), value);
  }
  return known;
}

Value VectorValues::splat(TypedAttr value) {
  Builder builder(value.getContext());
  Attribute element = value;
  if (auto integer = dyn_cast<IntegerAttr>(value); integer && integer.getType().isIndex())
    element = builder.getI64IntegerAttr(integer.getInt());
  if (auto real = dyn_cast<FloatAttr>(value); real && isHalf(real.getType())) {
    APFloat wide = real.getValue();
    bool losesInfo = false;
    wide.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &losesInfo);
    element = builder.getFloatAttr(builder.getF32Type(), wide);
  }
  return constant(DenseElementsAttr::get(held(value.getType()), element));
}

Value VectorValues::constantInt(Type type, int64_t value) {
  Type element = getElementTypeOrSelf(type);
  auto attr = IntegerAttr::get(element, APInt(element.getIntOrFloatBitWidth(), value,
                                              /*isSigned=*/true, /*implicitTrunc=*/true));
  if (auto vector = dyn_cast<VectorType>(type))
    return constant(DenseElementsAttr::get(vector, Attribute(attr)));
  return constant(attr);
}

Value VectorValues::constantFloat(Type type, double value) {
  auto attr = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    return constant(DenseElementsAttr::get(vector, Attribute(attr)));
  return constant(attr);
}

//===----------------------------------------------------------------------===//
// Between forms
//===----------------------------------------------------------------------===//

Value VectorValues::broadcast(OpBuilder &builder, Location location, Value scalar) {
  VectorType type = vectorOf(scalar.getType());
  Value none = LLVM::PoisonOp::create(builder, location, type);
  Value zero = constantInt(builder.getI64Type(), 0);
  Value first = LLVM::InsertElementOp::create(builder, location, none, scalar, zero);
  return LLVM::ShuffleVectorOp::create(builder, location, first, none,
                                       SmallVector<int32_t>(width, 0));
}

Value VectorValues::load(OpBuilder &builder, Location location, Type type, Value raw) {
  if (type.isInteger(1))
    return arith::CmpIOp::create(builder, location, arith::CmpIPredicate::ne, raw,
                                 constantInt(raw.getType(), 0));
  Type single = withElement(raw.getType(), builder.getF32Type());
  if (type.isF16()) {
    Value half = arith::BitcastOp::create(builder, location,
                                          withElement(raw.getType(), builder.getF16Type()), raw);
    return arith::ExtFOp::create(builder, location, single, half);
  }
  if (type.isBF16()) {
    Type bits = withElement(raw.getType(), builder.getI32Type());
    Value wide = arith::ExtUIOp::create(builder, location, bits, raw);
    Value high = arith::ShLIOp::create(builder, location, wide, constantInt(bits, 16));
    return arith::BitcastOp::create(builder, location, single, high);
  }
  return raw;
}

Value VectorValues::store(OpBuilder &builder, Location location, Type type, Value value) {
  Type raw = withElement(value.getType(), storedElement(type));
  if (type.isInteger(1))
    return arith::ExtUIOp::create(builder, location, raw, value);
  if (type.isF16()) {
    Value half = arith::TruncFOp::create(builder, location,
                                         withElement(value.getType(), builder.getF16Type()), value);
    return arith::BitcastOp::create(builder, location, raw, half);
  }
  if (type.isBF16()) {
    Type bits = withElement(value.getType(), builder.getI32Type());
    Value wide = arith::BitcastOp::create(builder, location, bits, value);
    Value low = arith::ShRUIOp::create(builder, location, wide, constantInt(bits, 16));
    return arith::TruncIOp::create(builder, location, raw, low);
  }
  return value;
}

Value VectorValues::roundTo(OpBuilder &builder, Location location, Type type, Value value) {
  if (type.isBF16())
    return roundToBf16(builder, location, value);
  if (!type.isF16())
    return value;
  Value half = arith::TruncFOp::create(builder, location,
                                       withElement(value.getType(), builder.getF16Type()), value);
  return arith::ExtFOp::create(builder, location, value.getType(), half);
}

/// To nearest even at bit 16, on the bits, so that denormal numbers stay; a NaN becomes quiet.
Value VectorValues::roundToBf16(OpBuilder &builder, Location location, Value value) {
  Type type = withElement(value.getType(), builder.getI32Type());
  auto int32 = [&](int64_t bits) { return constantInt(type, bits); };
  Value bits = arith::BitcastOp::create(builder, location, type, value);
  Value high = arith::ShRUIOp::create(builder, location, bits, int32(16));
  Value odd = arith::AndIOp::create(builder, location, high, int32(1));
  Value up = arith::AddIOp::create(builder, location, odd, int32(0x7fff));
  Value rounded = arith::AddIOp::create(builder, location, bits, up);
  Value quiet = arith::OrIOp::create(builder, location, bits, int32(0x400000));
  Value isNaN = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::UNO, value, value);
  Value chosen = arith::SelectOp::create(builder, location, isNaN, quiet, rounded);
  Value kept = arith::AndIOp::create(builder, location, chosen, int32(0xffff0000));
  return arith::BitcastOp::create(builder, location, value.getType(), kept);
}

/// As DoubleToOdd of the interpreter: where the nearest f32 is not exact and even, its neighbour on
/// the other side of the value.
Value VectorValues::roundToOdd(OpBuilder &builder, Location location, Value value) {
  Type wideType = value.getType();
  Type type = withElement(wideType, builder.getF32Type());
  Type bitsType = withElement(wideType, builder.getI32Type());
  Value nearest = arith::TruncFOp::create(builder, location, type, value);
  Value back = arith::ExtFOp::create(builder, location, wideType, nearest);
  Value bits = arith::BitcastOp::create(builder, location, bitsType, nearest);
  Value one = constantInt(bitsType, 1);
  Value isLess = arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OLT,
                                       math::AbsFOp::create(builder, location, back),
                                       math::AbsFOp::create(builder, location, value));
  Value other = arith::SelectOp::create(builder, location, isLess,
                                        arith::AddIOp::create(builder, location, bits, one),
                                        arith::SubIOp::create(builder, location, bits, one));
  Value low = arith::AndIOp::create(builder, location, bits, one);
  Value isEven = arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, low,
                                       constantInt(bitsType, 0));
  // Ordered: of a NaN, the nearest.
  Value isInexact =
      arith::CmpFOp::create(builder, location, arith::CmpFPredicate::ONE, back, value);
  Value isMoved = arith::AndIOp::create(builder, location, isEven, isInexact);
  Value chosen = arith::SelectOp::create(builder, location, isMoved, other, bits);
  return arith::BitcastOp::create(builder, location, type, chosen);
}

} // namespace anneal
