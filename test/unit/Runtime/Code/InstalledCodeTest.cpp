//===- InstalledCodeTest.cpp - A code image that can be called ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Code/InstalledCode.h"

#include "CodeTesting.h"

#include <gtest/gtest.h>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;

namespace {

class InstalledCodeTest : public testing::Test {
protected:
  absl::Status errorOf(const plan::CodeImage &image) const {
    return InstalledCode::install(image, slabs).status();
  }

  std::shared_ptr<CodeSlabs> slabs = *CodeSlabs::create();
};

TEST_F(InstalledCodeTest, FindsEntriesAndFreesItself) {
  plan::CodeImage image = constantImage(5, 100);
  {
    auto code = *InstalledCode::install(image, slabs);
    EXPECT_EQ(code->size(), 100u);
    EXPECT_EQ(code->unit("get")(nullptr), 5);
    EXPECT_EQ(callConstant(code->entry("get")), 5);
    EXPECT_EQ(code->entry("set"), nullptr);
    EXPECT_EQ(code->unit("set"), nullptr);
    EXPECT_EQ(slabs->statistics().liveBytes, 100u);
  }
  EXPECT_EQ(slabs->statistics().liveBytes, 0u);
}

TEST_F(InstalledCodeTest, ACopyRunsWhenTheOriginalIsGone) {
  auto code = *InstalledCode::install(constantImage(5, 100), slabs);
  const void *old = code->entry("get");
  slabs->startFreshSlabs();
  code = *code->copy();
  EXPECT_NE(code->entry("get"), old);
  EXPECT_EQ(code->unit("get")(nullptr), 5);
  EXPECT_EQ(slabs->statistics().numSlabs, 1u);
  EXPECT_EQ(slabs->statistics().liveBytes, 100u);
}

TEST_F(InstalledCodeTest, RefusesWhatTheProcessorLacks) {
  plan::CodeImage image = constantImage(1);
  image.features = "sse3,avx2,avx512fp16";
  EXPECT_EQ(checkRunnable(image, {CpuFeature::Sse3}).message(),
            "the code needs processor features that are missing here: avx2,avx512fp16");
  EXPECT_EQ(checkRunnable(image, {CpuFeature::Sse3}).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(
      checkRunnable(image, {CpuFeature::Sse3, CpuFeature::Avx2, CpuFeature::Avx512fp16}).ok());
  image.features = "sse3,avx9";
  EXPECT_EQ(errorOf(image).message(),
            "the code needs the processor feature 'avx9', which this runtime does not know");
  EXPECT_EQ(errorOf(image).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(InstalledCodeTest, RefusesAnotherAbiOrArchitecture) {
  plan::CodeImage image = constantImage(1);
  image.abiVersion = 99;
  EXPECT_EQ(errorOf(image).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(errorOf(image).message(),
            "the code was compiled for version 99 of the unit ABI, this runtime has version " +
                std::to_string(ANNEAL_UNIT_ABI_VERSION));
  image = constantImage(1);
  image.architecture = "riscv64";
  EXPECT_EQ(errorOf(image).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(errorOf(image).message(), "the code is for riscv64, this process runs on x86_64");
}

TEST_F(InstalledCodeTest, RefusesInvalidImages) {
  plan::CodeImage image = constantImage(1);
  image.entries[0].offset = 16;
  EXPECT_EQ(errorOf(image).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(errorOf(image).message(),
            "the code image is not valid: function 'get' lies outside the code");
  EXPECT_EQ(slabs->statistics().liveBytes, 0u);
}

} // namespace
