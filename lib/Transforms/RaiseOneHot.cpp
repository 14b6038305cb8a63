//===- RaiseOneHot.cpp - One-hot times a table is a gather ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConstantReader.h"
#include "OneHot.h"
#include "ShapeUtils.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace anneal {
#define GEN_PASS_DEF_RAISEONEHOT
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// The rewriting of one product.
class OneHotRaiser {
public:
  OneHotRaiser(RewriterBase &rewriter, linalg::MatmulOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()) {}

  void run() {
    Value lhs = op.getInputs()[0], table = op.getInputs()[1];
    if (!op.hasPureTensorSemantics() || op.hasUserDefinedMaps() || !isPlusZero(op.getOutputs()[0]))
      return;
    SmallVector<ReassociationIndices> groups{{0}, {1}};
    if (auto collapseOp = lhs.getDefiningOp<tensor::CollapseShapeOp>()) {
      groups = collapseOp.getReassociationIndices();
      lhs = collapseOp.getSrc();
    }
    Type element = getElementTypeOrSelf(table);
    std::optional<OneHot> oneHot = matchOneHot(lhs);
    if (!oneHot || groups.back().size() != 1 || !isa<FloatType>(element) ||
        element != getElementTypeOrSelf(lhs) ||
        element != getElementTypeOrSelf(op.getOutputs()[0]) || !isFinite(table))
      return;
    rewriter.setInsertionPoint(op);
    Value rows = gatherRows(*oneHot, table, lhs);
    Value result = collapse(rewriter, loc, rows, groups);
    if (result.getType() != op.getResult(0).getType())
      result = tensor::CastOp::create(rewriter, loc, op.getResult(0).getType(), result);
    rewriter.replaceOp(op, result);
  }

private:
  static bool isPlusZero(Value tensor) {
    auto fill = tensor.getDefiningOp<linalg::FillOp>();
    return fill && matchPattern(fill.value(), m_PosZeroFloat());
  }

  /// Row `label` of the table for each label; zeros for a label that is no class.
  Value gatherRows(const OneHot &oneHot, Value table, Value hot) {
    linalg::LinalgOp hotOp = oneHot.op;
    unsigned numLoops = hotOp.getNumLoops();
    SmallVector<OpFoldResult> sizes = sizesOf(rewriter, loc, hot);
    sizes.back() = sizeOf(rewriter, loc, table, 1);
    Value empty = makeEmpty(rewriter, loc, sizes, getElementTypeOrSelf(table));
    SmallVector<AffineMap> maps{oneHot.labels.map, rewriter.getMultiDimIdentityMap(numLoops)};
    SmallVector<utils::IteratorType> iterators(numLoops, utils::IteratorType::parallel);
    auto body = [&](OpBuilder &b, Location loc, ValueRange arguments) {
      Value label = arguments.front();
      if (!label.getType().isIndex())
        label = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), label);
      Value count = arith::ConstantIndexOp::create(b, loc, oneHot.numClasses);
      Value isClass = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, label, count);
      Value first = arith::ConstantIndexOp::create(b, loc, 0);
      Value row = arith::SelectOp::create(b, loc, isClass, label, first);
      Value column = linalg::IndexOp::create(b, loc, numLoops - 1);
      Value element = tensor::ExtractOp::create(b, loc, table, ValueRange{row, column});
      Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(element.getType(), 0.0));
      // The sum of products starts from +0: a -0 in the table comes out as +0.
      Value sum = arith::AddFOp::create(b, loc, element, zero);
      Value value = arith::SelectOp::create(b, loc, isClass, sum, zero);
      linalg::YieldOp::create(b, loc, value);
    };
    return linalg::GenericOp::create(rewriter, loc, empty.getType(), oneHot.labels.tensor, empty,
                                     maps, iterators, body)
        .getResult(0);
  }

  RewriterBase &rewriter;
  linalg::MatmulOp op;
  Location loc;
};

struct RaiseOneHotPass : impl::RaiseOneHotBase<RaiseOneHotPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::MatmulOp> products;
    getOperation().walk([&](linalg::MatmulOp op) { products.push_back(op); });
    for (linalg::MatmulOp op : products)
      OneHotRaiser(rewriter, op).run();
  }
};

} // namespace
} // namespace anneal
