//===- CodeSpaceTest.cpp - Code memory of an engine -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeSpace.h"

#include "TieringTesting.h"

using namespace anneal;
using namespace anneal::engine;
using namespace anneal::engine::test;
using runtime::test::IsError;
using testing::ElementsAre;

namespace {

/// Names of the functions that it was told of.
class NameKeeper final : public runtime::CodeObserver {
public:
  void codeInstalled(const runtime::CodePlace &code) override {
    for (const runtime::NamedCode &function : code.functions)
      names.push_back(function.name);
  }
  void codeRemoved(const char *) override { ++numRemoved; }

  std::vector<std::string> names;
  int numRemoved = 0;
};

TEST(CodeSpaceTest, ObserversSeeTheNameOfTheUnit) {
  auto keeper = std::make_shared<NameKeeper>();
  CodeSpace space(1 << 20, {keeper});
  plan::CodeImage image = unitImage();
  image.internals = {{"unit.body.0", 0, 4}, {"helper", 4, 4}};
  {
    auto code = space.load(image, "matmul_3", Tier::Baseline);
    ASSERT_TRUE(code.ok()) << code.status();
    EXPECT_NE((*code)->fn, nullptr);
    EXPECT_THAT(keeper->names,
                ElementsAre("matmul_3@baseline", "matmul_3.body.0@baseline", "helper@baseline"));
    EXPECT_EQ(space.statistics().liveBytes, image.bytes.size());
  }
  EXPECT_EQ(keeper->numRemoved, 1);
  EXPECT_EQ(space.statistics().liveBytes, 0u);
}

TEST(CodeSpaceTest, TakesNoMemoryBeforeThereIsCode) {
  CodeSpace space(1 << 20);
  EXPECT_EQ(space.statistics().allocatedBytes, 0u);
}

TEST(CodeSpaceTest, RefusesWhatDoesNotFit) {
  CodeSpace space(8192);
  auto first = space.load(unitImage(0, 8000), "a", Tier::Baseline);
  EXPECT_TRUE(first.ok()) << first.status();
  EXPECT_THAT(space.load(unitImage(0, 8000), "b", Tier::Baseline).status(),
              IsError(absl::StatusCode::kResourceExhausted, ""));
}

TEST(CodeSpaceTest, RefusesAnImageWithoutTheEntry) {
  CodeSpace space(1 << 20);
  plan::CodeImage image = unitImage();
  image.entries[0].name = "main";
  EXPECT_THAT(space.load(image, "a", Tier::Baseline).status(),
              IsError(absl::StatusCode::kInvalidArgument, "no entry 'unit'"));
}

} // namespace
