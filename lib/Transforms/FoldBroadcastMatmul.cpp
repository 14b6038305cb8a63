//===- FoldBroadcastMatmul.cpp - Products with broadcast operands ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

namespace anneal {
#define GEN_PASS_DEF_FOLDBROADCASTMATMUL
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// A tensor read through `map`, whose dimensions are those of another tensor that it stands for:
/// for each dimension of `source`, the dimension of that tensor (a dim expression) or a constant.
struct View {
  Value source;
  SmallVector<AffineExpr> map;
};

/// Whether `op` only copies its single input: an all-parallel structured op that yields it.
bool isPureCopy(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 1 || op.getNumDpsInits() != 1 || !op.hasPureTensorSemantics() ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  Block *body = op.getBlock();
  return body->without_terminator().empty() &&
         body->getTerminator()->getOperand(0) ==
             op.getMatchingBlockArgument(op.getDpsInputOperand(0));
}

/// What `tensor` is a copy of: its source as read by the dimensions of `tensor`. Looks through
/// copies (generic or `linalg.broadcast`, `linalg.transpose`) and through collapses of which each
/// group has at most one dimension that the source depends on.
class BroadcastTracer {
public:
  explicit BroadcastTracer(MLIRContext *context) : context(context) {}

  View trace(Value tensor) {
    View view{tensor, identity(tensor)};
    while (step(view)) {
    }
    return view;
  }

private:
  SmallVector<AffineExpr> identity(Value tensor) {
    SmallVector<AffineExpr> map;
    for (int64_t dim = 0, rank = cast<RankedTensorType>(tensor.getType()).getRank(); dim < rank;
         ++dim)
      map.push_back(getAffineDimExpr(dim, context));
    return map;
  }

  bool step(View &view) {
    Operation *op = view.source.getDefiningOp();
    if (auto linalgOp = dyn_cast_or_null<linalg::LinalgOp>(op))
      return isPureCopy(linalgOp) && stepCopy(linalgOp, view);
    if (auto collapseOp = dyn_cast_or_null<tensor::CollapseShapeOp>(op))
      return stepCollapse(collapseOp, view);
    return false;
  }

  bool stepCopy(linalg::LinalgOp op, View &view) {
    AffineMap in = op.getMatchingIndexingMap(op.getDpsInputOperand(0));
    AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    if (!out.isPermutation() || !in.isProjectedPermutation(/*allowZeroInResults=*/true))
      return false;
    SmallVector<AffineExpr> byLoop(out.getNumDims());
    for (auto [position, expr] : llvm::enumerate(out.getResults()))
      byLoop[cast<AffineDimExpr>(expr).getPosition()] = view.map[position];
    SmallVector<AffineExpr> map;
    for (AffineExpr expr : in.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      map.push_back(dim ? byLoop[dim.getPosition()] : expr);
    }
    view = {op.getDpsInputOperand(0)->get(), map};
    return true;
  }

  /// `collapse(copy)`: if the copy's source depends on at most one dimension of each group, and the
  /// rest of the group is broadcast in front of it, it is the same copy of fewer dimensions. Only a
  /// group that is broadcast as a whole, or is single, is looked through.
  bool stepCollapse(tensor::CollapseShapeOp op, View &view) {
    auto copy = op.getSrc().getDefiningOp<linalg::LinalgOp>();
    if (!copy || !isPureCopy(copy))
      return false;
    View inner{op.getSrc(), identity(op.getSrc())};
    if (!stepCopy(copy, inner))
      return false;
    SmallVector<AffineExpr> outer(op.getSrcType().getRank());
    for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices()))
      if (group.size() == 1)
        outer[group.front()] = view.map[dim];
    SmallVector<AffineExpr> map;
    for (AffineExpr expr : inner.map) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (dim && !outer[dim.getPosition()])
        return false;
      map.push_back(dim ? outer[dim.getPosition()] : expr);
    }
    view = {inner.source, map};
    return true;
  }

  MLIRContext *context;
};

/// Drops from `view` the leading dimensions that are read at a constant 0 (their size is one), by
/// collapsing them into what follows. Null if that does not leave `rank` dimensions.
Value dropUnitDims(OpBuilder &builder, Location loc, View &view, int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  SmallVector<AffineExpr> map;
  ReassociationIndices pending;
  for (auto [dim, expr] : llvm::enumerate(view.map)) {
    pending.push_back(dim);
    if (isa<AffineConstantExpr>(expr))
      continue;
    groups.push_back(pending);
    map.push_back(expr);
    pending.clear();
  }
  if (static_cast<int64_t>(groups.size()) != rank)
    return {};
  llvm::append_range(groups.back(), pending);
  view.map = map;
  return collapse(builder, loc, view.source, groups);
}

/// The rewriting of one `linalg.batch_matmul`.
class BatchMatmulFolder {
public:
  BatchMatmulFolder(RewriterBase &rewriter, linalg::BatchMatmulOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()), tracer(op.getContext()) {}

  LogicalResult run() {
    if (!op.hasPureTensorSemantics() || op.hasUserDefinedMaps())
      return rewriter.notifyMatchFailure(op, "not a plain batch_matmul on tensors");
    rewriter.setInsertionPoint(op);
    View rhs = traceOperand(1);
    if (dependsOnBatch(rhs))
      return foldLhs();
    return foldRhs(rhs);
  }

private:
  /// What the operand is a copy of. A batch of one is no dependence on the batch.
  View traceOperand(unsigned number) {
    Value operand = op.getInputs()[number];
    View view = tracer.trace(operand);
    if (cast<RankedTensorType>(operand.getType()).getDimSize(0) == 1)
      for (AffineExpr &expr : view.map)
        if (expr.isFunctionOfDim(0))
          expr = getAffineConstantExpr(0, op.getContext());
    return view;
  }

  static bool dependsOnBatch(const View &view) {
    return llvm::any_of(view.map, [](AffineExpr expr) { return expr.isFunctionOfDim(0); });
  }

  /// All batches multiply by one matrix: one product of the rows of all batches.
  LogicalResult foldRhs(View rhs) {
    Value matrix = dropUnitDims(rewriter, loc, rhs, 2);
    if (!matrix)
      return rewriter.notifyMatchFailure(op, "the broadcast operand is no matrix");
    // Dimensions of the operand are (batch, k, n).
    bool isTransposed = cast<AffineDimExpr>(rhs.map[0]).getPosition() == 2;
    SmallVector<ReassociationIndices> groups{{0, 1}, {2}};
    Value lhs = collapse(rewriter, loc, op.getInputs()[0], groups);
    SmallVector<OpFoldResult> sizes = sizesOf(rewriter, loc, op.getOutputs()[0]);
    Value init = collapseInit(groups, sizes);
    auto matmul = linalg::MatmulOp::create(rewriter, loc, init.getType(), ValueRange{lhs, matrix},
                                           ValueRange{init});
    if (op.getCastAttr())
      matmul.setCastAttr(op.getCastAttr());
    if (isTransposed)
      setMaps(matmul, {{0, 2}, {1, 2}, {0, 1}}, 3);
    Value result = expand(rewriter, loc, matmul.getResult(0), groups, sizes);
    rewriter.replaceOp(op, castTo(result, op.getResult(0).getType()));
    return success();
  }

  /// Every batch multiplies one matrix from the left: the product reads it in every batch.
  LogicalResult foldLhs() {
    View lhs = traceOperand(0);
    if (dependsOnBatch(lhs) || lhs.source == op.getInputs()[0])
      return rewriter.notifyMatchFailure(op, "no operand is broadcast along the batch");
    Value matrix = dropUnitDims(rewriter, loc, lhs, 2);
    if (!matrix)
      return rewriter.notifyMatchFailure(op, "the broadcast operand is no matrix");
    // Dimensions of the operand are (batch, m, k), the loops (batch, m, n, k).
    bool isTransposed = cast<AffineDimExpr>(lhs.map[0]).getPosition() == 2;
    SmallVector<int64_t> lhsDims =
        isTransposed ? SmallVector<int64_t>{3, 1} : SmallVector<int64_t>{1, 3};
    rewriter.modifyOpInPlace(op, [&] {
      op.getInputsMutable()[0].set(matrix);
      setMaps(op, {lhsDims, {0, 3, 2}, {0, 1, 2}}, 4);
    });
    return success();
  }

  /// The initial value with batch and rows as one dimension; a fill is made anew.
  Value collapseInit(ArrayRef<ReassociationIndices> groups, ArrayRef<OpFoldResult> sizes) {
    Value init = op.getOutputs()[0];
    auto fill = init.getDefiningOp<linalg::FillOp>();
    if (!fill)
      return collapse(rewriter, loc, init, groups);
    OpFoldResult rows = productOf(rewriter, loc, sizes.take_front(2));
    Value empty = makeEmpty(rewriter, loc, {rows, sizes[2]}, getElementTypeOrSelf(init));
    return linalg::FillOp::create(rewriter, loc, fill.value(), empty).getResult(0);
  }

  template <typename OpTy>
  void setMaps(OpTy target, ArrayRef<SmallVector<int64_t>> maps, unsigned numLoops) {
    SmallVector<AffineMap> affineMaps;
    for (const SmallVector<int64_t> &dims : maps)
      affineMaps.push_back(AffineMap::getMultiDimMapWithTargets(
          numLoops, SmallVector<unsigned>(dims.begin(), dims.end()), rewriter.getContext()));
    target.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(affineMaps));
  }

  Value castTo(Value value, Type type) {
    if (value.getType() == type)
      return value;
    return tensor::CastOp::create(rewriter, loc, type, value);
  }

  RewriterBase &rewriter;
  linalg::BatchMatmulOp op;
  Location loc;
  BroadcastTracer tracer;
};

struct FoldBroadcastMatmulPass : impl::FoldBroadcastMatmulBase<FoldBroadcastMatmulPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::BatchMatmulOp> products;
    getOperation().walk([&](linalg::BatchMatmulOp op) { products.push_back(op); });
    for (linalg::BatchMatmulOp op : products)
      (void)BatchMatmulFolder(rewriter, op).run();
  }
};

} // namespace
} // namespace anneal
