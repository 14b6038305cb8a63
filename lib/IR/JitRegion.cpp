//===- JitRegion.cpp - jit.region and jit.yield ---------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace anneal::jit;

//===----------------------------------------------------------------------===//
// Building, control flow
//===----------------------------------------------------------------------===//

void RegionOp::build(OpBuilder &builder, OperationState &state, TypeRange types) {
  state.addTypes(types);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(state.addRegion());
}

/// Of a region without results.
void YieldOp::build(OpBuilder &, OperationState &) {}

YieldOp RegionOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

/// Control goes in once and comes out with what is yielded.
void RegionOp::getSuccessorRegions(RegionBranchPoint point,
                                   SmallVectorImpl<RegionSuccessor> &successors) {
  if (point.isParent())
    successors.emplace_back(&getBody());
  else
    successors.emplace_back(getOperation(), getResults());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

/// That what is yielded fits the results is checked by the interface of control flow.
LogicalResult RegionOp::verifyRegions() {
  if ((*this)->getParentOfType<UnitOp>())
    return emitOpError() << "stands inside a jit.unit, which is formed already";
  WalkResult walk = getBody().walk([&](Operation *op) {
    if (!isa<RegionOp, InvokeOp, CallOpInterface>(op))
      return WalkResult::advance();
    InFlightDiagnostic error = emitOpError();
    error << "holds '" << op->getName() << "'; regions don't nest and hold no calls";
    error.attachNote(op->getLoc()) << "it stands here";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

namespace {
/// Drops results that nobody reads, that are yielded twice, or that come from outside.
struct DropResults : OpRewritePattern<RegionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RegionOp region, PatternRewriter &rewriter) const override {
    YieldOp yield = region.getYield();
    SmallVector<Value> kept;
    // What each result is from now on: a value from outside, or one of those kept.
    SmallVector<Value> outside(region.getNumResults());
    SmallVector<size_t> position(region.getNumResults());
    for (auto [index, value] : llvm::enumerate(yield.getOperands())) {
      if (!region.getBody().isAncestor(value.getParentRegion())) {
        outside[index] = value;
      } else if (!region->getResult(index).use_empty()) {
        auto *known = llvm::find(kept, value);
        position[index] = known - kept.begin();
        if (known == kept.end())
          kept.push_back(value);
      }
    }
    if (kept.size() == region.getNumResults())
      return rewriter.notifyMatchFailure(region, "every result is needed");
    auto smaller = RegionOp::create(rewriter, region.getLoc(), ValueRange(kept).getTypes());
    smaller->setDiscardableAttrs(region->getDiscardableAttrDictionary());
    rewriter.modifyOpInPlace(yield, [&] { yield.getOperandsMutable().assign(kept); });
    rewriter.eraseBlock(&smaller.getBody().front());
    rewriter.inlineRegionBefore(region.getBody(), smaller.getBody(), smaller.getBody().end());
    for (auto [index, result] : llvm::enumerate(region.getResults()))
      if (!result.use_empty())
        rewriter.replaceAllUsesWith(result, outside[index] ? outside[index]
                                                           : smaller->getResult(position[index]));
    rewriter.eraseOp(region);
    return success();
  }
};

/// A region in which nothing is computed is nothing.
struct EraseEmpty : OpRewritePattern<RegionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RegionOp region, PatternRewriter &rewriter) const override {
    if (!region.getBody().front().without_terminator().empty())
      return rewriter.notifyMatchFailure(region, "computes something");
    rewriter.replaceOp(region, SmallVector<Value>(region.getYield().getOperands()));
    return success();
  }
};
} // namespace

void RegionOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<DropResults, EraseEmpty>(context);
}
