//===- FusionCandidates.cpp - What could run together, and why not --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Conversion/FusionCandidates.h"

#include "HostBlocks.h"
#include "RowChain.h"
#include "UnitGrouping.h"
#include "UnitRules.h"
#include "anneal/IR/JitOps.h"
#include "anneal/Transforms/StructuredOps.h"

using namespace mlir;

namespace anneal {

StringRef toString(FusionRefusal refusal) {
  switch (refusal) {
  case FusionRefusal::None:
    return "in one unit";
  case FusionRefusal::NotStructured:
    return "not compatible: only structured operations on tensors, and pads by one value, are "
           "fused";
  case FusionRefusal::OtherBlock:
    return "the reader is in another block: control flow stands between them";
  case FusionRefusal::BodyReaches:
    return "the reader's body reaches for elements at places that it computes";
  case FusionRefusal::Alias:
    return "aliases: the reader writes in place what the other reads at other places";
  case FusionRefusal::ContractionOperand:
    return "operand of a contraction: each element would be computed anew each time that it is "
           "read";
  case FusionRefusal::Broadcast:
    return "recomputation across a broadcast: each element would be computed anew for each "
           "reader's point";
  case FusionRefusal::Indexing:
    return "indexing: the reader reads at other places than it writes, and they have no rows in "
           "common";
  case FusionRefusal::ReadElsewhere:
    return "other operations read the value too";
  case FusionRefusal::NoAnchor:
    return "both are element-wise, with no anchor: jit-fuse-elementwise merges such where it pays";
  case FusionRefusal::OtherGroup:
    return "allowed, but one of the two runs together with others";
  }
  return "";
}

/// Besides what a unit can hold, what works on tensors by the interfaces of structured operations,
/// or says what it costs, of any dialect but that of tensors' own views and copies: to say that it
/// is not compatible.
static bool canBePaired(Operation *op) {
  bool isForeign = isa<DestinationStyleOpInterface, JitCostOpInterface, TilingInterface>(op) &&
                   !isa_and_nonnull<tensor::TensorDialect>(op->getDialect()) &&
                   llvm::any_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
  return canBeInUnit(op) || isForeign;
}

FusionCandidates::FusionCandidates(func::FuncOp function, OpCostAnalysis &costs) : costs(costs) {
  SmallVector<Block *> blocks;
  collectHostBlocks(function.getBody(), blocks);
  auto addGroup = [&](ArrayRef<Operation *> ops) {
    for (Operation *op : ops)
      groupOf[op] = groups.size();
    groups.push_back({SmallVector<Operation *, 4>(ops), CostExpr()});
  };
  for (Block *block : blocks) {
    // Regions that are there already are what they are.
    for (auto region : block->getOps<jit::RegionOp>()) {
      SmallVector<Operation *> ops;
      for (Operation &op : region.getBody().front().without_terminator())
        ops.push_back(&op);
      addGroup(ops);
    }
    for (const UnitGroup &group : groupUnits(*block))
      addGroup(group.ops);
  }
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!canBePaired(op))
      return WalkResult::advance();
    addPairs(op);
    return WalkResult::skip();
  });
}

void FusionCandidates::addPairs(Operation *consumer) {
  auto add = [&](OpOperand &use) {
    Operation *producer = use.get().getDefiningOp();
    if (!producer || !canBePaired(producer) || consumer->isAncestor(producer))
      return;
    auto structured = dyn_cast<linalg::LinalgOp>(producer);
    bool isInitialiser = structured && isFillOrBroadcast(structured);
    bool isTable = use.getOwner() == consumer && tableOf(use);
    if (isTable || (isInitialiser && isa<linalg::LinalgOp>(consumer) && initialiser(use)))
      return; // comes along with its reader, always
    FusionPair pair{&use, judge(use), {}, {}, {}};
    weigh(pair);
    if (pair.refusal == FusionRefusal::None)
      groups[groupOf[consumer]].bytesSaved += pair.bytesSaved;
    pairs.push_back(std::move(pair));
  };
  for (OpOperand &use : consumer->getOpOperands())
    add(use);
  for (Region &region : consumer->getRegions())
    region.walk([&](Operation *nested) {
      for (OpOperand &use : nested->getOpOperands())
        if (!region.isAncestor(use.get().getParentRegion()))
          add(use);
    });
}

/// The operation in the block of `producer` that a use belongs to.
static Operation *readerInBlock(OpOperand &use, Block *block) {
  return block->findAncestorOpInBlock(*use.getOwner());
}

/// Whether the reader spreads the operand: some loop goes on while the place that is read stays.
static bool spreads(linalg::LinalgOp reader, OpOperand &use) {
  AffineMap map = reader.getMatchingIndexingMap(&use);
  return llvm::any_of(llvm::enumerate(reader.getStaticLoopRanges()), [&](auto loop) {
    return loop.value() != 1 && !map.isFunctionOfDim(loop.index());
  });
}

FusionRefusal FusionCandidates::judge(OpOperand &use) const {
  Operation *producer = use.get().getDefiningOp();
  if (!canBeInUnit(producer))
    return FusionRefusal::NotStructured;
  auto group = groupOf.find(producer);
  Operation *reader = readerInBlock(use, producer->getBlock());
  if (!reader || (reader != use.getOwner() && !canBeInUnit(reader)))
    return FusionRefusal::OtherBlock;
  if (auto other = groupOf.find(reader);
      group != groupOf.end() && other != groupOf.end() && group->second == other->second)
    return FusionRefusal::None;
  if (reader != use.getOwner())
    return FusionRefusal::BodyReaches;
  auto structured = dyn_cast<linalg::LinalgOp>(reader);
  auto source = dyn_cast<linalg::LinalgOp>(producer);
  if (!structured)
    return FusionRefusal::NotStructured;
  if (source && writesWhatOtherReads(structured, source))
    return FusionRefusal::Alias;
  bool sameRows = source && RowChain(source).join(structured);
  bool samePlace =
      isUnitElementwise(structured) && structured.getMatchingIndexingMap(&use).isIdentity();
  if (!sameRows && !samePlace) {
    if (isAnchor(structured) && structured.isDpsInput(&use) && source)
      return FusionRefusal::ContractionOperand;
    return spreads(structured, use) ? FusionRefusal::Broadcast : FusionRefusal::Indexing;
  }
  bool hasOtherReader = llvm::any_of(producer->getUses(), [&](OpOperand &otherUse) {
    return readerInBlock(otherUse, producer->getBlock()) != reader;
  });
  if (hasOtherReader)
    return FusionRefusal::ReadElsewhere;
  bool anyReduces =
      structured.getNumReductionLoops() > 0 || (source && source.getNumReductionLoops() > 0);
  if (anyReduces)
    return FusionRefusal::OtherGroup;
  return spreads(structured, use) ? FusionRefusal::Broadcast : FusionRefusal::NoAnchor;
}

void FusionCandidates::weigh(FusionPair &pair) {
  Operation *producer = pair.getProducer();
  const OpCost &cost = costs.getCost(producer);
  if (cost.isUnknown) {
    pair.unknown = cost.reason;
    return;
  }
  CostExpr size = costs.getBytes(pair.use->get());
  bool isOnlyReader = llvm::all_of(producer->getUses(), [&](OpOperand &use) {
    return pair.getConsumer()->isAncestor(use.getOwner());
  });
  pair.bytesSaved = isOnlyReader ? size * CostExpr(2) : size;
  if (pair.refusal == FusionRefusal::None)
    return;
  // What the producer does for one element, at each point where it is read.
  auto structured = dyn_cast<linalg::LinalgOp>(pair.getConsumer());
  std::optional<CostExpr> points =
      structured ? costs.getCost(structured).domain : std::optional<CostExpr>();
  DimScope &scope = costs.getScope(producer);
  bool repeats =
      pair.refusal == FusionRefusal::ContractionOperand || pair.refusal == FusionRefusal::Broadcast;
  if (repeats && points) {
    // FLOPs an element, where that is a whole number whatever the sizes are.
    const CostExpr elements = scope.getNumElements(pair.use->get());
    CostExpr flops = cost.flops, divisor = elements;
    CostExpr::cancelCommonFactors(flops, divisor);
    if (divisor == CostExpr(1) || flops.isZero())
      pair.flopsRepeated = flops * (*points - elements);
    else
      pair.unknown = "the FLOPs of one element are no polynomial in the sizes";
  } else if (!isOnlyReader) {
    pair.flopsRepeated = cost.flops;
  }
}

} // namespace anneal
