//===- ForeignTest.cpp - Functions compiled whole by MLIR's own passes ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Engine/Engine.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cstring>
#include <thread>

using namespace anneal;
using namespace anneal::engine;
using runtime::Scalar;
using runtime::Tensor;
using runtime::Value;
using testing::HasSubstr;

namespace {

/// `twice` gives one buffer twice and its argument; `fail` asserts after an allocation.
constexpr char kModule[] = R"(
func.func @twice(%x: tensor<?x2xf32>) -> (tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>) {
  %v = arith.constant dense<0.0> : vector<2xf32>
  %y = arith.addf %x, %x : tensor<?x2xf32>
  return %y, %y, %x : tensor<?x2xf32>, tensor<?x2xf32>, tensor<?x2xf32>
}
func.func @fail(%ok: i1) -> i1 {
  %m = memref.alloc() : memref<100xf32>
  cf.assert %ok, "not this time"
  return %ok : i1
}
func.func @plain(%x: i64) -> i64 {
  return %x : i64
}
)";

class ForeignTest : public testing::Test {
protected:
  void SetUp() override {
    EngineOptions options;
    options.threads = 2;
    options.compilerLibrary = ANNEAL_COMPILER_LIBRARY;
    auto created = Engine::create(options);
    ASSERT_TRUE(created.ok()) << created.status();
    engine = *std::move(created);
    auto loaded = engine->loadBytes(kModule, "foreign.mlir");
    ASSERT_TRUE(loaded.ok()) << loaded.status();
    model = *std::move(loaded);
  }

  const runtime::Function &function(const char *name) { return **model->function(name); }

  std::unique_ptr<Engine> engine;
  std::unique_ptr<Model> model;
};

TEST_F(ForeignTest, ManyThreadsShareOneCompile) {
  constexpr int kThreads = 8, kCalls = 50;
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kCalls; ++i) {
        float data[4] = {float(t), 1, 2, float(i)}, before[4];
        std::memcpy(before, data, sizeof(data));
        auto results = function("twice").call({Tensor::view(plan::DType::F32, {2, 2}, data)});
        bool ok = results.ok() && std::memcmp(before, data, sizeof(data)) == 0;
        for (int e = 0; ok && e < 4; ++e)
          ok = (*results)[0].tensor().dataAs<float>()[e] == 2 * data[e] &&
               (*results)[1].tensor().dataAs<float>()[e] == 2 * data[e] &&
               (*results)[2].tensor().dataAs<float>()[e] == data[e];
        good += ok;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, kThreads * kCalls);
  ASSERT_EQ(model->foreign().size(), 2u);
  EXPECT_EQ(model->foreign()[0].name, "twice");
  EXPECT_EQ(model->foreign()[0].calls, uint64_t(kThreads * kCalls));
  EXPECT_GT(model->foreign()[0].compileMs, 0);
  EXPECT_EQ(model->foreign()[1].compileMs, 0) << "was not called";
}

TEST_F(ForeignTest, StridedInputAndGivenOutputs) {
  float data[] = {1, 10, 2, 20, 3, 30, 4, 40};
  const int64_t dims[] = {2, 2}, strides[] = {4, 2}, transposed[] = {1, 2};
  float out[4] = {};
  Value inputs[] = {Tensor::view(plan::DType::F32, dims, data, nullptr, strides)};
  Value outputs[3] = {Tensor::view(plan::DType::F32, dims, out, nullptr, transposed), {}, {}};
  absl::Status status = function("twice").call(inputs, absl::MakeSpan(outputs));
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_THAT(out, testing::ElementsAre(2, 6, 4, 8));

  float wrong[6];
  Value bad[3] = {Tensor::view(plan::DType::F32, {3, 2}, wrong), {}, {}};
  status = function("twice").call(inputs, absl::MakeSpan(bad));
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("output #0"));
}

TEST_F(ForeignTest, AnAssertEndsTheCallOnly) {
  for (bool ok : {false, true, false}) {
    auto results = function("fail").call({Scalar{plan::DType::I1, ok}});
    if (ok) {
      ASSERT_TRUE(results.ok()) << results.status();
      EXPECT_EQ((*results)[0].scalar().bits, 1u);
      continue;
    }
    EXPECT_EQ(results.status().code(), absl::StatusCode::kFailedPrecondition);
    EXPECT_THAT(std::string(results.status().message()),
                testing::AllOf(HasSubstr("foreign.mlir:9:3"), HasSubstr("not this time")));
  }
}

TEST_F(ForeignTest, OthersStayOnTheOrdinaryRoute) {
  auto results = function("plain").call({Scalar{plan::DType::I64, 5}});
  ASSERT_TRUE(results.ok()) << results.status();
  EXPECT_EQ((*results)[0].scalar().bits, 5u);
  ASSERT_EQ(model->program().module().functions.size(), 1u);
}

TEST_F(ForeignTest, SavedPlansKeepThem) {
  std::string path = testing::TempDir() + "/foreign.plan";
  ASSERT_TRUE(model->save(path).ok());
  auto loaded = engine->load(path);
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  auto results = (**(*loaded)->function("fail")).call({Scalar{plan::DType::I1, 1}});
  EXPECT_TRUE(results.ok()) << results.status();
}

TEST_F(ForeignTest, BuffersAsArgumentsAreRefused) {
  auto loaded = engine->loadBytes("func.func @f(%m: memref<2xf32>) { return }", "m.mlir");
  EXPECT_EQ(loaded.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(loaded.status().message()), HasSubstr("argument #0 of 'f'"));
}

} // namespace
