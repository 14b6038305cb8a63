//===- CriticalPath.cpp - What decides how long a call takes --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/CriticalPath.h"

#include "anneal/Analysis/CallTargets.h"
#include "anneal/IR/JitOps.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace anneal {

/// Paths of more steps are shown in the function that they are of, not in each call of it as well:
/// functions that call others twice would double them at every level.
static constexpr size_t kMaxInnerSteps = 1000;

static size_t countSteps(ArrayRef<CriticalStep> steps) {
  size_t count = steps.size();
  for (const CriticalStep &step : steps)
    count += countSteps(step.inner);
  return count;
}

CriticalPath CriticalPathAnalysis::compute(FunctionOpInterface function,
                                           const ArgumentSizes &sizes) {
  DimEvaluator evaluator(costs.getScope(function), sizes);
  return computeRegion(function.getFunctionBody(), evaluator);
}

CriticalPath CriticalPathAnalysis::computeRegion(Region &region, DimEvaluator &evaluator) {
  if (region.empty())
    return {};
  if (region.hasOneBlock())
    return computeBlock(region.front(), evaluator);
  CriticalPath path;
  path.unknown.push_back(
      {region.getParentOp(), "which of its blocks run, and how often, is not known"});
  return path;
}

/// Calls `visit` with each operation of `block` that `op`, in it, needs: what defines its operands
/// and what its regions use.
static void visitNeeded(Operation *op, Block &block, function_ref<void(Operation *)> visit) {
  op->walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      if (Operation *definition = operand.getDefiningOp())
        if (Operation *needed = block.findAncestorOpInBlock(*definition); needed && needed != op)
          visit(needed);
  });
}

/// Whether an operation has effects, or calls something that has: then it keeps its place among
/// the others with effects. Of a call alone it isn't known.
bool CriticalPathAnalysis::hasEffects(Operation *op) {
  WalkResult walk = op->walk([&](Operation *inner) {
    FunctionOpInterface callee =
        isa<CallOpInterface>(inner) ? costs.getCallee(inner) : FunctionOpInterface();
    bool found = callee ? callHasEffects(callee)
                        : !inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
                              !isMemoryEffectFree(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

bool CriticalPathAnalysis::callHasEffects(FunctionOpInterface callee) {
  auto [known, isNew] = functionEffects.try_emplace(callee, true);
  if (!isNew)
    return known->second;
  bool found = llvm::any_of(callee.getFunctionBody().getOps(),
                            [&](Operation &op) { return hasEffects(&op); });
  functionEffects[callee] = found;
  return found;
}

CriticalPath CriticalPathAnalysis::computeBlock(Block &block, DimEvaluator &evaluator) {
  struct Node {
    CriticalStep step;
    double finishUs = 0;
    Operation *before = nullptr;
  };
  CriticalPath path;
  DenseMap<Operation *, std::unique_ptr<Node>> nodes;
  Operation *lastEffect = nullptr;
  Operation *last = nullptr;
  for (Operation &op : block) {
    auto node = std::make_unique<Node>();
    node->step = computeStep(&op, evaluator, path);
    double startUs = 0;
    auto need = [&](Operation *needed) {
      auto found = nodes.find(needed);
      if (found == nodes.end() || found->second->finishUs <= startUs)
        return;
      startUs = found->second->finishUs;
      node->before = needed;
    };
    visitNeeded(&op, block, need);
    if (hasEffects(&op)) {
      if (lastEffect)
        need(lastEffect);
      lastEffect = &op;
    }
    node->finishUs = startUs + node->step.us;
    if (node->finishUs > path.us) {
      path.us = node->finishUs;
      last = &op;
    }
    nodes[&op] = std::move(node);
  }
  for (Operation *op = last; op; op = nodes[op]->before)
    if (nodes[op]->step.us > 0)
      path.steps.push_back(std::move(nodes[op]->step));
  std::reverse(path.steps.begin(), path.steps.end());
  return path;
}

CriticalStep CriticalPathAnalysis::computeStep(Operation *op, DimEvaluator &evaluator,
                                               CriticalPath &path) {
  CriticalStep step;
  step.op = op;
  if (isCall(op))
    computeCall(step, evaluator, path);
  else if (isa<RegionBranchOpInterface, LoopLikeOpInterface>(op) && !isa<JitCostOpInterface>(op))
    computeRegions(step, evaluator, path);
  else
    computeRoofline(step, evaluator, path);
  return step;
}

void CriticalPathAnalysis::computeRoofline(CriticalStep &step, DimEvaluator &evaluator,
                                           CriticalPath &path) {
  const OpCost &cost = costs.getCost(step.op);
  step.bound = CriticalStep::Bound::Memory;
  std::optional<CostValues> values = evaluate(cost, evaluator);
  if (cost.numUnknownOps > 0 || !values) {
    path.unknown.push_back(
        {step.op, cost.numUnknownOps > 0 ? cost.reason : "not all sizes are known; give dims"});
    if (!values)
      return;
  }
  double computeUs = toDouble(values->flops) / (model.peakGflops * 1e3);
  double memoryUs = toDouble(values->getBytes()) / (model.bandwidthGbs * 1e3);
  step.us = std::max(computeUs, memoryUs);
  step.bound = computeUs > memoryUs ? CriticalStep::Bound::Compute : CriticalStep::Bound::Memory;
  path.totalUs += step.us;
}

/// The sizes of what a call passes, as text.
static std::string getSizesKey(Operation *call, unsigned numArguments, DimEvaluator &evaluator) {
  std::string key;
  llvm::raw_string_ostream os(key);
  for (unsigned number = 0; number < numArguments; ++number) {
    Value operand = getCallOperand(call, number);
    auto type = operand ? dyn_cast<ShapedType>(operand.getType()) : ShapedType();
    os << " (";
    if (type && type.hasRank()) {
      for (const CostExpr &size : evaluator.getScope().getShape(operand))
        if (std::optional<WideInt> value = evaluator.evaluate(size))
          os << *value << " ";
        else
          os << "? ";
    } else if (operand) {
      os << evaluator.evaluateScalar(operand);
    }
    os << ")";
  }
  return key;
}

void CriticalPathAnalysis::computeCall(CriticalStep &step, DimEvaluator &evaluator,
                                       CriticalPath &path) {
  FunctionOpInterface callee = costs.getCallee(step.op);
  if (callee) {
    auto measured = model.measured.find(callee.getName());
    if (measured != model.measured.end() && measured->second.usPerCall) {
      step.us = *measured->second.usPerCall;
      step.bound = CriticalStep::Bound::Measured;
      path.totalUs += step.us;
      return;
    }
  }
  // A unit is one thing; so is what can't be looked into.
  if (!callee || isa<jit::UnitOp>(callee.getOperation()) || !costs.getRecursion(step.op).empty()) {
    computeRoofline(step, evaluator, path);
    return;
  }
  std::string key =
      callee.getName().str() + getSizesKey(step.op, callee.getNumArguments(), evaluator);
  auto known = calleePaths.find(key);
  if (known == calleePaths.end()) {
    DimEvaluator inner(costs.getScope(callee), evaluator, step.op);
    CriticalPath found = computeRegion(callee.getFunctionBody(), inner);
    known = calleePaths.try_emplace(key, std::move(found)).first;
  }
  const CriticalPath &inner = known->second;
  for (const auto &entry : inner.unknown)
    if (llvm::none_of(path.unknown,
                      [&](const auto &listed) { return listed.first == entry.first; }))
      path.unknown.push_back(entry);
  step.us = inner.us;
  if (countSteps(inner.steps) <= kMaxInnerSteps)
    step.inner = inner.steps;
  path.totalUs += inner.totalUs;
}

/// Why a loop's iterations are not known, and which option says them.
std::string CriticalPathAnalysis::whyIterationsUnknown(Operation *loop) {
  DimScope &scope = costs.getScope(loop);
  llvm::DenseSet<CostExpr::Symbol> symbols;
  scope.collectSymbols(costs.getNumIterations(loop), symbols);
  // trip-count is for loops of which nothing is known.
  bool isCounted = llvm::none_of(symbols, [&](CostExpr::Symbol symbol) {
    return scope.getSymbol(symbol).kind == DimScope::Symbol::Kind::TripCount;
  });
  return isCounted ? "its iterations follow from what is not known; give dims"
                   : "its iterations are not known; give trip-count";
}

void CriticalPathAnalysis::computeRegions(CriticalStep &step, DimEvaluator &evaluator,
                                          CriticalPath &path) {
  Operation *op = step.op;
  auto branch = dyn_cast<RegionBranchOpInterface>(op);
  bool isLoop = isa<LoopLikeOpInterface>(op) || llvm::any_of(op->getRegions(), [&](Region &region) {
                  return branch.isRepetitiveRegion(region.getRegionNumber());
                });
  SmallVector<RegionSuccessor> entries;
  if (branch)
    branch.getSuccessorRegions(RegionBranchPoint::parent(), entries);
  bool isChoice = !isLoop && entries.size() > 1;

  double iterations = 1;
  if (isLoop) {
    std::optional<WideInt> count = evaluator.evaluate(costs.getNumIterations(op));
    if (!count)
      path.unknown.push_back({op, whyIterationsUnknown(op)});
    iterations = count ? toDouble(*count) : 0;
  }
  double us = 0, totalUs = 0;
  for (Region &region : op->getRegions()) {
    CriticalPath inner = computeRegion(region, evaluator);
    llvm::append_range(path.unknown, inner.unknown);
    if (isChoice && inner.us <= us)
      continue;
    us = isChoice ? inner.us : us + inner.us;
    totalUs = isChoice ? inner.totalUs : totalUs + inner.totalUs;
    if (isChoice)
      step.inner.clear();
    llvm::append_range(step.inner, inner.steps);
  }
  step.us = us * iterations;
  path.totalUs += totalUs * iterations;
}

} // namespace anneal
