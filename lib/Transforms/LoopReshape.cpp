//===- LoopReshape.cpp - Structured ops over other loops ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LoopReshape.h"

#include "ShapeUtils.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace anneal {

/// Copies the body of `op` into that of `newOp`, which has as many operands; counters of loops go
/// over by `newLoop`.
static void cloneBodyInto(RewriterBase &rewriter, linalg::LinalgOp op, linalg::GenericOp newOp,
                          function_ref<unsigned(unsigned)> newLoop) {
  Block *oldBody = op.getBlock();
  SmallVector<Type> types;
  SmallVector<Location> locations(op->getNumOperands(), op.getLoc());
  for (Value operand : op->getOperands())
    types.push_back(getElementTypeOrSelf(operand));
  OpBuilder::InsertionGuard guard(rewriter);
  Block *body = rewriter.createBlock(&newOp.getRegion(), {}, types, locations);
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands())
    if (op.payloadUsesValueFromOperand(&operand))
      mapping.map(op.getMatchingBlockArgument(&operand),
                  body->getArgument(operand.getOperandNumber()));
  for (Operation &inner : *oldBody) {
    Operation *copy = rewriter.clone(inner, mapping);
    copy->walk([&](linalg::IndexOp index) { index.setDim(newLoop(index.getDim())); });
  }
}

static bool readsCounter(linalg::LinalgOp op, unsigned loop) {
  return op
      ->walk([&](linalg::IndexOp index) {
        return index.getDim() == loop ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

LoopReshape::LoopReshape(linalg::LinalgOp op, bool isMerge)
    : op(op), isMerge(isMerge), firstNewLoop(op.getNumLoops()), merged(op.getNumLoops()),
      numParts(op.getNumLoops(), 1), firstFineDim(op.getNumLoops(), 0) {
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    merged[loop].push_back(loop);
}

bool LoopReshape::mayTake(unsigned loop) const {
  return op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel &&
         !readsCounter(op, loop);
}

std::optional<LoopReshape> LoopReshape::merging(linalg::LinalgOp op, OpOperand *operand) {
  LoopReshape reshape(op, /*isMerge=*/true);
  auto source = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
  ArrayRef<AffineExpr> exprs = op.getMatchingIndexingMap(operand).getResults();
  llvm::SmallBitVector taken(op.getNumLoops());
  for (const ReassociationIndices &group : source.getReassociationIndices()) {
    if (group.size() < 2)
      continue;
    SmallVector<unsigned, 2> loops;
    for (int64_t dim : group) {
      auto expr = dyn_cast<AffineDimExpr>(exprs[dim]);
      if (!expr || taken.test(expr.getPosition()) || !reshape.mayTake(expr.getPosition()))
        return std::nullopt;
      taken.set(expr.getPosition());
      loops.push_back(expr.getPosition());
    }
    for (unsigned loop : loops)
      reshape.merged[loop].clear();
    reshape.merged[loops.front()] = loops;
  }
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (!reshape.merged[loop].empty())
      reshape.firstNewLoop[loop] = reshape.numNewLoops++;
  if (taken.none() || !reshape.suitsAllOperands())
    return std::nullopt;
  return reshape;
}

std::optional<LoopReshape> LoopReshape::splitting(linalg::LinalgOp op, OpOperand *operand) {
  LoopReshape reshape(op, /*isMerge=*/false);
  auto source = operand->get().getDefiningOp<tensor::CollapseShapeOp>();
  reshape.fineTensor = source.getSrc();
  ArrayRef<AffineExpr> exprs = op.getMatchingIndexingMap(operand).getResults();
  bool any = false;
  for (auto [dim, group] : llvm::enumerate(source.getReassociationIndices())) {
    if (group.size() < 2)
      continue;
    auto expr = dyn_cast<AffineDimExpr>(exprs[dim]);
    if (!expr || reshape.numParts[expr.getPosition()] > 1 || !reshape.mayTake(expr.getPosition()))
      return std::nullopt;
    reshape.numParts[expr.getPosition()] = group.size();
    reshape.firstFineDim[expr.getPosition()] = group.front();
    any = true;
  }
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
    reshape.firstNewLoop[loop] = reshape.numNewLoops;
    reshape.numNewLoops += reshape.numParts[loop];
  }
  if (!any || !reshape.suitsAllOperands())
    return std::nullopt;
  return reshape;
}

bool LoopReshape::suitsAllOperands() const {
  return llvm::all_of(op.getIndexingMapsArray(),
                      [&](AffineMap map) { return groupsOf(map).has_value(); });
}

std::optional<LoopReshape::Groups> LoopReshape::groupsOf(AffineMap map) const {
  return isMerge ? mergedGroups(map) : splitGroups(map);
}

std::optional<LoopReshape::Groups> LoopReshape::mergedGroups(AffineMap map) const {
  Groups groups;
  for (unsigned position = 0; position < map.getNumResults();) {
    AffineExpr expr = map.getResult(position);
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim) {
      for (unsigned loop = 0; loop < merged.size(); ++loop)
        if (merged[loop].size() != 1 && expr.isFunctionOfDim(loop))
          return std::nullopt;
      groups.push_back({position++});
      continue;
    }
    ArrayRef<unsigned> loops = merged[dim.getPosition()];
    if (loops.empty() || position + loops.size() > map.getNumResults())
      return std::nullopt;
    ReassociationIndices group;
    for (unsigned loop : loops) {
      if (map.getResult(position) != getAffineDimExpr(loop, map.getContext()))
        return std::nullopt;
      group.push_back(position++);
    }
    groups.push_back(group);
  }
  return groups;
}

std::optional<LoopReshape::Groups> LoopReshape::splitGroups(AffineMap map) const {
  Groups groups;
  int64_t next = 0;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    for (unsigned loop = 0; !dim && loop < numParts.size(); ++loop)
      if (numParts[loop] > 1 && expr.isFunctionOfDim(loop))
        return std::nullopt;
    int64_t count = dim ? numParts[dim.getPosition()] : 1;
    groups.push_back(llvm::to_vector<2>(llvm::seq(next, next + count)));
    next += count;
  }
  return groups;
}

bool LoopReshape::isAffected(AffineMap map) const {
  return llvm::any_of(*groupsOf(map),
                      [](const ReassociationIndices &group) { return group.size() > 1; });
}

SmallVector<OpOperand *> LoopReshape::affectedInputs() const {
  SmallVector<OpOperand *> inputs;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (isAffected(op.getMatchingIndexingMap(operand)))
      inputs.push_back(operand);
  return inputs;
}

bool LoopReshape::undoes(OpOperand &input) const {
  Groups groups = *groupsOf(op.getMatchingIndexingMap(&input));
  if (isMerge) {
    auto expandOp = input.get().getDefiningOp<tensor::ExpandShapeOp>();
    return expandOp && Groups(expandOp.getReassociationIndices()) == groups;
  }
  auto collapseOp = input.get().getDefiningOp<tensor::CollapseShapeOp>();
  return collapseOp && Groups(collapseOp.getReassociationIndices()) == groups;
}

bool LoopReshape::isUndoneAfter() const {
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    Groups groups = *groupsOf(op.getMatchingIndexingMap(&init));
    return llvm::all_of(op.getTiedOpResult(&init).getUsers(), [&](Operation *user) {
      if (isMerge) {
        auto collapseOp = dyn_cast<tensor::CollapseShapeOp>(user);
        return collapseOp && Groups(collapseOp.getReassociationIndices()) == groups;
      }
      auto expandOp = dyn_cast<tensor::ExpandShapeOp>(user);
      return expandOp && Groups(expandOp.getReassociationIndices()) == groups;
    });
  });
}

AffineMap LoopReshape::newMap(AffineMap map) const {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> newDims;
  for (unsigned loop : firstNewLoop)
    newDims.push_back(getAffineDimExpr(loop, context));
  SmallVector<AffineExpr> results;
  Groups groups = *groupsOf(map);
  for (auto [position, group] : llvm::enumerate(groups)) {
    AffineExpr expr = map.getResult(isMerge ? group.front() : position);
    AffineExpr replaced = expr.replaceDims(newDims);
    results.push_back(replaced);
    for (size_t part = 1; !isMerge && part < group.size(); ++part)
      results.push_back(
          getAffineDimExpr(cast<AffineDimExpr>(replaced).getPosition() + part, context));
  }
  return AffineMap::get(numNewLoops, 0, results, context);
}

SmallVector<utils::IteratorType> LoopReshape::newIterators() const {
  SmallVector<utils::IteratorType> iterators(numNewLoops, utils::IteratorType::parallel);
  for (auto [loop, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (!merged[loop].empty())
      iterators[firstNewLoop[loop]] = iterator;
  return iterators;
}

SmallVector<OpFoldResult> LoopReshape::newSizes(RewriterBase &rewriter, OpOperand &operand) const {
  Location loc = op.getLoc();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> oldSizes = sizesOf(rewriter, loc, operand.get());
  SmallVector<OpFoldResult> sizes;
  for (auto [position, group] : llvm::enumerate(*groupsOf(map))) {
    if (isMerge) {
      sizes.push_back(productOf(
          rewriter, loc, ArrayRef<OpFoldResult>(oldSizes).slice(group.front(), group.size())));
      continue;
    }
    if (group.size() == 1) {
      sizes.push_back(oldSizes[position]);
      continue;
    }
    unsigned loop = cast<AffineDimExpr>(map.getResult(position)).getPosition();
    for (size_t part = 0; part < group.size(); ++part)
      sizes.push_back(sizeOf(rewriter, loc, fineTensor, firstFineDim[loop] + part));
  }
  return sizes;
}

Value LoopReshape::newOperand(RewriterBase &rewriter, OpOperand &operand) const {
  Location loc = op.getLoc();
  AffineMap map = op.getMatchingIndexingMap(&operand);
  Value tensor = operand.get();
  if (!isa<RankedTensorType>(tensor.getType()) || !isAffected(map))
    return tensor;
  auto fill = tensor.getDefiningOp<linalg::FillOp>();
  if (fill || tensor.getDefiningOp<tensor::EmptyOp>()) {
    Value empty =
        makeEmpty(rewriter, loc, newSizes(rewriter, operand), getElementTypeOrSelf(tensor));
    return fill ? linalg::FillOp::create(rewriter, loc, fill.value(), empty).getResult(0) : empty;
  }
  if (isMerge)
    return anneal::collapse(rewriter, loc, tensor, *groupsOf(map));
  return anneal::expand(rewriter, loc, tensor, *groupsOf(map), newSizes(rewriter, operand));
}

Value LoopReshape::reshapeBack(RewriterBase &rewriter, Value result, OpOperand &init) const {
  Location loc = op.getLoc();
  Groups groups = *groupsOf(op.getMatchingIndexingMap(&init));
  Value back =
      isMerge ? anneal::expand(rewriter, loc, result, groups, sizesOf(rewriter, loc, init.get()))
              : anneal::collapse(rewriter, loc, result, groups);
  if (back.getType() != init.get().getType())
    back = tensor::CastOp::create(rewriter, loc, init.get().getType(), back);
  return back;
}

linalg::LinalgOp LoopReshape::apply(RewriterBase &rewriter) const {
  rewriter.setInsertionPoint(op);
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    maps.push_back(newMap(op.getMatchingIndexingMap(&operand)));
    SmallVector<Value> &list = op.isDpsInput(&operand) ? inputs : inits;
    list.push_back(newOperand(rewriter, operand));
  }
  auto newOp = linalg::GenericOp::create(rewriter, op.getLoc(), ValueRange(inits).getTypes(),
                                         inputs, inits, maps, newIterators());
  cloneBodyInto(rewriter, op, newOp, [&](unsigned loop) { return firstNewLoop[loop]; });
  SmallVector<Value> results;
  for (auto [result, init] : llvm::zip_equal(newOp.getResults(), op.getDpsInitsMutable()))
    results.push_back(reshapeBack(rewriter, result, init));
  rewriter.replaceOp(op, results);
  return newOp;
}

linalg::LinalgOp replaceAccesses(RewriterBase &rewriter, linalg::LinalgOp op, ValueRange inputs,
                                 ArrayRef<AffineMap> maps) {
  if (!inversePermutation(concatAffineMaps(maps, op.getContext())))
    return {};
  rewriter.setInsertionPoint(op);
  auto newOp = linalg::GenericOp::create(rewriter, op.getLoc(), op->getResultTypes(), inputs,
                                         op.getDpsInits(), maps, op.getIteratorTypesArray());
  cloneBodyInto(rewriter, op, newOp, [](unsigned loop) { return loop; });
  rewriter.replaceOp(op, newOp);
  return newOp;
}

/// A tensor and the index expressions that read it.
struct Access {
  Value tensor;
  SmallVector<AffineExpr> exprs;
};

/// Reading an expanded tensor without its added dimensions of size one.
static std::optional<Access> accessBeforeExpand(OpBuilder &builder, tensor::ExpandShapeOp op,
                                                ArrayRef<AffineExpr> exprs) {
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape(), keptSizes;
  SmallVector<ReassociationIndices> groups;
  SmallVector<AffineExpr> keptExprs;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    ReassociationIndices kept;
    for (int64_t dim : group) {
      bool isLastChance = dim == group.back() && kept.empty();
      if (op.getResultType().getDimSize(dim) == 1 && !isLastChance)
        continue;
      kept.push_back(keptExprs.size());
      keptExprs.push_back(exprs[dim]);
      keptSizes.push_back(sizes[dim]);
    }
    groups.push_back(kept);
  }
  if (keptExprs.size() == exprs.size())
    return std::nullopt;
  Value tensor =
      groups.empty() ? op.getSrc() : expand(builder, op.getLoc(), op.getSrc(), groups, keptSizes);
  return Access{tensor, keptExprs};
}

/// Reading what was collapsed into fewer dimensions, if each group has one dimension at most that
/// is not of size one.
static std::optional<Access> accessBeforeCollapse(tensor::CollapseShapeOp op,
                                                  ArrayRef<AffineExpr> exprs) {
  RankedTensorType type = op.getSrcType();
  SmallVector<AffineExpr> sourceExprs(type.getRank(), getAffineConstantExpr(0, op.getContext()));
  for (auto [position, group] : llvm::enumerate(op.getReassociationIndices())) {
    auto isBig = [&](int64_t dim) { return type.getDimSize(dim) != 1; };
    if (llvm::count_if(group, isBig) > 1)
      return std::nullopt;
    auto *big = llvm::find_if(group, isBig);
    sourceExprs[big == group.end() ? group.front() : *big] = exprs[position];
  }
  return Access{op.getSrc(), sourceExprs};
}

linalg::LinalgOp readWithoutUnitDims(RewriterBase &rewriter, linalg::LinalgOp op,
                                     OpOperand *operand) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  rewriter.setInsertionPoint(op);
  std::optional<Access> access;
  if (auto expandOp = operand->get().getDefiningOp<tensor::ExpandShapeOp>())
    access = accessBeforeExpand(rewriter, expandOp, map.getResults());
  else if (auto collapseOp = operand->get().getDefiningOp<tensor::CollapseShapeOp>())
    access = accessBeforeCollapse(collapseOp, map.getResults());
  if (!access)
    return {};
  SmallVector<Value> inputs(op.getDpsInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  inputs[operand->getOperandNumber()] = access->tensor;
  maps[operand->getOperandNumber()] =
      AffineMap::get(map.getNumDims(), 0, access->exprs, map.getContext());
  return replaceAccesses(rewriter, op, inputs, maps);
}

} // namespace anneal
