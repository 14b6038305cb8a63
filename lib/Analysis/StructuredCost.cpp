//===- StructuredCost.cpp - Costs of ops with an iteration domain ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/OpCost.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace anneal {

std::optional<int64_t> OpCostAnalysis::getElementBytes(Type type) {
  if (isa<IndexType>(type))
    return 8;
  if (auto complex = dyn_cast<ComplexType>(type)) {
    std::optional<int64_t> part = getElementBytes(complex.getElementType());
    return part ? std::optional(2 * *part) : std::nullopt;
  }
  if (auto vector = dyn_cast<VectorType>(type)) {
    std::optional<int64_t> element = getElementBytes(vector.getElementType());
    return element ? std::optional(vector.getNumElements() * *element) : std::nullopt;
  }
  if (type.isIntOrFloat())
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  return std::nullopt;
}

CostExpr OpCostAnalysis::getBytes(Value value) {
  auto type = dyn_cast<ShapedType>(value.getType());
  // Vectors are in registers.
  if (!type || !type.hasRank() || isa<VectorType>(type))
    return CostExpr(0);
  DimScope &scope = getScope(value.getParentRegion()->getParentOp());
  return scope.getNumElements(value) * CostExpr(getElementBytes(type.getElementType()).value_or(0));
}

CostExpr OpCostAnalysis::getFootprint(Value value, AffineMap map, ArrayRef<CostExpr> loopSizes) {
  DimScope &scope = getScope(value.getParentRegion()->getParentOp());
  llvm::SmallBitVector seen(map.getNumDims());
  SmallVector<CostExpr> sizes;
  for (auto [dim, index] : llvm::enumerate(map.getResults())) {
    if (auto loop = dyn_cast<AffineDimExpr>(index)) {
      if (!seen.test(loop.getPosition()))
        sizes.push_back(loopSizes[loop.getPosition()]);
      seen.set(loop.getPosition());
    } else if (!isa<AffineConstantExpr>(index)) {
      sizes.push_back(scope.getDim(value, dim));
    }
  }
  return scope.getProduct(sizes);
}

/// Of sizes that must be equal, the one that says most: a number, else the fewest terms in sizes of
/// arguments.
static bool isSimpler(const CostExpr &a, const CostExpr &b, const DimScope &scope) {
  auto rank = [&](const CostExpr &expr) {
    unsigned numOpaque = 0;
    for (const CostExpr::Term &term : expr.getTerms())
      numOpaque += llvm::count_if(term.symbols, [&](CostExpr::Symbol symbol) {
        return scope.getSymbol(symbol).kind != DimScope::Symbol::Kind::Dim;
      });
    return std::tuple(!expr.isConstant(), numOpaque, expr.getTerms().size());
  };
  return rank(a) < rank(b);
}

/// The sizes of the loops of a structured op, from those of its operands; nothing if a loop is not
/// the index of any.
std::optional<SmallVector<CostExpr>> OpCostAnalysis::getLoopSizes(Operation *structured) {
  auto op = cast<linalg::LinalgOp>(structured);
  DimScope &scope = getScope(op);
  SmallVector<std::optional<CostExpr>> found(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type)
      continue;
    for (auto [dim, index] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(index);
      if (!loop)
        continue;
      CostExpr size = scope.getDim(operand.get(), dim);
      std::optional<CostExpr> &best = found[loop.getPosition()];
      if (!best || isSimpler(size, *best, scope))
        best = size;
    }
  }
  SmallVector<CostExpr> sizes;
  for (std::optional<CostExpr> &size : found) {
    if (!size)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

OpCost OpCostAnalysis::getBodyPointCost(Region &body) {
  OpCost cost = getRegionCost(body);
  if (cost.numUnknownOps > 0)
    return OpCost::unknown("in its body, " + cost.reason);
  return cost;
}

CostExpr OpCostAnalysis::getOperandBytes(OpOperand &operand, ArrayRef<CostExpr> loopSizes) {
  auto structured = cast<linalg::LinalgOp>(operand.getOwner());
  Type element = cast<ShapedType>(operand.get().getType()).getElementType();
  return getFootprint(operand.get(), structured.getMatchingIndexingMap(&operand), loopSizes) *
         CostExpr(getElementBytes(element).value_or(0));
}

OpCost OpCostAnalysis::computeStructuredBody(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (auto type = dyn_cast<ShapedType>(operand.get().getType());
        type && !getElementBytes(type.getElementType()))
      return OpCost::unknown("the size of an element of operand #" +
                             Twine(operand.getOperandNumber()) + " is not known");
  std::optional<SmallVector<CostExpr>> loops = getLoopSizes(op);
  if (!loops)
    return OpCost::unknown("no operand tells how often a loop of '" + op->getName().getStringRef() +
                           "' runs");

  OpCost point = getBodyPointCost(op->getRegion(0));
  if (point.isUnknown)
    return point;
  OpCost cost;
  cost.domain = getScope(op).getProduct(*loops);
  if (!cost.domain->isZero())
    cost.add(point, *cost.domain);
  return cost;
}

void OpCostAnalysis::visitOperandBytes(Operation *op,
                                       function_ref<void(OpOperand &, const CostExpr &)> visit) {
  SmallVector<CostExpr> loops = *getLoopSizes(op);
  // Where nothing runs, nothing is moved.
  if (getScope(op).getProduct(loops).isZero())
    return;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<ShapedType>(operand.get().getType()))
      visit(operand, getOperandBytes(operand, loops));
}

OpCost OpCostAnalysis::computeStructured(Operation *op) {
  auto structured = cast<linalg::LinalgOp>(op);
  OpCost cost = computeStructuredBody(op);
  if (cost.isUnknown)
    return cost;
  visitOperandBytes(op, [&](OpOperand &operand, const CostExpr &bytes) {
    if (structured.payloadUsesValueFromOperand(&operand))
      cost.bytesRead += bytes;
    if (structured.isDpsInit(&operand))
      cost.bytesWritten += bytes;
  });
  return cost;
}

OpCost OpCostAnalysis::computeTiled(Operation *op) {
  auto destination = cast<DestinationStyleOpInterface>(op);
  DimScope &scope = getScope(op);
  OpCost cost;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<ShapedType>(operand.get().getType());
    if (!type)
      continue;
    if (!type.hasRank() || !getElementBytes(type.getElementType()))
      return OpCost::unknown("the size of operand #" + Twine(operand.getOperandNumber()) +
                             " is not known");
    cost.bytesRead += getBytes(operand.get());
    if (destination.isDpsInit(&operand))
      cost.bytesWritten += getBytes(operand.get());
  }
  SmallVector<CostExpr> loops = scope.getIterationDomain(cast<TilingInterface>(op));
  cost.domain = scope.getProduct(loops);
  if (cost.domain->isZero()) {
    OpCost nothing;
    nothing.domain = cost.domain;
    return nothing;
  }
  if (op->getNumRegions() == 0) {
    cost.flops = *cost.domain;
    cost.isFlopsEstimate = true;
    return cost;
  }
  for (Region &body : op->getRegions()) {
    OpCost point = getBodyPointCost(body);
    if (point.isUnknown)
      return point;
    cost.add(point, *cost.domain);
  }
  return cost;
}

//===----------------------------------------------------------------------===//
// FlopWeights
//===----------------------------------------------------------------------===//

FlopWeights::FlopWeights() {
  // A fused multiply-add is two; complex numbers by their parts.
  for (auto [name, weight] :
       std::initializer_list<std::pair<StringRef, int64_t>>{{"math.fma", 2},
                                                            {"complex.add", 2},
                                                            {"complex.sub", 2},
                                                            {"complex.mul", 6},
                                                            {"complex.div", 20}})
    weights[name] = weight;
  // A division or a square root takes the place of about four multiplications.
  for (StringRef name :
       {"arith.divf", "arith.remf", "arith.divsi", "arith.divui", "arith.remsi", "arith.remui",
        "arith.floordivsi", "arith.ceildivsi", "arith.ceildivui", "math.sqrt"})
    weights[name] = 4;
  weights["math.rsqrt"] = 8;
  // Additions and multiplications of the product's own f32 code (docs/Numerics.md): the reduction
  // of the argument, Horner's rule at two a step, the way back. Of two branches both: vector code
  // runs both.
  for (auto [name, weight] : std::initializer_list<std::pair<StringRef, int64_t>>{
           {"math.exp", 18},   {"math.exp2", 15},  {"math.expm1", 30}, {"math.log", 24},
           {"math.log2", 26},  {"math.log10", 30}, {"math.log1p", 30}, {"math.tanh", 34},
           {"math.erf", 46},   {"math.erfc", 50},  {"math.sin", 30},   {"math.cos", 30},
           {"math.tan", 38},   {"math.sinh", 40},  {"math.cosh", 40},  {"math.asin", 40},
           {"math.acos", 40},  {"math.atan", 40},  {"math.atan2", 44}, {"math.asinh", 44},
           {"math.acosh", 44}, {"math.atanh", 44}, {"math.cbrt", 24},  {"math.powf", 60}})
    weights[name] = weight;
  // By repeated squaring, as for squares and cubes.
  weights["math.fpowi"] = 2;
  weights["math.ipowi"] = 2;
}

int64_t FlopWeights::get(OperationName name) const {
  auto weight = weights.find(name.getStringRef());
  return weight == weights.end() ? 1 : weight->second;
}

} // namespace anneal
