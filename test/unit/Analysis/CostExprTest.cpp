//===- CostExprTest.cpp - Tests of polynomials in sizes -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/CostExpr.h"

#include "gtest/gtest.h"

#include <limits>

using namespace anneal;

namespace {

std::string text(const CostExpr &expr) {
  std::string result;
  llvm::raw_string_ostream os(result);
  expr.print(os, [](CostExpr::Symbol symbol) { return "d" + std::to_string(symbol); });
  return result;
}

CostExpr d(unsigned symbol) { return CostExpr::forSymbol(symbol); }

TEST(CostExprTest, PrintsHigherDegreesFirst) {
  EXPECT_EQ(text(CostExpr(0)), "0");
  EXPECT_EQ(text(CostExpr(7)), "7");
  EXPECT_EQ(text(CostExpr(4) * d(0) + d(1) * d(0) * CostExpr(768) + CostExpr(3)),
            "768*d0*d1 + 4*d0 + 3");
  EXPECT_EQ(text(d(0) - CostExpr(1)), "d0 - 1");
  EXPECT_EQ(text(CostExpr(0) - d(2) * d(2)), "-d2*d2");
}

TEST(CostExprTest, EqualPolynomialsAreEqualHoweverTheyWereMade) {
  EXPECT_EQ((d(0) + CostExpr(1)) * (d(0) - CostExpr(1)), d(0) * d(0) - CostExpr(1));
  EXPECT_TRUE((d(0) - d(0)).isZero());
  EXPECT_NE(d(0), d(1));
}

TEST(CostExprTest, DividesOnlyWithoutRemainder) {
  EXPECT_EQ(*(CostExpr(6) * d(0) + CostExpr(9)).divideExactly(WideInt(3)),
            CostExpr(2) * d(0) + CostExpr(3));
  EXPECT_FALSE((CostExpr(6) * d(0) + CostExpr(8)).divideExactly(WideInt(3)));
}

TEST(CostExprTest, UpperBoundIsNowhereSmaller) {
  CostExpr a = CostExpr(2) * d(0) + CostExpr(10);
  CostExpr b = CostExpr(5) * d(0) - CostExpr(3);
  CostExpr bound = CostExpr::upperBound(a, b);
  EXPECT_EQ(bound, CostExpr(5) * d(0) + CostExpr(10));
  for (int64_t size : {0, 1, 2, 4, 5, 100}) {
    auto at = [&](const CostExpr &expr) {
      return *expr.evaluate([&](CostExpr::Symbol) { return WideInt(size); });
    };
    EXPECT_GE(at(bound), at(a));
    EXPECT_GE(at(bound), at(b));
  }
  EXPECT_EQ(CostExpr::upperBound(d(0), CostExpr(0) - d(1)), d(0));
}

TEST(CostExprTest, CancelsWhatIsCommon) {
  CostExpr a = CostExpr(6) * d(0) * d(1);
  CostExpr b = CostExpr(9) * d(0) * d(0) + CostExpr(3) * d(0);
  CostExpr::cancelCommonFactors(a, b);
  EXPECT_EQ(a, CostExpr(2) * d(1));
  EXPECT_EQ(b, CostExpr(3) * d(0) + CostExpr(1));
}

TEST(CostExprTest, IsExactBeyond64Bits) {
  constexpr int64_t kLarge = int64_t(1) << 62;
  CostExpr product = CostExpr(kLarge) * CostExpr(kLarge) * CostExpr(8);
  EXPECT_EQ(text(product), "170141183460469231731687303715884105728");
  bool didSaturate = false;
  EXPECT_EQ(saturate(*product.getConstant(), &didSaturate), std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(didSaturate);
  EXPECT_EQ(toDouble(*product.getConstant()), 0x1p127);
  EXPECT_EQ(saturate(WideInt(-5)), -5);
}

TEST(CostExprTest, IsUnknownWhereASymbolIs) {
  auto onlyFirst = [](CostExpr::Symbol symbol) {
    return symbol == 0 ? std::optional(WideInt(3)) : std::nullopt;
  };
  EXPECT_EQ((d(0) * d(0) + CostExpr(1)).evaluate(onlyFirst), WideInt(10));
  EXPECT_EQ((d(0) * d(1)).evaluate(onlyFirst), std::nullopt);
}

TEST(CostExprTest, SubstitutesPolynomials) {
  CostExpr expr = d(0) * d(0) + d(1);
  CostExpr result = expr.substitute(
      [](CostExpr::Symbol symbol) { return symbol == 0 ? d(2) + CostExpr(1) : CostExpr(4); });
  EXPECT_EQ(result, d(2) * d(2) + CostExpr(2) * d(2) + CostExpr(5));
}

} // namespace
