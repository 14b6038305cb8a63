//===- BodyTranslator.cpp - Bodies of structured ops on vectors -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyTranslator.h"

#include "MathExpansion.h"
#include "ScalarCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace anneal {

//===----------------------------------------------------------------------===//
// What there is code for
//===----------------------------------------------------------------------===//

/// Conversions that the translator writes itself, as far as they have code.
static bool hasConversionCode(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return !to.isInteger(1);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return !to.isBF16() || !(from.isIndex() || from.isInteger(64));
  return true;
}

bool hasVectorCode(Operation *op, std::string &reason) {
  auto refuse = [&](const Twine &why) {
    reason = why.str();
    return false;
  };
  StringRef name = op->getName().getStringRef();
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
    if (!isa<TensorType>(value.getType()) && !toDType(value.getType()))
      return refuse("there is no code for values of such a type");
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<linalg::IndexOp, cf::AssertOp>(op))
    return isa<arith::ConstantOp, linalg::IndexOp, cf::AssertOp>(op) ||
           refuse("there is no code for '" + name + "'");
  if (isa<tensor::ExtractOp>(op))
    return true;
  if (op->getNumRegions() > 0 || !isScalarOp(op))
    return refuse("there is no code for '" + name + "' in a body");
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp,
          arith::FPToUIOp, arith::BitcastOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return hasConversionCode(op) || refuse("there is no code for '" + name + "' on its types");
  Type type = op->getOperand(op->getNumOperands() > 1 ? 1 : 0).getType();
  if (isa<math::IsNormalOp>(op) && isHalf(type))
    return refuse("there is no code for '" + name + "' on its types");
  return hasExpansion(op) || refuse("there is no code for '" + name + "' on its types");
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

BodyTranslator::Known &BodyTranslator::find(Value value) {
  Known &known = values[value];
  if (known.vector)
    return known;
  Value outer = kernel.captured.lookup(value);
  if (!outer)
    outer = value;
  Attribute attr;
  if (matchPattern(outer, m_Constant(&attr))) {
    if (auto elements = dyn_cast<DenseElementsAttr>(attr))
      attr = elements.getSplatValue<Attribute>();
    known.vector = vectors.splat(cast<TypedAttr>(attr));
  } else {
    known.vector = context.scalar(outer);
  }
  known.spread = Spread::Box;
  return known;
}

Value BodyTranslator::lookup(Value value) { return find(value).vector; }
Spread BodyTranslator::spreadOf(Value value) { return find(value).spread; }

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult BodyTranslator::translate(llvm::function_ref<bool(Operation *)> except) {
  builder = OpBuilder(kernel.op->getContext());
  for (Operation *op : kernel.live)
    if (!except(op) && failed(translateOp(op)))
      return failure();
  return success();
}

LogicalResult BodyTranslator::translateOp(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return success();
  SmallVector<Value, 4> operands;
  spread = Spread::Box;
  for (Value operand : op->getOperands()) {
    if (isa<TensorType>(operand.getType()))
      continue;
    Known known = find(operand);
    if (!known.vector)
      return failure();
    operands.push_back(known.vector);
    spread = std::max(spread, known.spread);
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    spread = context.spreadOf(index.getDim());
  builder.setInsertionPointToEnd(blocks[static_cast<size_t>(spread)]);
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return bind(index, context.position(builder, index.getDim()), spread), success();
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    auto gather = llvm::find(kernel.gathers, extract.getTensor()) - kernel.gathers.begin();
    bind(extract, context.gather(builder, gather, extract.getType(), operands), spread);
    return success();
  }
  if (isa<cf::AssertOp>(op))
    return context.require(builder, operands[0]), success();
  if (op->getNumResults() == 1)
    if (Value converted = translateConversion(op, operands[0]))
      return bind(op->getResult(0), converted, spread), success();
  return translateGeneric(op, operands);
}

/// Conversions between types of which some are held as another one. Null for other operations.
Value BodyTranslator::translateConversion(Operation *op, Value operand) {
  Location loc = op->getLoc();
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  VectorType type = vectors.held(to);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    if (type == operand.getType())
      return operand;
    if (elementBytes(from) > elementBytes(to) || to.isInteger(1))
      return arith::TruncIOp::create(builder, loc, type, operand);
    return isa<arith::IndexCastOp>(op)
               ? arith::ExtSIOp::create(builder, loc, type, operand).getResult()
               : arith::ExtUIOp::create(builder, loc, type, operand).getResult();
  }
  if (isa<arith::ExtFOp>(op) && type == operand.getType())
    return operand;
  if (isa<arith::TruncFOp>(op) && isHalf(to)) {
    if (from.isF64())
      operand = vectors.roundToOdd(builder, loc, operand);
    return vectors.roundTo(builder, loc, to, operand);
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) && isHalf(to))
    return translateIntToHalf(op, operand);
  if (isa<arith::BitcastOp>(op) && (isHalf(from) || isHalf(to))) {
    Value bits = isHalf(from) ? vectors.store(builder, loc, from, operand) : operand;
    return isHalf(to) ? vectors.load(builder, loc, to, bits) : bits;
  }
  return Value();
}

/// To f16 through f32: what that rounds is infinity in f16. To bf16 through f64, where integers of
/// up to 32 bits are exact.
Value BodyTranslator::translateIntToHalf(Operation *op, Value operand) {
  Location loc = op->getLoc();
  Type to = op->getResult(0).getType();
  bool isExact = op->getOperand(0).getType().isInteger() &&
                 op->getOperand(0).getType().getIntOrFloatBitWidth() <= 16;
  Type via = to.isF16() || isExact ? builder.getF32Type() : builder.getF64Type();
  Value number =
      isa<arith::SIToFPOp>(op)
          ? arith::SIToFPOp::create(builder, loc, vectors.vectorOf(via), operand).getResult()
          : arith::UIToFPOp::create(builder, loc, vectors.vectorOf(via), operand).getResult();
  if (via.isF64())
    number = vectors.roundToOdd(builder, loc, number);
  return vectors.roundTo(builder, loc, to, number);
}

/// Results that are one of the operands, or exact.
static bool needsNoRounding(Operation *op) {
  return isa<arith::SelectOp, arith::NegFOp, math::AbsFOp, math::CopySignOp, arith::MaximumFOp,
             arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp, math::ClampFOp>(op);
}

/// The same operation on vectors, without flags that would allow it to give something else.
LogicalResult BodyTranslator::translateGeneric(Operation *op, ValueRange operands) {
  Location loc = op->getLoc();
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    bind(compare,
         arith::CmpIOp::create(builder, loc, compare.getPredicate(), operands[0], operands[1]),
         spread);
    return success();
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    bind(compare,
         arith::CmpFOp::create(builder, loc, compare.getPredicate(), operands[0], operands[1]),
         spread);
    return success();
  }
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  for (Type type : op->getResultTypes())
    state.addTypes(vectors.held(type));
  Operation *made = builder.create(state);
  for (auto [result, vector] : llvm::zip(op->getResults(), made->getResults())) {
    Value value = vector;
    if (isHalf(result.getType()) && !needsNoRounding(op))
      value = vectors.roundTo(builder, loc, result.getType(), value);
    bind(result, value, spread);
  }
  return success();
}

} // namespace anneal
