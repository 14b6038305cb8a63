//===- ReplacedTiersTest.cpp - Engines with other pipelines ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Engine/Engine.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace anneal;
using namespace anneal::engine;
using runtime::Tensor;
using testing::HasSubstr;

namespace {

constexpr char kModule[] = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = linalg.exp ins(%x : tensor<4xf32>) outs(%x : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
})";

/// Compiled whole, by MLIR's own lowering.
constexpr char kForeign[] = R"(
func.func @main() -> f32 {
  %m = memref.alloc() : memref<f32>
  %c = arith.constant 2.5 : f32
  memref.store %c, %m[] : memref<f32>
  %y = memref.load %m[] : memref<f32>
  return %y : f32
})";

EngineOptions optionsWith(const std::string &tier, const std::string &pipeline) {
  EngineOptions options;
  options.threads = 1;
  options.compilerLibrary = ANNEAL_COMPILER_LIBRARY;
  TierOverride other;
  other.name = tier;
  other.pipeline = pipeline;
  options.tiering.tierOverrides.push_back(other);
  return options;
}

float callForeign(Engine &engine) {
  auto model = engine.loadBytes(kForeign, "foreign.mlir");
  EXPECT_TRUE(model.ok()) << model.status();
  auto results = (*(*model)->function("main"))->call({});
  EXPECT_TRUE(results.ok()) << results.status();
  return results.ok() ? (*results)[0].scalar().as<float>() : 0;
}

TEST(ReplacedTiersTest, AnIllegalPipelineIsAnInvalidArgumentBeforeAnythingIsLoaded) {
  auto engine = Engine::create(optionsWith("baseline", "canonicalize,no-such-pass"));
  EXPECT_EQ(engine.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(engine.status().message()), HasSubstr("'no-such-pass'"));
}

TEST(ReplacedTiersTest, AnOptionOfCodeGenerationIsChecked) {
  EngineOptions options = optionsWith("baseline", "jit-tier-baseline");
  options.tiering.tierOverrides[0].codegen["prefer-vector-width"] = "77";
  EXPECT_EQ(Engine::create(options).status().code(), absl::StatusCode::kInvalidArgument);
  options.tiering.tierOverrides[0].codegen["prefer-vector-width"] = "256";
  EXPECT_TRUE(Engine::create(options).ok());
}

TEST(ReplacedTiersTest, NamesTheLibraryThatOtherPipelinesNeedWhereItIsMissing) {
  EngineOptions options = optionsWith("baseline", "jit-tier-baseline");
  options.compilerLibrary = ANNEAL_OTHER_VERSION;
  auto engine = Engine::create(options);
  EXPECT_EQ(engine.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(engine.status().message()), HasSubstr("libAnnealWorkbench.so"));
}

TEST(ReplacedTiersTest, AUnitThatThePipelineFailsOnStaysAndAnswers) {
  auto engine = Engine::create(optionsWith("baseline", "canonicalize"));
  ASSERT_TRUE(engine.ok()) << engine.status();
  auto model = (*engine)->loadBytes(kModule, "test.mlir");
  ASSERT_TRUE(model.ok()) << model.status();
  std::vector<UnitFailure> failures = (*model)->forceTier(Tier::Baseline);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_THAT(failures[0].reason, HasSubstr("leaves 'jit.unit'"));
  float x[] = {0, 0, 0, 0};
  auto results = (*(*model)->function("main"))->call({Tensor::view(plan::DType::F32, {4}, x)});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].tensor().dataAs<float>()[3], 1.0f);
  EXPECT_EQ((*model)->tiering().compile.failed, 1u);
}

// Both libraries of the compiler half and that of the stock lowering in one process, in either
// order.
TEST(ReplacedTiersTest, EnginesWithAndWithoutOtherPipelinesLiveSideBySide) {
  EngineOptions plain;
  plain.threads = 1;
  plain.compilerLibrary = ANNEAL_COMPILER_LIBRARY;
  for (int round = 0; round < 2; ++round) {
    auto ordinary = Engine::create(plain);
    ASSERT_TRUE(ordinary.ok()) << ordinary.status();
    EXPECT_EQ(callForeign(**ordinary), 2.5f);
    auto replaced = Engine::create(optionsWith("stock", "canonicalize,jit-tier-stock"));
    ASSERT_TRUE(replaced.ok()) << replaced.status();
    EXPECT_EQ(callForeign(**replaced), 2.5f);
    for (Engine *engine : {ordinary->get(), replaced->get()}) {
      auto model = engine->loadBytes(kModule, "test.mlir");
      ASSERT_TRUE(model.ok()) << model.status();
      EXPECT_TRUE((*model)->forceTier(Tier::Baseline).empty());
      TieringReport report = (*model)->tiering();
      EXPECT_EQ(report.units[0].tier, Tier::Baseline);
      EXPECT_THAT(report.compile.passes,
                  testing::Contains(testing::Field(&PassTotal::name, "jit-lower-unit-bodies")));
    }
  }
}

} // namespace
