//===- EpochsTest.cpp - When nobody can be in old code any more -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Code/Epochs.h"

#include "anneal/Runtime/Code/CodeSlot.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <thread>
#include <vector>

using namespace anneal::runtime;

namespace {

/// Counts those that are alive.
struct Counted {
  explicit Counted(std::atomic<int> &alive) : alive(alive) { ++alive; }
  ~Counted() { --alive; }
  std::atomic<int> &alive;
};

/// Does `inside` on another thread under a guard, then holds the guard until destroyed.
class Held {
public:
  explicit Held(const std::function<void(const Epochs::Guard &)> &inside = [](const auto &) {})
      : thread([this, inside] {
          Epochs::Guard guard;
          inside(guard);
          entered.count_down();
          mayLeave.wait();
        }) {
    entered.wait();
  }
  ~Held() { end(); }
  void end() {
    if (!thread.joinable())
      return;
    mayLeave.count_down();
    thread.join();
  }

private:
  std::latch entered{1}, mayLeave{1};
  std::thread thread;
};

TEST(EpochsTest, FreesAtOnceWhenNobodyReads) {
  std::atomic<int> alive{0};
  Epochs epochs;
  epochs.retire(std::make_unique<Counted>(alive));
  EXPECT_EQ(alive, 1);
  EXPECT_EQ(epochs.backlog(), 1u);
  EXPECT_EQ(epochs.collect(), 1u);
  EXPECT_EQ(alive, 0);
  epochs.retire(std::unique_ptr<Counted>());
  EXPECT_EQ(epochs.collect(), 0u);
}

TEST(EpochsTest, KeepsWhatAReaderMayHaveFound) {
  std::atomic<int> alive{0};
  Epochs epochs;
  auto object = std::make_unique<Counted>(alive);
  Held reader;
  epochs.retire(std::move(object));
  EXPECT_EQ(epochs.collect(), 0u);
  EXPECT_EQ(alive, 1);
  reader.end();
  EXPECT_EQ(epochs.collect(), 1u);
  EXPECT_EQ(alive, 0);
}

TEST(EpochsTest, AReaderKeepsNothingThatWasRetiredBeforeItBegan) {
  std::atomic<int> alive{0};
  Epochs epochs;
  epochs.retire(std::make_unique<Counted>(alive));
  Held reader;
  EXPECT_EQ(epochs.collect(), 1u);
  EXPECT_EQ(alive, 0);
}

TEST(EpochsTest, AReaderKeepsNothingThatWasPublishedAfterItsLastLookUp) {
  std::atomic<int> alive{0};
  Epochs epochs;
  Held reader;
  epochs.retire(std::make_unique<Counted>(alive), Epochs::now());
  // The epoch is still that in which the reader looked.
  EXPECT_EQ(epochs.collect(), 0u);
  epochs.retire(std::make_unique<Counted>(alive), Epochs::now());
  EXPECT_EQ(epochs.collect(), 1u);
  EXPECT_EQ(alive, 1);
}

TEST(EpochsTest, ALookUpExtendsWhatIsKept) {
  std::atomic<int> alive{0};
  Epochs epochs;
  uint64_t since = 0;
  Held reader([&](const Epochs::Guard &guard) {
    // Something is retired and something else published while this thread reads.
    epochs.retire(std::make_unique<Counted>(alive), Epochs::now());
    since = Epochs::now();
    EXPECT_FALSE(guard.covers());
    EXPECT_TRUE(guard.covers());
  });
  epochs.retire(std::make_unique<Counted>(alive), since);
  EXPECT_EQ(epochs.collect(), 0u);
  EXPECT_EQ(alive, 2);
  reader.end();
  EXPECT_EQ(epochs.collect(), 2u);
}

TEST(EpochsTest, GuardsNest) {
  std::atomic<int> alive{0};
  Epochs epochs;
  Held reader([&](const Epochs::Guard &) {
    {
      Epochs::Guard inner;
    }
    epochs.retire(std::make_unique<Counted>(alive));
  });
  EXPECT_EQ(epochs.collect(), 0u);
  reader.end();
  EXPECT_EQ(epochs.collect(), 1u);
}

TEST(EpochsTest, FreesTheRestWhenDestroyed) {
  std::atomic<int> alive{0};
  {
    Epochs epochs;
    for (int i = 0; i < 3; ++i)
      epochs.retire(std::make_unique<Counted>(alive));
    // What is freed may retire more.
    epochs.retireWith([&] { epochs.retire(std::make_unique<Counted>(alive)); });
    EXPECT_EQ(alive, 3);
  }
  EXPECT_EQ(alive, 0);
}

TEST(EpochsTest, RunsActions) {
  Epochs epochs;
  int runs = 0;
  epochs.retireWith([&] { ++runs; });
  EXPECT_EQ(runs, 0);
  epochs.collect();
  epochs.collect();
  EXPECT_EQ(runs, 1);
}

TEST(EpochsTest, RetireCollectsByItself) {
  std::atomic<int> alive{0};
  Epochs epochs;
  for (int i = 0; i < 1000; ++i) {
    epochs.retire(std::make_unique<Counted>(alive));
    ASSERT_LE(alive, 16);
  }
}

TEST(EpochsTest, ThreadsComeAndGo) {
  std::atomic<int> alive{0};
  Epochs epochs;
  uint64_t published = Epochs::now();
  std::atomic<Counted *> current{new Counted(alive)};
  for (int round = 0; round < 200; ++round) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        Epochs::Guard guard;
        Counted *object;
        do
          object = current.load();
        while (!guard.covers());
        ASSERT_GT(object->alive, 0);
      });
    uint64_t next = Epochs::now();
    epochs.retire(std::unique_ptr<Counted>(current.exchange(new Counted(alive))), published);
    published = next;
    for (std::thread &thread : threads)
      thread.join();
  }
  epochs.retire(std::unique_ptr<Counted>(current.exchange(nullptr)));
  epochs.collect();
  EXPECT_EQ(alive, 0);
}

int32_t doNothing(const AnnealUnitFrame *) { return 0; }

/// Not a check: what a guard costs in a call.
TEST(EpochsTest, PrintsTheCostOfAGuard) {
  Epochs epochs;
  CodeSlot slot(epochs);
  auto code = std::make_unique<UnitCode>();
  code->fn = doNothing;
  slot.install(std::move(code));
  constexpr int kCalls = 5'000'000;
  auto measure = [](auto call) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kCalls; ++i)
      call();
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    return time.count() / kCalls;
  };
  double guard = measure([] { Epochs::Guard guard; });
  double call = measure([&] {
    Epochs::Guard guard;
    slot.load(guard)->fn(nullptr);
  });
  AnnealUnitFn volatile function = doNothing;
  double plain = measure([&] { function(nullptr); });
  std::printf("enter + leave: %.1f ns; with load and call: %.1f ns; the call alone: %.1f ns\n",
              guard, call, plain);
}

} // namespace
