//===- RangeAllocatorTest.cpp - Best fit in a range of numbers ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RangeAllocator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

using namespace anneal::runtime;

namespace {

TEST(RangeAllocatorTest, TakesTheSmallestRangeThatFits) {
  RangeAllocator ranges(1000);
  ASSERT_EQ(ranges.allocate(100, 1), 0u);
  ASSERT_EQ(ranges.allocate(300, 1), 100u);
  ASSERT_EQ(ranges.allocate(50, 1), 400u);
  ASSERT_EQ(ranges.allocate(60, 1), 450u);
  ASSERT_EQ(ranges.allocate(10, 1), 510u);
  ranges.release(100, 300);
  ranges.release(450, 60);
  EXPECT_EQ(ranges.bestFit(55, 1), 60u);
  EXPECT_EQ(ranges.allocate(55, 1), 450u);
  EXPECT_EQ(ranges.allocate(55, 1), 100u);
  EXPECT_EQ(ranges.allocate(400, 1), 520u);
  EXPECT_EQ(ranges.allocate(400, 1), std::nullopt);
  EXPECT_EQ(ranges.bestFit(400, 1), std::nullopt);
}

TEST(RangeAllocatorTest, AlignsAndKeepsWhatIsBefore) {
  RangeAllocator ranges(256);
  ASSERT_EQ(ranges.allocate(1, 1), 0u);
  EXPECT_EQ(ranges.allocate(64, 64), 64u);
  EXPECT_EQ(ranges.allocate(63, 1), 1u);
  EXPECT_EQ(ranges.allocate(129, 64), std::nullopt);
  EXPECT_EQ(ranges.allocate(128, 128), 128u);
  EXPECT_EQ(ranges.allocate(1, 1), std::nullopt);
}

TEST(RangeAllocatorTest, JoinsNeighbours) {
  for (const std::vector<size_t> &order : {std::vector<size_t>{0, 1, 2}, {2, 1, 0}, {0, 2, 1}}) {
    RangeAllocator ranges(90);
    for (size_t i = 0; i < 3; ++i)
      ASSERT_EQ(ranges.allocate(30, 1), i * 30);
    for (size_t i : order)
      ranges.release(i * 30, 30);
    EXPECT_EQ(ranges.bestFit(90, 1), 90u);
  }
}

TEST(RangeAllocatorTest, NeverHandsOutAnythingTwice) {
  constexpr size_t kSize = 4096;
  std::mt19937 random(1);
  RangeAllocator ranges(kSize);
  std::vector<bool> used(kSize);
  std::vector<std::pair<size_t, size_t>> live;
  for (int round = 0; round < 20000; ++round) {
    if (random() % 2 && !live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      auto [offset, size] = live.back();
      live.pop_back();
      std::fill_n(used.begin() + static_cast<long>(offset), size, false);
      ranges.release(offset, size);
      continue;
    }
    size_t size = 1 + random() % 300, alignment = size_t(1) << random() % 8;
    std::optional<size_t> offset = ranges.allocate(size, alignment);
    if (!offset)
      continue;
    ASSERT_EQ(*offset % alignment, 0u);
    ASSERT_LE(*offset + size, kSize);
    for (size_t i = *offset; i < *offset + size; ++i) {
      ASSERT_FALSE(used[i]);
      used[i] = true;
    }
    live.emplace_back(*offset, size);
  }
  for (auto [offset, size] : live)
    ranges.release(offset, size);
  EXPECT_EQ(ranges.bestFit(kSize, 1), kSize);
}

} // namespace
