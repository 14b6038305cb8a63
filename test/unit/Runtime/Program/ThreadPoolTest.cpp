//===- ThreadPoolTest.cpp - Fork and join ---------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/ThreadPool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace anneal::runtime;

namespace {

TEST(ThreadPoolTest, RefusesNumbersOfThreadsThatCannotBe) {
  for (unsigned threads : {0u, ThreadPool::kMostThreads + 1, ~0u}) {
    auto pool = ThreadPool::create(threads);
    EXPECT_EQ(pool.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(pool.status().message().find("it goes from 1 to 1024"), std::string::npos);
  }
}

TEST(ThreadPoolTest, RunsEachChunkOnce) {
  for (unsigned threads : {1u, 2u, 4u}) {
    auto pool = *ThreadPool::create(threads);
    EXPECT_EQ(pool->numThreads(), threads);
    for (int64_t count : {0, 1, 7, 64, 1000})
      for (int64_t grain : {1, 3, 64, 5000}) {
        std::vector<std::atomic<int>> seen(static_cast<size_t>(count));
        pool->parallelFor(count, grain, [&](int64_t begin, int64_t end, uint32_t worker) {
          EXPECT_LT(worker, threads);
          EXPECT_LE(end - begin, grain);
          EXPECT_EQ(begin % grain, 0);
          for (int64_t i = begin; i < end; ++i)
            ++seen[static_cast<size_t>(i)];
        });
        for (const std::atomic<int> &times : seen)
          EXPECT_EQ(times.load(), 1);
      }
  }
}

TEST(ThreadPoolTest, CountsUpToTheLargestNumbers) {
  auto pool = *ThreadPool::create(3);
  std::atomic<int64_t> sum{0};
  constexpr int64_t kCount = INT64_MAX - 1;
  pool->parallelFor(kCount, kCount / 5,
                    [&](int64_t begin, int64_t end, uint32_t) { sum += end - begin; });
  EXPECT_EQ(sum.load(), kCount);
}

TEST(ThreadPoolTest, RunsNestedLoopsOnTheirCaller) {
  auto pool = *ThreadPool::create(4);
  std::atomic<int> inner{0};
  pool->parallelFor(16, 1, [&](int64_t, int64_t, uint32_t) {
    std::thread::id self = std::this_thread::get_id();
    pool->parallelFor(100, 1, [&](int64_t, int64_t, uint32_t worker) {
      EXPECT_EQ(std::this_thread::get_id(), self);
      EXPECT_EQ(worker, 0u);
      ++inner;
    });
  });
  EXPECT_EQ(inner.load(), 1600);
}

TEST(ThreadPoolTest, WorkersOfALoopAreNumberedApart) {
  auto pool = *ThreadPool::create(4);
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> busy[4] = {};
    pool->parallelFor(64, 1, [&](int64_t, int64_t, uint32_t worker) {
      EXPECT_EQ(busy[worker].fetch_add(1), 0);
      busy[worker].fetch_sub(1);
    });
  }
}

TEST(ThreadPoolTest, ServesManyCallersAtOnce) {
  auto pool = *ThreadPool::create(3);
  constexpr int kCallers = 8, kRounds = 3000;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < kCallers; ++caller)
    callers.emplace_back([&pool, caller] {
      for (int round = 0; round < kRounds; ++round) {
        int64_t count = 1 + (caller * 7 + round) % 97;
        std::atomic<int64_t> sum{0};
        pool->parallelFor(count, 1 + round % 5, [&](int64_t begin, int64_t end, uint32_t) {
          for (int64_t i = begin; i < end; ++i)
            sum.fetch_add(i, std::memory_order_relaxed);
        });
        // What the bodies wrote is visible without synchronisation of their own.
        ASSERT_EQ(sum.load(std::memory_order_relaxed), count * (count - 1) / 2);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
}

/// Threads of this process, by the kernel's number.
std::set<std::string> threadsOfProcess() {
  std::set<std::string> threads;
  for (const auto &entry : std::filesystem::directory_iterator("/proc/self/task"))
    threads.insert(entry.path().filename().string());
  return threads;
}

/// Whether the kernel has put a thread to sleep: state S in /proc/self/task/N/stat, after the name.
bool isAsleep(const std::string &thread) {
  std::ifstream file("/proc/self/task/" + thread + "/stat");
  std::string stat(std::istreambuf_iterator<char>(file), {});
  return stat.compare(stat.rfind(')') + 1, 2, " S") == 0;
}

TEST(ThreadPoolTest, WakesWorkersThatSleep) {
  // A sanitizer starts a thread of its own along with the first one.
  std::thread([] {}).join();
  std::set<std::string> workers, others = threadsOfProcess();
  auto pool = *ThreadPool::create(4);
  for (const std::string &thread : threadsOfProcess())
    if (!others.count(thread))
      workers.insert(thread);
  ASSERT_EQ(workers.size(), 3u);
  for (int round = 0; round < 30; ++round) {
    // Workers that look for work yield; they sleep only when they wait to be woken. Before a loop
    // begins at least none, one, all of them do; it needs all of them to end.
    auto numAsleep = [&] { return std::count_if(workers.begin(), workers.end(), isAsleep); };
    constexpr int kWanted[] = {0, 1, 3};
    while (numAsleep() < kWanted[round % 3])
      std::this_thread::yield();
    std::atomic<int> arrived{0};
    pool->parallelFor(4, 1, [&](int64_t, int64_t, uint32_t) {
      ++arrived;
      while (arrived.load() < 4)
        std::this_thread::yield();
    });
    EXPECT_EQ(arrived.load(), 4);
  }
}

TEST(ThreadPoolTest, CanBeMadeAndDestroyedAtAnyTime) {
  for (int round = 0; round < 50; ++round) {
    auto pool = *ThreadPool::create(1 + round % 4);
    if (round % 2)
      pool->parallelFor(10, 1, [](int64_t, int64_t, uint32_t) {});
  }
}

#if defined(__x86_64__)
TEST(ThreadPoolTest, WorkersHaveTheDefaultFloatState) {
  unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040); // flush to zero, denormals are zero
  auto pool = *ThreadPool::create(4);
  std::atomic<int> arrived{0};
  pool->parallelFor(4, 1, [&](int64_t, int64_t, uint32_t worker) {
    ++arrived;
    while (arrived.load() < 4)
      std::this_thread::yield();
    if (worker != 0) {
      EXPECT_EQ(_mm_getcsr() & ~0x3Fu, 0x1F80u);
    }
  });
  _mm_setcsr(before);
}
#endif

TEST(ThreadPoolTest, UsableCoresAreAtLeastOneAndAtMostTheMachines) {
  EXPECT_GE(usableCores(), 1u);
  EXPECT_LE(usableCores(), std::thread::hardware_concurrency());
}

/// Not a check: what forking and joining costs here.
TEST(ThreadPoolTest, PrintsTheCostOfALoop) {
  auto pool = *ThreadPool::create(2);
  auto measure = [&](int64_t count) {
    constexpr int kLoops = 20000;
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kLoops; ++i)
      pool->parallelFor(count, 1, [](int64_t, int64_t, uint32_t) {});
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    return time.count() / kLoops;
  };
  std::printf("empty loop of 1 chunk: %.0f ns, of 2 chunks: %.0f ns, of 8 chunks: %.0f ns\n",
              measure(1), measure(2), measure(8));
}

} // namespace
