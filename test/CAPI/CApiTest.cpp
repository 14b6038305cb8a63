//===- CApiTest.cpp - The C interface -------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DLPack.h"

#include "anneal-c/anneal.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

using namespace anneal::capi;

namespace {

constexpr char kModule[] = R"(
func.func @add(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.add ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @take(%x: tensor<?xf32>, %i: index) -> f32 {
  %y = tensor.extract %x[%i] : tensor<?xf32>
  return %y : f32
}
func.func @pick(%x: tensor<4xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%i : tensor<2xi64>) outs(%e : tensor<2xf32>) {
  ^bb0(%k: i64, %o: f32):
    %at = arith.index_cast %k : i64 to index
    %v = tensor.extract %x[%at] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func @spin(%n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %t = tensor.empty() : tensor<64xf32>
  %f = linalg.fill ins(%z : f32) outs(%t : tensor<64xf32>) -> tensor<64xf32>
  %s = scf.for %i = %c0 to %n step %c1 iter_args(%a = %f) -> tensor<64xf32> {
    %e = tensor.empty() : tensor<64xf32>
    %b = linalg.exp ins(%a : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    scf.yield %b : tensor<64xf32>
  }
  %y = tensor.extract %s[%c0] : tensor<64xf32>
  return %y : f32
}
)";

/// Takes a failure apart.
struct Outcome {
  Outcome(AnnealFailure *failure)
      : code(annealFailureCode(failure)), message(annealFailureMessage(failure)),
        unit(annealFailureUnit(failure)), location(annealFailureLocation(failure)) {
    annealFailureDestroy(failure);
  }
  AnnealCode code;
  std::string message, unit, location;
};

#define ASSERT_SUCCESS(call)                                                                       \
  do {                                                                                             \
    Outcome outcome(call);                                                                         \
    ASSERT_EQ(outcome.code, ANNEAL_CODE_OK) << outcome.message;                                    \
  } while (false)

class CApiTest : public testing::Test {
protected:
  void SetUp() override {
    annealSetHandleChecks(1);
    AnnealEngineOptions options = ANNEAL_ENGINE_OPTIONS_INIT;
    options.threads = 2;
    ASSERT_SUCCESS(annealEngineCreate(&options, &engine));
    ASSERT_SUCCESS(
        annealEngineLoadBytes(engine, kModule, std::strlen(kModule), "test.mlir", &program));
  }
  void TearDown() override {
    annealProgramDestroy(program);
    annealEngineDestroy(engine);
  }

  AnnealFunction *find(const char *name) {
    AnnealFunction *function = nullptr;
    Outcome outcome(annealProgramFunction(program, name, &function));
    EXPECT_EQ(outcome.code, ANNEAL_CODE_OK) << outcome.message;
    return function;
  }
  static AnnealTensor *wrap(std::vector<float> &values) {
    auto size = static_cast<int64_t>(values.size());
    AnnealTensor *tensor = nullptr;
    EXPECT_EQ(
        annealTensorWrap(ANNEAL_F32, 1, &size, nullptr, values.data(), nullptr, nullptr, &tensor),
        nullptr);
    return tensor;
  }
  static AnnealTensor *index(int64_t value) {
    AnnealTensor *tensor = nullptr;
    EXPECT_EQ(annealTensorCreate(ANNEAL_INDEX, 0, nullptr, &tensor), nullptr);
    std::memcpy(annealTensorData(tensor), &value, sizeof(value));
    return tensor;
  }

  AnnealEngine *engine = nullptr;
  AnnealProgram *program = nullptr;
};

TEST_F(CApiTest, CallsWithPooledResultsAndWithTheCallersOwn) {
  std::vector<float> x = {1, 2}, y = {10, 20}, out = {0, 0};
  AnnealTensor *inputs[] = {wrap(x), wrap(y)}, *pooled = nullptr, *own = wrap(out);
  ASSERT_SUCCESS(annealFunctionCall(find("add"), inputs, 2, &pooled, 1, nullptr));
  EXPECT_EQ(annealTensorDType(pooled), ANNEAL_F32);
  ASSERT_EQ(annealTensorNumElements(pooled), 2);
  EXPECT_EQ(static_cast<float *>(annealTensorData(pooled))[1], 22);
  ASSERT_SUCCESS(annealFunctionCall(find("add"), inputs, 2, &own, 1, nullptr));
  EXPECT_THAT(out, testing::ElementsAre(11, 22));
  for (AnnealTensor *tensor : {inputs[0], inputs[1], pooled, own})
    annealTensorDestroy(tensor);
}

TEST_F(CApiTest, ReadsStridedMemoryAndRunsTheDeleterOnce) {
  float memory[] = {1, 0, 2, 0, 3, 0};
  int64_t size = 3, stride = 2;
  int deleted = 0;
  AnnealTensor *x = nullptr, *result = nullptr;
  ASSERT_SUCCESS(annealTensorWrap(
      ANNEAL_F32, 1, &size, &stride, memory, [](void *count) { ++*static_cast<int *>(count); },
      &deleted, &x));
  AnnealTensor *inputs[] = {x, x};
  ASSERT_SUCCESS(annealFunctionCall(find("add"), inputs, 2, &result, 1, nullptr));
  EXPECT_EQ(static_cast<float *>(annealTensorData(result))[2], 6);
  annealTensorDestroy(result);
  EXPECT_EQ(deleted, 0);
  annealTensorDestroy(x);
  EXPECT_EQ(deleted, 1);
}

TEST_F(CApiTest, SingleValuesAreTensorsOfRankZero) {
  std::vector<float> x = {1, 2, 3};
  AnnealTensor *inputs[] = {wrap(x), index(2)}, *result = nullptr;
  ASSERT_SUCCESS(annealFunctionCall(find("take"), inputs, 2, &result, 1, nullptr));
  EXPECT_EQ(annealTensorRank(result), 0u);
  EXPECT_EQ(*static_cast<float *>(annealTensorData(result)), 3);
  for (AnnealTensor *tensor : {inputs[0], inputs[1], result})
    annealTensorDestroy(tensor);
}

TEST_F(CApiTest, BorrowsAndOwnsDLPackTensors) {
  float memory[] = {9, 1, 0, 2, 0, 3, 0};
  int64_t size = 3, stride = 2;
  int deleted = 0;
  DLManagedTensor plain{};
  plain.tensor = {memory, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &size, &stride, sizeof(float)};
  plain.context = &deleted;
  plain.deleter = [](DLManagedTensor *self) { ++*static_cast<int *>(self->context); };
  DLManagedTensorVersioned versioned{};
  versioned.version = {1, 3};
  versioned.tensor = plain.tensor;
  versioned.context = &deleted;
  versioned.deleter = [](DLManagedTensorVersioned *self) {
    *static_cast<int *>(self->context) += 10;
  };
  AnnealTensor *inputs[] = {nullptr, nullptr}, *borrowed = nullptr, *result = nullptr;
  ASSERT_SUCCESS(annealTensorFromDLPack(&plain, &inputs[0]));
  ASSERT_SUCCESS(annealTensorFromDLPackVersioned(&versioned, &inputs[1]));
  ASSERT_SUCCESS(annealTensorBorrowDLPack(&plain.tensor, &borrowed));
  ASSERT_SUCCESS(annealFunctionCall(find("add"), inputs, 2, &result, 1, nullptr));
  EXPECT_EQ(static_cast<float *>(annealTensorData(result))[2], 6);
  annealTensorDestroy(borrowed);
  EXPECT_EQ(deleted, 0);
  annealTensorDestroy(inputs[0]);
  annealTensorDestroy(inputs[1]);
  EXPECT_EQ(deleted, 11);

  DLManagedTensor *exported = nullptr;
  ASSERT_SUCCESS(annealTensorToDLPack(result, &exported));
  annealTensorDestroy(result);
  EXPECT_EQ(exported->tensor.ndim, 1);
  EXPECT_EQ(exported->tensor.dtype.code, kDLFloat);
  EXPECT_EQ(static_cast<float *>(exported->tensor.data)[1], 4);
  exported->deleter(exported);
}

TEST_F(CApiTest, RefusesDLPackTensorsThatItCannotRead) {
  float memory[] = {1, 2};
  int64_t size = 2;
  AnnealTensor *tensor = nullptr;
  DLManagedTensorVersioned managed{};
  managed.version = {1, 0};
  managed.deleter = [](DLManagedTensorVersioned *) { ADD_FAILURE() << "it was not taken over"; };
  DLTensor right{memory, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &size, nullptr, 0};
  auto refusal = [&](const DLTensor &wrong) {
    managed.tensor = wrong;
    Outcome outcome(annealTensorFromDLPackVersioned(&managed, &tensor));
    EXPECT_EQ(outcome.code, ANNEAL_CODE_INVALID_ARGUMENT);
    return outcome.message;
  };
  DLTensor wrong = right;
  wrong.device = {2, 0};
  EXPECT_THAT(refusal(wrong), HasSubstr("device type 2"));
  wrong = right;
  wrong.dtype = {kDLFloat, 8, 1};
  EXPECT_THAT(refusal(wrong), HasSubstr("8 bits"));
  wrong = right;
  wrong.dtype.lanes = 4;
  EXPECT_THAT(refusal(wrong), HasSubstr("4 lanes"));
  wrong = right;
  wrong.ndim = -1;
  EXPECT_THAT(refusal(wrong), HasSubstr("-1 dimensions"));
  wrong = right;
  wrong.data = nullptr;
  EXPECT_THAT(refusal(wrong), HasSubstr("null"));
  managed.version.major = 2;
  EXPECT_THAT(refusal(right), HasSubstr("version 2.0"));
  EXPECT_EQ(tensor, nullptr);
}

TEST_F(CApiTest, ReadOnlyDLPackTensorsAreInputsOnly) {
  float memory[] = {1, 2};
  int64_t size = 2;
  DLManagedTensorVersioned managed{}, *versioned = nullptr;
  managed.version = {1, 0};
  managed.flags = kDLReadOnly;
  managed.tensor = {memory, {kDLCPU, 0}, 1, {kDLFloat, 32, 1}, &size, nullptr, 0};
  AnnealTensor *tensor = nullptr, *result = nullptr;
  ASSERT_SUCCESS(annealTensorFromDLPackVersioned(&managed, &tensor));
  AnnealTensor *inputs[] = {tensor, tensor};
  ASSERT_SUCCESS(annealFunctionCall(find("add"), inputs, 2, &result, 1, nullptr));
  annealTensorDestroy(result);
  Outcome outcome(annealFunctionCall(find("add"), inputs, 2, &tensor, 1, nullptr));
  EXPECT_THAT(outcome.message, HasSubstr("read-only"));
  DLManagedTensor *plain = nullptr;
  EXPECT_THAT(Outcome(annealTensorToDLPack(tensor, &plain)).message, HasSubstr("read-only"));
  ASSERT_SUCCESS(annealTensorToDLPackVersioned(tensor, &versioned));
  EXPECT_EQ(versioned->flags, kDLReadOnly);
  versioned->deleter(versioned);
  annealTensorDestroy(tensor);
}

TEST_F(CApiTest, SixtyFourBitIntegersAreIndices) {
  std::vector<float> x = {1, 2, 3};
  int64_t two = 2;
  AnnealTensor *inputs[] = {wrap(x), nullptr}, *result = nullptr;
  ASSERT_SUCCESS(
      annealTensorWrap(ANNEAL_I64, 0, nullptr, nullptr, &two, nullptr, nullptr, &inputs[1]));
  ASSERT_SUCCESS(annealFunctionCall(find("take"), inputs, 2, &result, 1, nullptr));
  EXPECT_EQ(*static_cast<float *>(annealTensorData(result)), 3);
  for (AnnealTensor *tensor : {inputs[0], inputs[1], result})
    annealTensorDestroy(tensor);
}

TEST_F(CApiTest, ForcedTiersHoldBeforeTheFirstCall) {
  AnnealEngineOptions options = ANNEAL_ENGINE_OPTIONS_INIT;
  options.forceTier = "baseline";
  AnnealEngine *forced = nullptr;
  AnnealProgram *loaded = nullptr;
  char *json = nullptr;
  constexpr char kAdd[] = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
                          "  %e = tensor.empty() : tensor<4xf32>\n"
                          "  %y = linalg.add ins(%x, %x : tensor<4xf32>, tensor<4xf32>) "
                          "outs(%e : tensor<4xf32>) -> tensor<4xf32>\n"
                          "  return %y : tensor<4xf32>\n}\n";
  ASSERT_SUCCESS(annealEngineCreate(&options, &forced));
  ASSERT_SUCCESS(annealEngineLoadBytes(forced, kAdd, std::strlen(kAdd), "add.mlir", &loaded));
  ASSERT_SUCCESS(annealProgramReport(loaded, &json));
  EXPECT_THAT(std::string(json), HasSubstr("\"tier\": \"baseline\""));
  annealStringDestroy(json);
  annealProgramDestroy(loaded);
  annealEngineDestroy(forced);
  options.forceTier = "warp";
  EXPECT_THAT(Outcome(annealEngineCreate(&options, &forced)).message, HasSubstr("'warp'"));
}

TEST_F(CApiTest, OptionsWithoutTheLastFieldsAreThoseOfOlderPrograms) {
  AnnealEngineOptions options = ANNEAL_ENGINE_OPTIONS_INIT;
  options.structSize = offsetof(AnnealEngineOptions, forceTier);
  options.forceTier = "not read";
  AnnealEngine *made = nullptr;
  ASSERT_SUCCESS(annealEngineCreate(&options, &made));
  annealEngineDestroy(made);
  for (size_t size : {size_t(0), options.structSize - 1, sizeof(options) + 1}) {
    options.structSize = size;
    EXPECT_THAT(Outcome(annealEngineCreate(&options, &made)).message, HasSubstr("structSize"));
  }
}

TEST_F(CApiTest, DescribesFunctions) {
  EXPECT_EQ(annealProgramNumFunctions(program), 4u);
  AnnealFunction *take = find("take");
  EXPECT_STREQ(annealFunctionName(take), "take");
  ASSERT_EQ(annealFunctionNumArguments(take), 2u);
  const AnnealSignature *x = annealFunctionArgument(take, 0);
  EXPECT_EQ(x->dtype, ANNEAL_F32);
  ASSERT_EQ(x->rank, 1u);
  EXPECT_EQ(x->sizes[0], ANNEAL_DYNAMIC);
  EXPECT_TRUE(annealFunctionArgument(take, 1)->isScalar);
  EXPECT_EQ(annealFunctionArgument(take, 2), nullptr);
  EXPECT_EQ(annealProgramFunctionAt(program, 4), nullptr);
}

TEST_F(CApiTest, FailuresSayWhatWhereAndInWhichUnit) {
  AnnealFunction *none = nullptr;
  EXPECT_THAT(Outcome(annealProgramFunction(program, "nope", &none)).message,
              AllOf(HasSubstr("'nope'"), HasSubstr("'add'")));
  std::vector<float> x = {1, 2, 3, 4};
  int64_t at[] = {1, 9}, two = 2;
  AnnealTensor *inputs[] = {wrap(x), nullptr}, *result = nullptr;
  ASSERT_SUCCESS(annealTensorWrap(ANNEAL_I64, 1, &two, nullptr, at, nullptr, nullptr, &inputs[1]));
  Outcome outcome(annealFunctionCall(find("pick"), inputs, 2, &result, 1, nullptr));
  EXPECT_EQ(outcome.code, ANNEAL_CODE_OUT_OF_RANGE);
  EXPECT_EQ(result, nullptr);
  EXPECT_NE(outcome.unit, "");
  EXPECT_THAT(outcome.location, HasSubstr("test.mlir:"));
  AnnealProgram *broken = nullptr;
  Outcome parse(annealEngineLoadBytes(engine, "func.func @f(", 13, "broken.mlir", &broken));
  EXPECT_EQ(parse.code, ANNEAL_CODE_INVALID_ARGUMENT);
  EXPECT_THAT(parse.location, HasSubstr("broken.mlir:1:"));
  annealTensorDestroy(inputs[0]);
  annealTensorDestroy(inputs[1]);
}

TEST_F(CApiTest, MessagesHaveNoPrefix) {
  AnnealProgram *missing = nullptr;
  EXPECT_THAT(Outcome(annealEngineLoad(engine, "/no/such.mlir", &missing)).message,
              StartsWith("cannot open '/no/such.mlir'"));
}

TEST_F(CApiTest, NegativeRanksAreNamedAsSuch) {
  AnnealTensor *made = nullptr;
  int64_t size = 1;
  Outcome outcome(annealTensorCreate(ANNEAL_F32, static_cast<size_t>(-1), &size, &made));
  EXPECT_EQ(outcome.code, ANNEAL_CODE_INVALID_ARGUMENT);
  EXPECT_EQ(outcome.message, "a tensor of rank -1; ranks go from 0 to 1024");
  EXPECT_EQ(made, nullptr);
}

TEST_F(CApiTest, NumberOfInputsAndOutputsIsChecked) {
  std::vector<float> x = {1};
  AnnealTensor *input = wrap(x), *results[2] = {nullptr, nullptr};
  EXPECT_EQ(Outcome(annealFunctionCall(find("add"), &input, 1, results, 1, nullptr)).code,
            ANNEAL_CODE_INVALID_ARGUMENT);
  AnnealTensor *inputs[] = {input, input};
  Outcome outputs(annealFunctionCall(find("add"), inputs, 2, results, 2, nullptr));
  EXPECT_EQ(outputs.code, ANNEAL_CODE_INVALID_ARGUMENT);
  EXPECT_EQ(outputs.message, "function 'add' has 1 result, not 2");
  annealTensorDestroy(input);
}

TEST_F(CApiTest, DestroyedNullAndForeignHandlesAreErrors) {
  std::vector<float> x = {1};
  AnnealTensor *gone = wrap(x), *result = nullptr;
  annealTensorDestroy(gone);
  AnnealTensor *inputs[] = {gone, gone};
  Outcome outcome(annealFunctionCall(find("add"), inputs, 2, &result, 1, nullptr));
  EXPECT_EQ(outcome.code, ANNEAL_CODE_INVALID_ARGUMENT);
  EXPECT_THAT(outcome.message, HasSubstr("destroyed"));
  EXPECT_EQ(annealTensorData(gone), nullptr);
  annealTensorDestroy(gone);
  EXPECT_EQ(Outcome(annealFunctionCall(nullptr, nullptr, 0, nullptr, 0, nullptr)).code,
            ANNEAL_CODE_INVALID_ARGUMENT);
  auto *foreign = reinterpret_cast<AnnealFunction *>(program);
  EXPECT_EQ(Outcome(annealFunctionCall(foreign, nullptr, 0, nullptr, 0, nullptr)).code,
            ANNEAL_CODE_INVALID_ARGUMENT);
  AnnealFunction *function = find("add");
  annealProgramDestroy(program);
  EXPECT_EQ(Outcome(annealFunctionCall(function, nullptr, 0, nullptr, 0, nullptr)).code,
            ANNEAL_CODE_INVALID_ARGUMENT);
  char *json = nullptr;
  EXPECT_EQ(Outcome(annealProgramReport(program, &json)).code, ANNEAL_CODE_INVALID_ARGUMENT);
}

TEST_F(CApiTest, OptionsOfAnotherVersionAreRefused) {
  AnnealEngineOptions options = ANNEAL_ENGINE_OPTIONS_INIT;
  options.apiVersion = ANNEAL_API_VERSION + 1;
  AnnealEngine *made = nullptr;
  Outcome outcome(annealEngineCreate(&options, &made));
  EXPECT_EQ(outcome.code, ANNEAL_CODE_FAILED_PRECONDITION);
  EXPECT_THAT(outcome.message, AllOf(HasSubstr("version 1"), HasSubstr("version 2")));
  options.apiVersion = ANNEAL_API_VERSION;
  options.policy = "nonsense";
  EXPECT_THAT(Outcome(annealEngineCreate(&options, &made)).message, HasSubstr("nonsense"));
  options.policy = nullptr;
  options.tiers = "interpreter,warp";
  EXPECT_THAT(Outcome(annealEngineCreate(&options, &made)).message, HasSubstr("'warp'"));
  EXPECT_EQ(made, nullptr);
}

TEST_F(CApiTest, RefusesNumbersOfThreadsThatCannotBe) {
  for (auto [threads, compileThreads] : {std::pair(1u << 30, 0u), std::pair(2u, 1u << 30)}) {
    AnnealEngineOptions options = ANNEAL_ENGINE_OPTIONS_INIT;
    options.threads = threads;
    options.compileThreads = compileThreads;
    AnnealEngine *other = nullptr;
    Outcome outcome(annealEngineCreate(&options, &other));
    EXPECT_EQ(outcome.code, ANNEAL_CODE_INVALID_ARGUMENT);
    EXPECT_THAT(outcome.message, HasSubstr("hreads' is 1073741824; it goes from 1 to"));
    EXPECT_EQ(other, nullptr);
  }
  AnnealTensor *tensor = nullptr;
  const int64_t sizes[] = {1, 1};
  Outcome outcome(annealTensorCreate(ANNEAL_F32, 100000, sizes, &tensor));
  EXPECT_EQ(outcome.code, ANNEAL_CODE_INVALID_ARGUMENT);
}

TEST_F(CApiTest, ReportIsJson) {
  char *json = nullptr;
  ASSERT_SUCCESS(annealProgramReport(program, &json));
  EXPECT_THAT(std::string(json), AllOf(HasSubstr("\"units\""), HasSubstr("\"compile\"")));
  annealStringDestroy(json);
}

TEST_F(CApiTest, DeadlinesAndCancelsEndACall) {
  AnnealTensor *n = index(int64_t(1) << 60), *result = nullptr;
  AnnealCallOptions options = ANNEAL_CALL_OPTIONS_INIT;
  options.timeoutNanoseconds = 1000000;
  EXPECT_EQ(Outcome(annealFunctionCall(find("spin"), &n, 1, &result, 1, &options)).code,
            ANNEAL_CODE_DEADLINE_EXCEEDED);
  options.timeoutNanoseconds = 0;
  AnnealCancelToken *token = nullptr;
  ASSERT_SUCCESS(annealCancelTokenCreate(&token));
  options.cancel = token;
  std::thread canceller([&] { annealCancelTokenRequest(token); });
  EXPECT_EQ(Outcome(annealFunctionCall(find("spin"), &n, 1, &result, 1, &options)).code,
            ANNEAL_CODE_CANCELLED);
  canceller.join();
  EXPECT_EQ(result, nullptr);
  annealCancelTokenDestroy(token);
  annealTensorDestroy(n);
}

TEST_F(CApiTest, SixtyFourThreadsCallOneFunction) {
  AnnealFunction *add = find("add");
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 64; ++t)
    threads.emplace_back([&, t] {
      for (size_t n = 1; n <= 50; ++n) {
        std::vector<float> x(n, static_cast<float>(t));
        AnnealTensor *inputs[] = {wrap(x), wrap(x)}, *result = nullptr;
        AnnealFailure *failure = annealFunctionCall(add, inputs, 2, &result, 1, nullptr);
        bool isRight = !failure && annealTensorNumElements(result) == static_cast<int64_t>(n) &&
                       static_cast<float *>(annealTensorData(result))[n - 1] == 2 * x[0];
        wrong += !isRight;
        annealFailureDestroy(failure);
        for (AnnealTensor *tensor : {inputs[0], inputs[1], result})
          annealTensorDestroy(tensor);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(CApiTest, DestroyingTheEngineWaitsForCallsAndEndsLaterOnes) {
  AnnealFunction *add = find("add");
  std::atomic<int> started{0}, odd{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      std::vector<float> x(1000, 1);
      AnnealTensor *inputs[] = {wrap(x), wrap(x)};
      for (AnnealCode code = ANNEAL_CODE_OK; code == ANNEAL_CODE_OK;) {
        AnnealTensor *result = nullptr;
        code = Outcome(annealFunctionCall(add, inputs, 2, &result, 1, nullptr)).code;
        odd += code != ANNEAL_CODE_OK && code != ANNEAL_CODE_FAILED_PRECONDITION;
        annealTensorDestroy(result);
        started += 1;
      }
      annealTensorDestroy(inputs[0]);
      annealTensorDestroy(inputs[1]);
    });
  while (started < 100)
    std::this_thread::yield();
  annealEngineDestroy(engine);
  engine = nullptr;
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(odd, 0);
}

TEST_F(CApiTest, AChildOfForkIsToldToMakeAnEngineOfItsOwn) {
  AnnealFunction *add = find("add");
  std::vector<float> x = {1};
  AnnealTensor *inputs[] = {wrap(x), wrap(x)};
  pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AnnealTensor *result = nullptr;
    Outcome old(annealFunctionCall(add, inputs, 2, &result, 1, nullptr));
    bool isRefused = old.code == ANNEAL_CODE_FAILED_PRECONDITION &&
                     old.message.find("fork()") != std::string::npos;
    annealProgramDestroy(program);
    annealEngineDestroy(engine);
    AnnealEngine *made = nullptr;
    AnnealProgram *loaded = nullptr;
    AnnealFunction *again = nullptr;
    bool works = !annealEngineCreate(nullptr, &made) &&
                 !annealEngineLoadBytes(made, kModule, std::strlen(kModule), "m", &loaded) &&
                 !annealProgramFunction(loaded, "add", &again) &&
                 !annealFunctionCall(again, inputs, 2, &result, 1, nullptr);
    ::_exit(!isRefused ? 1 : works ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "1: not refused; 2: no new engine";
  annealTensorDestroy(inputs[0]);
  annealTensorDestroy(inputs[1]);
}

} // namespace
