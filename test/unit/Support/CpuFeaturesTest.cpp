//===- CpuFeaturesTest.cpp - What code asks of a processor ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Support/CpuFeatures.h"

#include <gtest/gtest.h>

using namespace anneal;

namespace {

TEST(CpuFeaturesTest, TextIsReadBackInAnyOrder) {
  CpuFeatures all;
  for (unsigned i = 0; i < kNumCpuFeatures; ++i)
    all.insert(CpuFeature(i));
  CpuFeatures again;
  std::string unknown;
  ASSERT_TRUE(parseCpuFeatures(toText(all), again, unknown)) << unknown;
  EXPECT_EQ(again, all);
  ASSERT_TRUE(parseCpuFeatures("fma,sse4.1", again, unknown));
  EXPECT_EQ(again, (CpuFeatures{CpuFeature::Sse41, CpuFeature::Fma}));
  EXPECT_EQ(toText(again), "sse4.1,fma");
  ASSERT_TRUE(parseCpuFeatures("", again, unknown));
  EXPECT_TRUE(again.isEmpty());
}

TEST(CpuFeaturesTest, NamesWhatItDoesNotKnow) {
  CpuFeatures features;
  std::string unknown;
  EXPECT_FALSE(parseCpuFeatures("fma,avx1024", features, unknown));
  EXPECT_EQ(unknown, "avx1024");
  EXPECT_FALSE(parseCpuFeatures("fma,,avx2", features, unknown));
  EXPECT_EQ(unknown, "");
}

TEST(CpuFeaturesTest, LevelsAreNested) {
  for (unsigned i = 0; i < kNumCpuLevels; ++i) {
    CpuFeatures features = featuresOf(CpuLevel(i));
    EXPECT_EQ(levelOf(features), CpuLevel(i));
    if (i > 0) {
      EXPECT_TRUE(features.containsAll(featuresOf(CpuLevel(i - 1))));
    }
  }
  CpuFeatures v3 = featuresOf(CpuLevel::V3);
  EXPECT_EQ(levelOf(v3.without({CpuFeature::Bmi2})), CpuLevel::V2);
  EXPECT_FALSE(v3.contains(CpuFeature::Avx512f));
}

#if defined(__x86_64__)
TEST(CpuFeaturesTest, SeesTheHostAsTheBuiltinsDo) {
  CpuFeatures host = hostCpuFeatures();
  __builtin_cpu_init();
  EXPECT_EQ(host.contains(CpuFeature::Sse42), __builtin_cpu_supports("sse4.2") != 0);
  EXPECT_EQ(host.contains(CpuFeature::Avx2), __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(host.contains(CpuFeature::Fma), __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(host.contains(CpuFeature::Bmi2), __builtin_cpu_supports("bmi2") != 0);
  EXPECT_EQ(host.contains(CpuFeature::Avx512f), __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(host.contains(CpuFeature::Avx512vl), __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_EQ(host.contains(CpuFeature::Avx512vnni), __builtin_cpu_supports("avx512vnni") != 0);
  EXPECT_EQ(host.contains(CpuFeature::Avx512bf16), __builtin_cpu_supports("avx512bf16") != 0);
}
#endif

} // namespace
