//===- SavedPlanTest.cpp - Running a saved plan without a compiler --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTesting.h"

#include "anneal/Plan/Serialize.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

namespace {

/// A path in a folder of the test's own.
class SavedPlanTest : public testing::Test {
protected:
  void SetUp() override {
    path =
        (fs::path(testing::TempDir()) / ("anneal-saved-plan-" + std::to_string(getpid()))).string();
  }
  void TearDown() override { fs::remove(path); }
  std::string path;
};

std::string fileMappings() {
  std::ifstream file("/proc/self/maps");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_F(SavedPlanTest, GivesTheSameBitsAsThePlanThatWasSaved) {
  for (plan::Module module : {plan::test::makeLinearModule(), plan::test::makeRowSumModule()}) {
    ASSERT_EQ(plan::saveModule(module, path), std::nullopt);
    std::vector<Value> inputs = {iota({5, module.name == "linear" ? 4 : 3})};
    if (module.name == "linear")
      inputs.push_back(inputs[0]);
    std::vector<float> expected = floatsOf(run(*makeProgram(module), inputs)[0]);
    auto loaded = plan::loadModule(path);
    ASSERT_TRUE(std::holds_alternative<plan::Module>(loaded)) << std::get<std::string>(loaded);
    auto program = makeProgram(std::get<plan::Module>(std::move(loaded)));
    EXPECT_EQ(floatsOf(run(*program, inputs)[0]), expected);
  }
}

TEST_F(SavedPlanTest, RunsInAProcessThatNeverMapsLLVM) {
  ASSERT_EQ(plan::saveModule(plan::test::makeGrowingModule(), path), std::nullopt);
  auto program = makeProgram(std::get<plan::Module>(plan::loadModule(path)));
  std::vector<Value> results = run(*program, {Scalar::of<int64_t>(plan::DType::Index, 3)});
  EXPECT_EQ(integersOf(results[0]), (std::vector<int64_t>{0, 1, 2}));
  EXPECT_THAT(fileMappings(), HasSubstr("libc"));
  EXPECT_THAT(fileMappings(), Not(HasSubstr("libLLVM")));
  EXPECT_THAT(fileMappings(), Not(HasSubstr("libMLIR")));
}

} // namespace
