//===- CostExpr.h - Polynomials in the sizes of a program -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_COSTEXPR_H
#define ANNEAL_ANALYSIS_COSTEXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

namespace anneal {

/// Integers of any width: costs of tensors whose sizes are near 2^63 are exact.
using WideInt = llvm::DynamicAPInt;

/// `value` where it fits 64 bits, else the nearest int64_t. `*didSaturate` is set to true if it
/// did.
int64_t saturate(const WideInt &value, bool *didSaturate = nullptr);
/// The nearest double.
double toDouble(const WideInt &value);

/// A polynomial with integer coefficients in symbols, which are sizes (not negative) and belong to
/// a DimScope. Kept in normal form, so that == means equal polynomials. A value type.
class CostExpr {
public:
  using Symbol = unsigned;
  /// A product of symbols (ascending, repeated for powers) times an integer that is not 0.
  struct Term {
    llvm::SmallVector<Symbol, 4> symbols;
    WideInt coefficient;

    bool operator==(const Term &other) const {
      return symbols == other.symbols && coefficient == other.coefficient;
    }
  };

  /// A constant.
  CostExpr(int64_t value = 0) : CostExpr(WideInt(value)) {}
  explicit CostExpr(const WideInt &value);
  static CostExpr forSymbol(Symbol symbol);

  /// In printing order: higher degrees first, then by symbol.
  llvm::ArrayRef<Term> getTerms() const { return terms; }
  bool isZero() const { return terms.empty(); }
  bool isConstant() const {
    return terms.empty() || (terms.size() == 1 && terms[0].symbols.empty());
  }
  /// The value, if there is no symbol in it.
  std::optional<WideInt> getConstant() const;
  /// The symbol, if that is all.
  std::optional<Symbol> getSymbol() const;

  CostExpr &operator+=(const CostExpr &other);
  friend CostExpr operator+(CostExpr a, const CostExpr &b) { return a += b; }
  friend CostExpr operator-(CostExpr a, const CostExpr &b) { return a += b * CostExpr(-1); }
  friend CostExpr operator*(const CostExpr &a, const CostExpr &b);
  CostExpr &operator*=(const CostExpr &other) { return *this = *this * other; }
  bool operator==(const CostExpr &other) const { return terms == other.terms; }
  bool operator!=(const CostExpr &other) const { return !(*this == other); }

  /// The quotient, if every coefficient is a multiple of `divisor` (which is not 0).
  std::optional<CostExpr> divideExactly(const WideInt &divisor) const;
  /// A polynomial that is nowhere smaller than either, for symbols that are not negative: the
  /// larger coefficient for each product of symbols. It is the maximum itself where one of the two
  /// is nowhere smaller than the other by its coefficients.
  static CostExpr upperBound(const CostExpr &a, const CostExpr &b);
  /// Divides both by the greatest integer and the product of symbols that divides all terms of
  /// both.
  static void cancelCommonFactors(CostExpr &a, CostExpr &b);

  /// The value where the symbols have those of `valueOf`; nothing if one of them has none.
  std::optional<WideInt> evaluate(llvm::function_ref<std::optional<WideInt>(Symbol)> valueOf) const;
  /// The polynomial with others in the place of its symbols.
  CostExpr substitute(llvm::function_ref<CostExpr(Symbol)> exprOf) const;

  /// As `768*d0*d1 + 4*d0`, by the names that `nameOf` gives.
  void print(llvm::raw_ostream &os, llvm::function_ref<std::string(Symbol)> nameOf) const;

private:
  void normalize();

  llvm::SmallVector<Term, 1> terms;
};

} // namespace anneal

#endif // ANNEAL_ANALYSIS_COSTEXPR_H
