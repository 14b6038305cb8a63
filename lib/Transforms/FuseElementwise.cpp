//===- FuseElementwise.cpp - Element-wise chains as single ops ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block is looked through once, last op first, so that all users of an op have a cluster by
// the time the op is reached: it joins theirs, or becomes the root of a new one. Clusters are then
// made into one op each. Both take time linear in the number of ops.
//
//===----------------------------------------------------------------------===//

#include "GenericMerge.h"
#include "anneal/Transforms/Passes.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"

namespace anneal {
#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// Ops that become one. `parts` are in reverse program order, the root first.
struct Cluster {
  SmallVector<MergePart> parts;
  unsigned numBodyOps = 0;
  llvm::SmallDenseSet<Value, 8> reads;
  bool isReduction = false;

  linalg::LinalgOp root() const { return parts.front().op; }
};

/// A place of an op in a cluster: the map from the cluster's loops to the op's.
struct Place {
  unsigned cluster;
  AffineMap loops;
  bool operator==(const Place &other) const {
    return cluster == other.cluster && loops == other.loops;
  }
};

/// Copies elements, or computes them from their position alone: as cheap as reading them.
bool isFree(linalg::LinalgOp op) {
  Block *body = op.getBlock();
  if (body->without_terminator().empty())
    return true;
  return op.getNumDpsInputs() == 0 && countBodyOps(op) <= 2 &&
         llvm::all_of(body->without_terminator(), [](Operation &inner) {
           return isa<linalg::IndexOp, arith::IndexCastOp, arith::ConstantOp>(inner);
         });
}

/// An op that costs about as much as reading its result would.
bool isCheapScalarOp(Operation &op) {
  if (isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp, arith::FloorDivSIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return false;
  return isa<linalg::IndexOp, math::AbsFOp, math::AbsIOp, math::FmaOp>(op) ||
         isa<arith::ArithDialect>(op.getDialect());
}

/// Whether an input of `op` is the result of a contraction, convolution, pooling or reduction that
/// no other op reads, taken point by point: then `op` is what that op's unit ends with.
bool readsAnchor(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
    auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
    return producer && producer.getNumReductionLoops() > 0 && operand->get().hasOneUse() &&
           visitsEachPointOnce(op.getMatchingIndexingMap(operand), op);
  });
}

/// Whether `operand` is read once for each point, and not a mere copy of something smaller.
bool isReadInFull(linalg::LinalgOp op, OpOperand *operand) {
  if (!visitsEachPointOnce(op.getMatchingIndexingMap(operand), op))
    return false;
  auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
  if (!producer || !isElementwise(producer) || !isFree(producer))
    return true;
  return llvm::any_of(producer.getDpsInputOperands(),
                      [&](OpOperand *input) { return isReadInFull(producer, input); });
}

/// Whether it pays to compute `op` in each of its users: a few cheap ops on at most one tensor of
/// full size, which its users then read in its stead.
bool isWorthDuplicating(linalg::LinalgOp op) {
  if (countBodyOps(op) > 4 || hasAssert(op) || readsAnchor(op) ||
      !llvm::all_of(op.getBlock()->without_terminator(), isCheapScalarOp))
    return false;
  return llvm::count_if(op.getDpsInputOperands(),
                        [&](OpOperand *operand) { return isReadInFull(op, operand); }) <= 1;
}

/// Whether `value` is a product of two different operands of the body of `op`.
bool isProductOfOperands(linalg::LinalgOp op, Value value) {
  auto product = value.getDefiningOp();
  if (!product || !isa<arith::MulFOp, arith::MulIOp>(product))
    return false;
  auto comesFrom = [&](Value factor) {
    while (Operation *definition = factor.getDefiningOp()) {
      if (definition->getNumOperands() != 1)
        return BlockArgument();
      factor = definition->getOperand(0);
    }
    return cast<BlockArgument>(factor);
  };
  BlockArgument lhs = comesFrom(product->getOperand(0)), rhs = comesFrom(product->getOperand(1));
  return lhs && rhs && lhs != rhs;
}

/// An index that is zero where the loop at its place has one iteration is that loop's counter: ops
/// that go through the same elements in the same order then say so in the same way.
void alignUnitIndices(linalg::LinalgOp op) {
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  auto hasConstant = [](AffineMap map) {
    return llvm::any_of(map.getResults(), llvm::IsaPred<AffineConstantExpr>);
  };
  if (!generic || !generic.hasPureTensorSemantics() ||
      llvm::none_of(generic.getIndexingMapsArray(), hasConstant))
    return;
  SmallVector<int64_t> sizes = generic.getStaticLoopRanges();
  SmallVector<Attribute> maps;
  bool changed = false;
  for (OpOperand &operand : generic->getOpOperands()) {
    AffineMap map = generic.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> exprs(map.getResults());
    for (auto [position, expr] : llvm::enumerate(exprs)) {
      bool isUnit = exprs.size() == sizes.size() && sizes[position] == 1 &&
                    cast<ShapedType>(operand.get().getType()).getDimSize(position) == 1;
      if (!isUnit || !isa<AffineConstantExpr>(expr) || map.isFunctionOfDim(position))
        continue;
      expr = getAffineDimExpr(position, op.getContext());
      changed = true;
    }
    maps.push_back(AffineMapAttr::get(AffineMap::get(map.getNumDims(), 0, exprs, op.getContext())));
  }
  if (changed)
    generic.setIndexingMapsAttr(ArrayAttr::get(op.getContext(), maps));
}

/// Fuses the ops of one block.
class BlockFuser {
public:
  BlockFuser(RewriterBase &rewriter, Block &block, unsigned maxBodyOps, unsigned maxInputs)
      : rewriter(rewriter), block(block), maxBodyOps(maxBodyOps), maxInputs(maxInputs) {}

  void run() {
    for (Operation &op : llvm::reverse(block))
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
        place(linalgOp);
    // Roots in program order, so that the result is the same whatever the clusters' order.
    for (Cluster &cluster : llvm::reverse(clusters))
      emit(cluster);
    for (Operation *op : absorbed)
      if (op->use_empty())
        rewriter.eraseOp(op);
  }

private:
  void place(linalg::LinalgOp op) {
    alignUnitIndices(op);
    bool elementwise = isElementwise(op);
    if (!elementwise && !isPlainReduction(op))
      return;
    if (elementwise && join(op))
      return;
    Cluster cluster;
    AffineMap identity = AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op.getContext());
    cluster.isReduction = !elementwise;
    places[op].push_back({static_cast<unsigned>(clusters.size()), identity});
    addPart(cluster, op, identity);
    clusters.push_back(std::move(cluster));
  }

  static void addPart(Cluster &cluster, linalg::LinalgOp op, AffineMap loops) {
    cluster.parts.push_back({op, loops});
    cluster.numBodyOps += countBodyOps(op);
    for (Value result : op->getResults())
      cluster.reads.erase(result);
    for (Value input : op.getDpsInputs())
      if (!isUniform(input))
        cluster.reads.insert(input);
  }

  /// Puts `op` into the clusters of its users, if all of them are in clusters and it may be there.
  bool join(linalg::LinalgOp op) {
    SmallVector<Place> targets;
    if (!findTargets(op, targets) || targets.empty())
      return false;
    if (targets.size() > 1 && !isFree(op) && !isWorthDuplicating(op))
      return false;
    if (targets.size() > 1 && hasAssert(op))
      return false;
    for (const Place &target : targets)
      if (!mayJoin(op, target))
        return false;
    for (const Place &target : targets)
      addPart(clusters[target.cluster], op, target.loops);
    places[op] = std::move(targets);
    absorbed.push_back(op);
    return true;
  }

  /// The places from which `op` is read. False if it is read from elsewhere too.
  bool findTargets(linalg::LinalgOp op, SmallVector<Place> &targets) {
    for (OpResult result : op->getResults()) {
      AffineMap toLoops = inversePermutation(op.getIndexingMapMatchingResult(result));
      for (OpOperand &use : result.getUses()) {
        auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
        auto found = places.find(use.getOwner());
        if (!user || found == places.end() || !user.isDpsInput(&use))
          return false;
        for (const Place &place : found->second) {
          AffineMap access = composeMaps(user.getMatchingIndexingMap(&use), place.loops);
          Place target{place.cluster, composeMaps(toLoops, access)};
          if (!llvm::is_contained(targets, target))
            targets.push_back(target);
        }
      }
    }
    return true;
  }

  bool mayJoin(linalg::LinalgOp op, const Place &target) {
    const Cluster &cluster = clusters[target.cluster];
    bool isOnce = visitsEachPointOnce(target.loops, cluster.root());
    if (!isOnce && (!isFree(op) || hasAssert(op)))
      return false;
    if (readsAnchor(op) && (cluster.isReduction || !target.loops.isIdentity()))
      return false;
    if (cluster.isReduction && wouldContract(op, cluster.root()))
      return false;
    if (cluster.numBodyOps + countBodyOps(op) > maxBodyOps)
      return false;
    return cluster.reads.size() + op.getNumDpsInputs() <= maxInputs + 1;
  }

  /// A product summed up would be taken for a contraction, which rounds once where these are two
  /// ops.
  static bool wouldContract(linalg::LinalgOp op, linalg::LinalgOp reduction) {
    Block *body = reduction.getBlock();
    bool sums = llvm::any_of(body->getTerminator()->getOperands(), [](Value yielded) {
      return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(yielded.getDefiningOp());
    });
    return sums && llvm::any_of(op.getBlock()->getTerminator()->getOperands(),
                                [&](Value yielded) { return isProductOfOperands(op, yielded); });
  }

  void emit(Cluster &cluster) {
    if (cluster.parts.size() == 1)
      return;
    std::reverse(cluster.parts.begin(), cluster.parts.end());
    (void)mergeParts(rewriter, cluster.parts);
  }

  RewriterBase &rewriter;
  Block &block;
  unsigned maxBodyOps, maxInputs;
  SmallVector<Cluster> clusters;
  llvm::DenseMap<Operation *, SmallVector<Place, 1>> places;
  /// In reverse program order.
  SmallVector<Operation *> absorbed;
};

struct FuseElementwisePass : impl::FuseElementwiseBase<FuseElementwisePass> {
  using FuseElementwiseBase::FuseElementwiseBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<linalg::LinalgOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      BlockFuser(rewriter, *block, maxBodyOps, maxInputs).run();
  }
};

} // namespace
} // namespace anneal
