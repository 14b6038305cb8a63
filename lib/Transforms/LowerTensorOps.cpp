//===- LowerTensorOps.cpp - Few tensor and linalg ops for many ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackLoops.h"
#include "TensorOpLowerings.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace anneal {
#define GEN_PASS_DEF_LOWERTENSOROPS
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// A choice between whole tensors by one condition, as a branch: the other is not computed, and
/// none is copied.
Value lowerSelect(OpBuilder &builder, arith::SelectOp op) {
  auto yield = [](Value value) {
    return [=](OpBuilder &b, Location loc) { scf::YieldOp::create(b, loc, value); };
  };
  return scf::IfOp::create(builder, op.getLoc(), op.getCondition(), yield(op.getTrueValue()),
                           yield(op.getFalseValue()))
      .getResult(0);
}

/// Whether lowerTensorOp is to look at `op`.
bool isTensorOp(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return isa<TensorType>(select.getType()) && !isa<TensorType>(select.getCondition().getType());
  return isa_and_nonnull<tensor::TensorDialect>(op->getDialect());
}

/// The value that replaces a tensor op of one result, or null.
Value lowerTensorOp(OpBuilder &builder, Operation *op) {
  return TypeSwitch<Operation *, Value>(op)
      .Case([&](tensor::ConcatOp concat) { return lowerConcat(builder, concat); })
      .Case([&](tensor::GenerateOp generate) { return lowerGenerate(builder, generate); })
      .Case([&](tensor::GatherOp gather) { return lowerGather(builder, gather); })
      .Case([&](tensor::ScatterOp scatter) { return lowerScatter(builder, scatter); })
      .Case([&](tensor::SplatOp splat) { return lowerSplat(builder, splat); })
      .Case([&](tensor::FromElementsOp elements) { return lowerFromElements(builder, elements); })
      .Case([&](tensor::BitcastOp bitcast) { return lowerBitcast(builder, bitcast); })
      .Case([&](tensor::PadOp pad) { return lowerPad(builder, pad); })
      .Case([&](tensor::DimOp dim) { return lowerDim(builder, dim); })
      .Case([&](arith::SelectOp select) { return lowerSelect(builder, select); })
      .Case([&](tensor::ExtractSliceOp slice) { return sliceOfConcat(builder, slice); })
      .Default(Value());
}

LogicalResult lowerPacking(RewriterBase &rewriter, Operation *op) {
  bool lowered = false;
  if (auto pack = dyn_cast<linalg::PackOp>(op)) {
    checkPack(rewriter, pack);
    lowered = succeeded(linalg::lowerPack(rewriter, pack));
  } else {
    lowered = succeeded(linalg::lowerUnPack(rewriter, cast<linalg::UnPackOp>(op)));
  }
  if (lowered)
    return success();
  rewriter.setInsertionPoint(op);
  if (succeeded(lowerPackToLoops(rewriter, op)))
    return success();
  return op->emitOpError("cannot be lowered: its destination has no rank");
}

/// Decomposes linalg ops that are no structured ops: softmax, Winograd transforms, pack, unpack.
LogicalResult decompose(RewriterBase &rewriter, Operation *op) {
  if (op->getNumResults() == 0)
    return success(); // It works on buffers.
  rewriter.setInsertionPoint(op);
  if (auto aggregated = dyn_cast<linalg::AggregatedOpInterface>(op)) {
    FailureOr<SmallVector<Value>> values = aggregated.decomposeOperation(rewriter);
    if (failed(values))
      return op->emitOpError("cannot be decomposed");
    rewriter.replaceOp(op, *values);
    return success();
  }
  FailureOr<Operation *> winograd =
      TypeSwitch<Operation *, FailureOr<Operation *>>(op)
          .Case([&](linalg::WinogradFilterTransformOp transform) {
            return linalg::decomposeWinogradFilterTransformOp(rewriter, transform);
          })
          .Case([&](linalg::WinogradInputTransformOp transform) {
            return linalg::decomposeWinogradInputTransformOp(rewriter, transform);
          })
          .Case([&](linalg::WinogradOutputTransformOp transform) {
            return linalg::decomposeWinogradOutputTransformOp(rewriter, transform);
          })
          .Default([](Operation *other) { return other; });
  if (failed(winograd))
    return op->emitOpError("cannot be decomposed: its sizes must be constant");
  if (*winograd != op)
    return success();
  if (isa<linalg::PackOp, linalg::UnPackOp>(op))
    return lowerPacking(rewriter, op);
  return success();
}

struct LowerTensorOpsPass : impl::LowerTensorOpsBase<LowerTensorOpsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> aggregates;
    getOperation().walk([&](Operation *op) {
      if (isa<linalg::AggregatedOpInterface, linalg::PackOp, linalg::UnPackOp,
              linalg::WinogradFilterTransformOp, linalg::WinogradInputTransformOp,
              linalg::WinogradOutputTransformOp>(op))
        aggregates.push_back(op);
    });
    for (Operation *op : aggregates)
      if (failed(decompose(rewriter, op)))
        return signalPassFailure();
    // Last first and inside first: a slice of a concat looks at it before it is lowered, and what
    // is lowered is copied with what it contains.
    SmallVector<Operation *> ops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isTensorOp(op))
        ops.push_back(op);
    });
    for (Operation *op : llvm::reverse(ops)) {
      if (isOpTriviallyDead(op)) {
        rewriter.eraseOp(op);
        continue;
      }
      rewriter.setInsertionPoint(op);
      if (Value value = lowerTensorOp(rewriter, op))
        rewriter.replaceOp(op, value);
    }
  }
};

} // namespace
} // namespace anneal
