//===- CodeSlotTest.cpp - Replacing code while threads call it ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Code/CodeSlot.h"

#include "CodeTesting.h"

#include "anneal/Runtime/Code/InstalledCode.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;

namespace {

/// What a UnitCode owns: the code, and what it has to return.
struct Version {
  int32_t value;
  std::shared_ptr<const InstalledCode> code;
};

class CodeSlotTest : public testing::Test {
protected:
  std::unique_ptr<UnitCode> makeCode(int32_t value, size_t size = 24) const {
    auto version = std::make_shared<Version>();
    version->value = value;
    version->code = *InstalledCode::install(constantImage(value, size), slabs);
    return makeCode(std::move(version));
  }
  static std::unique_ptr<UnitCode> makeCode(std::shared_ptr<Version> version) {
    auto code = std::make_unique<UnitCode>();
    code->fn = version->code->unit("get");
    code->data = version.get();
    code->owner = std::move(version);
    return code;
  }
  /// Calls the code of the moment; whether it is what belongs to its data.
  static bool callsItsOwn(const CodeSlot &slot) {
    Epochs::Guard guard;
    const UnitCode *code = slot.load(guard);
    return code->fn(nullptr) == static_cast<const Version *>(code->data)->value;
  }

  std::shared_ptr<CodeSlabs> slabs = *CodeSlabs::create({.slabBytes = 1 << 16});
  Epochs epochs;
};

TEST_F(CodeSlotTest, IsEmptyUntilCodeIsInstalled) {
  CodeSlot slot(epochs);
  {
    Epochs::Guard guard;
    EXPECT_EQ(slot.load(guard), nullptr);
  }
  slot.install(makeCode(3));
  EXPECT_TRUE(callsItsOwn(slot));
  slot.install(nullptr);
  Epochs::Guard guard;
  EXPECT_EQ(slot.load(guard), nullptr);
}

TEST_F(CodeSlotTest, CodeLivesAsLongAsACallThatFoundIt) {
  CodeSlot slot(epochs);
  slot.install(makeCode(1));
  {
    Epochs::Guard guard;
    const UnitCode *first = slot.load(guard);
    slot.install(makeCode(2));
    epochs.collect();
    EXPECT_EQ(first->fn(nullptr), 1);
    EXPECT_EQ(slot.load(guard)->fn(nullptr), 2);
    EXPECT_EQ(first->fn(nullptr), 1);
    EXPECT_EQ(slabs->statistics().numImages, 2u);
  }
  epochs.collect();
  EXPECT_EQ(slabs->statistics().numImages, 1u);
}

TEST_F(CodeSlotTest, OneLongCallDoesNotLetMemoryGrow) {
  CodeSlot slot(epochs);
  slot.install(makeCode(0));
  Epochs::Guard guard;
  const UnitCode *first = slot.load(guard);
  for (int i = 1; i < 20000; ++i) {
    slot.install(makeCode(i));
    ASSERT_LE(epochs.backlog(), 32u);
  }
  EXPECT_EQ(first->fn(nullptr), 0);
  EXPECT_EQ(slabs->statistics().numSlabs, 1u);
  epochs.collect();
  // What the call found, and what was published in the epoch of its look-up.
  EXPECT_LE(slabs->statistics().numImages, 3u);
}

TEST_F(CodeSlotTest, IsDestroyedWhileACallGoesOn) {
  auto slot = std::make_unique<CodeSlot>(epochs);
  slot->install(makeCode(1));
  {
    Epochs::Guard guard;
    const UnitCode *code = slot->load(guard);
    slot.reset();
    epochs.collect();
    EXPECT_EQ(code->fn(nullptr), 1);
  }
  epochs.collect();
  EXPECT_EQ(slabs->statistics().numImages, 0u);
}

/// REQUIREMENTS.md C8: a million promotions and demotions leave memory flat.
TEST_F(CodeSlotTest, AMillionInstallsWhileThreadsCall) {
  constexpr int kInstalls = 1'000'000;
  CodeSlot slot(epochs);
  slot.install(makeCode(-1));
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> calls{0}, wrong{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 2; ++t)
    callers.emplace_back([&] {
      uint64_t mine = 0;
      for (; !stop.load(std::memory_order_relaxed); ++mine)
        wrong += !callsItsOwn(slot);
      calls += mine;
    });
  size_t mostMemory = 0, mostBacklog = 0;
  auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kInstalls; ++i) {
    // Each thirtieth image is large.
    slot.install(makeCode(i, i % 30 == 0 ? 5000 : 24 + size_t(i) % 500));
    mostBacklog = std::max(mostBacklog, epochs.backlog());
    if (i % 64 == 0)
      mostMemory = std::max(mostMemory, slabs->statistics().allocatedBytes);
  }
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  stop = true;
  for (std::thread &caller : callers)
    caller.join();
  epochs.collect();
  std::printf("%.0f installs/s beside %.2g calls; at most %zu KiB of code memory, %zu waiting\n",
              kInstalls / time.count(), double(calls.load()), mostMemory >> 10, mostBacklog);
  EXPECT_EQ(wrong, 0u);
  EXPECT_GT(calls, 0u);
  EXPECT_LE(mostBacklog, 64u);
  EXPECT_LE(mostMemory, size_t(4) << 16);
  EXPECT_EQ(epochs.backlog(), 0u);
  EXPECT_EQ(slabs->statistics().numImages, 1u);
  EXPECT_EQ(slabs->statistics().numSlabs, 1u);
  EXPECT_TRUE(callsItsOwn(slot));
}

TEST_F(CodeSlotTest, ManyThreadsInstallAndCall) {
  constexpr int kSlots = 4;
  std::vector<std::unique_ptr<CodeSlot>> slots;
  for (int i = 0; i < kSlots; ++i) {
    slots.push_back(std::make_unique<CodeSlot>(epochs));
    slots.back()->install(makeCode(i));
  }
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5000; ++i) {
        if (t % 2) {
          slots[size_t(i) % kSlots]->install(makeCode(i));
          continue;
        }
        // A call of several units, all of which it may use to its end.
        Epochs::Guard guard;
        const UnitCode *code[kSlots];
        for (int s = 0; s < kSlots; ++s)
          code[s] = slots[size_t(s)]->load(guard);
        for (const UnitCode *unit : code)
          wrong += unit->fn(nullptr) != static_cast<const Version *>(unit->data)->value;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
  slots.clear();
  epochs.collect();
  EXPECT_EQ(slabs->statistics().numImages, 0u);
}

/// REQUIREMENTS.md C7: live code moves to fresh slabs while callers keep running.
TEST_F(CodeSlotTest, CodeMovesWhileThreadsCall) {
  constexpr int kUnits = 200, kRounds = 20;
  std::vector<std::unique_ptr<CodeSlot>> slots;
  std::vector<std::shared_ptr<Version>> versions;
  for (int i = 0; i < kUnits; ++i) {
    slots.push_back(std::make_unique<CodeSlot>(epochs));
    auto version = std::make_shared<Version>();
    version->value = i;
    version->code = *InstalledCode::install(constantImage(i, 1000), slabs);
    versions.push_back(version);
    slots.back()->install(makeCode(version));
  }
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 2; ++t)
    callers.emplace_back([&] {
      for (size_t i = 0; !stop.load(std::memory_order_relaxed); ++i)
        wrong += !callsItsOwn(*slots[i % kUnits]);
    });
  for (int round = 0; round < kRounds; ++round) {
    slabs->startFreshSlabs();
    for (size_t i = 0; i < kUnits; ++i) {
      auto moved = std::make_shared<Version>(*versions[i]);
      moved->code = *versions[i]->code->copy();
      versions[i] = moved;
      slots[i]->install(makeCode(moved));
    }
  }
  stop = true;
  for (std::thread &caller : callers)
    caller.join();
  epochs.collect();
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(slabs->statistics().numImages, size_t(kUnits));
  EXPECT_EQ(slabs->statistics().numSlabs, 4u);
}

} // namespace
