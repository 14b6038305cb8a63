//===- RaiseBroadcastGather.cpp - Gathers that are broadcasts -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace anneal {
#define GEN_PASS_DEF_RAISEBROADCASTGATHER
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// An element read in a body that can be an operand read through `map`.
struct Raised {
  tensor::ExtractOp extract;
  AffineMap map;
};

class GatherRaiser {
public:
  GatherRaiser(RewriterBase &rewriter, linalg::GenericOp op) : rewriter(rewriter), op(op) {}

  void run() {
    SmallVector<Raised> raised;
    for (auto extract : op.getBody()->getOps<tensor::ExtractOp>())
      if (std::optional<AffineMap> map = findMap(extract))
        raised.push_back({extract, *map});
    if (!raised.empty())
      rebuild(raised);
  }

private:
  std::optional<AffineMap> findMap(tensor::ExtractOp extract) {
    Value source = extract.getTensor();
    if (op.getRegion().isAncestor(source.getParentRegion()))
      return std::nullopt;
    SmallVector<AffineExpr> exprs;
    for (auto [dim, index] : llvm::enumerate(extract.getIndices())) {
      AffineExpr expr = findIndex(source, dim, index);
      if (!expr)
        return std::nullopt;
      exprs.push_back(expr);
    }
    return AffineMap::get(op.getNumLoops(), 0, exprs, op.getContext());
  }

  /// The index as an expression of the loops, if it is inside the dimension wherever the loops go.
  AffineExpr findIndex(Value source, int64_t dim, Value index) {
    if (std::optional<int64_t> constant = getConstantIntValue(index)) {
      int64_t size = cast<RankedTensorType>(source.getType()).getDimSize(dim);
      if (ShapedType::isDynamic(size) || *constant < 0 || *constant >= size)
        return {};
      return getAffineConstantExpr(*constant, op.getContext());
    }
    std::optional<unsigned> loop = loopOf(index);
    if (!loop)
      return {};
    std::optional<SizeSource> loopSize = traceLoopSize(op, *loop);
    if (!loopSize || !isSameSize(*loopSize, traceSize(source, dim)))
      return {};
    return getAffineDimExpr(*loop, op.getContext());
  }

  /// The loop whose counter `index` is: `linalg.index`, or `size == 1 ? 0 : linalg.index` with
  /// `size` being the number of iterations (of one iteration the counter is 0 anyway).
  std::optional<unsigned> loopOf(Value index) {
    if (auto indexOp = index.getDefiningOp<linalg::IndexOp>())
      return indexOp.getDim();
    auto select = index.getDefiningOp<arith::SelectOp>();
    if (!select || !matchPattern(select.getTrueValue(), m_Zero()))
      return std::nullopt;
    auto indexOp = select.getFalseValue().getDefiningOp<linalg::IndexOp>();
    auto isOne = select.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!indexOp || !isOne || isOne.getPredicate() != arith::CmpIPredicate::eq ||
        !matchPattern(isOne.getRhs(), m_One()))
      return std::nullopt;
    Value size = isOne.getLhs();
    if (auto castOp = size.getDefiningOp<arith::IndexCastOp>())
      size = castOp.getIn();
    std::optional<SizeSource> loopSize = traceLoopSize(op, indexOp.getDim());
    if (!loopSize || !isSameSize(*loopSize, traceSize(OpFoldResult(size))))
      return std::nullopt;
    return indexOp.getDim();
  }

  /// Makes `op` again with an operand more for each element that was read.
  void rebuild(ArrayRef<Raised> raised) {
    SmallVector<Value> inputs(op.getInputs());
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned numOldInputs = inputs.size();
    for (auto [number, entry] : llvm::enumerate(raised)) {
      tensor::ExtractOp extract = entry.extract;
      inputs.push_back(extract.getTensor());
      maps.insert(maps.begin() + numOldInputs + number, entry.map);
    }
    rewriter.setInsertionPoint(op);
    auto newOp = linalg::GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(), inputs,
                                           op.getOutputs(), maps, op.getIteratorTypesArray());
    rewriter.inlineRegionBefore(op.getRegion(), newOp.getRegion(), newOp.getRegion().begin());
    Block *body = newOp.getBody();
    for (auto [number, entry] : llvm::enumerate(raised)) {
      tensor::ExtractOp extract = entry.extract;
      Value argument =
          body->insertArgument(numOldInputs + number, extract.getType(), extract.getLoc());
      rewriter.replaceOp(extract, argument);
    }
    rewriter.replaceOp(op, newOp);
  }

  RewriterBase &rewriter;
  linalg::GenericOp op;
};

struct RaiseBroadcastGatherPass : impl::RaiseBroadcastGatherBase<RaiseBroadcastGatherPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> candidates;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.hasPureTensorSemantics() && !op.getBody()->getOps<tensor::ExtractOp>().empty())
        candidates.push_back(op);
    });
    for (linalg::GenericOp op : candidates)
      GatherRaiser(rewriter, op).run();
  }
};

} // namespace
} // namespace anneal
