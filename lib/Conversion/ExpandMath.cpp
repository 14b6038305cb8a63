//===- ExpandMath.cpp - The plan's arithmetic in plain operations ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathBuilder.h"
#include "MathExpansion.h"

#include "anneal/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

#define DEBUG_TYPE "jit-expand-math"

namespace anneal {
#define GEN_PASS_DEF_EXPANDMATH
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {

Value ConstantPool::get(Operation *user, TypedAttr value) {
  // The outermost block that is the user's own: nothing above an isolated operation is in reach.
  Operation *below = user;
  while (!below->getParentOp()->hasTrait<OpTrait::IsIsolatedFromAbove>())
    below = below->getParentOp();
  Block *entry = &below->getParentRegion()->front();
  Value &known = constants[{entry, value}];
  if (!known) {
    OpBuilder builder = OpBuilder::atBlockBegin(entry);
    known = arith::ConstantOp::create(builder, builder.getUnknownLoc(), value);
  }
  return known;
}

Value MathBuilder::number(Type type, double value) {
  auto attr = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    return pool->get(op, DenseElementsAttr::get(vector, Attribute(attr)));
  return pool->get(op, attr);
}

Value MathBuilder::integer(Type type, uint64_t value) {
  Type element = getElementTypeOrSelf(type);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  auto attr = IntegerAttr::get(element, APInt(width, value, /*isSigned=*/false,
                                              /*implicitTrunc=*/true));
  if (auto vector = dyn_cast<VectorType>(type))
    return pool->get(op, DenseElementsAttr::get(vector, Attribute(attr)));
  return pool->get(op, attr);
}

//===----------------------------------------------------------------------===//
// What there is
//===----------------------------------------------------------------------===//

/// One instruction, or a few that LLVM writes without a call, whatever the operands are.
static bool isPlain(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::NegFOp,
             arith::CmpFOp, arith::SelectOp, arith::AddIOp, arith::SubIOp, arith::MulIOp,
             arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::CmpIOp, arith::MaxSIOp,
             arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp,
             arith::BitcastOp, math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp,
             math::FmaOp, math::RoundEvenOp, math::SqrtOp, math::TruncOp>(op);
}

static bool isFloatFunction(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp,
             math::ClampFOp, math::RsqrtOp, math::RoundOp, math::IsFiniteOp, math::IsInfOp,
             math::IsNaNOp, math::IsNormalOp, arith::FPToSIOp, arith::FPToUIOp>(op);
}

static bool isF64Function(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp, math::Log1pOp, math::Log2Op,
             math::Log10Op, math::TanhOp, math::SinhOp, math::CoshOp>(op);
}

static bool isF32Function(Operation *op) {
  return isF64Function(op) ||
         isa<math::ErfOp, math::ErfcOp, math::AsinOp, math::AcosOp, math::AtanOp, math::Atan2Op,
             math::AsinhOp, math::AcoshOp, math::AtanhOp, math::CbrtOp, math::PowFOp>(op);
}

static bool isSignedDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::RemSIOp, arith::CeilDivSIOp, arith::FloorDivSIOp>(op);
}

static bool isDivision(Operation *op) {
  return isSignedDivision(op) || isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op);
}

static bool isShift(Operation *op) {
  return isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op);
}

bool hasExpansion(Operation *op) {
  Type type = op->getNumOperands() > 0 ? getElementTypeOrSelf(op->getOperand(0)) : Type();
  if (!type)
    return false;
  if (isPlain(op) || isFloatFunction(op) || isShift(op))
    return true;
  if (isDivision(op)) {
    bool isWide = type.isIndex() || type.getIntOrFloatBitWidth() == 64;
    return !isWide || isSignedDivision(op);
  }
  // Counting bits, of whole bytes.
  if (isa<math::AbsIOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp, math::CtPopOp>(op))
    return !type.isInteger(1);
  if (isa<math::FPowIOp>(op))
    return constantInteger(op->getOperand(1)).has_value();
  if (type.isF64() && isa<math::PowFOp>(op)) {
    std::optional<APFloat> exponent = constantFloat(op->getOperand(1));
    return exponent && (exponent->isExactlyValue(2) || exponent->isExactlyValue(3));
  }
  return type.isF64() ? isF64Function(op) : isF32Function(op);
}

bool isPolynomial(Operation *op) { return isF32Function(op); }

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// What `op` is; null if it may stay.
static Value expand(Operation *op, ConstantPool &pool) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1)
    return Value();
  Type type = op->getOperand(0).getType(), element = getElementTypeOrSelf(type);
  auto vector = dyn_cast<VectorType>(type);
  if (isa<ShapedType>(type) && (!vector || vector.isScalable()))
    return Value();
  MathBuilder m(op, type, pool);
  if (element.isInteger())
    return expandInteger(m, op);
  if (!element.isF32() && !element.isF64())
    return Value();
  if (Value value = expandFloat(m, op))
    return value;
  return element.isF32() ? expandF32(m, op) : expandF64(m, op);
}

namespace {

class ExpandMath : public anneal::impl::ExpandMathBase<ExpandMath> {
public:
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (isa_and_nonnull<arith::ArithDialect, math::MathDialect>(op->getDialect()))
        ops.push_back(op);
    });
    ConstantPool pool;
    for (Operation *op : ops)
      if (Value value = expand(op, pool)) {
        op->getResult(0).replaceAllUsesWith(value);
        op->erase();
      }
  }
};

} // namespace
} // namespace anneal
