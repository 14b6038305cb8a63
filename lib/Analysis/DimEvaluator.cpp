//===- DimEvaluator.cpp - Values of sizes ---------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperandsFirst.h"

#include "anneal/Analysis/CallTargets.h"
#include "anneal/Analysis/DimScope.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace anneal {

std::optional<WideInt> DimEvaluator::evaluate(const CostExpr &expr) {
  return expr.evaluate([&](CostExpr::Symbol symbol) { return evaluate(symbol); });
}

std::optional<WideInt> DimEvaluator::evaluate(CostExpr::Symbol symbol) {
  auto known = values.find(symbol);
  if (known != values.end())
    return known->second;
  std::optional<WideInt> value = computeSymbol(scope.getSymbol(symbol));
  values[symbol] = value;
  return value;
}

static std::optional<WideInt> toWide(std::optional<int64_t> value) {
  return value ? std::optional(WideInt(*value)) : std::nullopt;
}

const ArgumentSizes &DimEvaluator::getOutermostSizes() const {
  const DimEvaluator *outermost = this;
  while (outermost->caller)
    outermost = outermost->caller;
  return *outermost->arguments;
}

std::optional<WideInt> DimEvaluator::computeSymbol(const DimScope::Symbol &symbol) {
  using Kind = DimScope::Symbol::Kind;
  switch (symbol.kind) {
  case Kind::Dim:
    if (auto argument = dyn_cast<BlockArgument>(symbol.value))
      if (std::optional<WideInt> size = evaluateArgumentDim(argument, symbol.dim))
        return size;
    return toWide(getOutermostSizes().otherDims);
  case Kind::Scalar:
    if (auto number = dyn_cast_or_null<IntegerAttr>(evaluateScalar(symbol.value)))
      return WideInt(number.getType().isInteger(1) ? int64_t(number.getValue().getZExtValue())
                                                   : number.getValue().getSExtValue());
    return std::nullopt;
  case Kind::Quotient: {
    std::optional<WideInt> numerator = evaluate(symbol.numerator);
    std::optional<WideInt> denominator = evaluate(symbol.denominator);
    if (!numerator || !denominator || *denominator <= 0)
      return std::nullopt;
    return *numerator <= 0 ? WideInt(0) : llvm::ceilDiv(*numerator, *denominator);
  }
  case Kind::Group:
    return evaluate(symbol.numerator);
  case Kind::TripCount:
    return toWide(getOutermostSizes().tripCount);
  case Kind::Callee:
    return DimEvaluator(*symbol.callee, *this, symbol.op).evaluate(symbol.calleeSymbol);
  }
  return std::nullopt;
}

std::optional<WideInt> DimEvaluator::evaluateArgumentDim(BlockArgument argument, int64_t dim) {
  if (argument.getOwner()->getParentOp() != scope.getRoot() || !argument.getOwner()->isEntryBlock())
    return std::nullopt;
  if (caller) {
    Value operand = getCallOperand(call, argument.getArgNumber());
    return operand ? caller->evaluate(caller->scope.getDim(operand, dim)) : std::nullopt;
  }
  auto sizes = arguments->byArgument.find(argument.getArgNumber());
  if (sizes == arguments->byArgument.end() || dim >= static_cast<int64_t>(sizes->second.size()) ||
      sizes->second[dim] < 0)
    return std::nullopt;
  return WideInt(sizes->second[dim]);
}

Attribute DimEvaluator::evaluateArgument(BlockArgument argument) {
  if (argument.getOwner()->getParentOp() != scope.getRoot() || !argument.getOwner()->isEntryBlock())
    return {};
  if (caller) {
    Value operand = getCallOperand(call, argument.getArgNumber());
    return operand ? caller->evaluateScalar(operand) : Attribute();
  }
  auto value = arguments->byArgument.find(argument.getArgNumber());
  if (value == arguments->byArgument.end() || value->second.size() != 1 ||
      !argument.getType().isIntOrIndex())
    return {};
  return Builder(argument.getContext()).getIntegerAttr(argument.getType(), value->second.front());
}

Attribute DimEvaluator::evaluateScalar(Value scalar) {
  computeOperandsFirst(
      scalar, scalars, [](Value operand) { return operand; },
      [&](Value next) { return computeScalar(next); });
  return scalars[scalar];
}

/// What `op`, without regions or effects, gives of constant operands. Folders may change the op
/// that they are called on: it is a copy.
static Attribute fold(Operation *op, ArrayRef<Attribute> operands, unsigned resultNumber) {
  Operation *copy = op->clone();
  llvm::scope_exit destroy([&] { copy->destroy(); });
  SmallVector<Attribute> values(operands);
  SmallVector<OpFoldResult> results;
  LogicalResult isFolded = copy->fold(values, results);
  // A commutative op may only have swapped its operands.
  if (succeeded(isFolded) && results.empty() && values.size() == 2) {
    if (copy->getOperand(0) != op->getOperand(0))
      std::swap(values[0], values[1]);
    isFolded = copy->fold(values, results);
  }
  if (failed(isFolded) || results.size() <= resultNumber)
    return {};
  if (auto attribute = dyn_cast<Attribute>(results[resultNumber]))
    return attribute;
  // It is one of the operands.
  auto same = llvm::find(copy->getOperands(), cast<Value>(results[resultNumber]));
  return same == copy->operand_end() ? Attribute()
                                     : values[std::distance(copy->operand_begin(), same)];
}

Attribute DimEvaluator::computeScalar(Value scalar) {
  Attribute constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return constant;
  if (auto argument = dyn_cast<BlockArgument>(scalar))
    return evaluateArgument(argument);
  Operation *op = scalar.getDefiningOp();
  // Arithmetic on sizes is a polynomial, or a symbol for just this value.
  if (scalar.getType().isIntOrIndex()) {
    CostExpr expr = scope.getScalar(scalar);
    std::optional<CostExpr::Symbol> symbol = expr.getSymbol();
    // What is equal to another value may be of another type.
    if (!symbol || scope.getSymbol(*symbol).value != scalar) {
      std::optional<WideInt> value = evaluate(expr);
      return value ? Builder(op->getContext()).getIntegerAttr(scalar.getType(), saturate(*value))
                   : Attribute();
    }
  }
  if (op->getNumRegions() > 0 || !isMemoryEffectFree(op))
    return {};
  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    if (!operand.getType().isIntOrIndexOrFloat()) {
      operands.push_back({});
      matchPattern(operand, m_Constant(&operands.back()));
      continue;
    }
    operands.push_back(evaluateScalar(operand));
    if (!operands.back())
      return {};
  }
  return fold(op, operands, cast<OpResult>(scalar).getResultNumber());
}

} // namespace anneal
