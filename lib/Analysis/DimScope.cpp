//===- DimScope.cpp - Sizes of a function as polynomials ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Symbols, products and scalars; sizes of tensors are in TensorDims.cpp.
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/DimScope.h"

#include "OperandsFirst.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace anneal {

/// More terms than this are kept together as one symbol, so that the product of many sums doesn't
/// grow beyond measure.
static constexpr size_t kMaxTerms = 256;
/// Scalars with more terms, a higher degree or coefficients beyond 64 bits are symbols of their
/// own: a program can square a sum again and again.
static constexpr size_t kMaxScalarTerms = 32;
static constexpr size_t kMaxScalarDegree = 16;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

CostExpr DimScope::makeSymbol(char prefix, Symbol symbol, StringRef key) {
  auto [entry, isNew] = symbolsByKey.try_emplace(key, symbols.size());
  if (isNew) {
    symbol.name = (Twine(prefix) + Twine(symbolsWithPrefix[prefix]++)).str();
    symbols.push_back(std::move(symbol));
  }
  return CostExpr::forSymbol(entry->second);
}

unsigned DimScope::getNumber(const void *object) {
  return numbers.try_emplace(object, numbers.size()).first->second;
}

/// As the printer names it where that is sure, else by the op that makes it.
std::string DimScope::describe(Value value) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner()->isEntryBlock() && argument.getOwner()->getParentOp() == root)
      os << "%arg" << argument.getArgNumber();
    else
      os << "argument #" << argument.getArgNumber() << " of a block of '"
         << argument.getOwner()->getParentOp()->getName() << "'";
    return text;
  }
  auto result = cast<OpResult>(value);
  os << "result #" << result.getResultNumber() << " of '" << result.getOwner()->getName() << "'";
  return text;
}

CostExpr DimScope::getDimSymbol(Value value, int64_t dim) {
  value = lookThroughCopy(value);
  Symbol symbol{Symbol::Kind::Dim, {}, ("dim " + Twine(dim) + " of " + describe(value)).str()};
  symbol.value = value;
  symbol.dim = dim;
  std::string key =
      ("dim " + Twine(getNumber(value.getAsOpaquePointer())) + " " + Twine(dim)).str();
  return makeSymbol('d', std::move(symbol), key);
}

CostExpr DimScope::getTripCount(Operation *loop) {
  Symbol symbol{Symbol::Kind::TripCount, {}, {}};
  llvm::raw_string_ostream(symbol.description)
      << "iterations of '" << loop->getName() << "' at " << loop->getLoc();
  symbol.op = loop;
  return makeSymbol('t', std::move(symbol), ("trips " + Twine(getNumber(loop))).str());
}

CostExpr DimScope::getNumIterations(const CostExpr &lower, const CostExpr &upper,
                                    const CostExpr &step) {
  CostExpr distance = upper - lower;
  std::optional<WideInt> constantStep = step.getConstant();
  std::optional<WideInt> constantDistance = distance.getConstant();
  if (constantStep && *constantStep > 0 && constantDistance)
    return *constantDistance <= 0 ? CostExpr(0)
                                  : CostExpr(llvm::ceilDiv(*constantDistance, *constantStep));
  // Sizes are not negative; sums of them neither.
  bool isNonNegative = llvm::all_of(distance.getTerms(), [&](const CostExpr::Term &term) {
    return term.coefficient > 0 && llvm::all_of(term.symbols, [&](CostExpr::Symbol symbol) {
             return symbols[symbol].kind == Symbol::Kind::Dim;
           });
  });
  if (constantStep && *constantStep > 0 && isNonNegative)
    if (std::optional<CostExpr> quotient = distance.divideExactly(*constantStep))
      return *quotient;

  Symbol symbol{Symbol::Kind::Quotient, {}, {}};
  std::string quotient = toString(distance);
  if (constantStep != WideInt(1))
    quotient = "ceil((" + quotient + ") / (" + toString(step) + "))";
  symbol.description = "max(0, " + quotient + ")";
  symbol.numerator = distance;
  symbol.denominator = step;
  std::string key = symbol.description;
  return makeSymbol('q', std::move(symbol), key);
}

CostExpr DimScope::getProduct(ArrayRef<CostExpr> sizes) {
  CostExpr product(1);
  for (const CostExpr &size : sizes) {
    if (product.getTerms().size() * size.getTerms().size() <= kMaxTerms) {
      product *= size;
      continue;
    }
    Symbol symbol{Symbol::Kind::Group, {}, toString(size)};
    symbol.numerator = size;
    product *= makeSymbol('e', std::move(symbol), "group " + toString(size));
  }
  return product;
}

CostExpr DimScope::translate(const CostExpr &expr, DimScope &callee, Operation *call,
                             function_ref<Value(BlockArgument)> operandOf) {
  return expr.substitute([&](CostExpr::Symbol id) {
    const Symbol &inner = callee.getSymbol(id);
    auto argument = dyn_cast_or_null<BlockArgument>(inner.value);
    bool isArgument = argument && argument.getOwner()->getParentOp() == callee.getRoot();
    if (Value operand = isArgument ? operandOf(argument) : Value()) {
      if (inner.kind == Symbol::Kind::Dim)
        return getDim(operand, inner.dim);
      if (inner.kind == Symbol::Kind::Scalar)
        return getScalar(operand);
    }
    Symbol symbol{Symbol::Kind::Callee, {}, {}};
    llvm::raw_string_ostream os(symbol.description);
    os << inner.name << " of '" << callee.getRoot()->getName() << "'";
    if (auto function = dyn_cast<FunctionOpInterface>(callee.getRoot()))
      os << " @" << function.getName();
    os << " (" << inner.description << "), as called at " << call->getLoc();
    symbol.op = call;
    symbol.callee = &callee;
    symbol.calleeSymbol = id;
    return makeSymbol('c', std::move(symbol),
                      ("callee " + Twine(getNumber(call)) + " " + Twine(id)).str());
  });
}

void DimScope::collectSymbols(const CostExpr &expr, llvm::DenseSet<CostExpr::Symbol> &found) const {
  SmallVector<CostExpr::Symbol> pending;
  auto add = [&](const CostExpr &part) {
    for (const CostExpr::Term &term : part.getTerms())
      pending.append(term.symbols.begin(), term.symbols.end());
  };
  add(expr);
  while (!pending.empty()) {
    CostExpr::Symbol id = pending.pop_back_val();
    if (!found.insert(id).second)
      continue;
    llvm::append_range(pending, symbols[id].mentioned);
    add(symbols[id].numerator);
    add(symbols[id].denominator);
  }
}

std::string DimScope::toString(const CostExpr &expr) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  expr.print(os, [&](CostExpr::Symbol symbol) { return symbols[symbol].name; });
  return text;
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

CostExpr DimScope::getScalar(OpFoldResult scalar) {
  if (auto value = dyn_cast<Value>(scalar))
    return getScalar(value);
  return CostExpr(*getConstantIntValue(scalar));
}

CostExpr DimScope::getScalar(Value scalar) {
  scalar = lookThroughCopy(scalar);
  computeOperandsFirst(
      scalar, scalars, [&](Value operand) { return lookThroughCopy(operand); },
      [&](Value next) { return computeScalar(next); });
  return scalars[scalar];
}

std::string DimScope::getScalarKey(Operation *op, unsigned resultNumber,
                                   SmallVectorImpl<CostExpr::Symbol> &mentioned) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << op->getName().getStringRef();
  if (resultNumber > 0)
    os << "#" << resultNumber;
  os << "(";
  llvm::interleaveComma(op->getOperands(), os, [&](Value operand) {
    if (operand.getType().isIntOrIndexOrFloat()) {
      CostExpr expr = getScalar(operand);
      os << toString(expr);
      for (const CostExpr::Term &term : expr.getTerms())
        llvm::append_range(mentioned, term.symbols);
    } else
      os << "%" << getNumber(lookThroughCopy(operand).getAsOpaquePointer());
  });
  os << ")";
  if (DictionaryAttr attributes =
          op->getPropertiesAsAttribute() ? op->getAttrDictionary() : DictionaryAttr())
    if (!attributes.empty())
      os << " " << attributes;
  return key;
}

/// The polynomial that an operation on integers computes of those of its operands, if it does.
static std::optional<CostExpr> applyArithmetic(Operation *op,
                                               function_ref<CostExpr(Value)> exprOf) {
  auto operand = [&](unsigned index) { return exprOf(op->getOperand(index)); };
  if (isa<arith::AddIOp>(op))
    return operand(0) + operand(1);
  if (isa<arith::SubIOp>(op))
    return operand(0) - operand(1);
  if (isa<arith::MulIOp>(op))
    return operand(0) * operand(1);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp, arith::ExtUIOp,
          arith::TruncIOp>(op))
    return op->getOperand(0).getType().isInteger(1) ? std::nullopt : std::optional(operand(0));
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
          arith::CeilDivUIOp>(op)) {
    std::optional<WideInt> divisor = operand(1).getConstant();
    if (divisor && *divisor > 0)
      return operand(0).divideExactly(*divisor);
  }
  if (isa<arith::SelectOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp>(op)) {
    unsigned last = op->getNumOperands() - 1;
    if (operand(last - 1) == operand(last))
      return operand(last);
  }
  return std::nullopt;
}

/// The same for an affine map of one result; nothing for divisions with a remainder.
static std::optional<CostExpr> applyAffine(AffineExpr expr, ArrayRef<CostExpr> dims,
                                           ArrayRef<CostExpr> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return CostExpr(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<CostExpr> lhs = applyAffine(binary.getLHS(), dims, symbols);
  std::optional<CostExpr> rhs = applyAffine(binary.getRHS(), dims, symbols);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return *lhs + *rhs;
  case AffineExprKind::Mul:
    return *lhs * *rhs;
  case AffineExprKind::FloorDiv:
  case AffineExprKind::CeilDiv:
    if (std::optional<WideInt> divisor = rhs->getConstant(); divisor && *divisor > 0)
      return lhs->divideExactly(*divisor);
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

static bool isSmall(const CostExpr &expr) {
  return expr.getTerms().size() <= kMaxScalarTerms &&
         llvm::all_of(expr.getTerms(), [](const CostExpr::Term &term) {
           bool isTooLarge = false;
           saturate(term.coefficient, &isTooLarge);
           return !isTooLarge && term.symbols.size() <= kMaxScalarDegree;
         });
}

CostExpr DimScope::computeScalar(Value scalar) {
  APInt constant;
  if (matchPattern(scalar, m_ConstantInt(&constant)))
    return CostExpr(constant.getBitWidth() == 1 ? int64_t(constant.getZExtValue())
                                                : constant.getSExtValue());
  Operation *op = scalar.getDefiningOp();
  if (op && isa<tensor::DimOp, memref::DimOp>(op)) {
    std::optional<int64_t> dim = getConstantIntValue(op->getOperand(1));
    auto type = dyn_cast<ShapedType>(op->getOperand(0).getType());
    if (dim && type && type.hasRank() && *dim >= 0 && *dim < type.getRank())
      return getDim(op->getOperand(0), *dim);
  }
  if (op && scalar.getType().isIntOrIndex())
    if (auto expr = applyArithmetic(op, [&](Value value) { return getScalar(value); });
        expr && isSmall(*expr))
      return *expr;
  if (auto apply = dyn_cast_or_null<affine::AffineApplyOp>(op)) {
    SmallVector<CostExpr> operands;
    for (Value operand : apply.getMapOperands())
      operands.push_back(getScalar(operand));
    unsigned numDims = apply.getAffineMap().getNumDims();
    if (auto expr =
            applyAffine(apply.getAffineMap().getResult(0), ArrayRef(operands).take_front(numDims),
                        ArrayRef(operands).drop_front(numDims));
        expr && isSmall(*expr))
      return *expr;
  }
  // The element of a small tensor that the program has just put together.
  if (auto extract = dyn_cast_or_null<tensor::ExtractOp>(op))
    if (auto elements = extract.getTensor().getDefiningOp<tensor::FromElementsOp>();
        elements && extract.getIndices().size() <= 1) {
      std::optional<int64_t> index =
          extract.getIndices().empty() ? 0 : getConstantIntValue(extract.getIndices()[0]);
      if (index && *index >= 0 && *index < static_cast<int64_t>(elements.getElements().size()))
        return getScalar(elements.getElements()[*index]);
    }

  Symbol symbol{Symbol::Kind::Scalar, {}, {}};
  symbol.value = scalar;
  if (op && op->getNumRegions() == 0 && isMemoryEffectFree(op)) {
    symbol.description =
        getScalarKey(op, cast<OpResult>(scalar).getResultNumber(), symbol.mentioned);
    std::string key = symbol.description;
    return makeSymbol('s', std::move(symbol), key);
  }
  symbol.description = describe(scalar);
  return makeSymbol('s', std::move(symbol),
                    ("scalar " + Twine(getNumber(scalar.getAsOpaquePointer()))).str());
}

} // namespace anneal
