//===- LowerScalars.cpp - Scalars to the plain operations of arith --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AffineDivisors.h"
#include "RoundingModes.h"

#include "anneal/Transforms/Passes.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Transforms/Transforms.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Index/IR/IndexOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/TypeSwitch.h"

namespace anneal {
#define GEN_PASS_DEF_LOWERSCALARS
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// `map` of `operands` in arith operations; for several results their minimum or maximum.
template <typename ExtremumOp>
Value expandMap(OpBuilder &builder, Location loc, AffineMap map, ValueRange operands) {
  std::optional<SmallVector<Value, 8>> values =
      affine::expandAffineMap(builder, loc, map, operands);
  if (!values)
    return {};
  Value result = values->front();
  for (Value value : ArrayRef<Value>(*values).drop_front())
    result = ExtremumOp::create(builder, loc, result, value);
  return result;
}

/// The value of an affine expression op in arith, or null if `op` is none.
Value lowerAffine(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](affine::AffineApplyOp apply) {
        return expandMap<arith::MinSIOp>(builder, loc, apply.getAffineMap(), apply.getOperands());
      })
      .Case([&](affine::AffineMinOp minimum) {
        return expandMap<arith::MinSIOp>(builder, loc, minimum.getAffineMap(),
                                         minimum.getOperands());
      })
      .Case([&](affine::AffineMaxOp maximum) {
        return expandMap<arith::MaxSIOp>(builder, loc, maximum.getAffineMap(),
                                         maximum.getOperands());
      })
      .Default(Value());
}

template <typename ArithOp> Value makeBinary(OpBuilder &builder, Operation *op) {
  return ArithOp::create(builder, op->getLoc(), op->getOperand(0), op->getOperand(1));
}

/// A cast between index and an integer, or two integers, that extends in the given way.
Value makeCast(OpBuilder &builder, Operation *op, bool isSigned) {
  Location loc = op->getLoc();
  Value input = op->getOperand(0);
  Type type = op->getResult(0).getType();
  if (isSigned)
    return arith::IndexCastOp::create(builder, loc, type, input);
  return arith::IndexCastUIOp::create(builder, loc, type, input);
}

/// The predicates of both dialects have the same names.
Value makeCompare(OpBuilder &builder, index::CmpOp op) {
  std::optional<arith::CmpIPredicate> predicate =
      arith::symbolizeCmpIPredicate(index::stringifyIndexCmpPredicate(op.getPred()));
  return arith::CmpIOp::create(builder, op.getLoc(), *predicate, op.getLhs(), op.getRhs());
}

/// The value of an index dialect op in arith, or null if `op` is none.
Value lowerIndex(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](index::AddOp) { return makeBinary<arith::AddIOp>(b, op); })
      .Case([&](index::SubOp) { return makeBinary<arith::SubIOp>(b, op); })
      .Case([&](index::MulOp) { return makeBinary<arith::MulIOp>(b, op); })
      .Case([&](index::DivSOp) { return makeBinary<arith::DivSIOp>(b, op); })
      .Case([&](index::DivUOp) { return makeBinary<arith::DivUIOp>(b, op); })
      .Case([&](index::CeilDivSOp) { return makeBinary<arith::CeilDivSIOp>(b, op); })
      .Case([&](index::CeilDivUOp) { return makeBinary<arith::CeilDivUIOp>(b, op); })
      .Case([&](index::FloorDivSOp) { return makeBinary<arith::FloorDivSIOp>(b, op); })
      .Case([&](index::RemSOp) { return makeBinary<arith::RemSIOp>(b, op); })
      .Case([&](index::RemUOp) { return makeBinary<arith::RemUIOp>(b, op); })
      .Case([&](index::MaxSOp) { return makeBinary<arith::MaxSIOp>(b, op); })
      .Case([&](index::MaxUOp) { return makeBinary<arith::MaxUIOp>(b, op); })
      .Case([&](index::MinSOp) { return makeBinary<arith::MinSIOp>(b, op); })
      .Case([&](index::MinUOp) { return makeBinary<arith::MinUIOp>(b, op); })
      .Case([&](index::ShlOp) { return makeBinary<arith::ShLIOp>(b, op); })
      .Case([&](index::ShrSOp) { return makeBinary<arith::ShRSIOp>(b, op); })
      .Case([&](index::ShrUOp) { return makeBinary<arith::ShRUIOp>(b, op); })
      .Case([&](index::AndOp) { return makeBinary<arith::AndIOp>(b, op); })
      .Case([&](index::OrOp) { return makeBinary<arith::OrIOp>(b, op); })
      .Case([&](index::XOrOp) { return makeBinary<arith::XOrIOp>(b, op); })
      .Case([&](index::CastSOp) { return makeCast(b, op, /*isSigned=*/true); })
      .Case([&](index::CastUOp) { return makeCast(b, op, /*isSigned=*/false); })
      .Case([&](index::CmpOp compare) { return makeCompare(b, compare); })
      .Case([&](index::SizeOfOp) -> Value { return arith::ConstantIndexOp::create(b, loc, 64); })
      .Case([&](index::ConstantOp constant) -> Value {
        return arith::ConstantIndexOp::create(b, loc, constant.getValue().getSExtValue());
      })
      .Case([&](index::BoolConstantOp constant) -> Value {
        return arith::ConstantOp::create(b, loc, b.getBoolAttr(constant.getValue()));
      })
      .Default(Value());
}

/// What stands for an op that has one result, or null if it may stay.
Value lowerScalar(OpBuilder &builder, Operation *op) {
  if (auto truncation = dyn_cast<arith::TruncFOp>(op))
    return expandRoundingMode(builder, truncation);
  Dialect *dialect = op->getDialect();
  if (isa_and_nonnull<affine::AffineDialect>(dialect))
    return lowerAffine(builder, op);
  return isa_and_nonnull<index::IndexDialect>(dialect) ? lowerIndex(builder, op) : Value();
}

struct LowerScalarsPass : impl::LowerScalarsBase<LowerScalarsPass> {
  void runOnOperation() override {
    if (failed(checkAffineDivisors(getOperation())))
      return signalPassFailure();
    OpBuilder builder(&getContext());
    bool hasAffineControl = false, hasLinearIndices = false, hasScaling = false;
    getOperation().walk([&](Operation *op) {
      builder.setInsertionPoint(op);
      if (Value value = lowerScalar(builder, op)) {
        op->getResult(0).replaceAllUsesWith(value);
        op->erase();
        return;
      }
      hasScaling |= isa<arith::ScalingExtFOp, arith::ScalingTruncFOp>(op);
      hasLinearIndices |= isa<affine::AffineLinearizeIndexOp, affine::AffineDelinearizeIndexOp>(op);
      hasAffineControl |=
          isa<affine::AffineForOp, affine::AffineIfOp, affine::AffineParallelOp>(op);
    });
    if (hasScaling)
      lowerScaling();
    if (hasLinearIndices) {
      RewritePatternSet patterns(&getContext());
      affine::populateAffineExpandIndexOpsPatterns(patterns);
      (void)applyPatternsGreedily(getOperation(), std::move(patterns));
    }
    if (!hasLinearIndices && !hasAffineControl)
      return;
    OpPassManager pm(func::FuncOp::getOperationName());
    pm.addPass(createLowerAffinePass());
    if (failed(runPipeline(pm, getOperation())))
      signalPassFailure();
  }

private:
  /// Scales are rounded to powers of two by way of their bits.
  void lowerScaling() {
    RewritePatternSet patterns(&getContext());
    arith::populateExpandScalingExtTruncPatterns(patterns);
    arith::populateExpandF8E8M0Patterns(patterns);
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace
} // namespace anneal
