//===- ShapeClass.cpp - What the sizes of a function follow from ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/ShapeClass.h"

#include "anneal/Analysis/CallTargets.h"
#include "anneal/Analysis/RegionFlow.h"
#include "anneal/IR/JitAttrs.h"
#include "anneal/IR/JitDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/ShapedOpInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace anneal {

StringRef toString(ShapeClass shapeClass) {
  switch (shapeClass) {
  case ShapeClass::Static:
    return "static";
  case ShapeClass::Bucketable:
    return "bucketable";
  case ShapeClass::Dynamic:
    return "dynamic";
  case ShapeClass::DataDependent:
    return "data-dependent";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// SizeOrigin
//===----------------------------------------------------------------------===//

ShapeClass SizeOrigin::getClass() const {
  if (!data.empty())
    return ShapeClass::DataDependent;
  if (!loop.empty() || !scalars.empty())
    return ShapeClass::Dynamic;
  return dims.empty() ? ShapeClass::Static : ShapeClass::Bucketable;
}

template <typename T> static void addSorted(SmallVector<T> &list, const SmallVector<T> &others) {
  llvm::append_range(list, others);
  llvm::sort(list);
  list.erase(llvm::unique(list), list.end());
}

void SizeOrigin::add(const SizeOrigin &other) {
  addSorted(dims, other.dims);
  addSorted(scalars, other.scalars);
  if (loop.empty())
    loop = other.loop;
  if (data.empty())
    data = other.data;
}

std::string SizeOrigin::toText() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::ListSeparator comma;
  for (auto [argument, dim] : dims)
    os << StringRef(comma) << "dim " << dim << " of %arg" << argument;
  for (unsigned argument : scalars)
    os << StringRef(comma) << "%arg" << argument;
  for (StringRef other : {StringRef(loop), StringRef(data)})
    if (!other.empty())
      os << StringRef(comma) << other;
  return text;
}

static SizeOrigin fromLoop(const Twine &reason) {
  SizeOrigin origin;
  origin.loop = reason.str();
  return origin;
}

static SizeOrigin fromData(const Twine &reason) {
  SizeOrigin origin;
  origin.data = reason.str();
  return origin;
}

//===----------------------------------------------------------------------===//
// ShapeClassAnalysis
//===----------------------------------------------------------------------===//

DimScope &ShapeClassAnalysis::getScope(Operation *function) {
  std::unique_ptr<DimScope> &scope = scopes[function];
  if (!scope)
    scope = std::make_unique<DimScope>(function);
  return *scope;
}

/// Calls `visit` with all values of a function that have elements: arguments of blocks and results,
/// in the order of the IR, without those in the bodies of structured ops.
static void visitShapedValues(FunctionOpInterface function, function_ref<void(Value)> visit) {
  auto visitShaped = [&](Value value) {
    if (isa<ShapedType>(value.getType()))
      visit(value);
  };
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      visitShaped(result);
    if (isa<linalg::LinalgOp>(op))
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Value argument : block.getArguments())
          visitShaped(argument);
    return WalkResult::advance();
  });
}

const FunctionShapes &ShapeClassAnalysis::getShapes(FunctionOpInterface function) {
  std::unique_ptr<FunctionShapes> &entry = shapes[function];
  if (entry)
    return *entry;
  DimScope &scope = getScope(function);
  auto found = std::make_unique<FunctionShapes>();
  llvm::DenseSet<CostExpr::Symbol> symbols;
  visitShapedValues(function, [&](Value value) {
    auto type = cast<ShapedType>(value.getType());
    if (!type.hasRank()) {
      Operation *definition = value.getDefiningOp();
      found->unranked.push_back(definition ? definition
                                           : cast<BlockArgument>(value).getOwner()->getParentOp());
      return;
    }
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        scope.collectSymbols(scope.getDim(value, dim), symbols);
  });
  found->symbols.assign(symbols.begin(), symbols.end());
  llvm::sort(found->symbols);
  if (!found->unranked.empty())
    found->shapeClass = ShapeClass::DataDependent;
  for (CostExpr::Symbol symbol : found->symbols)
    found->shapeClass = std::max(found->shapeClass, getOrigin(scope, symbol).getClass());
  return *(shapes[function] = std::move(found));
}

SizeOrigin ShapeClassAnalysis::getOrigin(DimScope &scope, const CostExpr &size) {
  SizeOrigin origin;
  for (const CostExpr::Term &term : size.getTerms())
    for (CostExpr::Symbol symbol : term.symbols)
      origin.add(getOrigin(scope, symbol));
  return origin;
}

SizeOrigin ShapeClassAnalysis::getOrigin(DimScope &scope, CostExpr::Symbol symbol) {
  std::pair<DimScope *, CostExpr::Symbol> key(&scope, symbol);
  auto known = origins.find(key);
  if (known != origins.end())
    return known->second;
  // A size that a loop computes from itself adds nothing to itself.
  unsigned depth = activeSymbols.size();
  auto [active, isNew] = activeSymbols.try_emplace(key, depth);
  if (!isNew) {
    lowestReached = std::min(lowestReached, active->second);
    return {};
  }
  SizeOrigin origin = computeOrigin(scope, scope.getSymbol(symbol));
  activeSymbols.erase(key);
  // What lacks the part of a symbol that isn't finished isn't kept.
  if (lowestReached >= depth) {
    lowestReached = std::numeric_limits<unsigned>::max();
    origins[key] = origin;
  }
  return origin;
}

SizeOrigin ShapeClassAnalysis::computeOrigin(DimScope &scope, const DimScope::Symbol &symbol) {
  using Kind = DimScope::Symbol::Kind;
  switch (symbol.kind) {
  case Kind::Dim:
    return getDimOrigin(scope, symbol.value, symbol.dim);
  case Kind::Scalar:
    return getScalarOrigin(scope, symbol.value);
  case Kind::Quotient:
  case Kind::Group: {
    SizeOrigin origin = getOrigin(scope, symbol.numerator);
    origin.add(getOrigin(scope, symbol.denominator));
    return origin;
  }
  case Kind::TripCount:
  case Kind::Callee:
    return fromData(symbol.description);
  }
  return {};
}

/// The argument, if it is one of the function itself.
static BlockArgument getFunctionArgument(DimScope &scope, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner()->isEntryBlock() &&
                 argument.getOwner()->getParentOp() == scope.getRoot()
             ? argument
             : BlockArgument();
}

SizeOrigin ShapeClassAnalysis::getDimOrigin(DimScope &scope, Value value, int64_t dim) {
  if (BlockArgument argument = getFunctionArgument(scope, value)) {
    SizeOrigin origin;
    origin.dims.push_back({argument.getArgNumber(), dim});
    return origin;
  }
  Operation *op = value.getDefiningOp();
  if (!op || isa<RegionBranchOpInterface>(op))
    return getForwardedOrigin(
        scope, value, [&](Value source) { return getOrigin(scope, scope.getDim(source, dim)); });
  if (isCall(op))
    return getCallOrigin(scope, cast<OpResult>(value), [&](DimScope &callee, Value returned) {
      return getOrigin(callee, callee.getDim(returned, dim));
    });
  if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
    return getElementOrigin(scope, reshape.getShape());
  return fromData("'" + op->getName().getStringRef() + "' doesn't tell the size of its result");
}

SizeOrigin ShapeClassAnalysis::getScalarOrigin(DimScope &scope, Value value) {
  if (BlockArgument argument = getFunctionArgument(scope, value)) {
    SizeOrigin origin;
    origin.scalars.push_back(argument.getArgNumber());
    return origin;
  }
  auto ofScalar = [&](Value source) { return getOrigin(scope, scope.getScalar(source)); };
  Operation *op = value.getDefiningOp();
  if (!op || isa<RegionBranchOpInterface>(op))
    return getForwardedOrigin(scope, value, ofScalar);
  if (isCall(op))
    return getCallOrigin(scope, cast<OpResult>(value), [&](DimScope &callee, Value returned) {
      return getOrigin(callee, callee.getScalar(returned));
    });
  if (op->getNumRegions() > 0 || !isMemoryEffectFree(op))
    return fromData("what '" + op->getName().getStringRef() + "' gives");
  SizeOrigin origin = getScalarOperandsOrigin(scope, op);
  // Operations of the dialect itself and those that ask for a size look at no elements.
  bool looksAtSizes =
      isa<ShapedDimOpInterface>(op) || isa_and_nonnull<jit::JitDialect>(op->getDialect());
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<ShapedType>(operand.getType());
    if (!type)
      continue;
    if (!looksAtSizes)
      origin.add(getElementOrigin(scope, operand));
    else if (type.hasRank())
      for (const CostExpr &size : scope.getShape(operand))
        origin.add(getOrigin(scope, size));
    else
      origin.add(fromData("the rank of a tensor"));
  }
  return origin;
}

SizeOrigin ShapeClassAnalysis::getScalarOperandsOrigin(DimScope &scope, Operation *op) {
  SizeOrigin origin;
  for (Value operand : op->getOperands())
    if (operand.getType().isIntOrIndexOrFloat())
      origin.add(getOrigin(scope, scope.getScalar(operand)));
  return origin;
}

SizeOrigin ShapeClassAnalysis::getElementOrigin(DimScope &scope, Value tensor) {
  SizeOrigin origin;
  if (matchPattern(tensor, m_Constant()))
    return origin;
  if (auto elements = tensor.getDefiningOp<tensor::FromElementsOp>()) {
    for (Value element : elements.getElements())
      origin.add(getOrigin(scope, scope.getScalar(element)));
    return origin;
  }
  if (BlockArgument argument = getFunctionArgument(scope, tensor))
    return fromData("elements of %arg" + Twine(argument.getArgNumber()));
  Operation *op = tensor.getDefiningOp();
  return fromData(op ? "elements of what '" + op->getName().getStringRef() + "' gives"
                     : Twine("elements of a loop's tensor"));
}

SizeOrigin ShapeClassAnalysis::getForwardedOrigin(DimScope &scope, Value value,
                                                  function_ref<SizeOrigin(Value)> ofSource) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *owner = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  SizeOrigin origin = fromLoop("the course of '" + owner->getName().getStringRef() + "'");
  // Which way it takes follows from its operands.
  if (owner != scope.getRoot())
    origin.add(getScalarOperandsOrigin(scope, owner));
  if (auto branch = dyn_cast<RegionBranchOpInterface>(owner))
    forEachForwardedValue(branch, [&](Operation *source, Value from, Value to) {
      if (to != value || !isa<ShapedType, IntegerType, IndexType, FloatType>(from.getType()))
        return;
      origin.add(ofSource(from));
      // What decides whether a loop goes on.
      if (source != owner && !source->hasTrait<OpTrait::ReturnLike>())
        origin.add(getScalarOperandsOrigin(scope, source));
    });
  else if (owner == scope.getRoot())
    origin.add(fromData("which branch between blocks was taken"));
  return origin;
}

SizeOrigin
ShapeClassAnalysis::getCallOrigin(DimScope &scope, OpResult result,
                                  function_ref<SizeOrigin(DimScope &, Value)> ofReturned) {
  Operation *call = result.getOwner();
  FunctionOpInterface target = getCallTarget(call, symbolTables);
  if (!target)
    return fromData("what '" + call->getName().getStringRef() + "' gives, which has no body here");
  bool isCallerNew = activeFunctions.insert(scope.getRoot()).second;
  llvm::scope_exit leave([&] {
    if (isCallerNew)
      activeFunctions.erase(scope.getRoot());
  });
  if (!activeFunctions.insert(target).second)
    return fromData("'@" + target.getName() + "', which calls itself");
  SizeOrigin inner, origin;
  for (Block &block : target.getFunctionBody())
    if (!block.empty() && block.back().hasTrait<OpTrait::ReturnLike>())
      inner.add(ofReturned(getScope(target), block.back().getOperand(result.getResultNumber())));
  activeFunctions.erase(target);
  // In the terms of the callee's arguments; what those are is for the caller to say.
  for (auto [argument, dim] : inner.dims)
    if (Value operand = getCallOperand(call, argument))
      origin.add(getOrigin(scope, scope.getDim(operand, dim)));
  for (unsigned argument : inner.scalars)
    if (Value operand = getCallOperand(call, argument))
      origin.add(getOrigin(scope, scope.getScalar(operand)));
  origin.loop = inner.loop;
  origin.data = origin.data.empty() ? inner.data : origin.data;
  return origin;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

std::optional<WideInt> ShapeClassAnalysis::getUpperBound(DimScope &scope, const CostExpr &size) {
  // Symbols are not negative: a term that is taken away is taken to be 0.
  CostExpr added;
  for (const CostExpr::Term &term : size.getTerms())
    if (term.coefficient > 0) {
      CostExpr product(term.coefficient);
      for (CostExpr::Symbol symbol : term.symbols)
        product *= CostExpr::forSymbol(symbol);
      added += product;
    }
  return added.evaluate(
      [&](CostExpr::Symbol symbol) { return getUpperBound(scope, scope.getSymbol(symbol)); });
}

/// The smaller of two bounds of which either may be missing.
static std::optional<WideInt> smaller(std::optional<WideInt> a, std::optional<WideInt> b) {
  return a && b ? std::min(*a, *b) : a ? a : b;
}

std::optional<WideInt> ShapeClassAnalysis::getUpperBound(DimScope &scope,
                                                         const DimScope::Symbol &symbol) {
  using Kind = DimScope::Symbol::Kind;
  BlockArgument argument =
      symbol.value ? getFunctionArgument(scope, symbol.value) : BlockArgument();
  if (symbol.kind == Kind::Dim && argument) {
    auto bucket = cast<FunctionOpInterface>(scope.getRoot())
                      .getArgAttrOfType<jit::ShapeBucketAttr>(
                          argument.getArgNumber(), jit::JitDialect::kShapeBucketAttrName);
    std::optional<SizeRange> sizes = bucket && !bucket.getDims()[symbol.dim].isAny()
                                         ? bucket.getDims()[symbol.dim].getSizes()
                                         : std::nullopt;
    return sizes ? std::optional(WideInt(static_cast<int64_t>(sizes->last))) : std::nullopt;
  }
  if (symbol.kind == Kind::Group)
    return getUpperBound(scope, symbol.numerator);
  Operation *op = symbol.kind == Kind::Scalar ? symbol.value.getDefiningOp() : nullptr;
  if (!op)
    return std::nullopt;
  auto ofOperand = [&](unsigned index) {
    return getUpperBound(scope, scope.getScalar(op->getOperand(index)));
  };
  if (isa<arith::MinSIOp, arith::MinUIOp>(op))
    return smaller(ofOperand(0), ofOperand(1));
  if (isa<arith::RemSIOp, arith::RemUIOp>(op)) {
    std::optional<WideInt> divisor = scope.getScalar(op->getOperand(1)).getConstant();
    return divisor && *divisor > 0 ? smaller(ofOperand(0), *divisor - WideInt(1)) : ofOperand(0);
  }
  // Division makes what is not negative smaller.
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp, arith::ShRUIOp, arith::ShRSIOp>(op))
    return ofOperand(0);
  if (isa<arith::MaxSIOp, arith::MaxUIOp, arith::SelectOp>(op)) {
    unsigned last = op->getNumOperands() - 1;
    std::optional<WideInt> a = ofOperand(last - 1), b = ofOperand(last);
    return a && b ? std::optional(std::max(*a, *b)) : std::nullopt;
  }
  return std::nullopt;
}

} // namespace anneal
