//===- CostExpr.cpp - Polynomials in the sizes of a program ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/CostExpr.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <limits>
#include <map>

using namespace llvm;

namespace anneal {

using Symbols = SmallVector<CostExpr::Symbol, 4>;

int64_t saturate(const WideInt &value, bool *didSaturate) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  if (value >= kMin && value <= kMax)
    return int64_t(value);
  if (didSaturate)
    *didSaturate = true;
  return value > 0 ? kMax : kMin;
}

double toDouble(const WideInt &value) {
  if (value >= std::numeric_limits<int64_t>::min() && value <= std::numeric_limits<int64_t>::max())
    return static_cast<double>(int64_t(value));
  // In digits of 2^62 from the highest.
  const WideInt base(int64_t(1) << 62);
  return toDouble(value / base) * 0x1p62 + static_cast<double>(int64_t(value % base));
}

/// Printing order of products of symbols.
static bool isBefore(ArrayRef<CostExpr::Symbol> a, ArrayRef<CostExpr::Symbol> b) {
  if (a.size() != b.size())
    return a.size() > b.size();
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
}

CostExpr::CostExpr(const WideInt &value) {
  if (value != 0)
    terms.push_back({{}, value});
}

CostExpr CostExpr::forSymbol(Symbol symbol) {
  CostExpr expr;
  expr.terms.push_back({{symbol}, WideInt(1)});
  return expr;
}

std::optional<WideInt> CostExpr::getConstant() const {
  if (!isConstant())
    return std::nullopt;
  return terms.empty() ? WideInt(0) : terms[0].coefficient;
}

std::optional<CostExpr::Symbol> CostExpr::getSymbol() const {
  if (terms.size() != 1 || terms[0].symbols.size() != 1 || terms[0].coefficient != 1)
    return std::nullopt;
  return terms[0].symbols[0];
}

void CostExpr::normalize() {
  llvm::sort(terms, [](const Term &a, const Term &b) { return isBefore(a.symbols, b.symbols); });
  SmallVector<Term, 1> merged;
  for (Term &term : terms) {
    if (!merged.empty() && merged.back().symbols == term.symbols)
      merged.back().coefficient += term.coefficient;
    else
      merged.push_back(std::move(term));
  }
  llvm::erase_if(merged, [](const Term &term) { return term.coefficient == 0; });
  terms = std::move(merged);
}

CostExpr &CostExpr::operator+=(const CostExpr &other) {
  terms.append(other.terms.begin(), other.terms.end());
  normalize();
  return *this;
}

CostExpr operator*(const CostExpr &a, const CostExpr &b) {
  CostExpr product;
  for (const CostExpr::Term &left : a.terms)
    for (const CostExpr::Term &right : b.terms) {
      CostExpr::Term term{left.symbols, left.coefficient * right.coefficient};
      term.symbols.append(right.symbols.begin(), right.symbols.end());
      llvm::sort(term.symbols);
      product.terms.push_back(std::move(term));
    }
  product.normalize();
  return product;
}

std::optional<CostExpr> CostExpr::divideExactly(const WideInt &divisor) const {
  CostExpr quotient = *this;
  for (Term &term : quotient.terms) {
    if (term.coefficient % divisor != 0)
      return std::nullopt;
    term.coefficient = term.coefficient / divisor;
  }
  return quotient;
}

CostExpr CostExpr::upperBound(const CostExpr &a, const CostExpr &b) {
  CostExpr bound;
  auto coefficientIn = [](const CostExpr &expr, const Symbols &symbols) {
    for (const Term &term : expr.terms)
      if (term.symbols == symbols)
        return term.coefficient;
    return WideInt(0);
  };
  for (const Term &term : a.terms)
    bound.terms.push_back(
        {term.symbols, std::max(term.coefficient, coefficientIn(b, term.symbols))});
  for (const Term &term : b.terms)
    if (coefficientIn(a, term.symbols) == 0)
      bound.terms.push_back({term.symbols, std::max(term.coefficient, WideInt(0))});
  bound.normalize();
  return bound;
}

void CostExpr::cancelCommonFactors(CostExpr &a, CostExpr &b) {
  if (a.isZero() || b.isZero())
    return;
  WideInt divisor = abs(a.terms[0].coefficient);
  Symbols common = a.terms[0].symbols;
  for (const CostExpr *expr : {&a, &b})
    for (const Term &term : expr->terms) {
      divisor = gcd(divisor, abs(term.coefficient));
      Symbols shared;
      std::set_intersection(common.begin(), common.end(), term.symbols.begin(), term.symbols.end(),
                            std::back_inserter(shared));
      common = shared;
    }
  for (CostExpr *expr : {&a, &b}) {
    for (Term &term : expr->terms) {
      term.coefficient = term.coefficient / divisor;
      Symbols rest;
      std::set_difference(term.symbols.begin(), term.symbols.end(), common.begin(), common.end(),
                          std::back_inserter(rest));
      term.symbols = rest;
    }
    expr->normalize();
  }
}

std::optional<WideInt>
CostExpr::evaluate(function_ref<std::optional<WideInt>(Symbol)> valueOf) const {
  WideInt sum(0);
  std::map<Symbol, WideInt> values;
  for (const Term &term : terms) {
    WideInt product = term.coefficient;
    for (Symbol symbol : term.symbols) {
      auto known = values.find(symbol);
      if (known == values.end()) {
        std::optional<WideInt> value = valueOf(symbol);
        if (!value)
          return std::nullopt;
        known = values.emplace(symbol, *value).first;
      }
      product *= known->second;
    }
    sum += product;
  }
  return sum;
}

CostExpr CostExpr::substitute(function_ref<CostExpr(Symbol)> exprOf) const {
  CostExpr sum;
  for (const Term &term : terms) {
    CostExpr product(term.coefficient);
    for (Symbol symbol : term.symbols)
      product *= exprOf(symbol);
    sum += product;
  }
  return sum;
}

void CostExpr::print(raw_ostream &os, function_ref<std::string(Symbol)> nameOf) const {
  if (terms.empty())
    os << 0;
  for (const Term &term : terms) {
    bool isFirst = &term == terms.begin();
    bool isNegative = term.coefficient < 0;
    if (!isFirst)
      os << (isNegative ? " - " : " + ");
    else if (isNegative)
      os << "-";
    WideInt magnitude = abs(term.coefficient);
    bool hasNumber = term.symbols.empty() || magnitude != 1;
    if (hasNumber)
      os << magnitude;
    for (Symbol symbol : term.symbols) {
      os << (hasNumber ? "*" : "") << nameOf(symbol);
      hasNumber = true;
    }
  }
}

} // namespace anneal
