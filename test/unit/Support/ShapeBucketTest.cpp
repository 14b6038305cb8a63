//===- ShapeBucketTest.cpp - Tests of the buckets of sizes ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/ShapeBucket.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <random>

using namespace anneal;

namespace {

constexpr uint64_t kMaxSize = std::numeric_limits<uint64_t>::max();

/// Steps of different kinds: whole, unit fractions, others below and above one, the extremes.
constexpr BucketStep kSteps[] = {{1, 1}, {2, 1}, {64, 1}, {1, 2},  {1, 4},   {1, 64},  {2, 3},
                                 {3, 2}, {5, 7}, {17, 5}, {7, 64}, {63, 64}, {65, 64}, {4095, 64}};

TEST(ShapeBucket, ZeroHasABucketOfItsOwn) {
  for (BucketStep step : kSteps) {
    EXPECT_EQ(bucketOf(0, step), kZeroBucket);
    EXPECT_EQ(sizesOf(kZeroBucket, step), (SizeRange{0, 0}));
    EXPECT_EQ(bucketOf(1, step), 0);
  }
}

TEST(ShapeBucket, PowersOfTwoBeginBucketsOfStepOne) {
  for (int exponent = 0; exponent < 64; ++exponent) {
    uint64_t power = uint64_t(1) << exponent;
    EXPECT_EQ(bucketOf(power, {1, 1}), exponent);
    EXPECT_EQ(bucketOf(power - 1, {1, 1}), exponent - 1);
    SizeRange expected{power, power - 1 + power};
    EXPECT_EQ(sizesOf(exponent, {1, 1}), expected);
  }
  EXPECT_EQ(bucketOf(kMaxSize, {1, 1}), 63);
}

TEST(ShapeBucket, PowersOfTwoAreExactForEveryStep) {
  for (BucketStep step : kSteps)
    for (uint64_t exponent = 0; exponent < 64; ++exponent) {
      // floor(exponent * den / num), whatever a floating-point logarithm would say.
      BucketIndex expected = BucketIndex(exponent * step.den / step.num);
      EXPECT_EQ(bucketOf(uint64_t(1) << exponent, step), expected)
          << "2^" << exponent << " in steps of " << step.num << "/" << step.den;
    }
}

TEST(ShapeBucket, HalfStepsSplitAtTheSquareRootOfTwo) {
  // isqrt(2^(2k+1)) for k = 31: 2^63 * sqrt(2) is 13043817825332782212.349...
  EXPECT_EQ(bucketOf(13043817825332782212u, {1, 2}), 126);
  EXPECT_EQ(bucketOf(13043817825332782213u, {1, 2}), 127);
  // 2^31.5 is 3037000499.976...
  EXPECT_EQ(bucketOf(3037000499u, {1, 2}), 62);
  EXPECT_EQ(bucketOf(3037000500u, {1, 2}), 63);
  // 2^26.5 = 94906265.62...: where doubles still hold all sizes.
  EXPECT_EQ(sizesOf(53, {1, 2}), (SizeRange{94906266, 134217727}));
}

TEST(ShapeBucket, BucketsTileAllSizes) {
  for (BucketStep step : kSteps) {
    if (step == BucketStep{1, 64})
      continue; // takes as long as all others together, and is no other case than 7/64
    uint64_t next = 1;
    for (BucketIndex bucket = 0; bucket <= bucketOf(kMaxSize, step); ++bucket) {
      std::optional<SizeRange> sizes = sizesOf(bucket, step);
      if (!sizes)
        continue;
      EXPECT_EQ(sizes->first, next);
      EXPECT_LE(sizes->first, sizes->last);
      EXPECT_EQ(bucketOf(sizes->first, step), bucket);
      EXPECT_EQ(bucketOf(sizes->last, step), bucket);
      next = sizes->last + 1;
    }
    EXPECT_EQ(next, 0u) << "the last bucket ends at 2^64 - 1";
  }
}

TEST(ShapeBucket, BucketsWithoutSizesAreEmpty) {
  EXPECT_EQ(sizesOf(1, {1, 4}), std::nullopt) << "nothing lies in [2^(1/4), 2^(1/2))";
  EXPECT_EQ(sizesOf(64, {1, 1}), std::nullopt) << "2^64 takes 65 bits";
}

TEST(ShapeBucket, AgreesWithFloatingPointAwayFromEdges) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 20000; ++round) {
    uint64_t size = (random() >> (random() % 64)) | 1;
    BucketStep step = kSteps[random() % std::size(kSteps)];
    long double quotient = std::log2(static_cast<long double>(size)) * step.den / step.num;
    if (std::abs(quotient - std::round(quotient)) < 1e-9L)
      continue;
    EXPECT_EQ(bucketOf(size, step), BucketIndex(std::floor(quotient)))
        << size << " in steps of " << step.num << "/" << step.den;
  }
}

TEST(ShapeBucket, RefusesStepsOutOfBounds) {
  EXPECT_TRUE(isValid({1, 1}));
  EXPECT_TRUE(isValid({1, 64}));
  EXPECT_TRUE(isValid({64, 1}));
  EXPECT_FALSE(isValid({0, 1}));
  EXPECT_FALSE(isValid({1, 0}));
  EXPECT_FALSE(isValid({2, 4})) << "not in lowest terms";
  EXPECT_FALSE(isValid({1, 65}));
  EXPECT_FALSE(isValid({65, 1}));
}

} // namespace
