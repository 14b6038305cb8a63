//===- EmitTest.cpp - Code images that run --------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetTesting.h"

#include "llvm/Support/FormatVariadic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <thread>

using namespace anneal;
using namespace anneal::target;
using namespace anneal::target::test;
using llvm::CodeGenOptLevel;
using llvm::StringRef;

namespace {

/// Runs a check on each target that runs here and each level.
void onAllTargets(StringRef text,
                  const std::function<void(const runtime::InstalledCode &)> &check) {
  for (const std::string &target : runnableTargets()) {
    std::unique_ptr<CodeGenerator> generator = makeGenerator(target);
    for (CodeGenOptLevel level : allLevels()) {
      SCOPED_TRACE(target + " O" + std::to_string(int(level)));
      plan::CodeImage image = emit(*generator, text, level);
      auto code = install(image);
      ASSERT_NE(code, nullptr);
      check(*code);
      // It runs wherever it is.
      auto moved = *code->copy();
      code.reset();
      check(*moved);
    }
  }
}

constexpr char kTables[] = R"(
@squares = internal constant [8 x i32] [i32 0, i32 1, i32 4, i32 9, i32 16, i32 25, i32 36, i32 49]
@text = private unnamed_addr constant [6 x i8] c"image\00"
@wide = internal constant [64 x i8] zeroinitializer, align 256

define internal i32 @look_up(i32 %i) noinline {
  %p = getelementptr [8 x i32], ptr @squares, i64 0, i32 %i
  %v = load i32, ptr %p
  ret i32 %v
}
define i32 @sum(i32 %a, i32 %b) {
  %x = call i32 @look_up(i32 %a)
  %y = call i32 @look_up(i32 %b)
  %s = add i32 %x, %y
  ret i32 %s
}
define ptr @get_text() { ret ptr @text }
define ptr @get_function() { ret ptr @look_up }
define i64 @misalignment() {
  %i = ptrtoint ptr @wide to i64
  %r = and i64 %i, 255
  ret i64 %r
}
)";

TEST(EmitTest, FunctionsCallEachOtherAndReadTables) {
  onAllTargets(kTables, [](const runtime::InstalledCode &code) {
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b)
        EXPECT_EQ((entry<int(int, int)>(code, "sum")(a, b)), a * a + b * b);
    EXPECT_STREQ(entry<const char *()>(code, "get_text")(), "image");
    auto lookUp = reinterpret_cast<int (*)(int)>(entry<void *()>(code, "get_function")());
    EXPECT_EQ(lookUp(7), 49);
    EXPECT_EQ(entry<uint64_t()>(code, "misalignment")(), 0u);
    EXPECT_EQ(code.entry("look_up"), nullptr);
  });
}

TEST(EmitTest, VectorsReadTheirConstantsFromTheImage) {
  constexpr char kText[] = R"(
declare <16 x float> @llvm.fma.v16f32(<16 x float>, <16 x float>, <16 x float>)
define i32 @polynomial(ptr %frame, ptr %p) {
  %x = load <16 x float>, ptr %p, align 4
  %s = fmul <16 x float> %x, <float 1.0, float 2.0, float 3.0, float 4.0, float 5.0, float 6.0, float 7.0, float 8.0, float 9.0, float 10.0, float 11.0, float 12.0, float 13.0, float 14.0, float 15.0, float 16.0>
  %y = fadd <16 x float> %s, splat (float 0.125)
  %m = shufflevector <16 x float> %y, <16 x float> poison, <16 x i32> <i32 15, i32 3, i32 1, i32 14, i32 0, i32 2, i32 9, i32 8, i32 7, i32 13, i32 12, i32 6, i32 5, i32 11, i32 10, i32 4>
  store <16 x float> %m, ptr %p, align 4
  ret i32 0
}
)";
  constexpr int kOrder[] = {15, 3, 1, 14, 0, 2, 9, 8, 7, 13, 12, 6, 5, 11, 10, 4};
  onAllTargets(kText, [&](const runtime::InstalledCode &code) {
    float values[16], expected[16];
    for (int i = 0; i < 16; ++i)
      values[i] = float(i) * 0.5f - 3.0f;
    for (int i = 0; i < 16; ++i) {
      float scaled = values[kOrder[i]] * float(kOrder[i] + 1);
      expected[i] = scaled + 0.125f;
    }
    entry<int(void *, float *)>(code, "polynomial")(nullptr, values);
    EXPECT_EQ(std::memcmp(values, expected, sizeof(values)), 0);
  });
}

TEST(EmitTest, ASwitchJumpsByATable) {
  std::string text = "define i32 @choose(i32 %x, i32 %y) {\n  switch i32 %x, label %none [\n";
  for (int i = 0; i < 64; ++i)
    text += llvm::formatv("    i32 {0}, label %case{0}\n", i);
  text += "  ]\nnone:\n  ret i32 -1\n";
  // Different operations, or a table of values would do.
  const char *operations[] = {"add", "mul", "xor", "sub"};
  for (int i = 0; i < 64; ++i)
    text += llvm::formatv("case{0}:\n  %r{0} = {1} i32 %y, {2}\n  ret i32 %r{0}\n", i,
                          operations[i % 4], i * 7);
  text += "}\n";
  onAllTargets(text, [](const runtime::InstalledCode &code) {
    auto *choose = entry<int(int, int)>(code, "choose");
    for (int i = 0; i < 64; ++i) {
      int expected[] = {1000 + i * 7, 1000 * i * 7, 1000 ^ i * 7, 1000 - i * 7};
      EXPECT_EQ(choose(i, 1000), expected[i % 4]);
    }
    EXPECT_EQ(choose(64, 0), -1);
    EXPECT_EQ(choose(-1, 0), -1);
  });
}

TEST(EmitTest, UsesOfTheGlobalOffsetTableAreRelaxed) {
  constexpr char kText[] = R"(
@value = constant i32 77
define i32 @get() {
  %p = call ptr asm "movq value@GOTPCREL(%rip), $0", "=r"()
  %v = load i32, ptr %p
  ret i32 %v
}
define i32 @seven() { ret i32 7 }
define i32 @call_seven() naked {
  call void asm sideeffect "subq $$8, %rsp\0Acall *seven@GOTPCREL(%rip)\0Aaddq $$8, %rsp\0Aret", ""()
  unreachable
}
)";
  onAllTargets(kText, [](const runtime::InstalledCode &code) {
    EXPECT_EQ(entry<int()>(code, "get")(), 77);
    EXPECT_EQ(entry<int()>(code, "call_seven")(), 7);
  });
}

TEST(EmitTest, DescribesTheImage) {
  std::unique_ptr<CodeGenerator> generator = makeGenerator("x86-64-v3");
  plan::CodeImage image = emit(*generator, kTables);
  EXPECT_EQ(plan::validate(image), std::nullopt);
  std::vector<std::string> names;
  for (const plan::CodeSymbol &symbol : image.entries) {
    names.push_back(symbol.name);
    EXPECT_GT(symbol.size, 0u);
  }
  EXPECT_THAT(names, testing::ElementsAre("get_function", "get_text", "misalignment", "sum"));
  ASSERT_EQ(image.internals.size(), 1u);
  EXPECT_EQ(image.internals[0].name, "look_up");
  EXPECT_EQ(image.architecture, "x86_64");
  EXPECT_EQ(image.features, toText(featuresOf(CpuLevel::V3)));
  EXPECT_EQ(image.abiVersion, unsigned(ANNEAL_UNIT_ABI_VERSION));
  EXPECT_EQ(image.alignment, 256u);
  EXPECT_LT(image.textSize, image.bytes.size());
}

TEST(EmitTest, OtherProcessorsRefuseTheImage) {
  std::unique_ptr<CodeGenerator> generator = makeGenerator("x86-64-v4");
  plan::CodeImage image = emit(*generator, kTables);
  absl::Status status = runtime::checkRunnable(image, featuresOf(CpuLevel::V3));
  EXPECT_EQ(status.message(), "the code needs processor features that are missing here: "
                              "avx512f,avx512dq,avx512cd,avx512bw,avx512vl");
}

TEST(EmitTest, AttributesOfFunctionsDoNotChangeTheProcessor) {
  std::unique_ptr<CodeGenerator> generator = makeGenerator("x86-64");
  std::string body = "define <8 x float> @f(<8 x float> %x) {0}{\n"
                     "  %y = fadd <8 x float> %x, %x\n  ret <8 x float> %y\n}\n";
  auto withAttributes = [&](const char *attributes) {
    std::string text = body;
    return emit(*generator, text.replace(text.find("{0}"), 3, attributes));
  };
  EXPECT_EQ(withAttributes(R"("target-cpu"="skylake-avx512" "target-features"="+avx2" uwtable )"),
            withAttributes(""));
}

TEST(EmitTest, TheSameModuleGivesTheSameBytes) {
  std::unique_ptr<CodeGenerator> first = makeGenerator(), second = makeGenerator();
  for (CodeGenOptLevel level : allLevels()) {
    std::string image = plan::serialize(emit(*first, kTables, level));
    // After other work, too.
    emit(*first, "define i32 @f(i32 %x) {\n  %y = sdiv i32 %x, 7\n  ret i32 %y\n}\n", level);
    EXPECT_EQ(plan::serialize(emit(*first, kTables, level)), image);
    EXPECT_EQ(plan::serialize(emit(*second, kTables, level)), image);
  }
}

TEST(EmitTest, GeneratorsOfTwoThreadsDoNotMeet) {
  std::string expected = plan::serialize(emit(*makeGenerator(), kTables));
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      std::unique_ptr<CodeGenerator> generator = makeGenerator();
      for (int i = 0; i < 20; ++i)
        EXPECT_EQ(plan::serialize(emit(*generator, kTables)), expected);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(EmitTest, RunsAfterAStayInAFile) {
  std::unique_ptr<CodeGenerator> generator = makeGenerator();
  auto parsed = plan::parseCodeImage(plan::serialize(emit(*generator, kTables)));
  ASSERT_TRUE(std::holds_alternative<plan::CodeImage>(parsed));
  auto code = install(std::get<plan::CodeImage>(parsed));
  EXPECT_EQ((entry<int(int, int)>(*code, "sum")(2, 3)), 13);
}

/// Not a check: what an image costs here.
TEST(EmitTest, PrintsTheTimeOfAnEmit) {
  using Clock = std::chrono::steady_clock;
  auto since = [](Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  };
  for (CodeGenOptLevel level : allLevels()) {
    Clock::time_point start = Clock::now();
    std::unique_ptr<CodeGenerator> generator = makeGenerator();
    emit(*generator, kTables, level);
    double cold = since(start);
    std::vector<double> times;
    for (int i = 0; i < 31; ++i) {
      llvm::LLVMContext context;
      std::unique_ptr<llvm::Module> module = parse(kTables, context);
      start = Clock::now();
      llvm::Expected<plan::CodeImage> image = generator->emit(*module, level);
      times.push_back(since(start));
      ASSERT_TRUE(bool(image));
    }
    std::sort(times.begin(), times.end());
    std::printf("O%d: five small functions, warm: %.2f ms (median), %.2f ms (least); the first: "
                "%.1f ms\n",
                int(level), times[times.size() / 2], times[0], cold);
  }
}

} // namespace
