//===- MoveTest.cpp - Copies, transpositions, fills, pads -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace anneal::runtime::test;

namespace {

TestTensor random(DType dtype, std::vector<int64_t> sizes, std::mt19937 &engine) {
  TestTensor tensor = makeTensor(dtype, std::move(sizes));
  randomise(tensor, engine);
  return tensor;
}

/// out[i...] = in[permuted i...].
UnitBuilder transpose(DType dtype, const std::vector<int64_t> &sizes,
                      const std::vector<unsigned> &order, std::mt19937 &engine) {
  UnitBuilder unit;
  unsigned rank = static_cast<unsigned>(sizes.size());
  std::vector<int64_t> outSizes;
  std::vector<Ix> inMap(rank), outMap;
  for (unsigned d = 0; d < rank; ++d) {
    outSizes.push_back(sizes[order[d]]);
    outMap.push_back(dim(d));
    inMap[order[d]] = dim(d);
  }
  uint32_t in = unit.input(random(dtype, sizes, engine));
  uint32_t out = unit.output(makeTensor(dtype, outSizes));
  KernelBuilder k("linalg.transpose", std::string(rank, 'p'));
  k.input(in, inMap).output(out, outMap).body(unit.unit.tensors);
  k.yield({0});
  unit.add(k);
  return unit;
}

TEST(MoveTest, TransposesEveryElementSize) {
  std::mt19937 engine(1);
  for (DType dtype : {DType::I8, DType::F16, DType::F32, DType::F64}) {
    expectMatchesReference(transpose(dtype, {70, 129}, {1, 0}, engine));
    expectMatchesReference(transpose(dtype, {2, 17, 12, 32}, {0, 2, 1, 3}, engine));
    expectMatchesReference(transpose(dtype, {3, 5, 7, 11}, {3, 1, 0, 2}, engine));
    expectMatchesReference(transpose(dtype, {1, 128, 1}, {0, 2, 1}, engine));
    expectMatchesReference(transpose(dtype, {4, 1, 100, 33}, {3, 2, 1, 0}, engine));
    expectMatchesReference(transpose(dtype, {300, 400}, {1, 0}, engine));
  }
}

TEST(MoveTest, CopiesBroadcastsReversesAndShifts) {
  std::mt19937 engine(2);
  UnitBuilder unit;
  uint32_t in = unit.input(random(DType::F32, {9, 128}, engine));
  uint32_t row = unit.input(random(DType::F32, {128}, engine));
  uint32_t square = unit.input(random(DType::F32, {9, 9}, engine));
  uint32_t reversed = unit.output(makeTensor(DType::F32, {9, 128}));
  uint32_t rows = unit.output(makeTensor(DType::F32, {50, 128}));
  uint32_t columns = unit.output(makeTensor(DType::F32, {128, 50}));
  uint32_t part = unit.output(makeTensor(DType::F32, {4, 60}));
  uint32_t diagonal = unit.output(makeTensor(DType::F32, {9}));
  KernelBuilder a("linalg.generic", "pp");
  a.input(in, {dim(0), dim(1) * -1 + at(127)}).output(reversed, {dim(0), dim(1)});
  a.body(unit.unit.tensors).yield({0});
  unit.add(a);
  KernelBuilder b("linalg.broadcast", "pp");
  b.input(row, {dim(1)}).output(rows, {dim(0), dim(1)}).body(unit.unit.tensors).yield({0});
  unit.add(b);
  KernelBuilder c("linalg.broadcast", "pp");
  c.input(row, {dim(0)}).output(columns, {dim(0), dim(1)}).body(unit.unit.tensors).yield({0});
  unit.add(c);
  KernelBuilder d("linalg.generic", "pp");
  d.input(in, {dim(0) * 2 + at(1), dim(1) * 2 + at(3)}).output(part, {dim(0), dim(1)});
  d.body(unit.unit.tensors).yield({0});
  unit.add(d);
  KernelBuilder e("linalg.generic", "p");
  e.input(square, {dim(0), dim(0)}).output(diagonal, {dim(0)}).body(unit.unit.tensors).yield({0});
  unit.add(e, {{1, 0}});
  expectMatchesReference(unit);
}

TEST(MoveTest, FillsWithConstantsOfEveryType) {
  for (DType dtype : {DType::I1, DType::I16, DType::I64, DType::BF16, DType::F32, DType::F64})
    for (const std::vector<int64_t> &sizes :
         std::vector<std::vector<int64_t>>{{}, {1}, {7, 13}, {0, 3}, {100000}}) {
      UnitBuilder unit;
      TestTensor strided = makeStrided(
          dtype, sizes,
          [&] {
            std::vector<unsigned> order;
            for (unsigned d = 0; d < sizes.size(); ++d)
              order.push_back(d);
            return order;
          }(),
          2);
      uint32_t out = unit.output(makeTensor(dtype, sizes));
      uint32_t apart = unit.output(strided);
      std::vector<Ix> map;
      for (unsigned d = 0; d < sizes.size(); ++d)
        map.push_back(dim(d));
      for (uint32_t tensor : {out, apart}) {
        KernelBuilder k("linalg.fill", std::string(sizes.size(), 'p'));
        k.output(tensor, map).body(unit.unit.tensors);
        k.yield({k.constant(dtype, dtype == DType::I1 ? 1 : 0x3f12)});
        unit.add(k);
      }
      expectMatchesReference(unit);
    }
}

UnitBuilder pad(DType dtype, const std::vector<int64_t> &sizes, const std::vector<int64_t> &low,
                const std::vector<int64_t> &high, bool captured, std::mt19937 &engine) {
  UnitBuilder unit;
  std::vector<int64_t> outSizes;
  for (size_t d = 0; d < sizes.size(); ++d)
    outSizes.push_back(low[d] + sizes[d] + high[d]);
  uint32_t in = unit.input(random(dtype, sizes, engine));
  uint32_t out = unit.output(makeTensor(dtype, outSizes));
  unit.unit.scalars.resize(1);
  KernelBuilder k("tensor.pad", "");
  k.input(in, std::vector<Ix>(sizes.size(), at(0)));
  k.output(out, std::vector<Ix>(sizes.size(), at(0)));
  k.kernel.kind = anneal::plan::KernelKind::Pad;
  k.yield({captured ? k.capture(0, dtype) : k.constant(dtype, 0x41)});
  for (int64_t before : low)
    k.kernel.padLow.push_back({anneal::plan::SizeExpr::Kind::Constant, 0, before});
  unit.add(k);
  return unit;
}

TEST(MoveTest, PadsOnAllSides) {
  std::mt19937 engine(3);
  RunOptions options;
  options.scalars = {0x40};
  for (DType dtype : {DType::I8, DType::F16, DType::F32, DType::I64})
    for (bool captured : {false, true}) {
      auto check = [&](const std::vector<int64_t> &sizes, const std::vector<int64_t> &low,
                       const std::vector<int64_t> &high) {
        expectMatchesReference(pad(dtype, sizes, low, high, captured, engine), {}, options);
      };
      check({2, 3, 10, 12}, {0, 0, 1, 1}, {0, 0, 1, 1});
      check({2, 3, 10, 12}, {0, 0, 2, 0}, {0, 0, 1, 0});
      check({5, 4}, {3, 0}, {0, 0});
      check({5, 4}, {0, 1}, {0, 0});
      check({1, 129, 4}, {0, 0, 1}, {0, 0, 1});
      check({0, 4}, {2, 2}, {1, 0});
      check({6, 7}, {0, 0}, {0, 0});
      check({6, 7}, {-2, 1}, {3, -3});
      check({}, {}, {});
      check({1, 40, 200, 50}, {0, 0, 1, 0}, {0, 0, 1, 0});
    }
}

} // namespace
