//===- CpuTargetTest.cpp - Processors that code is made for ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetTesting.h"

#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

using namespace anneal;
using namespace anneal::target;
using namespace anneal::target::test;
using llvm::CodeGenOptLevel;

namespace {

TEST(CpuTargetTest, NamesWhatThereIs) {
  llvm::Expected<CpuTarget> target = CpuTarget::get("pdp11");
  ASSERT_FALSE(target);
  EXPECT_EQ(toString(target.takeError()), "unknown target 'pdp11'; there are host, x86-64, "
                                          "x86-64-v2, x86-64-v3, x86-64-v4");
}

TEST(CpuTargetTest, LevelsHaveTheirFeaturesAlone) {
  llvm::Expected<CpuTarget> target = CpuTarget::get("x86-64-v3");
  ASSERT_TRUE(bool(target));
  EXPECT_EQ(target->features(), featuresOf(CpuLevel::V3));
  EXPECT_EQ(target->text(), "x86_64-unknown-linux-gnu;x86-64-v3;;");
}

TEST(CpuTargetTest, TheHostAsksForNoMoreThanItHas) {
  llvm::Expected<CpuTarget> target = CpuTarget::get("host");
  ASSERT_TRUE(bool(target));
  EXPECT_TRUE(hostCpuFeatures().containsAll(target->features()));
  EXPECT_TRUE(target->features().containsAll(featuresOf(levelOf(hostCpuFeatures()))));
  EXPECT_FALSE(target->tuneCpu.empty());
}

/// What an image says that it needs is what LLVM was allowed to use.
TEST(CpuTargetTest, LlvmAgreesOnTheFeaturesOfATarget) {
  for (const char *name : {"host", "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    std::unique_ptr<CodeGenerator> generator = makeGenerator(name);
    const llvm::MCSubtargetInfo &llvmFeatures =
        *generator->machine(CodeGenOptLevel::Default).getMCSubtargetInfo();
    for (unsigned i = 0; i < kNumCpuFeatures; ++i) {
      auto feature = CpuFeature(i);
      EXPECT_EQ(generator->target().features().contains(feature),
                llvmFeatures.checkFeatures("+" + std::string(anneal::name(feature))))
          << name << " " << anneal::name(feature);
    }
  }
}

} // namespace
