//===- MemoryTest.cpp - Pooled memory, tensors, workspaces ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTesting.h"

#include "StridedCopy.h"
#include "WorkspaceLayout.h"

#include "anneal/Runtime/Memory.h"

#include <cstring>
#include <random>
#include <thread>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;

namespace {

TEST(MemoryPoolTest, GivesAlignedMemoryAndUsesItAgain) {
  auto pool = MemoryPool::create();
  for (size_t size : {size_t(0), size_t(1), size_t(64), size_t(1000), size_t(5) << 20}) {
    BlockRef block = pool->acquire(size);
    ASSERT_TRUE(block);
    EXPECT_GE(block->size(), size);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block->data()) % 64, 0u);
    std::memset(block->data(), 1, size);
    void *data = block->data();
    block.reset();
    EXPECT_EQ(pool->acquire(size)->data(), data);
  }
}

TEST(MemoryPoolTest, CountsReferences) {
  auto pool = MemoryPool::create();
  BlockRef first = pool->acquire(100);
  BlockRef second = first;
  first.reset();
  EXPECT_GT(pool->bytesInUse(), 0u);
  second = BlockRef();
  EXPECT_EQ(pool->bytesInUse(), 0u);
  EXPECT_GT(pool->bytesIdle(), 0u);
  pool->trim();
  EXPECT_EQ(pool->bytesIdle(), 0u);
}

TEST(MemoryPoolTest, BlocksOutliveThePool) {
  auto pool = MemoryPool::create();
  BlockRef block = pool->acquire(100);
  pool.reset();
  std::memset(block->data(), 1, 100);
}

TEST(MemoryPoolTest, IdleMemoryStaysInProportion) {
  auto pool = MemoryPool::create();
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    pool->acquire(random() % 100000);
    EXPECT_LE(pool->bytesIdle(), 2 * pool->peakBytesInUse());
  }
  EXPECT_LE(pool->peakBytesInUse(), 115000u);
}

TEST(MemoryPoolTest, SettlesOnTheBlocksOfARepeatedPattern) {
  auto pool = MemoryPool::create();
  auto pattern = [&] {
    std::vector<void *> places;
    for (size_t size : {1000, 40000, 3000}) {
      BlockRef block = pool->acquire(size);
      places.push_back(block->data());
      places.push_back(pool->acquire(2 * size)->data());
    }
    return places;
  };
  for (size_t size : {100, 900, 7000, 50000, 120000})
    pool->acquire(size);
  pattern();
  auto settled = pattern();
  EXPECT_EQ(pattern(), settled);
}

TEST(MemoryPoolTest, RefusesMoreThanThereIs) {
  auto pool = MemoryPool::create();
  EXPECT_FALSE(pool->acquire(usableMemory() + 1));
  EXPECT_FALSE(pool->acquire(SIZE_MAX));
  EXPECT_FALSE(pool->acquire(SIZE_MAX / 2 + 1));
}

TEST(MemoryPoolTest, ServesManyThreads) {
  auto pool = MemoryPool::create();
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&pool, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int round = 0; round < 5000; ++round) {
        size_t size = 1 + random() % 5000;
        BlockRef block = pool->acquire(size);
        auto *bytes = static_cast<char *>(block->data());
        bytes[0] = bytes[size - 1] = static_cast<char>(t);
        BlockRef copy = block;
        block.reset();
        EXPECT_EQ(bytes[0], static_cast<char>(t));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(pool->bytesInUse(), 0u);
}

TEST(TensorTest, SpellsTypes) {
  EXPECT_EQ(tensorTypeString(plan::DType::I64, {plan::kDynamic, 4}), "tensor<?x4xi64>");
  EXPECT_EQ(tensorTypeString(plan::DType::F32, {}), "tensor<f32>");
  EXPECT_EQ(Value(Scalar::of<int64_t>(plan::DType::I64, 3)).typeString(), "i64");
  EXPECT_EQ(Value().typeString(), "nothing");
}

TEST(TensorTest, RefusesSizesThatCannotBe) {
  auto allocate = [](std::vector<int64_t> dims) {
    return Tensor::allocate(plan::DType::F32, dims).status();
  };
  EXPECT_THAT(allocate({3, -1}), IsError(absl::StatusCode::kInvalidArgument, "size -1"));
  EXPECT_THAT(allocate({INT64_C(1) << 32, INT64_C(1) << 32}),
              IsError(absl::StatusCode::kResourceExhausted, "tensor<4294967296x4294967296xf32>"));
  EXPECT_THAT(allocate({INT64_C(1) << 40, 1 << 4}),
              IsError(absl::StatusCode::kResourceExhausted, "out of memory"));
  // A size of 0 makes all others harmless.
  EXPECT_TRUE(allocate({INT64_MAX, INT64_MAX, 0}).ok());
}

TEST(TensorTest, KnowsWhetherItIsDense) {
  float data[24];
  auto isDense = [&](std::vector<int64_t> dims, std::vector<int64_t> strides) {
    return Tensor::view(plan::DType::F32, dims, data, nullptr, strides).isDense();
  };
  EXPECT_TRUE(isDense({2, 3, 4}, {}));
  EXPECT_TRUE(isDense({2, 1, 4}, {4, 77, 1}));
  EXPECT_TRUE(isDense({2, 0, 4}, {9, 9, 9}));
  EXPECT_FALSE(isDense({2, 3, 4}, {12, 1, 3}));
  EXPECT_FALSE(isDense({2, 3}, {4, 1}));
}

TEST(TensorTest, ViewsKeepTheirOwnerAlive) {
  auto owner = std::make_shared<std::vector<float>>(4, 7.0f);
  std::weak_ptr<std::vector<float>> watch = owner;
  Tensor tensor = Tensor::view(plan::DType::F32, {4}, owner->data(), owner);
  owner.reset();
  EXPECT_FALSE(watch.expired());
  EXPECT_EQ(tensor.dataAs<float>()[3], 7.0f);
  tensor = Tensor();
  EXPECT_TRUE(watch.expired());
}

TEST(TensorTest, HoldsMoreThanTwoGibibytes) {
  absl::StatusOr<Tensor> tensor = Tensor::allocate(plan::DType::I8, {3, INT64_C(1) << 30});
  ASSERT_TRUE(tensor.ok()) << tensor.status();
  EXPECT_EQ(tensor->sizeInBytes(), size_t(3) << 30);
  // Only the pages that are written take memory.
  int8_t *bytes = tensor->dataAs<int8_t>();
  bytes[0] = 1;
  bytes[(INT64_C(3) << 30) - 1] = 2;
  EXPECT_EQ(bytes[(INT64_C(3) << 30) - 1], 2);
}

/// Copies between random layouts, element by element as reference.
TEST(StridedCopyTest, CopiesAnyLayout) {
  auto pool = *ThreadPool::create(3);
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    size_t rank = random() % 5;
    std::vector<int64_t> sizes, from, to;
    int64_t fromStep = 1 + random() % 2, toStep = 1 + random() % 2, count = 1;
    for (size_t d = 0; d < rank; ++d) {
      sizes.insert(sizes.begin(), random() % 10 == 0 ? 0 : 1 + random() % 9);
      from.insert(from.begin(), fromStep);
      to.insert(to.begin(), toStep);
      fromStep *= std::max<int64_t>(1, sizes[0]) + random() % 2;
      toStep *= std::max<int64_t>(1, sizes[0]) + random() % 2;
      count *= sizes[0];
    }
    if (rank > 1 && random() % 2) {
      std::swap(sizes[0], sizes[rank - 1]);
      std::swap(from[0], from[rank - 1]);
      std::swap(to[0], to[rank - 1]);
    }
    std::vector<uint16_t> source(static_cast<size_t>(fromStep) + 1);
    std::iota(source.begin(), source.end(), 1);
    std::vector<uint16_t> target(static_cast<size_t>(toStep) + 1, 0), expected = target;
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = i, f = 0, t = 0;
      for (size_t d = rank; d-- > 0;) {
        f += rest % sizes[d] * from[d];
        t += rest % sizes[d] * to[d];
        rest /= sizes[d];
      }
      expected[static_cast<size_t>(t)] = source[static_cast<size_t>(f)];
    }
    copyStrided({target.data(), sizes, to}, {source.data(), sizes, from}, 2, pool.get());
    EXPECT_EQ(target, expected);
  }
}

TEST(StridedCopyTest, CopiesLongRunsInParallel) {
  auto pool = *ThreadPool::create(2);
  std::vector<int64_t> sizes = {3000017}, strides = {1};
  std::vector<uint32_t> source(3000017), target(3000017);
  std::iota(source.begin(), source.end(), 0);
  copyStrided({target.data(), sizes, strides}, {source.data(), sizes, strides}, 4, pool.get());
  EXPECT_EQ(target, source);
}

TEST(WorkspaceLayoutTest, BuffersThatLiveTogetherDoNotOverlap) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<LiveBuffer> buffers;
    size_t most = 0;
    for (int i = 0; i < 60; ++i) {
      auto first = static_cast<uint32_t>(random() % 50);
      auto length = static_cast<uint32_t>(random() % 8);
      buffers.push_back({random() % 5 ? random() % 10000 : 0, first, first + length});
    }
    std::optional<size_t> total = layOut(buffers);
    ASSERT_TRUE(total);
    for (uint32_t step = 0; step < 60; ++step) {
      size_t live = 0;
      for (const LiveBuffer &buffer : buffers)
        if (buffer.first <= step && step <= buffer.last)
          live += (buffer.bytes + 63) / 64 * 64;
      most = std::max(most, live);
    }
    for (const LiveBuffer &a : buffers) {
      EXPECT_EQ(a.offset % 64, 0u);
      EXPECT_LE(a.offset + a.bytes, *total);
      for (const LiveBuffer &b : buffers)
        if (&a != &b && a.bytes && b.bytes && a.first <= b.last && b.first <= a.last) {
          EXPECT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
        }
    }
    EXPECT_GE(*total, most);
    EXPECT_LE(*total, most + most / 2);
  }
}

TEST(WorkspaceLayoutTest, AChainNeedsTwoBuffers) {
  std::vector<LiveBuffer> buffers;
  for (uint32_t step = 0; step < 100; ++step)
    buffers.push_back({4096, step, step + 1});
  EXPECT_EQ(layOut(buffers), 8192u);
}

TEST(WorkspaceLayoutTest, RefusesWhatOverflows) {
  std::vector<LiveBuffer> buffers(8, LiveBuffer{SIZE_MAX / 5, 0, 1});
  EXPECT_EQ(layOut(buffers), std::nullopt);
}

} // namespace
