//===- LowerParallelLoops.cpp - Parallel loops as sequential ones ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace anneal {
#define GEN_PASS_DEF_LOWERPARALLELLOOPS
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// Makes the body of the innermost loop from its counters and carried values; returns the next
/// carried values.
using BodyBuilder =
    function_ref<SmallVector<Value>(OpBuilder &, ValueRange counters, ValueRange carried)>;

/// A nest of `scf.for`, outermost first, that carries `inits` through all levels.
struct LoopNest {
  ArrayRef<Value> lower, upper, step;
  BodyBuilder body;

  SmallVector<Value> build(OpBuilder &builder, Location loc, ValueRange carried,
                           SmallVector<Value> &counters) const {
    size_t depth = counters.size();
    if (depth == lower.size())
      return body(builder, counters, carried);
    auto loop = scf::ForOp::create(builder, loc, lower[depth], upper[depth], step[depth], carried);
    OpBuilder::InsertionGuard guard(builder);
    Block *block = loop.getBody();
    // A loop that carries nothing is made with its terminator.
    if (!block->empty())
      block->back().erase();
    builder.setInsertionPointToEnd(block);
    counters.push_back(loop.getInductionVar());
    SmallVector<Value> next = build(builder, loc, loop.getRegionIterArgs(), counters);
    counters.pop_back();
    scf::YieldOp::create(builder, loc, next);
    return llvm::to_vector_of<Value>(loop.getResults());
  }
};

/// Inserts of an `scf.forall` are done at the end of each iteration, in order. What the body reads
/// of a shared output is its value before the loop, as if no other iteration had run.
void lowerForall(scf::ForallOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Value> lower = op.getLowerBound(builder), upper = op.getUpperBound(builder),
                     step = op.getStep(builder);
  auto body = [&](OpBuilder &b, ValueRange counters, ValueRange carried) {
    IRMapping mapping;
    mapping.map(op.getInductionVars(), counters);
    mapping.map(op.getRegionOutArgs(), op.getOutputs());
    for (Operation &inner : op.getBody()->without_terminator())
      b.clone(inner, mapping);
    SmallVector<Value> next(carried);
    for (Operation &inner : op.getTerminator().getYieldingOps()) {
      auto insert = cast<tensor::ParallelInsertSliceOp>(inner);
      unsigned number = cast<BlockArgument>(insert.getDest()).getArgNumber() - op.getRank();
      auto mapAll = [&](ValueRange values) {
        return llvm::map_to_vector(values, [&](Value v) { return mapping.lookupOrDefault(v); });
      };
      next[number] = tensor::InsertSliceOp::create(
          b, insert.getLoc(), next[number].getType(), mapping.lookupOrDefault(insert.getSource()),
          next[number], mapAll(insert.getOffsets()), mapAll(insert.getSizes()),
          mapAll(insert.getStrides()), insert.getStaticOffsets(), insert.getStaticSizes(),
          insert.getStaticStrides());
    }
    return next;
  };
  SmallVector<Value> counters;
  SmallVector<Value> results =
      LoopNest{lower, upper, step, body}.build(builder, loc, op.getOutputs(), counters);
  op->replaceAllUsesWith(results);
  op.erase();
}

/// Reductions of an `scf.parallel` are done in the order of the iterations.
void lowerParallel(scf::ParallelOp op) {
  OpBuilder builder(op);
  auto body = [&](OpBuilder &b, ValueRange counters, ValueRange carried) {
    IRMapping mapping;
    mapping.map(op.getInductionVars(), counters);
    for (Operation &inner : op.getBody()->without_terminator())
      b.clone(inner, mapping);
    auto reduce = cast<scf::ReduceOp>(op.getBody()->getTerminator());
    SmallVector<Value> next;
    for (auto [number, operand] : llvm::enumerate(reduce.getOperands())) {
      Block &combine = reduce.getReductions()[number].front();
      mapping.map(combine.getArgument(0), carried[number]);
      mapping.map(combine.getArgument(1), mapping.lookupOrDefault(operand));
      for (Operation &inner : combine.without_terminator())
        b.clone(inner, mapping);
      next.push_back(mapping.lookupOrDefault(combine.getTerminator()->getOperand(0)));
    }
    return next;
  };
  SmallVector<Value> lower(op.getLowerBound()), upper(op.getUpperBound()), step(op.getStep());
  SmallVector<Value> counters;
  SmallVector<Value> results =
      LoopNest{lower, upper, step, body}.build(builder, op.getLoc(), op.getInitVals(), counters);
  op->replaceAllUsesWith(results);
  op.erase();
}

struct LowerParallelLoopsPass : impl::LowerParallelLoopsBase<LowerParallelLoopsPass> {
  void runOnOperation() override {
    SmallVector<Operation *> loops;
    // Inner loops first: an outer one clones its body.
    getOperation().walk([&](Operation *op) {
      if (isa<scf::ForallOp, scf::ParallelOp>(op))
        loops.push_back(op);
    });
    for (Operation *loop : loops) {
      if (auto forall = dyn_cast<scf::ForallOp>(loop))
        lowerForall(forall);
      else
        lowerParallel(cast<scf::ParallelOp>(loop));
    }
  }
};

} // namespace
} // namespace anneal
