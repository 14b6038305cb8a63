//===- CompareTest.cpp ----------------------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/Compare.h"
#include "anneal/Runtime/IO/ValueSpec.h"

#include <gtest/gtest.h>

using namespace anneal::runtime;

namespace {

std::string mismatch(absl::string_view actual, absl::string_view expected,
                     Tolerance tolerance = {1e-3, 1e-4}) {
  NumpyRandom random(0);
  return describeMismatch(*parseValueSpec(actual, random), *parseValueSpec(expected, random),
                          tolerance);
}

TEST(CompareTest, AcceptsWhatIsWithinTolerance) {
  EXPECT_EQ(mismatch("2xf32=1.0005 0.00005", "2xf32=1 0"), "");
  EXPECT_EQ(mismatch("2xf16=1 2", "2xf16=1 2"), "");
  EXPECT_EQ(mismatch("0xf32=", "0xf32="), "");
}

TEST(CompareTest, NaNEqualsNaNAndInfinitiesCompareExactly) {
  EXPECT_EQ(mismatch("3xf32=nan inf -inf", "3xf32=nan inf -inf"), "");
  EXPECT_NE(mismatch("1xf32=nan", "1xf32=0"), "");
  EXPECT_NE(mismatch("1xf32=0", "1xf32=nan"), "");
  EXPECT_NE(mismatch("1xf32=inf", "1xf32=-inf"), "");
  EXPECT_NE(mismatch("1xf32=3e38", "1xf32=inf"), "");
}

TEST(CompareTest, ReportsTheWorstElement) {
  EXPECT_EQ(mismatch("2x2xf32=1 2 3.5 4.25", "2x2xf32=1 2 3 4"),
            "2 of 4 elements differ; worst at [1, 0]: expected 3, got 3.5 (difference 0.5, rtol "
            "0.001, atol 0.0001)");
}

TEST(CompareTest, IntegersCompareExactlyAndTypesMustAgree) {
  EXPECT_EQ(mismatch("2xi64=1 3", "2xi64=1 2"),
            "1 of 2 elements differ; worst at [1]: expected 2, got 3");
  EXPECT_EQ(mismatch("2xi64=1 3", "2xindex=1 3"), "");
  EXPECT_EQ(mismatch("2xi64=1 3", "2xi32=1 3"), "expected tensor<2xi32>, got tensor<2xi64>");
  EXPECT_EQ(mismatch("2xf32=1 3", "1x2xf32=1 3"), "expected tensor<1x2xf32>, got tensor<2xf32>");
}

} // namespace
