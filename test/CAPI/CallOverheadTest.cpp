//===- CallOverheadTest.cpp - What a call costs, by C++ and by C ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints the time of a call with three small tensors; test/package prints Python's.
//
//===----------------------------------------------------------------------===//

#include "anneal-c/anneal.h"
#include "anneal/Engine/Engine.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace anneal;
using runtime::Tensor;
using runtime::Value;

namespace {

constexpr char kModule[] = R"(
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.add ins(%x, %y : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.add ins(%a, %z : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
})";

/// Microseconds of one call, the best of some rounds.
template <typename Call> double best(const Call &call) {
  double result = 1e9;
  for (int round = 0; round < 20; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 1000; ++i)
      call();
    std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    result = std::min(result, time.count());
  }
  return result;
}

TEST(CallOverheadTest, ByCppAndByC) {
  engine::EngineOptions options;
  options.compilerLibrary = ANNEAL_COMPILER_LIBRARY;
  options.tiering.tiers = TierSet();
  auto engine = engine::Engine::create(options);
  auto model = (*engine)->loadBytes(kModule, "m.mlir");
  ASSERT_TRUE(model.ok()) << model.status();
  const runtime::Function *function = *(*model)->function("main");
  float x[4] = {1, 2, 3, 4};
  Tensor tensor = Tensor::view(plan::DType::F32, {4}, x);
  Value inputs[] = {tensor, tensor, tensor};
  float last = 0;
  double cpp = best([&] { last = (*function->call(inputs))[0].tensor().dataAs<float>()[3]; });
  EXPECT_EQ(last, 12);

  AnnealEngineOptions cOptions = ANNEAL_ENGINE_OPTIONS_INIT;
  cOptions.tiers = "interpreter";
  AnnealEngine *cEngine = nullptr;
  AnnealProgram *program = nullptr;
  AnnealFunction *cFunction = nullptr;
  AnnealTensor *cInput = nullptr;
  int64_t size = 4;
  ASSERT_EQ(annealEngineCreate(&cOptions, &cEngine), nullptr);
  ASSERT_EQ(annealEngineLoadBytes(cEngine, kModule, std::strlen(kModule), "m.mlir", &program),
            nullptr);
  ASSERT_EQ(annealProgramFunction(program, "main", &cFunction), nullptr);
  ASSERT_EQ(annealTensorWrap(ANNEAL_F32, 1, &size, nullptr, x, nullptr, nullptr, &cInput), nullptr);
  AnnealTensor *cInputs[] = {cInput, cInput, cInput};
  double c = best([&] {
    AnnealTensor *result = nullptr;
    annealFailureDestroy(annealFunctionCall(cFunction, cInputs, 3, &result, 1, nullptr));
    last = result ? static_cast<float *>(annealTensorData(result))[3] : 0;
    annealTensorDestroy(result);
  });
  EXPECT_EQ(last, 12);
  std::printf("a call with three small tensors: C++ %.2f us, C %.2f us\n", cpp, c);
  annealTensorDestroy(cInput);
  annealProgramDestroy(program);
  annealEngineDestroy(cEngine);
}

} // namespace
