//===- ContractionErrorsTest.cpp - What a plan refuses --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Kernels/Contraction.h"

#include "gtest/gtest.h"

using namespace anneal::runtime;
using anneal::plan::DType;

namespace {

ContractionProblem matmul(int64_t m, int64_t n, int64_t k) {
  ContractionProblem problem;
  problem.parallel = {{m, k, 0, n, 0}, {n, 0, 1, 1, 0}};
  problem.reduction = {{k, 1, n, 0, 0}};
  return problem;
}

absl::StatusCode codeOf(const ContractionProblem &problem) {
  return ContractionPlan::create(problem, detectIsa()).status().code();
}

TEST(ContractionErrorsTest, NegativeSizesAreInvalid) {
  EXPECT_EQ(codeOf(matmul(-1, 4, 4)), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(codeOf(matmul(4, 4, -7)), absl::StatusCode::kInvalidArgument);
}

TEST(ContractionErrorsTest, CountsThatOverflowAreInvalid) {
  const int64_t large = int64_t(1) << 40;
  EXPECT_EQ(codeOf(matmul(large, large, 4)), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(codeOf(matmul(large, 4, large)), absl::StatusCode::kInvalidArgument);
}

TEST(ContractionErrorsTest, OutputsMustNotShareAnElement) {
  ContractionProblem problem = matmul(4, 4, 4);
  problem.parallel[0].strideC = 0;
  EXPECT_EQ(codeOf(problem), absl::StatusCode::kInvalidArgument);
  problem.tileBuffer = true;
  EXPECT_EQ(codeOf(problem), absl::StatusCode::kOk);
}

TEST(ContractionErrorsTest, PaddedAxesNeedACoefficientForEachDimension) {
  ContractionProblem problem = matmul(4, 4, 4);
  problem.paddingA.axes.push_back({3, 1, 4, {1, 0}});
  EXPECT_EQ(codeOf(problem), absl::StatusCode::kInvalidArgument);
  problem.paddingA.axes[0].coefficients = {1, 0, 0};
  EXPECT_EQ(codeOf(problem), absl::StatusCode::kOk);
}

TEST(ContractionErrorsTest, FloatsAreNotConvertedToIntegers) {
  ContractionProblem problem = matmul(4, 4, 4);
  problem.c = DType::I32;
  EXPECT_EQ(codeOf(problem), absl::StatusCode::kUnimplemented);
  problem.a = problem.b = DType::I1;
  problem.c = DType::I1;
  EXPECT_EQ(codeOf(problem), absl::StatusCode::kUnimplemented);
}

TEST(ContractionErrorsTest, AnEmptyResultHasNoTiles) {
  absl::StatusOr<ContractionPlan> plan = ContractionPlan::create(matmul(0, 4, 4), detectIsa());
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->numTiles(), 0);
}

TEST(ContractionErrorsTest, WorkWorthItIsSplitIntoTiles) {
  absl::StatusOr<ContractionPlan> small = ContractionPlan::create(matmul(8, 8, 8), detectIsa());
  absl::StatusOr<ContractionPlan> large =
      ContractionPlan::create(matmul(512, 512, 512), detectIsa());
  ASSERT_TRUE(small.ok() && large.ok());
  EXPECT_EQ(small->numTiles(), 1);
  EXPECT_GE(large->numTiles(), 4);
  EXPECT_EQ(large->numMultiplyAdds(), int64_t(512) * 512 * 512);
}

TEST(ContractionErrorsTest, EqualWeightsHaveEqualPackingsForAllNumbersOfRows) {
  std::string layout;
  for (int64_t m : {1, 7, 64, 300}) {
    ContractionProblem problem = matmul(m, 96, 48);
    problem.constantB = true;
    absl::StatusOr<ContractionPlan> plan = ContractionPlan::create(problem, detectIsa());
    ASSERT_TRUE(plan.ok());
    const ConstantPacking &packing = plan->packing(ContractionSide::B);
    ASSERT_TRUE(packing.wanted);
    if (layout.empty())
      layout = packing.layout;
    EXPECT_EQ(packing.layout, layout);
  }
}

} // namespace
