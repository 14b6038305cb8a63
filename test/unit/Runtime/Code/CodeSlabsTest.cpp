//===- CodeSlabsTest.cpp - Executable memory ------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Code/CodeSlabs.h"

#include "CodeTesting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <random>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace anneal::runtime;
using namespace anneal::runtime::test;
using testing::HasSubstr;

namespace {

std::shared_ptr<CodeSlabs> makeSlabs(const CodeSlabOptions &options) {
  absl::StatusOr<std::shared_ptr<CodeSlabs>> slabs = CodeSlabs::create(options);
  EXPECT_TRUE(slabs.ok()) << slabs.status();
  return *slabs;
}

const void *place(CodeSlabs &slabs, const std::string &code, size_t alignment = 16) {
  absl::StatusOr<const void *> address = slabs.place(code, alignment);
  EXPECT_TRUE(address.ok()) << address.status();
  return *address;
}

class CodeSlabsTest : public testing::TestWithParam<CodeMapping> {};
INSTANTIATE_TEST_SUITE_P(Mappings, CodeSlabsTest,
                         testing::Values(CodeMapping::TwoViews, CodeMapping::OneView),
                         [](const auto &info) {
                           return info.param == CodeMapping::TwoViews ? "TwoViews" : "OneView";
                         });

TEST_P(CodeSlabsTest, RunsWhatItPlaces) {
  auto slabs = makeSlabs({.mapping = GetParam()});
  EXPECT_EQ(slabs->mapping(), GetParam());
  std::vector<const void *> code;
  for (int i = 0; i < 300; ++i)
    code.push_back(place(*slabs, constantCode(i, 24 + size_t(i) * 7)));
  for (int i = 0; i < 300; ++i)
    EXPECT_EQ(callConstant(code[size_t(i)]), i);
  EXPECT_EQ(slabs->statistics().numImages, 300u);
  for (const void *address : code)
    slabs->release(address);
  EXPECT_EQ(slabs->statistics().liveBytes, 0u);
}

TEST_P(CodeSlabsTest, UsesFreedMemoryAgain) {
  auto slabs = makeSlabs({.slabBytes = 1 << 16, .mapping = GetParam()});
  const void *other = place(*slabs, constantCode(-1));
  for (int i = 0; i < 10000; ++i) {
    const void *code = place(*slabs, constantCode(i, 1000));
    ASSERT_EQ(callConstant(code), i);
    slabs->release(code);
  }
  EXPECT_EQ(slabs->statistics().numSlabs, 1u);
  EXPECT_EQ(callConstant(other), -1);
  slabs->release(other);
}

TEST_P(CodeSlabsTest, AlignsCode) {
  auto slabs = makeSlabs({.mapping = GetParam()});
  std::vector<const void *> code;
  for (size_t alignment = 1; alignment <= 4096; alignment *= 2) {
    code.push_back(place(*slabs, constantCode(1), alignment));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(code.back()) % alignment, 0u);
  }
  for (const void *address : code)
    slabs->release(address);
}

TEST_P(CodeSlabsTest, NothingIsEverWritableAndExecutable) {
  auto slabs = makeSlabs({.slabBytes = 1 << 16, .mapping = GetParam()});
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (int i = 0; i < 3000 && !done; ++i)
      slabs->release(place(*slabs, constantCode(i, 5000)));
    done = true;
  });
  auto expectNone = [] {
    for (const MappedRange &range : mappedRanges())
      EXPECT_FALSE(range.access[1] == 'w' && range.access[2] == 'x') << range.access;
  };
  while (!done)
    expectNone();
  writer.join();
  const void *code = place(*slabs, constantCode(1));
  expectNone();
  EXPECT_THAT(accessOf(code), testing::StartsWith("r-x"));
  slabs->release(code);
}

TEST_P(CodeSlabsTest, RefusesMoreThanTheLimit) {
  auto slabs = makeSlabs({.slabBytes = 1 << 16, .limitBytes = 3 << 16, .mapping = GetParam()});
  std::vector<const void *> code;
  absl::StatusOr<const void *> last;
  while ((last = slabs->place(constantCode(1, 20000), 16)).ok())
    code.push_back(*last);
  EXPECT_EQ(last.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(last.status().message(),
            "out of code memory: 20000 bytes wanted, 196608 of 196608 bytes in use");
  EXPECT_EQ(code.size(), 9u);
  EXPECT_EQ(slabs->statistics().allocatedBytes, size_t(3) << 16);
  // What is freed can be had again.
  slabs->release(code.back());
  EXPECT_EQ(callConstant(code.back() = place(*slabs, constantCode(7, 20000))), 7);
  for (const void *address : code)
    slabs->release(address);
}

TEST_P(CodeSlabsTest, GivesLargeCodeASlabOfItsOwn) {
  auto slabs = makeSlabs({.slabBytes = 1 << 16, .limitBytes = 1 << 20, .mapping = GetParam()});
  const void *small = place(*slabs, constantCode(1));
  const void *large = place(*slabs, constantCode(2, 200000));
  EXPECT_EQ(callConstant(large), 2);
  EXPECT_EQ(slabs->statistics().numSlabs, 2u);
  EXPECT_EQ(slabs->place(constantCode(3, 2 << 20), 16).status().code(),
            absl::StatusCode::kResourceExhausted);
  slabs->release(large);
  EXPECT_EQ(slabs->statistics().allocatedBytes, size_t(1) << 16);
  slabs->release(small);
}

TEST_P(CodeSlabsTest, GivesEmptySlabsBackButForOne) {
  auto slabs = makeSlabs({.slabBytes = 1 << 16, .mapping = GetParam()});
  std::vector<const void *> code;
  for (int i = 0; i < 40; ++i)
    code.push_back(place(*slabs, constantCode(i, 16384)));
  EXPECT_EQ(slabs->statistics().numSlabs, 10u);
  for (const void *address : code)
    slabs->release(address);
  EXPECT_EQ(slabs->statistics().numSlabs, 1u);
  EXPECT_EQ(slabs->statistics().fragmentation(), 1.0);
}

TEST_P(CodeSlabsTest, ServesManyThreads) {
  auto slabs = makeSlabs({.slabBytes = 1 << 16, .mapping = GetParam()});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      std::vector<std::pair<const void *, int>> mine;
      for (int round = 0; round < 1500; ++round) {
        int value = t * 10000 + round;
        mine.emplace_back(place(*slabs, constantCode(value, 24 + random() % 3000)), value);
        auto &any = mine[random() % mine.size()];
        ASSERT_EQ(callConstant(any.first), any.second);
        if (random() % 2) {
          slabs->release(any.first);
          any = mine.back();
          mine.pop_back();
        }
      }
      for (auto [address, value] : mine) {
        ASSERT_EQ(callConstant(address), value);
        slabs->release(address);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(slabs->statistics().liveBytes, 0u);
  EXPECT_EQ(slabs->statistics().numImages, 0u);
}

TEST(CodeSlabsDefaultTest, FragmentationFallsWhenCodeMovesToFreshSlabs) {
  constexpr size_t kSlab = 1 << 16, kImage = 1024;
  auto slabs = makeSlabs({.slabBytes = kSlab});
  EXPECT_EQ(slabs->statistics().fragmentation(), 0.0);
  std::vector<const void *> code;
  for (int i = 0; i < 512; ++i)
    code.push_back(place(*slabs, constantCode(i, kImage)));
  EXPECT_EQ(slabs->statistics().numSlabs, 8u);
  EXPECT_EQ(slabs->statistics().fragmentation(), 0.0);
  // One in eight stays, in every slab.
  std::vector<const void *> live;
  for (size_t i = 0; i < code.size(); ++i)
    if (i % 8 == 0)
      live.push_back(code[i]);
    else
      slabs->release(code[i]);
  EXPECT_EQ(slabs->statistics().liveBytes, 64 * kImage);
  EXPECT_EQ(slabs->statistics().fragmentation(), 1.0 - 1.0 / 8);
  slabs->startFreshSlabs();
  for (const void *&address : live) {
    std::string copy(static_cast<const char *>(address), kImage);
    slabs->release(std::exchange(address, place(*slabs, copy)));
  }
  EXPECT_EQ(slabs->statistics().numSlabs, 1u);
  EXPECT_EQ(slabs->statistics().fragmentation(), 0.0);
  for (size_t i = 0; i < live.size(); ++i) {
    EXPECT_EQ(callConstant(live[i]), int(i * 8));
    slabs->release(live[i]);
  }
}

TEST(CodeSlabsDefaultTest, FreedMemoryTraps) {
  auto slabs = makeSlabs({.mapping = CodeMapping::TwoViews});
  const void *stays = place(*slabs, constantCode(1));
  const void *goes = place(*slabs, constantCode(2));
  slabs->release(goes);
  EXPECT_EQ(*static_cast<const unsigned char *>(goes), 0xcc);
  EXPECT_EQ(callConstant(stays), 1);
  slabs->release(stays);
}

/// Runs code where mprotect may not make memory executable. 0: it did; 77: the kernel has no such
/// mode.
int runWithoutExecGain() {
  constexpr int kSetMdwe = 65, kRefuseExecGain = 1; // PR_SET_MDWE, Linux 6.3
  if (prctl(kSetMdwe, kRefuseExecGain, 0, 0, 0) != 0)
    return 77;
  absl::StatusOr<std::shared_ptr<CodeSlabs>> slabs = CodeSlabs::create();
  if (!slabs.ok() || (*slabs)->mapping() != CodeMapping::TwoViews)
    return 1;
  absl::StatusOr<const void *> code = (*slabs)->place(constantCode(5), 16);
  return code.ok() && callConstant(*code) == 5 ? 0 : 2;
}

TEST(CodeSlabsDefaultTest, DoesWithoutMprotectWhereItIsRefused) {
  pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0)
    _exit(runWithoutExecGain());
  int status = -1;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "this kernel cannot refuse it";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(CodeSlabsDefaultTest, RefusesEmptyCode) {
  auto slabs = makeSlabs({});
  EXPECT_EQ(slabs->place("", 16).status().code(), absl::StatusCode::kInvalidArgument);
}

} // namespace
