//===- ShapeDemands.cpp - What a specialisation asks of sizes -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeDemands.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/CastInterfaces.h"

using namespace mlir;

namespace anneal {

using jit::DimBucket;
using jit::ShapeBucketAttr;

//===----------------------------------------------------------------------===//
// Guards and demands
//===----------------------------------------------------------------------===//

ShapeDemands demandsOf(jit::UnitOp unit, ArrayRef<ShapeBucketAttr> guard) {
  ShapeDemands demands;
  for (auto [type, bucket] : llvm::zip(unit.getArgumentTypes(), guard)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    demands.emplace_back();
    for (int64_t dim = 0; tensor && dim < tensor.getRank(); ++dim)
      demands.back().push_back(!tensor.isDynamicDim(dim) ? DimBucket::size(tensor.getDimSize(dim))
                               : bucket                  ? bucket.getDims()[dim]
                                                         : DimBucket::any());
  }
  return demands;
}

SmallVector<ShapeBucketAttr> guardOf(jit::UnitOp unit, const ShapeDemands &demands) {
  SmallVector<ShapeBucketAttr> guard;
  for (auto [type, dims] : llvm::zip(unit.getArgumentTypes(), demands)) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    bool asks = false;
    for (auto [dim, demand] : llvm::enumerate(dims))
      asks |= tensor.isDynamicDim(dim) && !demand.isAny();
    guard.push_back(asks ? ShapeBucketAttr::get(unit.getContext(), dims) : ShapeBucketAttr());
  }
  return guard;
}

bool areEqual(const ShapeDemands &one, const ShapeDemands &other) {
  return llvm::equal(one, other, [](ArrayRef<DimBucket> a, ArrayRef<DimBucket> b) {
    return llvm::equal(
        a, b, [](const DimBucket &x, const DimBucket &y) { return x.covers(y) && y.covers(x); });
  });
}

static std::string toText(const DimBucket &sizes) {
  std::optional<SizeRange> range = sizes.getSizes();
  if (sizes.isAny() || !range)
    return sizes.isAny() ? "any size" : "no size";
  if (range->first == range->last)
    return "size " + std::to_string(range->first);
  return "a size from " + std::to_string(range->first) + " to " + std::to_string(range->last);
}

static std::string placeName(unsigned argument, int64_t dim) {
  return "dimension #" + std::to_string(dim) + " of argument #" + std::to_string(argument);
}

//===----------------------------------------------------------------------===//
// What the body ties together
//===----------------------------------------------------------------------===//

UnitSizes::UnitSizes(jit::UnitOp unit) : unit(unit), entry(&unit.getBody().front()), scope(unit) {
  unit.getBody().walk([&](Operation *op) { addTies(op); });
  for (auto [returned, destination] :
       llvm::zip(unit.getReturn().getOperands(), unit.getDestinations()))
    for (int64_t dim = 0, rank = cast<ShapedType>(returned.getType()).getRank(); dim < rank; ++dim)
      addTie(unit.getReturn(), {placeOf(destination, dim), placeOf(returned, dim)});
}

void UnitSizes::addTies(Operation *op) {
  if (auto loops = dyn_cast<linalg::LinalgOp>(op)) {
    structured.push_back(loops);
    SmallVector<SmallVector<Place>> byLoop(loops.getNumLoops());
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = loops.getMatchingIndexingMap(&operand);
      for (auto [dim, index] : llvm::enumerate(map.getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(index))
          byLoop[loop.getPosition()].push_back(placeOf(operand.get(), dim));
    }
    for (SmallVector<Place> &places : byLoop)
      addTie(op, std::move(places));
    return;
  }
  if (!isa<CastOpInterface>(op) || op->getNumOperands() != 1 || op->getNumResults() != 1)
    return;
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!from || !to || from.getRank() != to.getRank())
    return;
  for (int64_t dim = 0; dim < to.getRank(); ++dim)
    addTie(op, {placeOf(op->getOperand(0), dim), placeOf(op->getResult(0), dim)});
}

UnitSizes::Place UnitSizes::placeOf(Value value, int64_t dim) {
  return {value, dim, scope.getDim(value, dim)};
}

void UnitSizes::addTie(Operation *op, SmallVector<Place> places) {
  if (!llvm::all_of(places, [&](const Place &place) { return place.size == places[0].size; }))
    ties.push_back({op, std::move(places)});
}

std::optional<std::pair<unsigned, int64_t>> UnitSizes::argumentOf(const CostExpr &size) const {
  std::optional<CostExpr::Symbol> symbol = size.getSymbol();
  if (!symbol)
    return std::nullopt;
  const DimScope::Symbol &known = scope.getSymbol(*symbol);
  auto argument = dyn_cast_or_null<BlockArgument>(known.value);
  if (known.kind != DimScope::Symbol::Kind::Dim || !argument || argument.getOwner() != entry)
    return std::nullopt;
  return std::make_pair(argument.getArgNumber(), known.dim);
}

std::string UnitSizes::describe(const Place &place) const {
  if (auto argument = dyn_cast<BlockArgument>(place.value);
      argument && argument.getOwner() == entry)
    return placeName(argument.getArgNumber(), place.dim);
  for (const CostExpr::Term &term : place.size.getTerms())
    for (CostExpr::Symbol symbol : term.symbols)
      if (auto argument = argumentOf(CostExpr::forSymbol(symbol)))
        return "a size that follows from " + placeName(argument->first, argument->second);
  return "a size of the body";
}

//===----------------------------------------------------------------------===//
// Narrowing
//===----------------------------------------------------------------------===//

static ArgumentSizes sizesOf(const ShapeDemands &demands) {
  ArgumentSizes sizes;
  for (auto [number, dims] : llvm::enumerate(demands))
    for (const DimBucket &dim : dims)
      sizes.byArgument[number].push_back(dim.getKind() == DimBucket::Kind::Size ? dim.getSize()
                                                                                : -1);
  return sizes;
}

LogicalResult UnitSizes::narrow(ShapeDemands &demands, std::string &problem) {
  if (failed(narrowToTypes(demands, problem)))
    return failure();
  // Each round but the last narrows a demand, which there are few of.
  for (bool changed = true; changed;) {
    changed = false;
    ArgumentSizes known = sizesOf(demands);
    DimEvaluator evaluator(scope, known);
    for (const Tie &tie : ties)
      if (failed(narrowByTie(tie, demands, evaluator, changed, problem)))
        return failure();
  }
  ArgumentSizes known = sizesOf(demands);
  DimEvaluator evaluator(scope, known);
  for (linalg::LinalgOp op : structured)
    if (failed(checkReads(op, evaluator, problem)))
      return failure();
  return success();
}

LogicalResult UnitSizes::narrowToTypes(ShapeDemands &demands, std::string &problem) {
  for (auto [number, type, dims] : llvm::enumerate(unit.getArgumentTypes(), demands))
    for (auto [dim, demand] : llvm::enumerate(dims)) {
      auto tensor = cast<RankedTensorType>(type);
      std::optional<SizeRange> range = demand.getSizes();
      if (!range || (!tensor.isDynamicDim(dim) && !demand.contains(tensor.getDimSize(dim)))) {
        problem = placeName(number, dim) + " is asked for " + toText(demand) + ", but " +
                  (range ? "is " + std::to_string(tensor.getDimSize(dim))
                         : std::string("has at most 63 bits"));
        return failure();
      }
      if (!tensor.isDynamicDim(dim))
        demand = DimBucket::size(tensor.getDimSize(dim));
      else if (range->first == range->last)
        demand = DimBucket::size(static_cast<int64_t>(range->first));
    }
  return success();
}

/// The sizes that a place has where the demands are fulfilled, any where that isn't known; nothing
/// if there are none.
std::optional<DimBucket> UnitSizes::sizesAt(const Place &place, const ShapeDemands &demands,
                                            DimEvaluator &evaluator) const {
  if (auto argument = argumentOf(place.size))
    return demands[argument->first][argument->second];
  std::optional<WideInt> size = evaluator.evaluate(place.size);
  if (!size)
    return DimBucket::any();
  bool isTooLarge = false;
  int64_t value = saturate(*size, &isTooLarge);
  return value < 0 || isTooLarge ? std::nullopt : std::optional(DimBucket::size(value));
}

LogicalResult UnitSizes::narrowByTie(const Tie &tie, ShapeDemands &demands, DimEvaluator &evaluator,
                                     bool &changed, std::string &problem) const {
  SmallVector<DimBucket> sizes;
  for (const Place &place : tie.places) {
    std::optional<DimBucket> known = sizesAt(place, demands, evaluator);
    if (!known) {
      problem = describe(place) + " would be negative or beyond 64 bits in '" +
                tie.op->getName().getStringRef().str() + "'";
      return failure();
    }
    for (auto [other, otherSizes] : llvm::zip(tie.places, sizes))
      if (!otherSizes.intersects(*known)) {
        problem = describe(other) + " is asked for " + toText(otherSizes) + ", but '" +
                  tie.op->getName().getStringRef().str() + "' ties it to " + describe(place) +
                  ", which has " + toText(*known);
        return failure();
      }
    sizes.push_back(*known);
  }
  DimBucket narrowest = DimBucket::any();
  for (const DimBucket &known : sizes)
    if (narrowest.covers(known))
      narrowest = known;
  for (auto [place, known] : llvm::zip(tie.places, sizes)) {
    auto argument = argumentOf(place.size);
    if (!argument || !known.covers(narrowest) || narrowest.covers(known))
      continue;
    demands[argument->first][argument->second] = narrowest;
    changed = true;
  }
  return success();
}

LogicalResult UnitSizes::checkReads(linalg::LinalgOp op, DimEvaluator &evaluator,
                                    std::string &problem) {
  SmallVector<std::optional<int64_t>> loops(op.getNumLoops());
  auto sizeOf = [&](OpOperand &operand, int64_t dim) -> std::optional<int64_t> {
    std::optional<WideInt> size = evaluator.evaluate(scope.getDim(operand.get(), dim));
    return size ? std::optional(saturate(*size)) : std::nullopt;
  };
  auto forEachIndex = [&](llvm::function_ref<void(OpOperand &, int64_t, AffineExpr)> visit) {
    for (OpOperand &operand : op->getOpOperands())
      if (isa<RankedTensorType>(operand.get().getType()))
        for (auto [dim, index] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
          visit(operand, dim, index);
  };
  forEachIndex([&](OpOperand &operand, int64_t dim, AffineExpr index) {
    if (auto loop = dyn_cast<AffineDimExpr>(index))
      if (std::optional<int64_t> size = sizeOf(operand, dim))
        loops[loop.getPosition()] = size;
  });
  if (llvm::is_contained(loops, std::optional<int64_t>(0)))
    return success();
  SmallVector<AffineExpr> last;
  for (auto [number, size] : llvm::enumerate(loops))
    last.push_back(size ? getAffineConstantExpr(*size - 1, op.getContext())
                        : getAffineDimExpr(number, op.getContext()));
  bool fits = true;
  forEachIndex([&](OpOperand &operand, int64_t dim, AffineExpr index) {
    auto reached = dyn_cast<AffineConstantExpr>(index.replaceDims(last));
    std::optional<int64_t> size = sizeOf(operand, dim);
    if (!fits || !reached || !size || reached.getValue() < *size)
      return;
    fits = false;
    problem = describe(placeOf(operand.get(), dim)) + " is asked for size " +
              std::to_string(*size) + ", but '" + op->getName().getStringRef().str() + "' reads " +
              std::to_string(reached.getValue() + 1);
  });
  return success(fits);
}

} // namespace anneal
