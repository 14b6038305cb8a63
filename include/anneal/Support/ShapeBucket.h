//===- ShapeBucket.h - Buckets of sizes on a logarithmic scale  -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `Bucket(s) = floor(log2(s) / delta) * delta` (REQUIREMENTS.md S1), in exact arithmetic: no size,
// however close to the edge of a bucket, lands on the wrong side of it.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_SHAPEBUCKET_H
#define ANNEAL_SUPPORT_SHAPEBUCKET_H

#include <cstdint>
#include <optional>

namespace anneal {

/// The width of a bucket: `delta = num / den`, a positive rational in lowest terms.
struct BucketStep {
  uint32_t num = 1;
  uint32_t den = 1;

  bool operator==(const BucketStep &) const = default;
};

/// Largest denominator of a step: 64 buckets for each power of two. It bounds the numbers that the
/// exact arithmetic has to hold to 64 * 64 bits.
inline constexpr uint32_t kMaxStepDenominator = 64;
/// Largest step: one bucket for all sizes of 64 bits but 0.
inline constexpr uint32_t kMaxStep = 64;

/// Whether `step` is positive, in lowest terms and within the two bounds above.
bool isValid(BucketStep step);

/// Number of a bucket. Bucket `k` holds the sizes with `floor(log2(s) / delta) == k`: those from
/// `2^(k * delta)` on, below `2^((k + 1) * delta)`.
using BucketIndex = int32_t;

/// The bucket of size 0, which holds nothing else.
inline constexpr BucketIndex kZeroBucket = -1;

/// The bucket of a size. Rises with the size.
/// REQUIRES: isValid(step).
BucketIndex bucketOf(uint64_t size, BucketStep step);

/// First and last size of a bucket.
struct SizeRange {
  uint64_t first = 0;
  uint64_t last = 0;

  bool contains(uint64_t size) const { return first <= size && size <= last; }
  bool operator==(const SizeRange &) const = default;
};

/// The sizes in a bucket; nothing if there are none: small steps leave buckets between small sizes
/// empty (no integer lies between 2^(1/4) and 2^(1/2)), and large buckets begin beyond 64 bits.
/// REQUIRES: isValid(step).
std::optional<SizeRange> sizesOf(BucketIndex bucket, BucketStep step);

} // namespace anneal

#endif // ANNEAL_SUPPORT_SHAPEBUCKET_H
