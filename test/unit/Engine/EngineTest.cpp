//===- EngineTest.cpp - Loading models and calling their functions --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Engine/Engine.h"

#include "anneal/Compiler/CompilerApi.h"

#include "absl/strings/str_cat.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <unistd.h>

using namespace anneal;
using namespace anneal::engine;
using runtime::Tensor;
using runtime::Value;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

constexpr char kModule[] = R"(
func.func @double(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %y = linalg.add ins(%x, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}
func.func @take(%x: tensor<?xf32>, %i: index) -> f32 {
  %y = tensor.extract %x[%i] : tensor<?xf32>
  return %y : f32
}
)";

std::unique_ptr<Engine> makeEngine(unsigned threads = 2) {
  EngineOptions options;
  options.threads = threads;
  options.compilerLibrary = ANNEAL_COMPILER_LIBRARY;
  auto engine = Engine::create(options);
  EXPECT_TRUE(engine.ok()) << engine.status();
  return *std::move(engine);
}

std::unique_ptr<Model> load(Engine &engine, const std::string &text = kModule) {
  auto model = engine.loadBytes(text, "test.mlir");
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

Tensor view(std::vector<float> &values) {
  return Tensor::view(plan::DType::F32, {static_cast<int64_t>(values.size())}, values.data());
}

std::vector<float> floatsOf(const Value &value) {
  const Tensor &tensor = value.tensor();
  return {tensor.dataAs<float>(), tensor.dataAs<float>() + tensor.numElements()};
}

TEST(EngineTest, LoadsLooksUpAndCalls) {
  auto engine = makeEngine();
  auto model = load(*engine);
  auto function = model->function("double");
  ASSERT_TRUE(function.ok()) << function.status();
  std::vector<float> x = {1, -2, 3};
  auto results = (*function)->call({view(x)});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(floatsOf((*results)[0]), ElementsAre(2, -4, 6));
}

TEST(EngineTest, WritesToTheCallersOutput) {
  auto engine = makeEngine();
  auto model = load(*engine);
  std::vector<float> x = {1, 2}, y = {0, 0};
  Value inputs[] = {view(x)}, outputs[] = {view(y)};
  ASSERT_TRUE((*model->function("double"))->call(inputs, absl::MakeSpan(outputs)).ok());
  EXPECT_THAT(y, ElementsAre(2, 4));
}

TEST(EngineTest, NamesTheFunctionsThatExist) {
  auto engine = makeEngine();
  auto model = load(*engine);
  absl::Status status = model->function("triple").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(status.message()),
              testing::AllOf(HasSubstr("'triple'"), HasSubstr("'double'"), HasSubstr("'take'")));
}

TEST(EngineTest, ErrorsCarryPlaceAndCode) {
  auto engine = makeEngine();
  absl::Status status = engine->loadBytes("func.func @f(", "broken.mlir").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("broken.mlir:1:"));
  EXPECT_EQ(engine->load("/nowhere/m.mlir").status().code(), absl::StatusCode::kNotFound);

  auto model = load(*engine);
  std::vector<float> x = {1, 2};
  status = (*model->function("take"))
               ->call({view(x), runtime::Scalar::of<int64_t>(plan::DType::Index, 2)})
               .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kOutOfRange);
  EXPECT_THAT(std::string(status.message()), HasSubstr("test.mlir:10:"));
}

TEST(EngineTest, ManyThreadsCallOneFunction) {
  auto engine = makeEngine();
  auto model = load(*engine);
  const runtime::Function *function = *model->function("double");
  std::vector<std::thread> callers;
  std::vector<int> wrong(4, 0);
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&, t] {
      for (int n = 1; n <= 100; ++n) {
        std::vector<float> x(static_cast<size_t>(n), static_cast<float>(t));
        auto results = function->call({view(x)});
        bool isRight =
            results.ok() &&
            floatsOf((*results)[0]) == std::vector<float>(x.size(), 2.0f * static_cast<float>(t));
        wrong[static_cast<size_t>(t)] += !isRight;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_THAT(wrong, ElementsAre(0, 0, 0, 0));
}

TEST(EngineTest, ModelOutlivesTheEngine) {
  std::unique_ptr<Model> model;
  {
    auto engine = makeEngine();
    model = load(*engine);
  }
  std::vector<float> x = {4};
  auto results = (*model->function("double"))->call({view(x)});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_THAT(floatsOf((*results)[0]), ElementsAre(8));
}

TEST(EngineTest, EnginesDoNotShareState) {
  auto first = makeEngine(1), second = makeEngine(2);
  EXPECT_EQ(first->numThreads(), 1u);
  EXPECT_EQ(second->numThreads(), 2u);
  auto a = load(*first), b = load(*second);
  first.reset();
  a.reset();
  std::vector<float> x = {5};
  EXPECT_TRUE((*b->function("double"))->call({view(x)}).ok());
}

TEST(EngineTest, SaysThatTheCompilerLibraryIsMissing) {
  EngineOptions options;
  options.compilerLibrary = "/nowhere/libAnnealCompiler.so";
  auto engine = Engine::create(options);
  ASSERT_TRUE(engine.ok());
  absl::Status status = (*engine)->loadBytes(kModule, "test.mlir").status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr("/nowhere/libAnnealCompiler.so"));
}

TEST(EngineTest, SavedModelsGiveTheSameBits) {
  std::string path =
      (std::filesystem::path(testing::TempDir()) / ("anneal-engine-" + std::to_string(getpid())))
          .string();
  auto engine = makeEngine();
  auto model = load(*engine);
  ASSERT_TRUE(model->save(path).ok());
  auto saved = engine->load(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(saved.ok()) << saved.status();
  std::vector<float> x = {0.1f, 0.2f, 0.3f};
  auto expected = (*model->function("double"))->call({view(x)});
  auto results = (*(*saved)->function("double"))->call({view(x)});
  ASSERT_TRUE(expected.ok() && results.ok());
  EXPECT_EQ(floatsOf((*results)[0]), floatsOf((*expected)[0]));
}

/// A folder for one saved plan.
class SavedPlanTest : public testing::Test {
protected:
  void SetUp() override {
    folder = testing::TempDir() + "saved-plan-" + std::to_string(::getpid());
    std::filesystem::create_directories(folder);
    path = folder + "/double.plan";
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static std::unique_ptr<Engine> compilingEngine(const std::string &library) {
    EngineOptions options;
    options.compilerLibrary = library;
    options.tiering.policy = "fixed:baseline";
    auto engine = Engine::create(options);
    EXPECT_TRUE(engine.ok()) << engine.status();
    return *std::move(engine);
  }
  /// Calls "double" often enough that it gets compiled.
  static void callAndWait(Model &model) {
    for (int i = 0; i < 3; ++i) {
      std::vector<float> x = {1, -2, 3};
      auto results = (*model.function("double"))->call({view(x)});
      ASSERT_TRUE(results.ok()) << results.status();
      EXPECT_THAT(floatsOf((*results)[0]), ElementsAre(2, -4, 6));
      model.waitForCompiles();
    }
  }

  std::string folder, path;
};

TEST_F(SavedPlanTest, UnitsAreCompiledFromTheirSavedIr) {
  auto engine = compilingEngine(ANNEAL_COMPILER_LIBRARY);
  ASSERT_TRUE(load(*engine)->save(path).ok());
  auto model = engine->load(path);
  ASSERT_TRUE(model.ok()) << model.status();
  // And so are those of a plan that was saved from a saved one.
  ASSERT_TRUE((*model)->save(path + "2").ok());
  auto again = engine->load(path + "2");
  ASSERT_TRUE(again.ok()) << again.status();
  engine.reset();
  for (Model *one : {model->get(), again->get()}) {
    callAndWait(*one);
    EXPECT_EQ(one->tiering().units.at(0).tier, Tier::Baseline)
        << one->tiering().units[0].decision.toText();
  }
}

TEST_F(SavedPlanTest, LoadsFromBytes) {
  auto engine = makeEngine();
  ASSERT_TRUE(load(*engine)->save(path).ok());
  std::ifstream file(path, std::ios::binary);
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  auto model = engine->loadBytes(bytes, "bytes");
  ASSERT_TRUE(model.ok()) << model.status();
  callAndWait(**model);
  auto truncated = engine->loadBytes(bytes.substr(0, bytes.size() / 2), "half");
  EXPECT_EQ(truncated.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(truncated.status().message()), HasSubstr("'half'"));
}

TEST_F(SavedPlanTest, RunsInTheInterpreterWithACompilerOfAnotherVersion) {
  ASSERT_TRUE(load(*makeEngine())->save(path).ok());
  auto engine = compilingEngine(ANNEAL_OTHER_VERSION);
  auto model = engine->load(path);
  ASSERT_TRUE(model.ok()) << model.status();
  callAndWait(**model);
  UnitHistory history = (*model)->tiering().units.at(0);
  EXPECT_EQ(history.tier, Tier::Interpreter);
  EXPECT_TRUE(history.isPinned);
  EXPECT_THAT(history.detail,
              testing::AllOf(HasSubstr("version 999"),
                             HasSubstr(absl::StrCat("version ", compiler::kCompilerApiVersion))));
}

TEST_F(SavedPlanTest, NamesBothVersionsWhereAModelHasToBeParsed) {
  auto model = compilingEngine(ANNEAL_OTHER_VERSION)->loadBytes(kModule, "test.mlir");
  EXPECT_EQ(model.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(model.status().message()),
              testing::AllOf(HasSubstr("version 999"), HasSubstr(ANNEAL_OTHER_VERSION)));
}

TEST_F(SavedPlanTest, ForeignFunctionsNameBothVersionsOfTheStockLibrary) {
  constexpr char kForeign[] = R"(
func.func @main() -> f32 {
  %m = memref.alloc() : memref<f32>
  %c = arith.constant 2.5 : f32
  memref.store %c, %m[] : memref<f32>
  %y = memref.load %m[] : memref<f32>
  return %y : f32
})";
  ASSERT_TRUE(load(*makeEngine(), kForeign)->save(path).ok());
  auto right = makeEngine()->load(path);
  ASSERT_TRUE(right.ok()) << right.status();
  auto results = (*(*right)->function("main"))->call({});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].scalar().as<float>(), 2.5f);
  auto wrong = compilingEngine(ANNEAL_OTHER_VERSION)->load(path);
  ASSERT_TRUE(wrong.ok()) << wrong.status();
  absl::Status status = (*(*wrong)->function("main"))->call({}).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("version 999"));
}

} // namespace
