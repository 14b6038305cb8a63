//===- OpCost.cpp - FLOPs and bytes of operations -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a cost comes from, sums of regions, control flow and calls. StructuredCost.cpp has the ops
// with an iteration domain.
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/OpCost.h"

#include "anneal/Analysis/CallTargets.h"
#include "anneal/IR/JitDialect.h"
#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/CastInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SCCIterator.h"

#include "anneal/Analysis/CostInterface.cpp.inc"

using namespace mlir;

namespace anneal {

//===----------------------------------------------------------------------===//
// OpCost
//===----------------------------------------------------------------------===//

OpCost OpCost::unknown(const Twine &reason) {
  OpCost cost;
  cost.isUnknown = true;
  cost.numUnknownOps = 1;
  cost.reason = reason.str();
  return cost;
}

OpCost OpCost::movement(const CostExpr &read, const CostExpr &written) {
  OpCost cost;
  cost.bytesRead = read;
  cost.bytesWritten = written;
  return cost;
}

void OpCost::add(const OpCost &other, const CostExpr &times) {
  flops += other.flops * times;
  bytesRead += other.bytesRead * times;
  bytesWritten += other.bytesWritten * times;
  isFlopsEstimate |= other.isFlopsEstimate;
  isUpperBound |= other.isUpperBound;
  numUnknownOps += other.numUnknownOps;
  if (reason.empty())
    reason = other.reason;
}

double CostValues::getIntensity() const {
  WideInt bytes = getBytes();
  return bytes == 0 ? 0 : toDouble(flops) / toDouble(bytes);
}

std::optional<CostValues> evaluate(const OpCost &cost, DimEvaluator &evaluator) {
  if (cost.isUnknown)
    return std::nullopt;
  if (cost.domain && evaluator.evaluate(*cost.domain) == WideInt(0))
    return CostValues{};
  std::optional<WideInt> flops = evaluator.evaluate(cost.flops);
  std::optional<WideInt> read = evaluator.evaluate(cost.bytesRead);
  std::optional<WideInt> written = evaluator.evaluate(cost.bytesWritten);
  if (!flops || !read || !written)
    return std::nullopt;
  return CostValues{*flops, *read, *written};
}

//===----------------------------------------------------------------------===//
// Units
//===----------------------------------------------------------------------===//

namespace {
/// The bytes that go in and out of the operations of a region.
class UnitTraffic {
public:
  explicit UnitTraffic(Region &region) : region(region) {}

  void read(Value value, const CostExpr &bytes) {
    Value source = throughViews(value);
    if (isMadeInside(source))
      return;
    CostExpr &known = reads[source];
    known = CostExpr::upperBound(known, bytes);
  }
  void write(Value result, const CostExpr &bytes) {
    if (isYielded(result))
      written += bytes;
  }

  CostExpr getRead() const {
    CostExpr sum;
    for (const auto &[value, bytes] : reads)
      sum += bytes;
    return sum;
  }
  CostExpr getWritten() const { return written; }

private:
  static Value throughViews(Value value) {
    while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
      value = view.getViewSource();
    return value;
  }
  bool isMadeInside(Value value) const {
    return value.getDefiningOp() && region.isAncestor(value.getParentRegion());
  }
  bool isYielded(Value result) const {
    return llvm::any_of(result.getUsers(), [&](Operation *user) {
      if (user->hasTrait<OpTrait::IsTerminator>() && user->getParentRegion() == &region)
        return true;
      return isa<ViewLikeOpInterface>(user) && isYielded(user->getResult(0));
    });
  }

  Region &region;
  llvm::MapVector<Value, CostExpr> reads;
  CostExpr written;
};
} // namespace

//===----------------------------------------------------------------------===//
// OpCostAnalysis
//===----------------------------------------------------------------------===//

OpCostAnalysis::~OpCostAnalysis() = default;

DimScope &OpCostAnalysis::getScope(Operation *op) {
  Operation *scope = op;
  while (!isa<FunctionOpInterface>(scope) && scope->getParentOp())
    scope = scope->getParentOp();
  std::unique_ptr<DimScope> &entry = scopes[scope];
  if (!entry)
    entry = std::make_unique<DimScope>(scope);
  return *entry;
}

const OpCost &OpCostAnalysis::getCost(Operation *op) {
  auto known = costs.find(op);
  if (known != costs.end())
    return *known->second;
  auto cost = std::make_unique<OpCost>(compute(op));
  return *(costs[op] = std::move(cost));
}

/// Whether regions of `op` run by control flow that can be followed, or are no part of what runs
/// there; the body of a structured op is neither.
static bool isControlFlow(Operation *op) {
  return isa<RegionBranchOpInterface, LoopLikeOpInterface, FunctionOpInterface>(op) ||
         op->hasTrait<OpTrait::SymbolTable>();
}

/// Whether `op` works on elements of a tensor: it is in the body of a structured op.
static bool isInStructuredBody(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (!isControlFlow(parent))
      return true;
  return false;
}

OpCost OpCostAnalysis::compute(Operation *op) {
  if (auto model = dyn_cast<JitCostOpInterface>(op))
    return model.getCost(*this);
  if (isa<FunctionOpInterface>(op) || op->hasTrait<OpTrait::ConstantLike>() ||
      isa<ViewLikeOpInterface>(op))
    return {};
  if (isa<linalg::LinalgOp>(op))
    return computeStructured(op);
  if (isa<TilingInterface>(op) && isa<DestinationStyleOpInterface>(op))
    return computeTiled(op);
  if (isa<LoopLikeOpInterface>(op))
    return computeLoop(op);
  if (isCall(op))
    return computeCall(op);
  if (isa<RegionBranchOpInterface>(op))
    return computeBranch(op);
  if (op->hasTrait<OpTrait::Elementwise>() || isa<CastOpInterface>(op))
    return computeElementwise(op);
  if (isa<jit::RegionOp>(op))
    return getUnitCost(op->getRegion(0));
  if (op->hasTrait<OpTrait::IsTerminator>() || op->hasTrait<OpTrait::SymbolTable>() ||
      (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() && op->getNumRegions() > 0)) {
    OpCost sum;
    for (Region &region : op->getRegions())
      sum.add(getRegionCost(region));
    return sum;
  }
  // Operations of the dialect itself that make scalars of tensors look at sizes, never at elements.
  bool isScalar = (isa_and_nonnull<jit::JitDialect>(op->getDialect()) ||
                   llvm::none_of(op->getOperandTypes(), llvm::IsaPred<ShapedType>)) &&
                  llvm::none_of(op->getResultTypes(), llvm::IsaPred<ShapedType>);
  // Sizes and addresses; of the elements themselves, something must be known.
  bool isIndex = llvm::all_of(op->getResultTypes(), llvm::IsaPred<IndexType>);
  if (isScalar && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
      (isIndex || !isInStructuredBody(op)))
    return {};
  return OpCost::unknown("'" + op->getName().getStringRef() +
                         "' has no interface that tells its cost");
}

/// Whether the branches between blocks of a region can come back to one of them.
static bool hasLoopOfBlocks(Region &region) {
  for (auto component = llvm::scc_begin(&region.front()); !component.isAtEnd(); ++component)
    if (component.hasCycle())
      return true;
  return false;
}

OpCost OpCostAnalysis::getRegionCost(Region &region) {
  OpCost sum;
  if (region.empty())
    return sum;
  if (!region.hasOneBlock()) {
    if (hasLoopOfBlocks(region))
      return OpCost::unknown("branches between blocks form a loop in '" +
                             region.getParentOp()->getName().getStringRef() + "'");
    sum.isUpperBound = true;
  }
  for (Operation &op : region.getOps())
    sum.add(getCost(&op));
  return sum;
}

OpCost OpCostAnalysis::getUnitCost(Region &region) {
  if (!region.hasOneBlock())
    return getRegionCost(region);
  OpCost sum;
  UnitTraffic traffic(region);
  for (Operation &op : region.front()) {
    // What isn't traffic are elements that a body reads by their indices, and what other operations
    // move.
    auto structured =
        isa<JitCostOpInterface>(op) ? linalg::LinalgOp() : dyn_cast<linalg::LinalgOp>(op);
    OpCost cost = structured ? computeStructuredBody(&op) : getCost(&op);
    if (structured && !cost.isUnknown)
      visitOperandBytes(&op, [&](OpOperand &operand, const CostExpr &bytes) {
        if (structured.payloadUsesValueFromOperand(&operand))
          traffic.read(operand.get(), bytes);
        if (structured.isDpsInit(&operand))
          traffic.write(structured.getTiedOpResult(&operand), bytes);
      });
    if (auto pad = dyn_cast<tensor::PadOp>(op); pad && !cost.isUnknown) {
      traffic.read(pad.getSource(), cost.bytesRead);
      traffic.write(pad.getResult(), cost.bytesWritten);
      cost.bytesRead = cost.bytesWritten = CostExpr(0);
    }
    sum.add(cost);
  }
  sum.bytesRead += traffic.getRead();
  sum.bytesWritten += traffic.getWritten();
  return sum;
}

const OpCost &OpCostAnalysis::getBodyCost(FunctionOpInterface function) {
  auto known = bodyCosts.find(function);
  if (known != bodyCosts.end())
    return *known->second;
  auto cost = std::make_unique<OpCost>(
      function.isExternal()
          ? OpCost::unknown("'@" + function.getName() + "' has no body in this module")
      : isa<jit::UnitOp>(function) ? getUnitCost(function.getFunctionBody())
                                   : getRegionCost(function.getFunctionBody()));
  return *(bodyCosts[function] = std::move(cost));
}

FunctionOpInterface OpCostAnalysis::getCallee(Operation *call) {
  return getCallTarget(call, symbolTables);
}

const std::string &OpCostAnalysis::getRecursion(Operation *call) {
  static const std::string kNone;
  FunctionOpInterface target = getCallee(call);
  auto caller = call->getParentOfType<FunctionOpInterface>();
  if (!target || !caller)
    return kNone;
  auto [known, isNew] = recursions.try_emplace({target.getOperation(), caller.getOperation()});
  if (isNew)
    if (SmallVector<Operation *> path = findCallPath(target, caller, symbolTables); !path.empty())
      known->second = describeCycle(path, target);
  return known->second;
}

OpCost OpCostAnalysis::computeCall(Operation *op) {
  FunctionOpInterface target = getCallee(op);
  if (!target)
    return OpCost::unknown("'" + op->getName().getStringRef() +
                           "' calls what has no body in this module");
  if (const std::string &cycle = getRecursion(op); !cycle.empty())
    return OpCost::unknown(cycle);
  const OpCost &body = getBodyCost(target);
  DimScope &here = getScope(op);
  DimScope &there = getScope(target);
  auto translate = [&](const CostExpr &expr) {
    return here.translate(expr, there, op, [&](BlockArgument argument) {
      return getCallOperand(op, argument.getArgNumber());
    });
  };
  OpCost cost = body;
  cost.flops = translate(body.flops);
  cost.bytesRead = translate(body.bytesRead);
  cost.bytesWritten = translate(body.bytesWritten);
  return cost;
}

CostExpr OpCostAnalysis::getNumIterations(Operation *op) {
  DimScope &scope = getScope(op);
  auto loop = dyn_cast<LoopLikeOpInterface>(op);
  auto lower = loop ? loop.getLoopLowerBounds() : std::nullopt;
  auto upper = loop ? loop.getLoopUpperBounds() : std::nullopt;
  auto steps = loop ? loop.getLoopSteps() : std::nullopt;
  if (!lower || !upper || !steps)
    return scope.getTripCount(op);
  SmallVector<CostExpr> trips;
  for (auto [from, to, step] : llvm::zip_equal(*lower, *upper, *steps))
    trips.push_back(
        scope.getNumIterations(scope.getScalar(from), scope.getScalar(to), scope.getScalar(step)));
  return scope.getProduct(trips);
}

/// Whether a cost depends on what is made inside of `op`: it differs from one iteration to the
/// next.
static bool variesInside(const OpCost &cost, Operation *op, const DimScope &scope) {
  llvm::DenseSet<CostExpr::Symbol> symbols;
  for (const CostExpr *part : {&cost.flops, &cost.bytesRead, &cost.bytesWritten})
    scope.collectSymbols(*part, symbols);
  return llvm::any_of(symbols, [&](CostExpr::Symbol symbol) {
    Value value = scope.getSymbol(symbol).value;
    return value && op->isAncestor(value.getParentBlock()->getParentOp());
  });
}

OpCost OpCostAnalysis::computeLoop(Operation *op) {
  OpCost body;
  for (Region *region : cast<LoopLikeOpInterface>(op).getLoopRegions())
    body.add(getRegionCost(*region));
  if (variesInside(body, op, getScope(op)))
    return OpCost::unknown("what an iteration of '" + op->getName().getStringRef() +
                           "' costs differs from one to the next");
  OpCost cost;
  cost.add(body, getNumIterations(op));
  return cost;
}

OpCost OpCostAnalysis::computeBranch(Operation *op) {
  auto branch = cast<RegionBranchOpInterface>(op);
  OpCost cost;
  if (llvm::any_of(op->getRegions(), [&](Region &region) {
        return branch.isRepetitiveRegion(region.getRegionNumber());
      })) {
    for (Region &region : op->getRegions())
      cost.add(getRegionCost(region), getNumIterations(op));
    return cost;
  }
  SmallVector<RegionSuccessor> entries;
  branch.getSuccessorRegions(RegionBranchPoint::parent(), entries);
  if (entries.size() == 1) {
    for (Region &region : op->getRegions())
      cost.add(getRegionCost(region));
    return cost;
  }
  // One of the regions runs, or none.
  for (Region &region : op->getRegions()) {
    OpCost other = getRegionCost(region);
    cost.flops = CostExpr::upperBound(cost.flops, other.flops);
    cost.bytesRead = CostExpr::upperBound(cost.bytesRead, other.bytesRead);
    cost.bytesWritten = CostExpr::upperBound(cost.bytesWritten, other.bytesWritten);
    other.flops = other.bytesRead = other.bytesWritten = CostExpr(0);
    cost.add(other);
  }
  cost.isUpperBound |= !cost.flops.isZero() || !cost.getBytes().isZero();
  return cost;
}

OpCost OpCostAnalysis::computeElementwise(Operation *op) {
  Value shaped;
  for (Value value : llvm::concat<Value>(op->getResults(), op->getOperands()))
    if (!shaped && isa<ShapedType>(value.getType()))
      shaped = value;
  // Casts between types of tensors move nothing; conversions of elements and selections compute
  // nothing.
  bool isMove = isa<CastOpInterface, arith::SelectOp>(op);
  OpCost cost;
  Type element = getElementTypeOrSelf(op->getNumOperands() ? op->getOperand(0).getType()
                                                           : op->getResult(0).getType());
  bool isCounted = !isMove && !isa<IndexType>(element) &&
                   (shaped || isa<FloatType, ComplexType>(element) || isInStructuredBody(op));
  int64_t weight = isCounted ? weights.get(op->getName()) : 0;
  if (!shaped) {
    cost.flops = CostExpr(weight);
    return cost;
  }
  if (!op->hasTrait<OpTrait::Elementwise>())
    return cost;
  for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults()))
    if (auto type = dyn_cast<ShapedType>(value.getType());
        type && (!type.hasRank() || !getElementBytes(type.getElementType())))
      return OpCost::unknown("the size of " + debugString(type) + " is not known");
  cost.domain = getScope(op).getNumElements(shaped);
  cost.flops = *cost.domain * CostExpr(weight);
  for (Value operand : op->getOperands())
    cost.bytesRead += getBytes(operand);
  for (Value result : op->getResults())
    cost.bytesWritten += getBytes(result);
  return cost;
}

} // namespace anneal
