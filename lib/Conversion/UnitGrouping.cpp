//===- UnitGrouping.cpp - What goes into one unit -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitGrouping.h"

#include "UnitRules.h"
#include "anneal/Transforms/StructuredOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace anneal {

/// More element-wise operations than this in one unit gain nothing, and units stay readable.
static constexpr unsigned kMaxUnitOps = 64;

linalg::LinalgOp initialiser(OpOperand &init) {
  auto producer = init.get().getDefiningOp<linalg::LinalgOp>();
  auto user = dyn_cast<linalg::LinalgOp>(init.getOwner());
  return producer && user && !overwrites(user, init) && producer.hasPureTensorSemantics() &&
                 isFillOrBroadcast(producer)
             ? producer
             : linalg::LinalgOp();
}

namespace {
class Grouper {
public:
  explicit Grouper(Block &block) : block(block) {}

  std::vector<UnitGroup> run() {
    // The later of two seeds takes what both could: what it reads is there by then.
    for (Operation &op : llvm::reverse(block))
      if (auto seed = structured(&op); seed && seed.getNumReductionLoops() > 0)
        add(seed);
    for (Operation &op : block) {
      if (claimed.contains(&op))
        continue;
      if (auto pad = dyn_cast<tensor::PadOp>(&op))
        addAlone(pad);
      else if (auto other = structured(&op); other && !isOnlyInitialiser(other))
        addAlone(other);
    }
    llvm::sort(groups, [](const UnitGroup &a, const UnitGroup &b) {
      return a.ops.back()->isBeforeInBlock(b.ops.back());
    });
    return std::move(groups);
  }

private:
  static linalg::LinalgOp structured(Operation *op) {
    auto result = dyn_cast<linalg::LinalgOp>(op);
    return result && result.hasPureTensorSemantics() ? result : linalg::LinalgOp();
  }

  void addAlone(Operation *op) {
    claimed.insert(op);
    groups.push_back({{op}});
  }

  void add(linalg::LinalgOp seed) {
    SmallVector<Operation *, 4> ops = withEpilogue(seed);
    if (isAnchor(seed))
      for (OpOperand *input : seed.getDpsInputOperands()) {
        auto pad = input->get().getDefiningOp<tensor::PadOp>();
        if (pad && pad->hasOneUse() && pad->getBlock() == &block && pad.getConstantPaddingValue())
          ops.insert(ops.begin(), pad);
      }
    claimed.insert(ops.begin(), ops.end());
    groups.push_back({std::move(ops)});
  }

  /// Whether all uses of the operation are as initial value of operations that take it into their
  /// unit.
  static bool isOnlyInitialiser(linalg::LinalgOp op) {
    return isFillOrBroadcast(op) && llvm::all_of(op->getUses(), [](OpOperand &use) {
             auto user = structured(use.getOwner());
             return user && user.isDpsInit(&use);
           });
  }

  /// The seed and the element-wise operations that follow it.
  SmallVector<Operation *, 4> withEpilogue(linalg::LinalgOp seed) {
    llvm::SetVector<Operation *> taken;
    taken.insert(seed);
    size_t closed = 1;
    while (taken.size() < kMaxUnitOps) {
      FailureOr<Operation *> next = firstUserOutside(taken);
      if (failed(next) || !*next || !canJoin(*next, taken))
        break;
      taken.insert(*next);
      if (isClosed(taken))
        closed = taken.size();
    }
    return SmallVector<Operation *, 4>(taken.begin(), taken.begin() + closed);
  }

  /// The first operation of the block that uses a result of `taken` and isn't in it; null if there
  /// is none, failure if a use is in another block.
  FailureOr<Operation *> firstUserOutside(const llvm::SetVector<Operation *> &taken) {
    Operation *first = nullptr;
    for (Operation *op : taken)
      for (Operation *user : op->getUsers()) {
        Operation *inBlock = block.findAncestorOpInBlock(*user);
        if (!inBlock)
          return failure();
        if (!taken.contains(inBlock) && (!first || inBlock->isBeforeInBlock(first)))
          first = inBlock;
      }
    return first;
  }

  /// Whether only the last operation's results are used outside.
  static bool isClosed(const llvm::SetVector<Operation *> &taken) {
    return llvm::all_of(taken.getArrayRef().drop_back(), [&](Operation *op) {
      return llvm::all_of(op->getUsers(), [&](Operation *user) { return taken.contains(user); });
    });
  }

  bool canJoin(Operation *op, const llvm::SetVector<Operation *> &taken) {
    auto next = structured(op);
    if (!next || claimed.contains(op) || !isUnitElementwise(next))
      return false;
    for (Operation *producer : taken)
      for (OpOperand &use : producer->getUses()) {
        if (block.findAncestorOpInBlock(*use.getOwner()) != op)
          continue;
        // Its body must not reach for the value, nor read it at another place than it writes.
        if (use.getOwner() != op || !next.getMatchingIndexingMap(&use).isIdentity())
          return false;
      }
    return true;
  }

  Block &block;
  llvm::DenseSet<Operation *> claimed;
  std::vector<UnitGroup> groups;
};
} // namespace

std::vector<UnitGroup> groupUnits(Block &block) { return Grouper(block).run(); }

} // namespace anneal
