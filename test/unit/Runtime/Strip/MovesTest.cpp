//===- MovesTest.cpp - Movement of strips ---------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripTesting.h"

#include <gtest/gtest.h>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::testing;

namespace {

/// Types of 1, 2, 4 and 8 bytes.
constexpr DType kSizes[] = {DType::I8, DType::I16, DType::I32, DType::I64};

/// `count` elements that are all different as far as their size allows.
std::vector<char> numbered(DType type, size_t count) {
  std::vector<char> memory(count * plan::sizeOf(type));
  for (size_t i = 0; i < count; ++i)
    store(memory.data(), type, i, wrapped(type, i * 0x9e3779b97f4a7c15 + i));
  return memory;
}

class MovesTest : public ::testing::TestWithParam<Isa> {
protected:
  void SetUp() override {
    if (GetParam() > detectIsa())
      GTEST_SKIP() << "this processor has no " << name(GetParam());
  }
};

TEST_P(MovesTest, CopiesAndSplats) {
  for (DType type : kSizes) {
    StripMoves moves = findStripMoves(plan::sizeOf(type), GetParam());
    for (size_t n : {0, 1, 15, 16, 17, 1000}) {
      std::vector<char> source = numbered(type, n + 1), copied(source.size()), same(source.size());
      moves.copy(copied.data(), source.data(), n);
      moves.splat(same.data(), source.data() + n * plan::sizeOf(type), n);
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(load(copied.data(), type, i), load(source.data(), type, i));
        ASSERT_EQ(load(same.data(), type, i), load(source.data(), type, n));
      }
    }
  }
}

TEST_P(MovesTest, GathersAndScattersWithAnyStride) {
  for (DType type : kSizes) {
    StripMoves moves = findStripMoves(plan::sizeOf(type), GetParam());
    for (int64_t stride : {-7, -2, -1, 0, 1, 2, 3, 9})
      for (size_t n : {0, 1, 2, 16, 33, 200}) {
        size_t span = n ? static_cast<size_t>(std::abs(stride)) * (n - 1) + 1 : 0;
        size_t first = stride < 0 && n ? span - 1 : 0;
        std::vector<char> source = numbered(type, span), gathered(n * plan::sizeOf(type));
        moves.gatherStrided(gathered.data(), source.data() + first * plan::sizeOf(type), stride, n);
        std::vector<char> scattered(span * plan::sizeOf(type), 77);
        moves.scatterStrided(scattered.data() + first * plan::sizeOf(type), stride, gathered.data(),
                             n);
        for (size_t i = 0; i < n; ++i) {
          size_t at = first + static_cast<size_t>(static_cast<int64_t>(i) * stride);
          ASSERT_EQ(load(gathered.data(), type, i), load(source.data(), type, at)) << stride;
          ASSERT_EQ(load(scattered.data(), type, at), load(source.data(), type, at)) << stride;
        }
        // Nothing between the elements is touched.
        for (size_t at = 0; at < span && stride != 0; ++at) {
          bool isElement = at % static_cast<size_t>(std::abs(stride)) == 0;
          ASSERT_TRUE(isElement || load(scattered.data(), type, at) % 256 == 77);
        }
      }
  }
}

TEST_P(MovesTest, GathersByIndex) {
  for (DType type : kSizes) {
    StripMoves moves = findStripMoves(plan::sizeOf(type), GetParam());
    std::vector<char> source = numbered(type, 500);
    for (size_t n : {0, 1, 16, 333}) {
      std::vector<int64_t> indices(n);
      for (size_t i = 0; i < n; ++i)
        indices[i] = static_cast<int64_t>(i * 7919 % 500) - 250;
      std::vector<char> gathered(n * plan::sizeOf(type));
      moves.gatherIndexed(gathered.data(), source.data() + 250 * plan::sizeOf(type), indices.data(),
                          n);
      for (size_t i = 0; i < n; ++i)
        ASSERT_EQ(load(gathered.data(), type, i), load(source.data(), type, i * 7919 % 500));
    }
  }
}

TEST_P(MovesTest, TransposesAnyRectangle) {
  for (DType type : kSizes) {
    StripMoves moves = findStripMoves(plan::sizeOf(type), GetParam());
    for (size_t rows : {0, 1, 5, 16, 37})
      for (size_t cols : {0, 1, 7, 16, 50}) {
        size_t srcStride = cols + 3, dstStride = rows + 1, size = plan::sizeOf(type);
        std::vector<char> source = numbered(type, rows * srcStride),
                          result(cols * dstStride * size, 55);
        moves.transpose(result.data(), static_cast<int64_t>(dstStride), source.data(),
                        static_cast<int64_t>(srcStride), rows, cols);
        for (size_t c = 0; c < cols; ++c) {
          for (size_t r = 0; r < rows; ++r)
            ASSERT_EQ(load(result.data(), type, c * dstStride + r),
                      load(source.data(), type, r * srcStride + c));
          ASSERT_EQ(static_cast<unsigned char>(load(result.data(), type, c * dstStride + rows)),
                    55);
        }
      }
  }
}

TEST_P(MovesTest, OtherSizesHaveNone) {
  for (size_t size : {0, 3, 16})
    EXPECT_EQ(findStripMoves(size, GetParam()).copy, nullptr);
}

INSTANTIATE_TEST_SUITE_P(AllIsas, MovesTest,
                         ::testing::Values(Isa::Portable, Isa::Avx2, Isa::Avx512),
                         [](const auto &info) { return std::string(name(info.param)); });

} // namespace
