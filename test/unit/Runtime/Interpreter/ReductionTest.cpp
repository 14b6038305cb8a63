//===- ReductionTest.cpp - Kernels with reductions ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace anneal::runtime::test;

namespace {

TestTensor random(DType dtype, std::vector<int64_t> sizes, std::mt19937 &engine,
                  bool special = false) {
  TestTensor tensor = makeTensor(dtype, std::move(sizes));
  randomise(tensor, engine, special);
  return tensor;
}

/// One output reduced over the 'r' dimensions of one input by `op`.
UnitBuilder reduce(const std::string &iterators, const std::vector<int64_t> &sizes, Opcode op,
                   DType dtype, std::mt19937 &engine, bool special = false) {
  UnitBuilder unit;
  std::vector<int64_t> outSizes;
  std::vector<Ix> inMap, outMap;
  for (unsigned d = 0; d < sizes.size(); ++d) {
    inMap.push_back(dim(d));
    if (iterators[d] != 'p')
      continue;
    outSizes.push_back(sizes[d]);
    outMap.push_back(dim(d));
  }
  uint32_t in = unit.input(random(dtype, sizes, engine, special));
  uint32_t out = unit.output(random(dtype, outSizes, engine), true);
  KernelBuilder k("linalg.generic", iterators);
  k.input(in, inMap).output(out, outMap).body(unit.unit.tensors);
  k.yield({k.op(op, dtype, 0, 1)});
  unit.add(k);
  return unit;
}

struct Shape {
  std::string iterators;
  std::vector<int64_t> sizes;
};

const std::vector<Shape> kShapes = {{"r", {1}},
                                    {"r", {17}},
                                    {"r", {1000}},
                                    {"r", {5000}},
                                    {"pr", {1, 5}},
                                    {"pr", {7, 16}},
                                    {"pr", {70, 128}},
                                    {"pr", {3, 1025}},
                                    {"pr", {130, 33}},
                                    {"pr", {5, 1}},
                                    {"pr", {4, 0}},
                                    {"pr", {0, 4}},
                                    {"rp", {12, 256}},
                                    {"rp", {33, 7}},
                                    {"rp", {100, 1}},
                                    {"rp", {40, 1030}},
                                    {"prp", {3, 20, 50}},
                                    {"rpr", {5, 6, 7}},
                                    {"rpr", {20, 3, 70}},
                                    {"ppr", {3, 5, 300}},
                                    {"prr", {4, 30, 30}},
                                    {"prpr", {2, 9, 3, 50}},
                                    {"rr", {40, 70}},
                                    {"rrp", {3, 5, 40}},
                                    {"pprp", {2, 3, 17, 129}}};

TEST(ReductionTest, FollowsTheNumericRuleInEveryPosition) {
  std::mt19937 engine(1);
  for (const Shape &shape : kShapes)
    for (Opcode op : {Opcode::AddF, Opcode::MaximumF, Opcode::MinNumF, Opcode::MulF}) {
      SCOPED_TRACE(shape.iterators + " " + std::string(anneal::plan::name(op)));
      UnitBuilder unit =
          reduce(shape.iterators, shape.sizes, op, DType::F32, engine, op != Opcode::MulF);
      Order order = shape.iterators.back() == 'r' ? Order::Lanes : Order::Chain;
      expectMatchesReference(unit, {order});
    }
}

TEST(ReductionTest, HandlesEveryTypeAndCombiner) {
  std::mt19937 engine(2);
  const std::pair<DType, std::vector<Opcode>> cases[] = {
      {DType::I1, {Opcode::AndI, Opcode::OrI, Opcode::XOrI}},
      {DType::I8, {Opcode::AddI, Opcode::MaxSI, Opcode::MinUI}},
      {DType::I16, {Opcode::AddI, Opcode::MulI, Opcode::MinSI}},
      {DType::I32, {Opcode::AddI, Opcode::MaxUI, Opcode::MinSI, Opcode::XOrI}},
      {DType::I64, {Opcode::AddI, Opcode::MaxSI, Opcode::MinUI, Opcode::OrI}},
      {DType::F16, {Opcode::AddF, Opcode::MaximumF, Opcode::MulF}},
      {DType::BF16, {Opcode::AddF, Opcode::MinimumF}},
      {DType::F64, {Opcode::AddF, Opcode::MaxNumF, Opcode::MaximumF, Opcode::MulF}}};
  const std::vector<Shape> shapes = {{"pr", {9, 100}}, {"rp", {21, 300}}, {"rpr", {3, 5, 40}}};
  for (const auto &[dtype, ops] : cases)
    for (Opcode op : ops)
      for (const Shape &shape : shapes) {
        SCOPED_TRACE(std::string(anneal::plan::name(dtype)) + " " +
                     std::string(anneal::plan::name(op)) + " " + shape.iterators);
        UnitBuilder unit = reduce(shape.iterators, shape.sizes, op, dtype, engine);
        Order order = shape.iterators.back() == 'r' ? Order::Lanes : Order::Chain;
        expectMatchesReference(unit, {order});
      }
}

TEST(ReductionTest, ReducesComputedValues) {
  std::mt19937 engine(3);
  for (const Shape &shape : kShapes) {
    if (shape.sizes.size() != 2)
      continue;
    SCOPED_TRACE(shape.iterators);
    UnitBuilder unit;
    bool rowsReduce = shape.iterators == "pr", all = shape.iterators == "rr";
    uint32_t a = unit.input(random(DType::F32, shape.sizes, engine));
    uint32_t b = unit.input(random(DType::F32, {shape.sizes[rowsReduce ? 0 : 1]}, engine));
    std::vector<Ix> map = {dim(rowsReduce ? 0 : 1)};
    std::vector<int64_t> outSizes = {shape.sizes[rowsReduce ? 0 : 1]};
    if (all) {
      map.clear();
      outSizes.clear();
    }
    uint32_t out = unit.output(random(DType::F32, outSizes, engine), true);
    KernelBuilder k("linalg.generic", shape.iterators);
    k.input(a, {dim(0), dim(1)}).input(b, {dim(rowsReduce ? 0 : 1)}).output(out, map);
    k.body(unit.unit.tensors);
    Reg difference = k.op(Opcode::SubF, DType::F32, 0, 1);
    Reg square = k.op(Opcode::MulF, DType::F32, difference, difference);
    Reg position = k.convert(Opcode::SIToFP, DType::F32, DType::Index, k.position(1));
    k.yield({k.op(Opcode::AddF, DType::F32, 2, k.op(Opcode::AddF, DType::F32, square, position))});
    unit.add(k);
    expectMatchesReference(unit, {shape.iterators.back() == 'r' ? Order::Lanes : Order::Chain});
  }
}

TEST(ReductionTest, ReadsRowsThroughTransposedAndReversedMaps) {
  std::mt19937 engine(4);
  for (int64_t rows : {3, 40, 200}) {
    UnitBuilder unit;
    uint32_t a = unit.input(random(DType::F32, {75, rows}, engine));
    uint32_t b = unit.input(random(DType::F32, {rows, 75}, engine));
    uint32_t first = unit.output(random(DType::F32, {rows}, engine), true);
    uint32_t second = unit.output(random(DType::F64, {rows}, engine), true);
    KernelBuilder k("linalg.generic", "pr");
    k.input(a, {dim(1), dim(0)}).input(b, {dim(0), dim(1) * -1 + at(74)});
    k.output(first, {dim(0)}).output(second, {dim(0)}).body(unit.unit.tensors);
    Reg product = k.op(Opcode::MulF, DType::F32, 0, 1);
    Reg wide = k.convert(Opcode::ExtF, DType::F64, DType::F32, product);
    k.yield({k.op(Opcode::AddF, DType::F32, 2, 0), k.op(Opcode::MaximumF, DType::F64, wide, 3)});
    unit.add(k);
    expectMatchesReference(unit, {Order::Lanes});
  }
}

TEST(ReductionTest, CountsWithUniformValues) {
  std::mt19937 engine(5);
  for (const Shape &shape : {Shape{"pr", {5, 2000}}, Shape{"rp", {30, 70}}, Shape{"pr", {90, 7}}}) {
    UnitBuilder unit;
    uint32_t a = unit.input(random(DType::F32, shape.sizes, engine));
    int64_t n = shape.sizes[shape.iterators == "pr" ? 0 : 1];
    uint32_t out = unit.output(random(DType::F32, {n}, engine), true);
    KernelBuilder k("linalg.generic", shape.iterators);
    k.input(a, {dim(0), dim(1)}).output(out, {dim(shape.iterators == "pr" ? 0 : 1)});
    k.body(unit.unit.tensors);
    k.yield({k.op(Opcode::AddF, DType::F32, 1, k.constantF32(0.1f))});
    unit.add(k);
    expectMatchesReference(unit, {shape.iterators.back() == 'r' ? Order::Lanes : Order::Chain});
  }
}

TEST(ReductionTest, FindsPositionsOfMaxima) {
  std::mt19937 engine(6);
  for (const Shape &shape :
       {Shape{"pr", {1, 214}}, Shape{"pr", {33, 50}}, Shape{"rp", {20, 600}}, Shape{"rp", {9, 5}},
        Shape{"prp", {2, 6, 40}}, Shape{"pr", {3, 5000}}, Shape{"rpr", {7, 2, 90}}}) {
    SCOPED_TRACE(shape.iterators);
    UnitBuilder unit;
    std::vector<Ix> in, out;
    std::vector<int64_t> sizes;
    unsigned reduced = 0;
    for (unsigned d = 0; d < shape.sizes.size(); ++d) {
      in.push_back(dim(d));
      if (shape.iterators[d] == 'r') {
        reduced = d;
        continue;
      }
      out.push_back(dim(d));
      sizes.push_back(shape.sizes[d]);
    }
    uint32_t a = unit.input(random(DType::F32, shape.sizes, engine, true));
    TestTensor low = makeTensor(DType::F32, sizes);
    for (size_t i = 0; i < low.memory.size(); i += 4) {
      float minusInfinity = -INFINITY;
      std::memcpy(low.memory.data() + i, &minusInfinity, 4);
    }
    uint32_t best = unit.output(low, true);
    uint32_t where = unit.output(makeTensor(DType::I64, sizes), true);
    KernelBuilder k("linalg.generic", shape.iterators);
    k.input(a, in).output(best, out).output(where, out).body(unit.unit.tensors);
    Reg position = k.position(reduced);
    Reg max = k.op(Opcode::MaximumF, DType::F32, 0, 1);
    Reg greater = k.op(Opcode::CmpFOgt, DType::F32, 0, 1);
    k.yield({max, k.op(Opcode::Select, DType::I64, greater, position, 2)});
    unit.add(k);
    expectMatchesReference(unit, {Order::Body});
  }
}

/// Pooling over the last two dimensions of an NCHW tensor.
UnitBuilder pool(const std::vector<int64_t> &in, int64_t kh, int64_t kw, int64_t stride,
                 int64_t dilation, Opcode op, DType dtype, std::mt19937 &engine) {
  UnitBuilder unit;
  int64_t oh = (in[2] - (kh - 1) * dilation - 1) / stride + 1;
  int64_t ow = (in[3] - (kw - 1) * dilation - 1) / stride + 1;
  uint32_t a = unit.input(random(dtype, in, engine));
  uint32_t window = unit.input(makeTensor(dtype, {kh, kw}));
  uint32_t out = unit.output(random(dtype, {in[0], in[1], oh, ow}, engine), true);
  KernelBuilder k("linalg.pooling", "pppprr");
  k.input(a, {dim(0), dim(1), dim(2) * stride + dim(4) * dilation,
              dim(3) * stride + dim(5) * dilation});
  k.input(window, {dim(4), dim(5)}).output(out, {dim(0), dim(1), dim(2), dim(3)});
  k.body(unit.unit.tensors);
  k.yield({k.op(op, dtype, 2, 0)});
  unit.add(k);
  return unit;
}

TEST(ReductionTest, PoolsWindowsAsChains) {
  std::mt19937 engine(7);
  for (Opcode op : {Opcode::AddF, Opcode::MaximumF}) {
    for (DType dtype : {DType::F32, DType::F16, DType::F64}) {
      expectMatchesReference(pool({2, 3, 20, 40}, 2, 2, 2, 1, op, dtype, engine), {Order::Chain});
      expectMatchesReference(pool({1, 4, 9, 75}, 3, 3, 1, 1, op, dtype, engine), {Order::Chain});
      expectMatchesReference(pool({1, 2, 30, 30}, 3, 2, 3, 2, op, dtype, engine), {Order::Chain});
      expectMatchesReference(pool({2, 13, 9, 11}, 9, 11, 1, 1, op, dtype, engine), {Order::Chain});
      expectMatchesReference(pool({1, 5, 40, 41}, 40, 41, 1, 1, op, dtype, engine), {Order::Chain});
      expectMatchesReference(pool({1, 3, 7, 7}, 1, 1, 1, 1, op, dtype, engine), {Order::Chain});
    }
  }
  expectMatchesReference(pool({2, 3, 20, 40}, 3, 3, 2, 1, Opcode::MaxSI, DType::I8, engine),
                         {Order::Chain});
  expectMatchesReference(pool({2, 3, 20, 40}, 3, 3, 2, 1, Opcode::MinUI, DType::I32, engine),
                         {Order::Chain});
}

TEST(ReductionTest, PoolsComputedValuesOverWholeImages) {
  std::mt19937 engine(8);
  for (int64_t size : {5, 37}) {
    UnitBuilder unit;
    uint32_t a = unit.input(random(DType::F32, {2, 9, size, size}, engine));
    uint32_t window = unit.input(makeTensor(DType::F32, {size, size}));
    uint32_t out = unit.output(random(DType::F32, {2, 9, 1, 1}, engine), true);
    KernelBuilder k("linalg.generic", "pppprr");
    k.input(a, {dim(0), dim(1), dim(2) + dim(4), dim(3) + dim(5)}).input(window, {dim(4), dim(5)});
    k.output(out, {dim(0), dim(1), dim(2), dim(3)}).body(unit.unit.tensors);
    k.yield({k.op(Opcode::AddF, DType::F32, k.op(Opcode::Exp, DType::F32, 0), 2)});
    unit.add(k);
    expectMatchesReference(unit, {Order::Chain});
  }
}

} // namespace
