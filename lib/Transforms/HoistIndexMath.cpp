//===- HoistIndexMath.cpp - Tables of what depends on one loop ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace anneal {
#define GEN_PASS_DEF_HOISTINDEXMATH
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// Fewer operations than this, conversions not counted, are not worth a table.
constexpr unsigned kWorthATable = 2;

class Hoister {
public:
  Hoister(RewriterBase &rewriter, linalg::GenericOp op) : rewriter(rewriter), op(op) {}

  void run() {
    if (op.getNumLoops() < 2 || !op.hasPureTensorSemantics())
      return;
    classify();
    SmallVector<Value> tables;
    SmallVector<AffineMap> maps;
    SmallVector<Operation *> roots = findRoots();
    for (Operation *root : roots) {
      Value table = makeTable(root, loopOf.at(root));
      if (!table)
        return;
      tables.push_back(table);
      maps.push_back(AffineMap::get(op.getNumLoops(), 0,
                                    {getAffineDimExpr(loopOf.at(root), op.getContext())},
                                    op.getContext()));
    }
    if (!roots.empty())
      rebuild(roots, tables, maps);
  }

private:
  /// The loop that an operation of the body depends on, if it depends on one alone and on nothing
  /// else that changes.
  void classify() {
    for (Operation &inner : op.getBody()->without_terminator()) {
      if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
        loopOf[&inner] = index.getDim();
        continue;
      }
      if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(inner.getDialect()) ||
          !isPure(&inner) || inner.getNumResults() != 1 || inner.getNumRegions() != 0)
        continue;
      std::optional<unsigned> loop;
      bool isOne = true;
      for (Value operand : inner.getOperands()) {
        if (isFixed(operand))
          continue;
        auto known = loopOf.find(operand.getDefiningOp());
        isOne &= known != loopOf.end() && (!loop || *loop == known->second);
        if (known != loopOf.end())
          loop = known->second;
      }
      if (isOne && loop)
        loopOf[&inner] = *loop;
    }
  }

  /// Defined outside of the body, or a constant in it.
  bool isFixed(Value value) {
    return !op.getRegion().isAncestor(value.getParentRegion()) ||
           value.getDefiningOp<arith::ConstantOp>();
  }

  /// Operations whose results others use that depend on more.
  SmallVector<Operation *> findRoots() {
    SmallVector<Operation *> roots;
    for (Operation &inner : op.getBody()->without_terminator()) {
      auto known = loopOf.find(&inner);
      if (known == loopOf.end() || isa<linalg::IndexOp>(inner))
        continue;
      bool isLast = llvm::any_of(inner.getUsers(), [&](Operation *user) {
        auto other = loopOf.find(user);
        return other == loopOf.end() || other->second != known->second;
      });
      if (isLast && costOf(&inner) >= kWorthATable)
        roots.push_back(&inner);
    }
    return roots;
  }

  /// What computes the root's value in the body, in an order of its uses, the root last.
  llvm::SetVector<Operation *> sliceOf(Operation *root) {
    BackwardSliceOptions options;
    options.inclusive = true;
    options.filter = [this](Operation *inner) { return inner->getBlock() == op.getBody(); };
    llvm::SetVector<Operation *> slice;
    bool isKnown = succeeded(getBackwardSlice(root, &slice, options));
    assert(isKnown && "operations of one block, without regions");
    (void)isKnown;
    return slice;
  }

  unsigned costOf(Operation *root) {
    return llvm::count_if(sliceOf(root), [](Operation *inner) {
      return !isa<linalg::IndexOp, arith::ConstantOp, CastOpInterface>(inner);
    });
  }

  /// The root's value for each iteration of its loop.
  Value makeTable(Operation *root, unsigned loop) {
    std::optional<SizeSource> size = traceLoopSize(op, loop);
    Type type = root->getResult(0).getType();
    if (!size || !type.isIntOrIndexOrFloat())
      return {};
    rewriter.setInsertionPoint(op);
    OpFoldResult extent =
        size->size ? size->size : sizeOf(rewriter, op.getLoc(), size->tensor, size->dim);
    Location loc = root->getLoc();
    Value empty = makeEmpty(rewriter, loc, {extent}, type);
    auto table = linalg::GenericOp::create(
        rewriter, loc, empty.getType(), ValueRange(), ValueRange{empty},
        ArrayRef<AffineMap>{rewriter.getMultiDimIdentityMap(1)},
        ArrayRef<utils::IteratorType>{utils::IteratorType::parallel},
        [&](OpBuilder &b, Location, ValueRange) {
          IRMapping mapping;
          for (Operation *inner : sliceOf(root)) {
            if (isa<linalg::IndexOp>(inner))
              mapping.map(inner->getResult(0), linalg::IndexOp::create(b, inner->getLoc(), 0));
            else
              b.clone(*inner, mapping);
          }
          linalg::YieldOp::create(b, loc, mapping.lookup(root->getResult(0)));
        });
    return table.getResult(0);
  }

  /// The op with the tables as further inputs.
  void rebuild(ArrayRef<Operation *> roots, ArrayRef<Value> tables, ArrayRef<AffineMap> maps) {
    rewriter.setInsertionPoint(op);
    SmallVector<Value> inputs = op.getInputs();
    SmallVector<AffineMap> allMaps = op.getIndexingMapsArray();
    size_t numInputs = inputs.size();
    llvm::append_range(inputs, tables);
    allMaps.insert(allMaps.begin() + numInputs, maps.begin(), maps.end());
    auto made = linalg::GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(), inputs,
                                          op.getOutputs(), allMaps, op.getIteratorTypesArray());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    rewriter.inlineRegionBefore(op.getRegion(), made.getRegion(), made.getRegion().end());
    Block *body = made.getBody();
    for (auto [i, root] : llvm::enumerate(roots)) {
      Value entry =
          body->insertArgument(numInputs + i, root->getResult(0).getType(), root->getLoc());
      rewriter.replaceAllUsesWith(root->getResult(0), entry);
    }
    // What only the roots used, last first.
    for (Operation &inner : llvm::make_early_inc_range(llvm::reverse(*body)))
      if (isOpTriviallyDead(&inner))
        rewriter.eraseOp(&inner);
    rewriter.replaceOp(op, made);
  }

  RewriterBase &rewriter;
  linalg::GenericOp op;
  llvm::DenseMap<Operation *, unsigned> loopOf;
};

struct HoistIndexMath : impl::HoistIndexMathBase<HoistIndexMath> {
  void runOnOperation() override {
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (linalg::GenericOp op : ops)
      Hoister(rewriter, op).run();
  }
};

} // namespace
} // namespace anneal
