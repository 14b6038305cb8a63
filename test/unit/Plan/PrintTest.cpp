//===- PrintTest.cpp - Plans as text --------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SamplePlans.h"

#include "anneal/Plan/Print.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

using namespace anneal::plan;
using namespace anneal::plan::test;
using testing::HasSubstr;

namespace {

std::string textOf(const Module &module) {
  std::ostringstream text;
  print(module, text);
  return text.str();
}

TEST(PrintTest, WritesOneLineForEachThing) {
  EXPECT_EQ(textOf(makeRowSumModule()), R"(module "rowsum"
unit "add" (in t0: [?] f32, in t1: [?] f32, out t2: [?] f32) {
  kernel linalg.generic (d0 parallel dim(t2, 0))
    %0 = in t0 [d0]
    %1 = in t1 [d0]
    %2 = out t2 [d0]
    %3 = AddF f32 %0, %1
    yield %3
}
unit "scale" (in t0: [?] f32, out t1: [?] f32) scalars(f32) {
  kernel linalg.generic (d0 parallel dim(t1, 0))
    %0 = in t0 [d0]
    %1 = out t1 [d0]
    %2 = scalar 0
    %3 = MulF f32 %0, %2
    yield %3
}
function "main" ("x" m0: tensor<?x3xf32>) -> (m1: tensor<3xf32>) {
  m0: f32 [%0, %1] strides [%3, 1] in argument0
  m1: f32 [3] strides [1] in result0
  m2: f32 [3] strides [1] in argument0
  m3: f32 [3] strides [1] in argument0 offset %10 dynamic
  shape {
    %3 = MulI index 1, %1
  }
  0: invoke "scale" (0; m2, m1)
  1: for %9 = 0 to %0 step 1
  {
    2: scalars {
      %10 = MulI index %9, 3
    }
    3: invoke "add" (m1, m3, m1)
  }
}
)");
}

TEST(PrintTest, WritesEveryKindOfStepBaseAndKernel) {
  std::string text = textOf(makeEverythingModule());
  for (const char *part : {"module \"every\\\"thing\"",
                           "constant1: tensor<4x4xf32> = result 0 of \"init constants\"",
                           "private function \"init constants\"",
                           "out read t1",
                           "low [2]",
                           "[d0 2 floordiv]",
                           "Gather f32 %0 gather 0",
                           "Assert i1 %3 \"negative\"",
                           "temporary t2: [scalar 0] f32",
                           "scalars(index shape)",
                           "keys %2",
                           "CheckSlice index 0, %0, 1, %0 at \"model.mlir:9:1\"",
                           "in slot0 dynamic",
                           "in constant0",
                           "for %9 = 0 to %0 step 1 carries (%8; m3) from (0; m1)",
                           "alloc m4",
                           "load %12, m3[0] at \"model.mlir:11:1\"",
                           "store %12, m2[0]",
                           "if %14 gives (%13)",
                           "while carries (%15) from (0) gives (%16)",
                           "case -1 {",
                           "default {"})
    EXPECT_THAT(text, HasSubstr(part));
}

} // namespace
