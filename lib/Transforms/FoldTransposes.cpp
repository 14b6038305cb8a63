//===- FoldTransposes.cpp - Transposes into contractions ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeadOps.h"
#include "LoopReshape.h"
#include "anneal/Transforms/Passes.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace anneal {
#define GEN_PASS_DEF_FOLDTRANSPOSES
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// For an op that only exchanges the dimensions of a tensor: from a position in the result to that
/// in the source. Null for others.
AffineMap transposition(linalg::LinalgOp op) {
  if (!op || op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 ||
      !op.hasPureTensorSemantics() || op.getNumParallelLoops() != op.getNumLoops())
    return {};
  Block *body = op.getBlock();
  if (&body->front() != body->getTerminator() ||
      body->getTerminator()->getOperand(0) != op.getMatchingBlockArgument(op.getDpsInputOperand(0)))
    return {};
  AffineMap in = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (!in.isPermutation() || !out.isPermutation())
    return {};
  return in.compose(inversePermutation(out));
}

/// Plain contractions, whose accesses may be exchanged freely: no windows, one type throughout.
bool isContraction(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumOperands() != 3 || !isAnchor(op))
    return false;
  Type type = getElementTypeOrSelf(op->getOperand(0));
  return llvm::all_of(op->getOperands(),
                      [&](Value value) {
                        return isa<RankedTensorType>(value.getType()) &&
                               getElementTypeOrSelf(value) == type;
                      }) &&
         llvm::all_of(op.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isProjectedPermutation(); });
}

class TransposeFolder {
public:
  explicit TransposeFolder(RewriterBase &rewriter) : rewriter(rewriter) {}

  void visit(linalg::LinalgOp op) {
    op = split(op);
    Access access{SmallVector<Value>(op->getOperands()), op.getIndexingMapsArray()};
    bool changed = foldInputs(op, access);
    linalg::LinalgOp after = transposeAfter(op, access);
    if (changed || after)
      rebuild(op, access, after);
  }

private:
  struct Access {
    SmallVector<Value> operands;
    SmallVector<AffineMap> maps;
  };

  /// Over the dimensions before its operands were collapsed, where its result is expanded into
  /// these again.
  linalg::LinalgOp split(linalg::LinalgOp op) {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      if (!operand->get().getDefiningOp<tensor::CollapseShapeOp>())
        continue;
      std::optional<LoopReshape> reshape = LoopReshape::splitting(op, operand);
      if (!reshape)
        continue;
      // Loops of the batch: those of rows or columns alone are better merged.
      SmallVector<OpOperand *> affected = reshape->affectedInputs();
      if (affected.size() == 2 && reshape->isUndoneAfter() &&
          llvm::all_of(affected, [&](OpOperand *input) { return reshape->undoes(*input); }))
        return reshape->apply(rewriter);
    }
    return op;
  }

  static bool foldInputs(linalg::LinalgOp op, Access &access) {
    bool changed = false;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      Value &tensor = access.operands[operand->getOperandNumber()];
      AffineMap &map = access.maps[operand->getOperandNumber()];
      while (auto producer = tensor.getDefiningOp<linalg::LinalgOp>()) {
        AffineMap moves = transposition(producer);
        if (!moves)
          break;
        tensor = producer.getDpsInputOperand(0)->get();
        map = moves.compose(map);
        changed = true;
      }
    }
    return changed;
  }

  /// The transpose that alone reads the result, written into by `op` itself from now on; null if
  /// there is none.
  static linalg::LinalgOp transposeAfter(linalg::LinalgOp op, Access &access) {
    Value result = op->getResult(0);
    OpOperand *init = op.getDpsInitOperand(0);
    auto fill = init->get().getDefiningOp<linalg::FillOp>();
    if (!result.hasOneUse() || !fill)
      return {};
    auto reader = dyn_cast<linalg::LinalgOp>(*result.user_begin());
    AffineMap moves = transposition(reader);
    if (!moves || reader.getDpsInits()[0] == result)
      return {};
    // A position in what the transpose writes, from one in the result.
    access.maps[init->getOperandNumber()] =
        inversePermutation(moves).compose(access.maps[init->getOperandNumber()]);
    return reader;
  }

  void rebuild(linalg::LinalgOp op, Access &access, linalg::LinalgOp after) {
    rewriter.setInsertionPoint(after ? after : op);
    Location loc = op.getLoc();
    if (after) {
      auto fill = access.operands[2].getDefiningOp<linalg::FillOp>();
      access.operands[2] =
          linalg::FillOp::create(rewriter, fill.getLoc(), fill.value(), after.getDpsInits()[0])
              .getResult(0);
    }
    auto contract = linalg::ContractOp::create(
        rewriter, loc, TypeRange(access.operands[2].getType()),
        ValueRange(access.operands).take_front(2), ValueRange(access.operands).drop_front(2),
        rewriter.getAffineMapArrayAttr(access.maps));
    rewriter.replaceOp(after ? after : op, contract);
    if (after)
      rewriter.eraseOp(op);
  }

  RewriterBase &rewriter;
};

struct FoldTransposesPass : impl::FoldTransposesBase<FoldTransposesPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (isContraction(op))
        ops.push_back(op);
    });
    TransposeFolder folder(rewriter);
    for (linalg::LinalgOp op : ops)
      folder.visit(op);
    eraseDeadOps(getOperation());
  }
};

} // namespace
} // namespace anneal
