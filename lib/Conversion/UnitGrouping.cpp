//===- UnitGrouping.cpp - What goes into one unit -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitGrouping.h"

#include "RowChain.h"
#include "UnitRules.h"
#include "anneal/Transforms/StructuredOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

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

static bool isTable(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op.getNumLoops() == 1 && op.getNumDpsInputs() == 0 &&
         op->getNumResults() == 1 && isUnitElementwise(op) && !isFillOrBroadcast(op) &&
         op->getNumRegions() == 1 && llvm::none_of(*op.getBlock(), [](Operation &inner) {
           return isa<tensor::ExtractOp>(inner) || !isPure(&inner);
         });
}

linalg::LinalgOp tableOf(OpOperand &input) {
  auto producer = input.get().getDefiningOp<linalg::LinalgOp>();
  auto user = dyn_cast<linalg::LinalgOp>(input.getOwner());
  return producer && user && user.isDpsInput(&input) && user.getNumLoops() > 1 && isTable(producer)
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
      if (auto seed = structured(&op);
          seed && seed.getNumReductionLoops() > 0 && !isPlainReduction(seed))
        add(seed);
    // A row chain starts at its first reduction, unless it follows an anchor.
    for (Operation &op : block)
      if (auto seed = structured(&op); seed && isPlainReduction(seed) && !claimed.contains(&op)) {
        add(seed);
        addProducers(groups.back().ops);
      }
    joinAttention();
    // Only now: what ends the epilogue of one anchor is not taken as another one's producer.
    for (UnitGroup &group : llvm::reverse(groups))
      addProducers(group.ops);
    for (Operation &op : block) {
      if (claimed.contains(&op))
        continue;
      if (auto pad = dyn_cast<tensor::PadOp>(&op))
        addAlone(pad);
      else if (auto other = structured(&op); other && !comesAlong(other))
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

  /// Whether all uses of the operation are as initial value or table of operations that take it
  /// into their unit.
  static bool comesAlong(linalg::LinalgOp op) {
    bool isInitial = isFillOrBroadcast(op);
    return (isInitial || isTable(op)) && llvm::all_of(op->getUses(), [&](OpOperand &use) {
             auto user = structured(use.getOwner());
             return user && (isInitial ? user.isDpsInit(&use) : tableOf(use) != nullptr);
           });
  }

  /// The seed and what follows it: element-wise operations that read where they write, and those of
  /// a row chain.
  SmallVector<Operation *, 4> withEpilogue(linalg::LinalgOp seed) {
    llvm::SetVector<Operation *> taken;
    taken.insert(seed);
    RowChain rows(seed);
    size_t closed = 1;
    while (taken.size() < kMaxUnitOps) {
      FailureOr<Operation *> next = firstUserOutside(taken);
      if (failed(next) || !*next || !canJoin(*next, taken, rows))
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

  /// Makes attention blocks: a contraction with a row chain behind it (softmax) and the contraction
  /// that alone reads the chain, by the same rows and for the same batch, are one unit.
  void joinAttention() {
    for (UnitGroup &scores : groups) {
      auto chain = chainOf(scores);
      Operation *last = scores.ops.back();
      if (!chain || !last->hasOneUse())
        continue;
      OpOperand &use = *last->use_begin();
      auto values = dyn_cast<linalg::LinalgOp>(use.getOwner());
      auto target = llvm::find_if(groups, [&](const UnitGroup &group) {
        return !group.ops.empty() && group.ops.front() == use.getOwner();
      });
      if (target == groups.end() || !isAnchor(values) || !values.isDpsInput(&use) ||
          !hasBatch(values) || scores.ops.size() + target->ops.size() > kMaxUnitOps ||
          !chain->join(values))
        continue;
      target->ops.insert(target->ops.begin(), scores.ops.begin(), scores.ops.end());
      scores.ops.clear();
    }
    llvm::erase_if(groups, [](const UnitGroup &group) { return group.ops.empty(); });
  }

  /// The row chain of a group that is an anchor with row reductions behind it.
  static std::optional<RowChain> chainOf(const UnitGroup &group) {
    auto first = group.ops.empty() ? linalg::LinalgOp() : structured(group.ops.front());
    if (!first || !isAnchor(first))
      return std::nullopt;
    RowChain rows(first);
    bool reduces = false;
    for (Operation *op : llvm::drop_begin(group.ops)) {
      auto member = structured(op);
      if (!member || !rows.join(member))
        return std::nullopt;
      reduces |= isPlainReduction(member);
    }
    return reduces ? std::optional<RowChain>(std::move(rows)) : std::nullopt;
  }

  /// Some loop goes over both inputs and the result.
  static bool hasBatch(linalg::LinalgOp op) {
    return llvm::any_of(llvm::seq(op.getNumLoops()), [&](unsigned loop) {
      return llvm::all_of(op.getIndexingMapsArray(),
                          [&](AffineMap map) { return map.isFunctionOfDim(loop); });
    });
  }

  /// Adds operations before `ops`, a seed and what follows it, that only these use: parts of the
  /// same row chain.
  void addProducers(SmallVector<Operation *, 4> &ops) {
    llvm::SetVector<Operation *> taken;
    std::optional<RowChain> rows;
    for (Operation *op : ops) {
      auto member = dyn_cast<linalg::LinalgOp>(op);
      if (member && !rows)
        rows.emplace(member);
      else if (member)
        rows->join(member);
      taken.insert(op);
    }
    for (size_t i = 0; i < taken.size() && taken.size() < kMaxUnitOps; ++i) {
      auto reader = dyn_cast<linalg::LinalgOp>(taken[i]);
      for (OpOperand *operand :
           reader ? reader.getDpsInputOperands() : SmallVector<OpOperand *>()) {
        auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
        if (producer && producer->getBlock() == &block && !taken.contains(producer) &&
            isOnlyUsedIn(producer, taken) && canBeInChain(producer) && rows->join(producer))
          taken.insert(producer);
      }
    }
    claimed.insert(taken.begin(), taken.end());
    ops.assign(taken.begin(), taken.end());
    llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  }

  static bool isOnlyUsedIn(Operation *op, const llvm::SetVector<Operation *> &taken) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) { return taken.contains(user); });
  }

  bool canBeInChain(linalg::LinalgOp op) const {
    return op.hasPureTensorSemantics() && !claimed.contains(op) && !isFillOrBroadcast(op) &&
           (isUnitElementwise(op) || isPlainReduction(op));
  }

  bool canJoin(Operation *op, const llvm::SetVector<Operation *> &taken, RowChain &rows) {
    auto next = structured(op);
    if (!next || claimed.contains(op))
      return false;
    bool readsWhereItWrites = isUnitElementwise(next);
    for (Operation *producer : taken) {
      if (auto member = structured(producer); member && writesWhatOtherReads(next, member))
        return false;
      for (OpOperand &use : producer->getUses()) {
        if (block.findAncestorOpInBlock(*use.getOwner()) != op)
          continue;
        // Its body must not reach for the value.
        if (use.getOwner() != op)
          return false;
        readsWhereItWrites &= next.getMatchingIndexingMap(&use).isIdentity();
      }
    }
    bool isInChain = canBeInChain(next) && rows.join(next);
    return readsWhereItWrites || isInChain;
  }

  Block &block;
  llvm::DenseSet<Operation *> claimed;
  std::vector<UnitGroup> groups;
};
} // namespace

std::vector<UnitGroup> groupUnits(Block &block) { return Grouper(block).run(); }

} // namespace anneal
