//===- IndexTest.cpp - Gathers, asserts, maps that are not linear ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace anneal::runtime::test;
using testing::HasSubstr;

namespace {

TestTensor random(DType dtype, std::vector<int64_t> sizes, std::mt19937 &engine) {
  TestTensor tensor = makeTensor(dtype, std::move(sizes));
  randomise(tensor, engine);
  return tensor;
}

TestTensor indices(std::vector<int64_t> sizes, int64_t below, std::mt19937 &engine) {
  TestTensor tensor = makeTensor(DType::I64, std::move(sizes));
  auto *values = reinterpret_cast<int64_t *>(tensor.memory.data());
  for (int64_t i = 0; i < tensor.numElements(); ++i)
    values[i] = static_cast<int64_t>(engine() % static_cast<uint64_t>(below));
  return tensor;
}

/// Rows of a table by token: out[i, j] = table[tokens[i], j].
UnitBuilder lookUp(int64_t numTokens, int64_t width, DType dtype, std::mt19937 &engine) {
  UnitBuilder unit;
  uint32_t tokens = unit.input(indices({numTokens}, 50, engine));
  uint32_t table = unit.input(random(dtype, {50, width}, engine));
  uint32_t out = unit.output(makeTensor(dtype, {numTokens, width}));
  KernelBuilder k("linalg.generic", "pp");
  k.input(tokens, {dim(0)}).output(out, {dim(0), dim(1)}).gathered(table);
  k.body(unit.unit.tensors);
  k.yield({k.gather(0, dtype, {0, k.position(1)})});
  unit.add(k);
  return unit;
}

TEST(IndexTest, GathersRowsOfTables) {
  std::mt19937 engine(1);
  for (DType dtype : {DType::F32, DType::I8, DType::F64})
    for (auto [tokens, width] : {std::pair<int64_t, int64_t>{7, 384}, {1, 3}, {300, 5}, {64, 2000}})
      expectMatchesReference(lookUp(tokens, width, dtype, engine));
}

TEST(IndexTest, GathersWithVaryingIndicesAndArithmetic) {
  std::mt19937 engine(2);
  UnitBuilder unit;
  uint32_t first = unit.input(indices({40, 70}, 6, engine));
  uint32_t second = unit.input(indices({70}, 9, engine));
  TestTensor table = makeStrided(DType::F32, {6, 5, 9}, {1, 2, 0}, 2);
  randomise(table, engine);
  uint32_t source = unit.input(table);
  uint32_t out = unit.output(makeTensor(DType::F32, {40, 70}));
  uint32_t across = unit.output(makeTensor(DType::F32, {40, 70}));
  KernelBuilder k("linalg.generic", "pp");
  k.input(first, {dim(0), dim(1)}).input(second, {dim(1)});
  k.output(out, {dim(0), dim(1)}).output(across, {dim(0), dim(1)}).gathered(source);
  k.body(unit.unit.tensors);
  Reg two = k.constant(DType::Index, 2);
  Reg all = k.gather(0, DType::F32, {0, two, 1});
  Reg five = k.constant(DType::Index, 5);
  Reg column = k.op(Opcode::RemSI, DType::Index, k.position(1), five);
  Reg other = k.gather(0, DType::F32, {two, column, two});
  k.yield({k.op(Opcode::AddF, DType::F32, all, all), k.op(Opcode::NegF, DType::F32, other)});
  unit.add(k);
  expectMatchesReference(unit);
}

TEST(IndexTest, ReportsIndicesOutsideATable) {
  std::mt19937 engine(3);
  for (int64_t bad : {int64_t(50), int64_t(-1), INT64_MAX, INT64_MIN})
    for (int64_t width : {3, 600}) {
      UnitBuilder unit = lookUp(200, width, DType::F32, engine);
      unit.tensors[0].at<int64_t>({123}) = bad;
      for (unsigned threads : {1u, 3u}) {
        RunOptions options;
        options.numThreads = threads;
        UnitBuilder copy = unit;
        RunResult result = runUnit(copy, options);
        EXPECT_EQ(result.status, ANNEAL_OUT_OF_BOUNDS);
        EXPECT_EQ(result.error.status, ANNEAL_OUT_OF_BOUNDS);
        EXPECT_EQ(result.error.location, 7u);
        EXPECT_EQ(result.error.values[0], bad);
        EXPECT_EQ(result.error.values[1], 0);
        EXPECT_EQ(result.error.values[2], 50);
      }
    }
}

TEST(IndexTest, ReportsPositionsBeyondATable) {
  std::mt19937 engine(4);
  UnitBuilder unit = lookUp(5, 20, DType::F32, engine);
  unit.tensors[1] = random(DType::F32, {50, 12}, engine);
  RunResult result = runUnit(unit);
  EXPECT_EQ(result.status, ANNEAL_OUT_OF_BOUNDS);
  EXPECT_EQ(result.error.values[0], 12);
  EXPECT_EQ(result.error.values[1], 1);
  EXPECT_EQ(result.error.values[2], 12);
}

/// Asserts that no element of the input is zero; no outputs.
UnitBuilder assertNonZero(int64_t size) {
  UnitBuilder unit;
  TestTensor ones = makeTensor(DType::F32, {size});
  for (int64_t i = 0; i < size; ++i)
    ones.at<float>({i}) = 1;
  uint32_t in = unit.input(ones);
  KernelBuilder k("linalg.generic", "p");
  k.input(in, {dim(0)}).body(unit.unit.tensors);
  k.check(k.op(Opcode::CmpFOne, DType::F32, 0, k.constantF32(0)), 42);
  unit.add(k);
  return unit;
}

TEST(IndexTest, AssertsWithoutOutputsPassOrFail) {
  for (int64_t size : {1, 100, 5000}) {
    UnitBuilder unit = assertNonZero(size);
    EXPECT_EQ(runUnit(unit).status, ANNEAL_OK);
    unit.tensors[0].at<float>({size - 1}) = 0;
    RunResult result = runUnit(unit);
    EXPECT_EQ(result.status, ANNEAL_ASSERT_FAILED);
    EXPECT_EQ(result.error.message, 42u);
    EXPECT_EQ(result.error.location, 7u);
  }
}

TEST(IndexTest, LaterKernelsDoNotRunAfterAFailure) {
  UnitBuilder unit = assertNonZero(10);
  uint32_t out = unit.output(makeTensor(DType::F32, {4}));
  KernelBuilder fill("linalg.fill", "p");
  fill.output(out, {dim(0)}).body(unit.unit.tensors);
  fill.yield({fill.constantF32(3)});
  unit.add(fill);
  unit.tensors[0].at<float>({0}) = 0;
  EXPECT_EQ(runUnit(unit).status, ANNEAL_ASSERT_FAILED);
  EXPECT_EQ(unit.tensors[out].at<float>({0}), 0);
}

TEST(IndexTest, ReadsThroughFloorDivAndMod) {
  std::mt19937 engine(5);
  for (int64_t size : {10, 700}) {
    UnitBuilder unit;
    uint32_t in = unit.input(random(DType::F32, {5, (size + 2) / 3, 4}, engine));
    uint32_t out = unit.output(makeTensor(DType::F32, {5, size}));
    KernelBuilder k("linalg.generic", "pp");
    k.input(in, {dim(0), floorDiv(dim(1), 3), mod(dim(1) + dim(0), 4)});
    k.output(out, {dim(0), dim(1)}).body(unit.unit.tensors);
    k.yield({k.op(Opcode::AbsF, DType::F32, 0)});
    unit.add(k);
    expectMatchesReference(unit);
    unit.tensors[in] = random(DType::F32, {5, (size + 2) / 3 - 1, 4}, engine);
    RunResult result = runUnit(unit);
    EXPECT_EQ(result.status, ANNEAL_OUT_OF_BOUNDS);
    EXPECT_EQ(result.error.values[1], 1);
  }
}

TEST(IndexTest, WritesThroughFloorDivAndMod) {
  std::mt19937 engine(6);
  UnitBuilder unit;
  uint32_t in = unit.input(random(DType::F32, {24, 7}, engine));
  uint32_t out = unit.output(random(DType::F32, {4, 6, 7}, engine), true);
  KernelBuilder k("linalg.generic", "pp");
  k.input(in, {dim(0), dim(1)}).output(out, {floorDiv(dim(0), 6), mod(dim(0), 6), dim(1)});
  k.body(unit.unit.tensors);
  k.yield({k.op(Opcode::AddF, DType::F32, 0, 1)});
  unit.add(k);
  expectMatchesReference(unit);
}

TEST(IndexTest, LastWriterWinsWherePointsMeet) {
  std::mt19937 engine(7);
  UnitBuilder unit;
  uint32_t in = unit.input(random(DType::F32, {9, 30}, engine));
  uint32_t out = unit.output(random(DType::F32, {9}, engine), true);
  uint32_t sums = unit.output(random(DType::F32, {38}, engine), true);
  KernelBuilder k("linalg.generic", "pp");
  k.input(in, {dim(0), dim(1)}).output(out, {dim(0)}).output(sums, {dim(0) + dim(1)});
  k.body(unit.unit.tensors);
  k.yield({0, k.op(Opcode::AddF, DType::F32, 0, 2)});
  unit.add(k);
  expectMatchesReference(unit);
}

TEST(IndexTest, RunsBodiesWithBranches) {
  std::mt19937 engine(8);
  for (std::string iterators : {"pp", "pr", "rp"}) {
    UnitBuilder unit;
    uint32_t in = unit.input(random(DType::F32, {30, 40}, engine));
    std::vector<Ix> map = {dim(0), dim(1)};
    std::vector<int64_t> sizes = {30, 40};
    for (size_t d = 2; d-- > 0;)
      if (iterators[d] == 'r') {
        map.erase(map.begin() + static_cast<ptrdiff_t>(d));
        sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(d));
      }
    uint32_t out = unit.output(random(DType::F32, sizes, engine), true);
    KernelBuilder k("linalg.generic", iterators);
    k.input(in, {dim(0), dim(1)}).output(out, map).body(unit.unit.tensors);
    // if (in > 0) r = out + in; else while (r < 1) r = r + 0.3 from in.
    Reg r = k.reg(DType::F32);
    Reg positive = k.op(Opcode::CmpFOgt, DType::F32, 0, k.constantF32(0));
    size_t toElse = k.next();
    k.jumpIfFalse(positive, 0);
    k.moveTo(r, k.op(Opcode::AddF, DType::F32, 1, 0), DType::F32);
    size_t toEnd = k.next();
    k.jump(0);
    k.target(toElse, k.next());
    k.moveTo(r, 0, DType::F32);
    size_t loop = k.next();
    Reg below = k.op(Opcode::CmpFOlt, DType::F32, r, k.constantF32(1));
    size_t leave = k.next();
    k.jumpIfFalse(below, 0);
    k.moveTo(r, k.op(Opcode::AddF, DType::F32, r, k.constantF32(0.3f)), DType::F32);
    k.jump(loop);
    k.target(leave, k.next());
    k.target(toEnd, k.next());
    k.yield({r});
    unit.add(k);
    expectMatchesReference(unit);
  }
}

TEST(IndexTest, RefusesShapesThatDoNotFit) {
  std::mt19937 engine(9);
  UnitBuilder unit;
  uint32_t a = unit.input(random(DType::F32, {4, 5}, engine));
  uint32_t b = unit.input(random(DType::F32, {6, 7}, engine));
  uint32_t out = unit.output(makeTensor(DType::F32, {4, 7}));
  KernelBuilder k("linalg.matmul", "ppr");
  k.input(a, {dim(0), dim(2)}).input(b, {dim(2), dim(1)}).output(out, {dim(0), dim(1)});
  k.body(unit.unit.tensors);
  k.yield({k.op(Opcode::AddF, DType::F32, 2, k.op(Opcode::MulF, DType::F32, 0, 1))});
  unit.add(k);
  RunResult result = runUnit(unit);
  EXPECT_TRUE(absl::IsInvalidArgument(result.bindStatus));
  EXPECT_THAT(std::string(result.bindStatus.message()),
              HasSubstr("linalg.matmul: dimension #0 of input #1 has size 6, but iteration "
                        "dimension d2 has size 5"));
}

TEST(IndexTest, RefusesAccessesOutsideAnOperand) {
  std::mt19937 engine(10);
  UnitBuilder unit;
  uint32_t in = unit.input(random(DType::F32, {10}, engine));
  uint32_t out = unit.output(makeTensor(DType::F32, {9}));
  KernelBuilder k("linalg.generic", "p");
  k.input(in, {dim(0) + at(2)}).output(out, {dim(0)}).body(unit.unit.tensors);
  k.yield({0});
  unit.add(k);
  RunResult result = runUnit(unit);
  EXPECT_TRUE(absl::IsInvalidArgument(result.bindStatus));
  EXPECT_THAT(std::string(result.bindStatus.message()),
              HasSubstr("dimension #0 of input #0 has size 10, but is accessed from 2 to 10"));
}

} // namespace
