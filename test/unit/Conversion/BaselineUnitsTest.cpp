//===- BaselineUnitsTest.cpp - Whole units at tier baseline ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompiledUnits.h"
#include "UnitTexts.h"

#include "gtest/gtest.h"

#include <cstring>

namespace anneal::test {

namespace {

using plan::DType;
using runtime::test::makeTensor;
using runtime::test::RunResult;
using runtime::test::TestTensor;

constexpr const char *kMaps = R"(
  #id = affine_map<(d0, d1) -> (d0, d1)>
  #row = affine_map<(d0, d1) -> (d0)>
  #column = affine_map<(d0, d1) -> (d1)>
  #line = affine_map<(d0) -> (d0)>
)";

class BaselineUnits : public ::testing::TestWithParam<CompileSetup> {
protected:
  std::unique_ptr<CompiledUnit> compile(const std::string &text) {
    return UnitCompiler(GetParam()).compile(kMaps + text);
  }
  TestTensor moderate(DType type, std::vector<int64_t> sizes) {
    TestTensor tensor = makeTensor(type, std::move(sizes));
    fillModerate(tensor, random);
    return tensor;
  }

  Random random{3};
};

/// A matrix product, its bias and GELU as one unit: the epilogue runs on the tiles of the product.
TEST_P(BaselineUnits, EpilogueRunsOnTilesOfAContraction) {
  auto compiled = compile(R"(
    jit.unit @u(%x: tensor<?x48xf32>, %w: tensor<48x70xf32>, %b: tensor<70xf32>,
                %out: tensor<?x70xf32> {jit.write_only}) -> tensor<?x70xf32> {
      %zero = arith.constant 0.0 : f32
      %root = arith.constant 1.41421354 : f32
      %one = arith.constant 1.0 : f32
      %c0 = arith.constant 0 : index
      %n = tensor.dim %out, %c0 : tensor<?x70xf32>
      %e = tensor.empty(%n) : tensor<?x70xf32>
      %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?x70xf32>) -> tensor<?x70xf32>
      %m = linalg.matmul ins(%x, %w : tensor<?x48xf32>, tensor<48x70xf32>)
          outs(%i : tensor<?x70xf32>) -> tensor<?x70xf32>
      %r = linalg.generic {indexing_maps = [#id, #column, #id],
                           iterator_types = ["parallel", "parallel"]}
          ins(%m, %b : tensor<?x70xf32>, tensor<70xf32>) outs(%out : tensor<?x70xf32>) {
        ^bb0(%a: f32, %c: f32, %o: f32):
          %s = arith.addf %a, %c : f32
          %d = arith.divf %s, %root : f32
          %f = math.erf %d : f32
          %g = arith.addf %f, %one : f32
          %h = arith.mulf %s, %g : f32
          linalg.yield %h : f32
      } -> tensor<?x70xf32>
      jit.return %r : tensor<?x70xf32>
    })");
  ASSERT_NE(compiled, nullptr);
  EXPECT_EQ(compiled->bodies[0], nullptr);
  EXPECT_EQ(compiled->bodies[1], nullptr);
  ASSERT_NE(compiled->bodies[2], nullptr);
  for (int64_t rows : {0, 1, 2, 13, 64, 129})
    for (unsigned threads : {1u, 2u, 3u}) {
      int boxes = expectSameBits(*compiled,
                                 {moderate(DType::F32, {rows, 48}), moderate(DType::F32, {48, 70}),
                                  moderate(DType::F32, {70}), makeTensor(DType::F32, {rows, 70})},
                                 {}, threads);
      EXPECT_EQ(boxes > 0, rows > 0) << rows;
    }
}

/// Mean and variance: a fill, a reduction, an operation on its result.
TEST_P(BaselineUnits, ReductionWithItsNeighbours) {
  auto compiled = compile(R"(
    jit.unit @u(%x: tensor<?x?xf32>, %m: tensor<?xf32>,
                %out: tensor<?xf32> {jit.write_only}) -> tensor<?xf32> {
      %zero = arith.constant 0.0 : f32
      %count = arith.constant 384.0 : f32
      %small = arith.constant 1.0e-5 : f32
      %c0 = arith.constant 0 : index
      %n = tensor.dim %out, %c0 : tensor<?xf32>
      %e = tensor.empty(%n) : tensor<?xf32>
      %i = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      %v = linalg.generic {indexing_maps = [#id, #row, #row],
                           iterator_types = ["parallel", "reduction"]}
          ins(%x, %m : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?xf32>) {
        ^bb0(%a: f32, %b: f32, %o: f32):
          %d = arith.subf %a, %b : f32
          %s = arith.mulf %d, %d : f32
          %t = arith.addf %s, %o : f32
          linalg.yield %t : f32
      } -> tensor<?xf32>
      %r = linalg.generic {indexing_maps = [#line, #line], iterator_types = ["parallel"]}
          ins(%v : tensor<?xf32>) outs(%out : tensor<?xf32>) {
        ^bb0(%a: f32, %o: f32):
          %d = arith.divf %a, %count : f32
          %s = arith.addf %d, %small : f32
          %q = math.rsqrt %s : f32
          linalg.yield %q : f32
      } -> tensor<?xf32>
      jit.return %r : tensor<?xf32>
    })");
  ASSERT_NE(compiled, nullptr);
  for (int64_t rows : {1, 5, 200})
    for (int64_t columns : {1, 15, 16, 17, 384})
      expectSameBits(*compiled,
                     {moderate(DType::F32, {rows, columns}), moderate(DType::F32, {rows}),
                      makeTensor(DType::F32, {rows})},
                     {}, 2);
}

class BaselineFailures : public BaselineUnits {
protected:
  void SetUp() override {
    compiled = compile(R"(
      jit.unit @u(%i: tensor<?x?xi64>, %table: tensor<?x?xf32>, %limit: index,
                  %out: tensor<?x?xf32> {jit.write_only}) -> tensor<?x?xf32> {
        %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
            ins(%i : tensor<?x?xi64>) outs(%out : tensor<?x?xf32>) {
          ^bb0(%a: i64, %o: f32):
            %n = arith.index_cast %a : i64 to index
            %ok = arith.cmpi slt, %n, %limit : index
            cf.assert %ok, "too large"
            %j = linalg.index 1 : index
            %v = tensor.extract %table[%n, %j] : tensor<?x?xf32>
            %w = arith.addf %v, %v : f32
            linalg.yield %w : f32
        } -> tensor<?x?xf32>
        jit.return %r : tensor<?x?xf32>
      })");
    ASSERT_NE(compiled, nullptr);
    tensors = {makeTensor(DType::I64, {7, 37}), moderate(DType::F32, {10, 37}),
               makeTensor(DType::F32, {7, 37})};
    for (int64_t i = 0; i < 7; ++i)
      for (int64_t j = 0; j < 37; ++j)
        tensors[0].at<int64_t>({i, j}) = (3 * i + j) % 10;
  }

  /// Both tiers fail with the same error.
  void expectError(int32_t status, const std::vector<int64_t> &values, uint64_t limit) {
    std::vector<TestTensor> expected = tensors, actual = tensors;
    RunResult interpreted = runInterpreted(*compiled, expected, {limit});
    RunResult result = runCompiled(*compiled, actual, {limit}, 2);
    EXPECT_EQ(interpreted.status, status);
    EXPECT_EQ(result.status, status);
    EXPECT_EQ(result.error.message, interpreted.error.message);
    EXPECT_EQ(result.error.location, interpreted.error.location);
    for (size_t k = 0; k < values.size(); ++k)
      EXPECT_EQ(result.error.values[k], values[k]);
  }

  std::unique_ptr<CompiledUnit> compiled;
  std::vector<TestTensor> tensors;
};

TEST_P(BaselineFailures, GathersWithinBounds) {
  EXPECT_GT(expectSameBits(*compiled, tensors, {10}, 2), 0);
}

TEST_P(BaselineFailures, IndexOutsideIsReported) {
  tensors[0].at<int64_t>({6, 36}) = 12;
  expectError(ANNEAL_OUT_OF_BOUNDS, {12, 0, 10}, 100);
  tensors[0].at<int64_t>({6, 36}) = -1;
  expectError(ANNEAL_OUT_OF_BOUNDS, {-1, 0, 10}, 100);
}

TEST_P(BaselineFailures, AssertIsReported) {
  tensors[0].at<int64_t>({3, 20}) = 9;
  expectError(ANNEAL_ASSERT_FAILED, {}, 9);
}

/// Elements of a vector that aren't there fail nothing.
TEST_P(BaselineFailures, NothingBehindTheRowIsChecked) {
  TestTensor wide = runtime::test::makeStrided(DType::I64, {7, 37}, {0, 1}, 20);
  for (size_t i = 0; i < wide.memory.size() / 8; ++i)
    std::memset(wide.memory.data() + 8 * i, 0x7f, 8);
  for (int64_t i = 0; i < 7; ++i)
    for (int64_t j = 0; j < 37; ++j)
      wide.at<int64_t>({i, j}) = (i + j) % 10;
  tensors[0] = wide;
  EXPECT_GT(expectSameBits(*compiled, tensors, {10}), 0);
}

/// One text, one image.
TEST_P(BaselineUnits, CompilesToTheSameBytes) {
  std::string text = mapUnit({DType::F32}, DType::F32, "%r = math.tanh %a0 : f32\n");
  auto first = compile(text), second = compile(text);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->image.bytes, second->image.bytes);
}

std::string setupName(const ::testing::TestParamInfo<CompileSetup> &info) {
  return "Width" + std::to_string(info.param.vectorWidth);
}
INSTANTIATE_TEST_SUITE_P(Targets, BaselineUnits, ::testing::ValuesIn(runnableSetups()), setupName);
INSTANTIATE_TEST_SUITE_P(Targets, BaselineFailures, ::testing::ValuesIn(runnableSetups()),
                         setupName);

} // namespace
} // namespace anneal::test
