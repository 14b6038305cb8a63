//===- ShapeBucket.cpp - Buckets of sizes on a logarithmic scale ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/ShapeBucket.h"

#include <bit>
#include <cassert>
#include <limits>
#include <numeric>

namespace anneal {

bool isValid(BucketStep step) {
  return step.num > 0 && step.den > 0 && step.den <= kMaxStepDenominator &&
         step.num <= uint64_t(kMaxStep) * step.den && std::gcd(step.num, step.den) == 1;
}

/// floor(log2(base^exponent)), from the product itself.
static uint32_t floorLog2OfPower(uint64_t base, uint32_t exponent) {
  uint64_t limbs[kMaxStepDenominator] = {1};
  uint32_t used = 1;
  for (uint32_t factor = 0; factor < exponent; ++factor) {
    unsigned __int128 carry = 0;
    for (uint32_t i = 0; i < used; ++i) {
      carry += static_cast<unsigned __int128>(limbs[i]) * base;
      limbs[i] = static_cast<uint64_t>(carry);
      carry >>= 64;
    }
    if (carry != 0)
      limbs[used++] = static_cast<uint64_t>(carry);
  }
  return (used - 1) * 64 + static_cast<uint32_t>(std::bit_width(limbs[used - 1])) - 1;
}

BucketIndex bucketOf(uint64_t size, BucketStep step) {
  assert(isValid(step));
  if (size == 0)
    return kZeroBucket;
  // log2(s) * den / num, the whole powers of two in s taken out first. The logarithm of s^den may
  // be rounded down before it is divided by num: floor(floor(x) / n) = floor(x / n).
  uint32_t twos = static_cast<uint32_t>(std::countr_zero(size));
  uint32_t scaled = twos * step.den + floorLog2OfPower(size >> twos, step.den);
  return static_cast<BucketIndex>(scaled / step.num);
}

/// The smallest size whose bucket is `bucket` or a later one; nothing if no size of 64 bits is.
static std::optional<uint64_t> firstSizeFrom(BucketIndex bucket, BucketStep step) {
  // It is 2^(bucket * delta), rounded up: between two neighbouring powers of two.
  uint64_t exponent = uint64_t(bucket) * step.num / step.den;
  if (exponent >= 64)
    return std::nullopt;
  uint64_t low = uint64_t(1) << exponent;
  uint64_t high = exponent == 63 ? std::numeric_limits<uint64_t>::max() : low * 2;
  if (bucketOf(high, step) < bucket)
    return std::nullopt;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (bucketOf(middle, step) < bucket)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

std::optional<SizeRange> sizesOf(BucketIndex bucket, BucketStep step) {
  if (bucket == kZeroBucket)
    return SizeRange{0, 0};
  std::optional<uint64_t> first = firstSizeFrom(bucket, step);
  if (!first || bucketOf(*first, step) != bucket)
    return std::nullopt;
  std::optional<uint64_t> next = firstSizeFrom(bucket + 1, step);
  return SizeRange{*first, next ? *next - 1 : std::numeric_limits<uint64_t>::max()};
}

} // namespace anneal
