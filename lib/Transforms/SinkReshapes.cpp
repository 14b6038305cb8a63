//===- SinkReshapes.cpp - Reshapes after what they stand before -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block is walked once in program order; a reshape that was sunk below one op stands before
// the next, so that one walk carries it down a whole chain.
//
//===----------------------------------------------------------------------===//

#include "DeadOps.h"
#include "LoopReshape.h"
#include "ShapeUtils.h"
#include "anneal/Transforms/Passes.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace anneal {
#define GEN_PASS_DEF_SINKRESHAPES
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

class ReshapeSinker {
public:
  explicit ReshapeSinker(RewriterBase &rewriter) : rewriter(rewriter) {}

  void visit(linalg::LinalgOp op) {
    if (!isElementwise(op) && !isPlainReduction(op))
      return;
    bool changed = true;
    for (int round = 0; changed && round < 4; ++round) {
      changed = false;
      for (OpOperand *operand : op.getDpsInputOperands()) {
        linalg::LinalgOp next = sink(op, operand);
        if (!next)
          continue;
        changed = next != op || changed;
        op = next;
        if (changed)
          break;
      }
    }
    rememberAnchored(op);
  }

private:
  /// Moves the reshape that made `operand` below `op`, or into its access. Returns the op that `op`
  /// became, or null.
  linalg::LinalgOp sink(linalg::LinalgOp op, OpOperand *operand) {
    if (auto expandOp = operand->get().getDefiningOp<tensor::ExpandShapeOp>()) {
      if (linalg::LinalgOp next = readWithoutUnitDims(rewriter, op, operand))
        return next;
      std::optional<LoopReshape> reshape = LoopReshape::merging(op, operand);
      if (reshape && isWorthMerging(*reshape, expandOp.getSrc()))
        return reshape->apply(rewriter);
    }
    if (auto collapseOp = operand->get().getDefiningOp<tensor::CollapseShapeOp>()) {
      if (endsAnchor(collapseOp) && isElementwise(op)) {
        std::optional<LoopReshape> reshape = LoopReshape::splitting(op, operand);
        if (reshape && !reshapesWhatWouldFuse(*reshape))
          return reshape->apply(rewriter);
      }
      // A view costs nothing; it is in the way only where two element-wise ops would fuse.
      auto producer = collapseOp.getSrc().getDefiningOp<linalg::LinalgOp>();
      if (producer && isElementwise(producer))
        return readWithoutUnitDims(rewriter, op, operand);
    }
    return {};
  }

  /// Along what stands on an anchor, as long as no chain of element-wise ops is cut by a new
  /// reshape; elsewhere, where all operands that are affected lose a reshape and the op then fuses
  /// with what was before it.
  bool isWorthMerging(const LoopReshape &reshape, Value source) {
    if (isAnchored(source))
      return !reshapesWhatWouldFuse(reshape);
    return fusesWith(source) && llvm::all_of(reshape.affectedInputs(), [&](OpOperand *input) {
             return reshape.undoes(*input) || isUniformSource(input->get());
           });
  }

  /// Whether `tensor` is an element-wise result that one reshape alone reads.
  static bool fusesWith(Value tensor) {
    auto producer = tensor.getDefiningOp<linalg::LinalgOp>();
    return producer && isElementwise(producer) && tensor.hasOneUse();
  }

  /// Whether what is collapsed stands on an anchor, and is not read besides if it is the anchor's
  /// own result: an epilogue may follow.
  bool endsAnchor(tensor::CollapseShapeOp op) {
    auto producer = op.getSrc().getDefiningOp<linalg::LinalgOp>();
    return isAnchored(op.getSrc()) &&
           (anchored.contains(producer) || (op.getSrc().hasOneUse() && op->hasOneUse()));
  }

  /// Whether an input that would get a new reshape is an element-wise result that only `op` reads.
  bool reshapesWhatWouldFuse(const LoopReshape &reshape) {
    return llvm::any_of(reshape.affectedInputs(), [&](OpOperand *input) {
      auto producer = input->get().getDefiningOp<linalg::LinalgOp>();
      return producer && isElementwise(producer) && input->get().hasOneUse() &&
             !reshape.undoes(*input);
    });
  }

  static bool isUniformSource(Value tensor) {
    return isa_and_nonnull<linalg::FillOp, tensor::EmptyOp>(tensor.getDefiningOp());
  }

  /// Whether `tensor` is the result of a contraction or convolution, or of element-wise ops and row
  /// reductions on it.
  bool isAnchored(Value tensor) {
    auto op = tensor.getDefiningOp<linalg::LinalgOp>();
    return op && (isAnchor(op) || anchored.contains(op));
  }

  void rememberAnchored(linalg::LinalgOp op) {
    if (!isElementwise(op) && !isPlainReduction(op))
      return;
    for (OpOperand *operand : op.getDpsInputOperands())
      if (isAnchored(operand->get()) && visitsEachPointOnce(op.getMatchingIndexingMap(operand), op))
        anchored.insert(op);
  }

  RewriterBase &rewriter;
  llvm::DenseSet<Operation *> anchored;
};

struct SinkReshapesPass : impl::SinkReshapesBase<SinkReshapesPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk<WalkOrder::PreOrder>([&](linalg::LinalgOp op) { ops.push_back(op); });
    ReshapeSinker sinker(rewriter);
    for (linalg::LinalgOp op : ops)
      sinker.visit(op);
    eraseDeadOps(getOperation());
  }
};

} // namespace
} // namespace anneal
