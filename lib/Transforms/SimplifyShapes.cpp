//===- SimplifyShapes.cpp - One name for every size -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk in program order. What is known at a point (equal values, ranges, expressions that were
// computed already) is kept in tables scoped by block, so every operation is looked at once, with
// operands that are simplified already.
//
//===----------------------------------------------------------------------===//

#include "AffineDivisors.h"
#include "DeadOps.h"
#include "IntegerFacts.h"
#include "ShapeUtils.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

namespace anneal {
#define GEN_PASS_DEF_SIMPLIFYSHAPES
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// Whether `type` is a scalar that shapes are computed with.
bool isShapeScalar(Type type) { return type.isIndex() || type.isSignlessInteger(); }

/// `value` as an index, if it is a 64-bit integer cast from one, or a constant; creates the
/// constant.
Value asIndex(OpBuilder &builder, Value value) {
  if (auto castOp = value.getDefiningOp<arith::IndexCastOp>())
    if (castOp.getIn().getType().isIndex())
      return castOp.getIn();
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return arith::ConstantIndexOp::create(builder, value.getLoc(), constant.getSExtValue());
  return {};
}

/// The simplification of one function.
class ShapeSimplifier {
public:
  explicit ShapeSimplifier(func::FuncOp func) : builder(func.getContext()), root(func) {}
  ~ShapeSimplifier() {
    for (Operation *op : retired)
      op->destroy();
  }

  void run() {
    for (Region &region : root->getRegions())
      visitRegion(region);
  }

private:
  void visitRegion(Region &region) {
    for (Block &block : region)
      visitBlock(block);
  }

  void visitBlock(Block &block) {
    IntegerFacts::Scope scope(facts);
    if (auto loop = dyn_cast<scf::ForOp>(block.getParentOp()))
      facts.learnLoop(loop);
    visitRange(block, nullptr, nullptr);
  }

  /// Visits the operations after `before` (null: from the start) up to `end` (null: to the end).
  void visitRange(Block &block, Operation *before, Operation *end) {
    Operation *op = before ? before->getNextNode() : (block.empty() ? nullptr : &block.front());
    while (op && op != end) {
      Operation *next = op->getNextNode();
      visit(op);
      op = next;
    }
  }

  void visit(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (Value value = facts.representative(operand.get()); value != operand.get())
        operand.set(value);
    if (auto assertOp = dyn_cast<cf::AssertOp>(op))
      return visitAssert(assertOp);
    if (isScalarComputation(op)) {
      forgetOverflowFlags(op);
      if (simplify(op))
        return;
      facts.learnResultRanges(op);
      if (foldByRange(op) || replaceByEarlier(op))
        return;
    }
    for (Region &region : op->getRegions())
      visitRegion(region);
  }

  /// Pure, without regions, with results that shapes are computed with.
  static bool isScalarComputation(Operation *op) {
    return op->getNumResults() > 0 && op->getNumRegions() == 0 &&
           llvm::all_of(op->getResultTypes(), isShapeScalar) && isPure(op);
  }

  /// Operations that differ in what they promise about overflow alone become the same.
  static void forgetOverflowFlags(Operation *op) {
    auto flagged = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    if (!flagged || flagged.getOverflowAttr().getValue() == arith::IntegerOverflowFlags::none)
      return;
    op->setAttr(
        flagged.getIntegerOverflowAttrName(),
        arith::IntegerOverflowFlagsAttr::get(op->getContext(), arith::IntegerOverflowFlags::none));
  }

  void visitAssert(cf::AssertOp op) {
    if (matchPattern(op.getArg(), m_One()))
      return retire(op);
    facts.learnTrue(op.getArg(), trueConstant());
  }

  /// The constant `true` at the start of the function.
  Value trueConstant() {
    if (!trueValue) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(&root->getRegion(0).front());
      trueValue = arith::ConstantOp::create(builder, root->getLoc(), builder.getBoolAttr(true));
    }
    return trueValue;
  }

  /// Takes an op out of the program. Its memory is kept, for the facts are found by address.
  void retire(Operation *op) {
    op->remove();
    op->dropAllReferences();
    retired.push_back(op);
  }

  /// Replaces the only result of `op` by what `make` returns, and visits the operations that it
  /// made.
  bool rewrite(Operation *op, function_ref<Value()> make) {
    Block *block = op->getBlock();
    Operation *before = op->getPrevNode();
    builder.setInsertionPoint(op);
    Value value = make();
    if (!value || value == op->getResult(0)) {
      // What was made for nothing is dead, and dropped by the next clean-up.
      return false;
    }
    Operation *end = op->getNextNode();
    op->getResult(0).replaceAllUsesWith(value);
    retire(op);
    visitRange(*block, before, end);
    return true;
  }

  bool simplify(Operation *op) {
    if (matchPattern(op, m_Constant()))
      return false;
    if (foldOp(op))
      return true;
    if (op->getNumResults() != 1)
      return false;
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      return simplifyDim(dim);
    if (auto castOp = dyn_cast<arith::IndexCastOp>(op))
      return simplifyCast(castOp);
    return moveToIndex(op) || mergeConstants(op) || simplifyQuotient(op) ||
           simplifyInductionBound(op);
  }

  /// The operation's own folder.
  bool foldOp(Operation *op) {
    for (int round = 0; round < 4; ++round) {
      SmallVector<Value> results;
      builder.setInsertionPoint(op);
      Block *block = op->getBlock();
      Operation *before = op->getPrevNode();
      if (failed(builder.tryFold(op, results)))
        return false;
      if (results.empty())
        continue; // Changed in place: once more.
      Operation *end = op->getNextNode();
      op->replaceAllUsesWith(results);
      retire(op);
      visitRange(*block, before, end);
      return true;
    }
    return false;
  }

  bool simplifyDim(tensor::DimOp op) {
    std::optional<int64_t> dim = constantDim(op);
    if (!dim)
      return false;
    return rewrite(op, [&]() -> Value {
      SizeSource source = traceSize(op.getSource(), *dim);
      while (!source.size) {
        std::optional<SizeSource> outer = facts.loopInvariantSize(source.tensor, source.dim);
        if (!outer)
          break;
        source = *outer;
      }
      if (source.size)
        return toValue(source.size, op.getLoc());
      // A product or sum of sizes, or a dim of another tensor; of this one nothing more is known.
      if (source.tensor == op.getSource() &&
          !isa_and_nonnull<tensor::CollapseShapeOp, tensor::PadOp>(op.getSource().getDefiningOp()))
        return {};
      return toValue(sizeOf(builder, op.getLoc(), source.tensor, source.dim), op.getLoc());
    });
  }

  Value toValue(OpFoldResult size, Location loc) {
    if (std::optional<int64_t> constant = getConstantIntValue(size))
      return arith::ConstantIndexOp::create(builder, loc, *constant);
    return cast<Value>(size);
  }

  /// `index -> i64 -> index` is nothing.
  bool simplifyCast(arith::IndexCastOp op) {
    auto inner = op.getIn().getDefiningOp<arith::IndexCastOp>();
    if (!inner || inner.getIn().getType() != op.getType() || !isWide(inner.getType()) ||
        !isWide(op.getType()))
      return false;
    return rewrite(op, [&] { return inner.getIn(); });
  }

  static bool isWide(Type type) { return type.isIndex() || type.isSignlessInteger(64); }

  /// Arithmetic on 64-bit integers that come from indices is done on indices: a size has one name
  /// then, whatever detour its computation takes. Indices have 64 bits in this project.
  bool moveToIndex(Operation *op) {
    if (!isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp, arith::RemSIOp, arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp,
             arith::MinUIOp, arith::CmpIOp, arith::SelectOp>(op))
      return false;
    unsigned first = isa<arith::SelectOp>(op) ? 1 : 0;
    OperandRange wide = op->getOperands().drop_front(first);
    if (!wide.front().getType().isSignlessInteger(64) ||
        llvm::none_of(wide, [](Value v) { return v.getDefiningOp<arith::IndexCastOp>(); }))
      return false;
    builder.setInsertionPoint(op);
    SmallVector<Value> operands(op->getOperands().take_front(first));
    for (Value value : wide) {
      Value index = asIndex(builder, value);
      if (!index)
        return false;
      operands.push_back(index);
    }
    return rewrite(op, [&]() -> Value {
      bool isCompare = isa<arith::CmpIOp>(op);
      Type type = isCompare ? op->getResult(0).getType() : Type(builder.getIndexType());
      OperationState state(op->getLoc(), op->getName().getStringRef(), operands, type,
                           op->getAttrs());
      Value result = builder.create(state)->getResult(0);
      if (isCompare)
        return result;
      return arith::IndexCastOp::create(builder, op->getLoc(), op->getResult(0).getType(), result);
    });
  }

  /// What `op` adds to its first operand, if that is a constant.
  static std::optional<APInt> addedConstant(Operation *op) {
    APInt constant;
    if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) ||
        !matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
      return std::nullopt;
    return isa<arith::AddIOp>(op) ? constant : -constant;
  }

  /// `(x + c) - d` is `x + (c - d)`.
  bool mergeConstants(Operation *op) {
    std::optional<APInt> outer = addedConstant(op);
    Operation *before = op->getNumOperands() > 0 ? op->getOperand(0).getDefiningOp() : nullptr;
    std::optional<APInt> inner = outer ? addedConstant(before) : std::nullopt;
    if (!inner)
      return false;
    return rewrite(op, [&]() -> Value {
      Value sum = arith::ConstantOp::create(
          builder, op->getLoc(),
          builder.getIntegerAttr(op->getResult(0).getType(), *outer + *inner));
      return arith::AddIOp::create(builder, op->getLoc(), before->getOperand(0), sum);
    });
  }

  /// `(x * c) / c` is x where the product is known not to overflow.
  bool simplifyQuotient(Operation *op) {
    if (!isa<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp>(op))
      return false;
    auto product = op->getOperand(0).getDefiningOp<arith::MulIOp>();
    APInt divisor, factor;
    if (!product || !matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) ||
        !matchPattern(product.getRhs(), m_ConstantInt(&factor)) || divisor != factor ||
        !divisor.isStrictlyPositive() || facts.mayOverflow(product.getLhs(), factor))
      return false;
    return rewrite(op, [&] { return product.getLhs(); });
  }

  /// A loop's counter is below its bound: `min(i, bound)` is i.
  bool simplifyInductionBound(Operation *op) {
    auto minimum = dyn_cast<arith::MinSIOp>(op);
    if (!minimum)
      return false;
    for (unsigned side : {0u, 1u}) {
      auto counter = dyn_cast<BlockArgument>(minimum->getOperand(side));
      auto loop = counter ? dyn_cast<scf::ForOp>(counter.getOwner()->getParentOp()) : scf::ForOp();
      if (loop && counter == loop.getInductionVar() && !loop.getUnsignedCmp() &&
          facts.representative(loop.getUpperBound()) == minimum->getOperand(1 - side))
        return rewrite(op, [&]() -> Value { return counter; });
    }
    return false;
  }

  /// Replaces what has one possible value, or is one of its operands by their ranges.
  bool foldByRange(Operation *op) {
    if (op->getNumResults() != 1 || matchPattern(op, m_Constant()))
      return false;
    Value result = op->getResult(0);
    if (std::optional<APInt> constant = facts.constantValue(result)) {
      return rewrite(op, [&]() -> Value {
        return arith::ConstantOp::create(builder, op->getLoc(),
                                         builder.getIntegerAttr(result.getType(), *constant));
      });
    }
    if (Value winner = facts.decidedExtremum(op))
      return rewrite(op, [&] { return winner; });
    return false;
  }

  /// Replaces `op` by an equal one that dominates it.
  bool replaceByEarlier(Operation *op) {
    Operation *earlier = facts.findOrRemember(op);
    if (!earlier)
      return false;
    op->replaceAllUsesWith(earlier);
    retire(op);
    return true;
  }

  OpBuilder builder;
  func::FuncOp root;
  Value trueValue;
  IntegerFacts facts;
  SmallVector<Operation *> retired;
};

struct SimplifyShapesPass : impl::SimplifyShapesBase<SimplifyShapesPass> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (failed(checkAffineDivisors(getOperation())))
      return signalPassFailure();
    ShapeSimplifier(getOperation()).run();
    eraseDeadOps(getOperation());
  }
};

} // namespace
} // namespace anneal
