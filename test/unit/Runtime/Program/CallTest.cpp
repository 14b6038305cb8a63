//===- CallTest.cpp - Calling functions -----------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramTesting.h"

#include <cstring>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::test;
using plan::DType;
using plan::Opcode;
using plan::Reg;
using plan::test::FunctionBuilder;
using plan::test::kAny;

namespace {

/// What makeLinearModule computes.
std::vector<float> linear(const std::vector<float> &x, const std::vector<float> &y) {
  std::vector<float> result;
  for (size_t i = 0; i < x.size(); ++i) {
    float sum = 0;
    for (size_t k = 0; k < 4; ++k)
      sum += x[i / 4 * 4 + k] * (static_cast<float>((k * 4 + i % 4) % 5) - 2);
    result.push_back(sum + y[i]);
  }
  return result;
}

TEST(CallTest, RunsAMatmulAndAnAddition) {
  for (unsigned threads : {1u, 2u, 4u}) {
    auto program = makeProgram(plan::test::makeLinearModule(), threads);
    for (int64_t rows : {1, 7, 0, 64, 7}) {
      Tensor x = iota({rows, 4}), y = iota({rows, 4});
      std::vector<Value> results = run(*program, {x, y});
      ASSERT_EQ(results.size(), 1u);
      EXPECT_EQ(results[0].typeString(), tensorTypeString(DType::F32, {rows, 4}));
      EXPECT_EQ(floatsOf(results[0]), linear(floatsOf(x), floatsOf(y)));
    }
  }
}

TEST(CallTest, WritesToTheCallersMemory) {
  auto program = makeProgram(plan::test::makeLinearModule());
  Tensor x = iota({3, 4}), y = iota({3, 4}), out = iota({3, 4});
  std::vector<Value> outputs = {out};
  ASSERT_TRUE(mainOf(*program).call({x, y}, absl::MakeSpan(outputs)).ok());
  EXPECT_EQ(floatsOf(out), linear(floatsOf(x), floatsOf(y)));
  EXPECT_EQ(outputs[0].tensor().data(), out.data());
}

TEST(CallTest, OutputsMayOverlapInputsAndHaveStrides) {
  auto program = makeProgram(plan::test::makeLinearModule());
  std::vector<float> expected = linear(floatsOf(iota({3, 4})), floatsOf(iota({3, 4})));
  Tensor both = iota({3, 4});
  std::vector<Value> outputs = {both};
  ASSERT_TRUE(mainOf(*program).call({both, iota({3, 4})}, absl::MakeSpan(outputs)).ok());
  EXPECT_EQ(floatsOf(both), expected);

  std::vector<float> wide(30, -1);
  outputs = {Tensor::view(DType::F32, {3, 4}, wide.data(), nullptr, {10, 2})};
  ASSERT_TRUE(mainOf(*program).call({iota({3, 4}), iota({3, 4})}, absl::MakeSpan(outputs)).ok());
  for (size_t r = 0; r < 3; ++r)
    for (size_t c = 0; c < 10; ++c)
      EXPECT_EQ(wide[r * 10 + c], c < 8 && c % 2 == 0 ? expected[r * 4 + c / 2] : -1);
}

TEST(CallTest, InputsMayHaveStridesAndAnyAlignment) {
  auto program = makeProgram(plan::test::makeLinearModule());
  std::vector<float> expected = linear(floatsOf(iota({3, 4})), floatsOf(iota({3, 4})));
  // Stored column by column.
  std::vector<float> columns(12);
  for (size_t i = 0; i < 12; ++i)
    columns[i % 4 * 3 + i / 4] = static_cast<float>(i);
  Tensor transposed = Tensor::view(DType::F32, {3, 4}, columns.data(), nullptr, {1, 3});
  EXPECT_EQ(floatsOf(run(*program, {transposed, iota({3, 4})})[0]), expected);
  // At an odd address, and at one that is only aligned to the element.
  alignas(64) char bytes[64];
  Tensor plain = iota({3, 4});
  for (size_t shift : {1, 4}) {
    std::memcpy(bytes + shift, plain.data(), 48);
    Tensor shifted = Tensor::view(DType::F32, {3, 4}, static_cast<void *>(bytes + shift));
    EXPECT_EQ(floatsOf(run(*program, {shifted, shifted})[0]), expected);
  }
}

TEST(CallTest, NamesTheArgumentThatDoesNotFit) {
  auto program = makeProgram(plan::test::makeLinearModule());
  Tensor good = iota({2, 4});
  auto invalid = [](const char *text) { return IsError(absl::StatusCode::kInvalidArgument, text); };
  EXPECT_THAT(fail(*program, {good}), invalid("function 'main' takes 2 inputs, not 1: argument #1 "
                                              "('y'), tensor<?x4xf32>, is missing"));
  EXPECT_THAT(fail(*program, {good, good, good}),
              invalid("function 'main' takes 2 inputs, not 3: there is no argument #2"));
  EXPECT_THAT(fail(*program, {good, iota({2, 5})}),
              invalid("argument #1 ('y'): expected tensor<?x4xf32>, got tensor<2x5xf32>"));
  EXPECT_THAT(fail(*program, {iota({8}), good}),
              invalid("argument #0 ('x'): expected tensor<?x4xf32>, got tensor<8xf32>"));
  EXPECT_THAT(fail(*program, {good, Tensor::view(DType::I64, {2, 4}, good.data())}),
              invalid("argument #1 ('y'): expected tensor<?x4xf32>, got tensor<2x4xi64>"));
  EXPECT_THAT(fail(*program, {good, Scalar::of<float>(DType::F32, 1)}),
              invalid("argument #1 ('y'): expected tensor<?x4xf32>, got f32"));
  EXPECT_THAT(fail(*program, {good, Value()}), invalid("got nothing"));
  EXPECT_THAT(
      fail(*program, {good, Tensor::view(DType::F32, {2, 4}, static_cast<void *>(nullptr))}),
      invalid("argument #1 ('y'): a tensor without data"));
  EXPECT_THAT(fail(*program, {good, Tensor::view(DType::F32, {-2, 4}, good.data())}),
              invalid("argument #1 ('y'): a tensor cannot have the size -2"));
  std::vector<Value> outputs = {iota({3, 4})};
  EXPECT_THAT(
      mainOf(*program).call({good, good}, absl::MakeSpan(outputs)),
      invalid("result #0: it is a tensor<2x4xf32>, the output given for it a tensor<3x4xf32>"));
  EXPECT_THAT(mainOf(*program).call({good, good}, absl::Span<Value>()),
              invalid("function 'main' has 1 result, not 0"));
}

TEST(CallTest, ShapesThatTheProgramRefusesGiveItsMessage) {
  auto program = makeProgram(plan::test::makeLinearModule());
  EXPECT_THAT(fail(*program, {iota({2, 4}), iota({3, 4})}),
              IsError(absl::StatusCode::kFailedPrecondition,
                      "x and y have different numbers of rows (at model.mlir:3:5)"));
  EXPECT_EQ(program->stats().instances, 0u);
}

TEST(CallTest, NamesTheFunctionsThatExist) {
  plan::Module module = plan::test::makeLinearModule();
  module.functions[0].name = "with space \"quoted\"";
  auto program = makeProgram(module);
  EXPECT_TRUE(program->function("with space \"quoted\"").ok());
  EXPECT_THAT(program->function("main").status(),
              IsError(absl::StatusCode::kNotFound, "'with space \"quoted\"'"));
}

TEST(CallTest, RefusesAPlanThatIsNotWellFormed) {
  plan::Module module = plan::test::makeLinearModule();
  module.functions[0].body.steps[0].memrefs[0] = 99;
  EXPECT_THAT(Program::create(module).status(),
              IsError(absl::StatusCode::kInvalidArgument,
                      "the plan is not well formed: function 'main': step 0"));
}

TEST(CallTest, UnitErrorsCarryUnitAndLocation) {
  plan::Module module;
  uint32_t gather = plan::test::addGatherUnit(module, "gather", "model.mlir:12:7");
  uint32_t asserting =
      plan::test::addAssertingUnit(module, "guard", "negative input", "model.mlir:13:7");
  FunctionBuilder f(module, "main");
  uint32_t table = f.argument("table", {kAny}), index = f.argument("index", {kAny}, DType::Index);
  uint32_t between = f.alloc({f.size(index, 0)});
  f.invoke(gather, {table, index, between});
  f.invoke(asserting, {between, f.result({kAny}, {f.size(index, 0)})});
  f.finish();
  for (unsigned threads : {1u, 2u}) {
    auto program = makeProgram(module, threads);
    Tensor table = tensorOf({3}, {5, 6, -7});
    EXPECT_EQ(floatsOf(run(*program, {table, indexTensorOf({1, 0, 0})})[0]),
              (std::vector<float>{6, 5, 5}));
    EXPECT_THAT(fail(*program, {table, indexTensorOf({0, 3, 1})}),
                IsError(absl::StatusCode::kOutOfRange,
                        "index 3 is out of bounds for dimension 0 of size 3 (unit 'gather', at "
                        "model.mlir:12:7)"));
    EXPECT_THAT(fail(*program, {table, indexTensorOf({2})}),
                IsError(absl::StatusCode::kFailedPrecondition,
                        "negative input (unit 'guard', at model.mlir:13:7)"));
    // A failed call leaves nothing behind.
    EXPECT_EQ(floatsOf(run(*program, {table, indexTensorOf({1})})[0]), (std::vector<float>{6}));
  }
}

TEST(CallTest, SizesThatDoNotFitAUnitAreAnError) {
  plan::Module module;
  uint32_t matmul = plan::test::addMatmulUnit(module, "matmul");
  FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {kAny, kAny}), y = f.argument("y", {kAny, kAny});
  f.invoke(matmul, {x, y, f.result({kAny, kAny}, {f.size(x, 0), f.size(y, 1)})}, {}, "m.mlir:1:1");
  f.finish();
  auto program = makeProgram(module);
  EXPECT_EQ(run(*program, {iota({2, 3}), iota({3, 4})})[0].typeString(), "tensor<2x4xf32>");
  EXPECT_THAT(fail(*program, {iota({2, 3}), iota({4, 4})}),
              IsError(absl::StatusCode::kInvalidArgument, "unit 'matmul', at m.mlir:1:1"));
}

TEST(CallTest, SizesThatOverflowAreAnError) {
  plan::Module module;
  FunctionBuilder f(module, "main");
  Reg n = f.scalarArgument("n", DType::Index, true);
  f.result({kAny, kAny}, {n, n});
  f.finish();
  auto program = makeProgram(module);
  auto index = [](int64_t value) { return Scalar::of<int64_t>(DType::Index, value); };
  EXPECT_EQ(run(*program, {index(3)})[0].typeString(), "tensor<3x3xf32>");
  EXPECT_THAT(fail(*program, {index(INT64_C(1) << 40)}),
              IsError(absl::StatusCode::kResourceExhausted,
                      "tensor<1099511627776x1099511627776xf32> is larger than the address space"));
  EXPECT_THAT(fail(*program, {index(INT64_C(1) << 22)}),
              IsError(absl::StatusCode::kResourceExhausted, "out of memory"));
  EXPECT_THAT(fail(*program, {index(-1)}),
              IsError(absl::StatusCode::kInvalidArgument, "cannot have the size -1"));
}

TEST(CallTest, SlicesThatReachOutsideAreAnError) {
  plan::Module module;
  FunctionBuilder f(module, "main");
  f.argument("x", {kAny});
  Reg offset = f.scalarArgument("offset", DType::Index, true);
  Reg runOffset = f.scalarArgument("run offset", DType::Index, false);
  Reg three = f.constant(3), one = f.constant(1);
  plan::Base base{plan::Base::Kind::Argument, 0};
  f.copy(f.memref(base, {three}, {one}, offset), f.result({3}, {three}));
  f.copy(f.memref(base, {three}, {one}, runOffset), f.result({3}, {three}));
  f.finish();
  auto program = makeProgram(module);
  auto index = [](int64_t value) { return Scalar::of<int64_t>(DType::Index, value); };
  std::vector<Value> results = run(*program, {iota({10}), index(7), index(2)});
  EXPECT_EQ(floatsOf(results[0]), (std::vector<float>{7, 8, 9}));
  EXPECT_EQ(floatsOf(results[1]), (std::vector<float>{2, 3, 4}));
  for (int64_t bad : {int64_t(8), int64_t(-1), INT64_MAX, INT64_MIN}) {
    EXPECT_THAT(fail(*program, {iota({10}), index(bad), index(0)}),
                IsError(absl::StatusCode::kOutOfRange, "tensor<3xf32> reaches outside"));
    EXPECT_THAT(fail(*program, {iota({10}), index(0), index(bad)}),
                IsError(absl::StatusCode::kOutOfRange, "tensor<3xf32> reaches outside"));
  }
}

TEST(CallTest, ResultsMayBeArgumentsConstantsAndScalars) {
  plan::Module module;
  uint32_t constant = plan::test::addConstant(module, {2}, {8, 9});
  FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {kAny});
  Reg n = f.scalarArgument("n", DType::I32, false);
  f.resultFrom(x, {kAny});
  f.resultFrom(f.constantTensor(constant), {2});
  f.scalarResult(n);
  f.resultFrom(x, {kAny});
  f.scalarResult(f.size(x, 0));
  f.finish();
  auto program = makeProgram(module);
  Tensor x1 = iota({3});
  std::vector<Value> results = run(*program, {x1, Scalar::of<int32_t>(DType::I32, -5)});
  EXPECT_EQ(floatsOf(results[0]), (std::vector<float>{0, 1, 2}));
  EXPECT_NE(results[0].tensor().data(), x1.data());
  EXPECT_NE(results[0].tensor().data(), results[3].tensor().data());
  EXPECT_EQ(floatsOf(results[1]), (std::vector<float>{8, 9}));
  EXPECT_EQ(results[2].scalar().as<int32_t>(), -5);
  EXPECT_EQ(results[4].scalar().as<int64_t>(), 3);
}

TEST(CallTest, ScalarsReachUnits) {
  plan::Module module;
  uint32_t scale = plan::test::addScaleUnit(module, "scale", 1);
  uint32_t temporary = plan::test::addTemporaryUnit(module, "temporary");
  FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {kAny});
  Reg factor = f.scalarArgument("factor", DType::F32, false);
  uint32_t doubled = f.alloc({f.size(x, 0)});
  f.invoke(temporary, {x, doubled}, {f.size(x, 0)});
  f.invoke(scale, {doubled, f.result({kAny}, {f.size(x, 0)})}, {factor});
  f.finish();
  auto program = makeProgram(module);
  for (float value : {1.5f, -2.0f})
    EXPECT_EQ(floatsOf(run(*program, {iota({3}), Scalar::of(DType::F32, value)})[0]),
              (std::vector<float>{0, 2 * value, 4 * value}));
  EXPECT_EQ(program->stats().instancesMade, 1u);
}

TEST(CallTest, KeyScalarsSelectTheInstance) {
  plan::Module module;
  FunctionBuilder f(module, "main");
  Reg n = f.scalarArgument("n", DType::Index, true);
  f.result({kAny}, {f.shape(Opcode::MulI, n, n)});
  f.finish();
  auto program = makeProgram(module);
  for (int64_t size : {3, 4, 3, 4, 0})
    EXPECT_EQ(run(*program, {Scalar::of<int64_t>(DType::Index, size)})[0].typeString(),
              tensorTypeString(DType::F32, {size * size}));
  EXPECT_EQ(program->stats().instancesMade, 3u);
}

#if defined(__x86_64__)
TEST(CallTest, FloatStateIsPinnedForTheCallAndGivenBack) {
  plan::Module module;
  uint32_t add = plan::test::addBinaryUnit(module, "add", Opcode::AddF, 1);
  FunctionBuilder f(module, "main");
  uint32_t x = f.argument("x", {kAny});
  f.invoke(add, {x, x, f.result({kAny}, {f.size(x, 0)})});
  f.finish();
  auto program = makeProgram(module);
  unsigned before = _mm_getcsr(), odd = before | 0x8040;
  _mm_setcsr(odd);
  std::vector<Value> results = run(*program, {tensorOf({1}, {1e-40f})});
  unsigned after = _mm_getcsr();
  _mm_setcsr(before);
  EXPECT_EQ(after, odd);
  EXPECT_EQ(floatsOf(results[0])[0], 1e-40f + 1e-40f);
}
#endif

TEST(CallTest, CountsWhatItDoes) {
  auto program = makeProgram(plan::test::makeChainModule(5));
  CallStats stats;
  CallOptions options;
  options.stats = &stats;
  options.collectTimes = true;
  for (int call = 0; call < 3; ++call) {
    ASSERT_TRUE(mainOf(*program).call({iota({8, 8})}, options).ok());
    EXPECT_EQ(stats.unitCalls, 5u);
    EXPECT_EQ(stats.newInstance, call == 0);
    EXPECT_EQ(stats.instanceTime.count() > 0, call == 0);
    // Two of the four intermediate tensors live at the same time.
    EXPECT_GE(stats.workspaceBytes, 512u);
  }
  ASSERT_TRUE(mainOf(*program).call({iota({8, 8})}).ok());
  EXPECT_EQ(mainOf(*program).numUnitCalls(), 5u);
  UnitStats unit = program->stats().units[0];
  EXPECT_EQ(unit.name, "add");
  EXPECT_EQ(unit.kind, "linalg.generic");
  EXPECT_EQ(unit.calls, 20u);
  EXPECT_EQ(unit.timedCalls, 15u);
  EXPECT_GT(unit.time.count(), 0);
  EXPECT_EQ(unit.timedFlops, 15.0 * 64);
  EXPECT_EQ(unit.timedBytes, 15.0 * 3 * 64 * sizeof(float));
  EXPECT_EQ(program->stats().workspacePeakBytes, stats.workspaceBytes);
}

TEST(CallTest, ResultsOutliveTheProgram) {
  auto program = makeProgram(plan::test::makeLinearModule());
  std::vector<Value> results = run(*program, {iota({2, 4}), iota({2, 4})});
  program.reset();
  EXPECT_EQ(floatsOf(results[0]), linear(floatsOf(iota({2, 4})), floatsOf(iota({2, 4}))));
}

} // namespace
