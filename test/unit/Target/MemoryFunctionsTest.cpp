//===- MemoryFunctionsTest.cpp - memcpy and its kin in an image -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetTesting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <numeric>

using namespace anneal;
using namespace anneal::target;
using namespace anneal::target::test;

namespace {

constexpr char kIntrinsics[] = R"(
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @copy(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}
define void @move(ptr %to, ptr %from, i64 %n) {
  call void @llvm.memmove.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
  ret void
}
define void @fill(ptr %to, i8 %byte, i64 %n) {
  call void @llvm.memset.p0.i64(ptr %to, i8 %byte, i64 %n, i1 false)
  ret void
}
)";

using MoveFn = void(void *, const void *, size_t);
using FillFn = void(void *, char, size_t);

class MemoryFunctionsTest : public testing::TestWithParam<std::string> {
protected:
  std::shared_ptr<const runtime::InstalledCode> code =
      install(emit(*makeGenerator(GetParam()), kIntrinsics));
};
INSTANTIATE_TEST_SUITE_P(Targets, MemoryFunctionsTest, testing::ValuesIn(runnableTargets()),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

constexpr size_t kMargin = 8;
const std::vector<size_t> kSizes = [] {
  std::vector<size_t> sizes(200);
  std::iota(sizes.begin(), sizes.end(), 0);
  sizes.insert(sizes.end(), {1000, 4095, 4096, 4097, 100003});
  return sizes;
}();

TEST_P(MemoryFunctionsTest, CopiesEverySize) {
  for (const char *name : {"copy", "move"})
    for (size_t size : kSizes) {
      std::vector<char> from(size), to(size + 2 * kMargin, 'x');
      std::iota(from.begin(), from.end(), 1);
      entry<MoveFn>(*code, name)(to.data() + kMargin, from.data(), size);
      std::vector<char> expected(to.size(), 'x');
      std::copy(from.begin(), from.end(), expected.begin() + kMargin);
      ASSERT_EQ(to, expected) << name << " " << size;
    }
}

TEST_P(MemoryFunctionsTest, MovesBytesThatOverlap) {
  auto *move = entry<MoveFn>(*code, "move");
  for (size_t size : kSizes)
    for (long distance : {-64, -33, -32, -31, -1, 0, 1, 15, 31, 32, 33, 64, 150}) {
      constexpr long kBase = 200;
      std::vector<char> bytes(size + 2 * kBase), expected;
      for (size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = char(i * 7);
      expected = bytes;
      std::memmove(expected.data() + kBase + distance, expected.data() + kBase, size);
      move(bytes.data() + kBase + distance, bytes.data() + kBase, size);
      ASSERT_EQ(bytes, expected) << size << " by " << distance;
    }
}

TEST_P(MemoryFunctionsTest, FillsEverySize) {
  for (size_t size : kSizes) {
    std::vector<char> to(size + 2 * kMargin, 'x'), expected = to;
    std::fill_n(expected.begin() + kMargin, size, '\x93');
    entry<FillFn>(*code, "fill")(to.data() + kMargin, '\x93', size);
    ASSERT_EQ(to, expected) << size;
  }
}

TEST(MemoryFunctionsLinkTest, OnlyWhatIsNeededIsInTheImage) {
  std::unique_ptr<CodeGenerator> generator = makeGenerator();
  auto internals = [&](const char *text) {
    std::vector<std::string> names;
    for (const plan::CodeSymbol &symbol : emit(*generator, text).internals)
      names.push_back(symbol.name);
    return names;
  };
  EXPECT_THAT(internals("define i32 @f() { ret i32 1 }"), testing::IsEmpty());
  EXPECT_THAT(internals(R"(
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @fill(ptr %to, i64 %n) {
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %n, i1 false)
  ret void
})"),
              testing::ElementsAre("memset"));
  // One function under two names.
  EXPECT_THAT(internals(kIntrinsics), testing::UnorderedElementsAre("memcpy", "memmove", "memset"));
}

TEST(MemoryFunctionsLinkTest, AModuleMayDefineThemItself) {
  plan::CodeImage image = emit(*makeGenerator(), R"(
define ptr @memset(ptr %to, i32 %byte, i64 %n) "no-builtins" {
  store i8 42, ptr %to
  ret ptr %to
}
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @fill(ptr %to, i64 %n) {
  call void @llvm.memset.p0.i64(ptr %to, i8 0, i64 %n, i1 false)
  ret void
})");
  EXPECT_TRUE(image.internals.empty());
  char byte = 0;
  entry<void(char *, size_t)>(*install(image), "fill")(&byte, 1);
  EXPECT_EQ(byte, 42);
}

/// Not a check: the speed of copies beside that of the C library.
TEST(MemoryFunctionsLinkTest, PrintsTheSpeedOfCopies) {
  auto code = install(emit(*makeGenerator(), kIntrinsics));
  std::vector<char> from(1 << 22, 1), to(1 << 22, 2);
  auto nanoseconds = [&](MoveFn *copy, size_t size) {
    size_t rounds = std::max<size_t>(20, (size_t(1) << 26) / (size + 64));
    auto start = std::chrono::steady_clock::now();
    for (size_t i = 0; i < rounds; ++i)
      copy(to.data(), from.data(), size);
    std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    return time.count() / double(rounds);
  };
  auto library = [](void *a, const void *b, size_t n) { std::memcpy(a, b, n); };
  for (size_t size : {7, 64, 1024, 32768, 1 << 22})
    std::printf("memcpy of %zu bytes: %.1f ns, the C library's %.1f ns\n", size,
                nanoseconds(entry<MoveFn>(*code, "copy"), size), nanoseconds(library, size));
}

} // namespace
