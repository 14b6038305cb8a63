//===- MapTest.cpp - Element-wise kernels ---------------------------------===//
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

std::vector<Ix> identity(unsigned rank) {
  std::vector<Ix> map;
  for (unsigned d = 0; d < rank; ++d)
    map.push_back(dim(d));
  return map;
}

std::string allParallel(size_t rank) { return std::string(rank, 'p'); }

TestTensor random(DType dtype, std::vector<int64_t> sizes, std::mt19937 &engine,
                  bool special = false) {
  TestTensor tensor = makeTensor(dtype, std::move(sizes));
  randomise(tensor, engine, special);
  return tensor;
}

/// A chain of float operations with constants, ending in a select.
Reg activation(KernelBuilder &k, Reg x) {
  Reg cube = k.op(Opcode::MulF, DType::F32, k.op(Opcode::MulF, DType::F32, x, x), x);
  Reg inner = k.op(Opcode::AddF, DType::F32, x,
                   k.op(Opcode::MulF, DType::F32, cube, k.constantF32(0.044715f)));
  Reg t = k.op(Opcode::Tanh, DType::F32,
               k.op(Opcode::MulF, DType::F32, inner, k.constantF32(0.7978845f)));
  Reg y = k.op(Opcode::MulF, DType::F32, k.op(Opcode::MulF, DType::F32, x, k.constantF32(0.5f)),
               k.op(Opcode::AddF, DType::F32, t, k.constantF32(1)));
  Reg isBig = k.op(Opcode::CmpFOgt, DType::F32, y, k.constantF32(1.5f));
  return k.op(Opcode::Select, DType::F32, isBig, k.constantF32(1.5f), y);
}

TEST(MapTest, RunsChainsOverAllKindsOfSizes) {
  std::mt19937 engine(1);
  const std::vector<std::vector<int64_t>> shapes = {
      {},        {1},     {2},       {15},      {16},      {17},       {511},
      {512},     {513},   {1024},    {1025},    {4099},    {0},        {3, 0},
      {1, 1, 1}, {7, 13}, {129, 4},  {1000, 3}, {2, 3, 5}, {3, 1, 77}, {1, 100, 31},
      {40, 40},  {70000}, {3, 1027}, {50, 1021}};
  for (const std::vector<int64_t> &shape : shapes) {
    UnitBuilder unit;
    unsigned rank = static_cast<unsigned>(shape.size());
    uint32_t in = unit.input(random(DType::F32, shape, engine, true));
    uint32_t out = unit.output(makeTensor(DType::F32, shape));
    KernelBuilder k("linalg.generic", allParallel(rank));
    k.input(in, identity(rank)).output(out, identity(rank)).body(unit.unit.tensors);
    k.yield({activation(k, 0)});
    unit.add(k);
    expectMatchesReference(unit);
  }
}

TEST(MapTest, ChoosesBetweenComparedValues) {
  std::mt19937 engine(2);
  for (DType type : {DType::F32, DType::F64, DType::F16})
    for (int uniform : {0, 1, 2})
      for (int first = static_cast<int>(Opcode::CmpFFalse);
           first <= static_cast<int>(Opcode::CmpFTrue); ++first) {
        UnitBuilder unit;
        uint32_t x = unit.input(random(type, {301}, engine, true));
        uint32_t y = unit.input(random(type, {301}, engine, true));
        uint32_t one = unit.input(random(type, {}, engine));
        uint32_t chosen = unit.output(makeTensor(type, {301}));
        uint32_t other = unit.output(makeTensor(type, {301}));
        KernelBuilder k("linalg.generic", "p");
        k.input(uniform == 1 ? one : x, uniform == 1 ? std::vector<Ix>() : identity(1));
        k.input(uniform == 2 ? one : y, uniform == 2 ? std::vector<Ix>() : identity(1));
        k.output(chosen, identity(1)).output(other, identity(1)).body(unit.unit.tensors);
        Reg flag = k.op(static_cast<Opcode>(first), type, 0, 1);
        k.yield({k.op(Opcode::Select, type, flag, 0, 1), k.op(Opcode::Select, type, flag, 1, 0)});
        unit.add(k, {{2, 0}});
        expectMatchesReference(unit);
      }
}

TEST(MapTest, BroadcastsOperandsOfLowerRankAndSizeOne) {
  std::mt19937 engine(2);
  const std::vector<std::vector<int64_t>> shapes = {{2, 3, 4, 5},   {1, 8, 48, 96}, {4, 1, 1, 300},
                                                    {3, 129, 1, 4}, {2, 5, 7, 1},   {600, 2, 2, 2}};
  for (const std::vector<int64_t> &s : shapes) {
    UnitBuilder unit;
    uint32_t a = unit.input(random(DType::F32, s, engine));
    uint32_t channel = unit.input(random(DType::F32, {s[1]}, engine));
    uint32_t row = unit.input(random(DType::F32, {s[0], s[1], 1, s[3]}, engine));
    uint32_t last = unit.input(random(DType::F32, {1, s[3]}, engine));
    uint32_t scalar = unit.input(random(DType::F32, {}, engine));
    uint32_t out = unit.output(makeTensor(DType::F32, s));
    KernelBuilder k("linalg.generic", "pppp");
    k.input(a, identity(4)).input(channel, {dim(1)});
    k.input(row, {dim(0), dim(1), at(0), dim(3)}).input(last, {at(0), dim(3)});
    k.input(scalar, {}).output(out, identity(4)).body(unit.unit.tensors);
    Reg x = k.op(Opcode::MulF, DType::F32, k.op(Opcode::AddF, DType::F32, 0, 1), 2);
    Reg bias = k.op(Opcode::SubF, DType::F32, 3, 4);
    k.yield({k.op(Opcode::AddF, DType::F32, x, k.op(Opcode::Exp, DType::F32, bias))});
    unit.add(k);
    expectMatchesReference(unit);
  }
}

TEST(MapTest, ReadsAndWritesThroughPermutedReversedAndShiftedMaps) {
  std::mt19937 engine(3);
  UnitBuilder unit;
  uint32_t a = unit.input(random(DType::F32, {37, 128}, engine));
  uint32_t b = unit.input(random(DType::F32, {64, 40}, engine));
  uint32_t out = unit.output(makeTensor(DType::F32, {64, 37}));
  uint32_t reversed = unit.output(makeTensor(DType::F32, {37, 64}));
  KernelBuilder k("linalg.generic", "pp");
  k.input(a, {dim(0), dim(1) * -2 + at(127)}).input(b, {dim(1), dim(0) + at(3)});
  k.output(out, {dim(1), dim(0)}).output(reversed, {dim(0) * -1 + at(36), dim(1)});
  k.body(unit.unit.tensors);
  k.yield({k.op(Opcode::MulF, DType::F32, 0, 1), k.op(Opcode::AddF, DType::F32, 0, 1)});
  unit.add(k, {{2, 1}, {2, 0}});
  expectMatchesReference(unit);
}

TEST(MapTest, ReadsPreviousValuesOfOutputsAndYieldsOperands) {
  std::mt19937 engine(4);
  UnitBuilder unit;
  uint32_t in = unit.input(random(DType::I32, {5, 300}, engine));
  uint32_t first = unit.output(random(DType::I32, {5, 300}, engine), true);
  uint32_t second = unit.output(makeTensor(DType::I32, {300, 5}));
  uint32_t third = unit.output(makeTensor(DType::I32, {5, 300}));
  KernelBuilder k("linalg.generic", "pp");
  k.input(in, identity(2)).output(first, identity(2)).output(second, {dim(1), dim(0)});
  k.output(third, identity(2)).body(unit.unit.tensors);
  Reg sum = k.op(Opcode::AddI, DType::I32, 0, 1);
  k.yield({sum, 1, sum});
  unit.add(k);
  expectMatchesReference(unit);
}

TEST(MapTest, ComputesPositionsOfEveryDimension) {
  std::mt19937 engine(5);
  for (const std::vector<int64_t> &s : std::vector<std::vector<int64_t>>{
           {3, 4, 5}, {1, 300, 2}, {2, 2, 1100}, {64, 1, 64}, {1000, 1, 1}}) {
    UnitBuilder unit;
    uint32_t out = unit.output(makeTensor(DType::I64, s));
    uint32_t offset = unit.output(makeTensor(DType::Index, {s[2], s[0], s[1]}));
    KernelBuilder k("linalg.generic", "ppp");
    k.output(out, identity(3)).output(offset, {dim(2), dim(0), dim(1)}).body(unit.unit.tensors);
    Reg p0 = k.position(0), p1 = k.position(1), p2 = k.position(2);
    Reg hundred = k.constant(DType::Index, 100);
    Reg mixed = k.op(Opcode::AddI, DType::Index, k.op(Opcode::MulI, DType::Index, p0, hundred), p2);
    k.yield({k.op(Opcode::AddI, DType::Index, k.op(Opcode::MulI, DType::Index, mixed, hundred), p1),
             p1});
    unit.add(k);
    expectMatchesReference(unit);
  }
}

TEST(MapTest, HandlesEveryElementType) {
  std::mt19937 engine(6);
  for (DType dtype : {DType::I1, DType::I8, DType::I16, DType::I32, DType::I64, DType::Index,
                      DType::F16, DType::BF16, DType::F32, DType::F64}) {
    UnitBuilder unit;
    uint32_t a = unit.input(random(dtype, {23, 67}, engine));
    uint32_t b = unit.input(random(dtype, {67, 23}, engine));
    uint32_t flags = unit.output(makeTensor(DType::I1, {23, 67}));
    uint32_t out = unit.output(makeTensor(dtype, {67, 23}));
    KernelBuilder k("linalg.generic", "pp");
    k.input(a, identity(2)).input(b, {dim(1), dim(0)}).output(flags, identity(2));
    k.output(out, {dim(1), dim(0)}).body(unit.unit.tensors);
    bool isFloat = anneal::plan::isFloat(dtype);
    Reg less = k.op(isFloat ? Opcode::CmpFOlt : Opcode::CmpISlt, dtype, 0, 1);
    Reg sum = k.op(isFloat ? Opcode::AddF : Opcode::AddI, dtype, 0, 1);
    k.yield({less, k.op(Opcode::Select, dtype, less, sum, 0)});
    unit.add(k);
    expectMatchesReference(unit);
  }
}

TEST(MapTest, ConvertsBetweenWidthsWithinABody) {
  std::mt19937 engine(7);
  UnitBuilder unit;
  uint32_t a = unit.input(random(DType::I8, {3, 1500}, engine));
  uint32_t b = unit.input(random(DType::F64, {3, 1500}, engine));
  uint32_t out = unit.output(makeTensor(DType::F16, {3, 1500}));
  uint32_t low = unit.output(makeTensor(DType::I64, {3, 1500}));
  KernelBuilder k("linalg.generic", "pp");
  k.input(a, identity(2)).input(b, identity(2)).output(out, identity(2));
  k.output(low, identity(2)).body(unit.unit.tensors);
  Reg wide = k.convert(Opcode::ExtSI, DType::I64, DType::I8, 0);
  Reg real = k.convert(Opcode::SIToFP, DType::F64, DType::I64, wide);
  Reg sum = k.op(Opcode::AddF, DType::F64, real, 1);
  Reg narrow = k.convert(Opcode::TruncF, DType::F32, DType::F64, sum);
  Reg product = k.op(Opcode::MulI, DType::I64, wide, wide);
  k.yield({k.convert(Opcode::TruncF, DType::F16, DType::F32, narrow), product});
  unit.add(k);
  expectMatchesReference(unit);
}

TEST(MapTest, UsesScalarsOfTheUnit) {
  std::mt19937 engine(8);
  UnitBuilder unit;
  uint32_t in = unit.input(random(DType::F32, {700}, engine));
  uint32_t out = unit.output(makeTensor(DType::F32, {700}));
  uint32_t filled = unit.output(makeTensor(DType::F32, {4, 5}));
  unit.unit.scalars.resize(2);
  KernelBuilder k("linalg.generic", "p");
  k.input(in, identity(1)).output(out, identity(1)).body(unit.unit.tensors);
  Reg scalar = k.capture(1, DType::F32);
  k.yield({k.op(Opcode::DivF, DType::F32, 0, k.op(Opcode::Sqrt, DType::F32, scalar))});
  unit.add(k);
  KernelBuilder fill("linalg.fill", "pp");
  fill.output(filled, identity(2)).body(unit.unit.tensors);
  fill.yield({fill.capture(0, DType::F32)});
  unit.add(fill);
  RunOptions options;
  options.scalars = {0x3fc00000, 0x40200000};
  expectMatchesReference(unit, {}, options);
}

TEST(MapTest, WorksOnStridedViews) {
  std::mt19937 engine(9);
  UnitBuilder unit;
  TestTensor a = makeStrided(DType::F32, {6, 7, 90}, {0, 2, 1}, 3);
  TestTensor b = makeStrided(DType::F32, {6, 7, 90}, {2, 1, 0}, 1);
  randomise(a, engine);
  randomise(b, engine);
  uint32_t first = unit.input(a), second = unit.input(b);
  uint32_t out = unit.output(makeStrided(DType::F32, {6, 7, 90}, {1, 0, 2}, 5));
  KernelBuilder k("linalg.generic", "ppp");
  k.input(first, identity(3)).input(second, identity(3)).output(out, identity(3));
  k.body(unit.unit.tensors);
  k.yield({k.op(Opcode::SubF, DType::F32, 0, 1)});
  unit.add(k);
  expectMatchesReference(unit);
}

/// A random body over random maps: every operand register and a few positions feed a random tree.
void runRandomCase(unsigned seed) {
  std::mt19937 engine(seed);
  auto below = [&](unsigned n) { return static_cast<unsigned>(engine() % n); };
  unsigned rank = 1 + below(4);
  const int64_t choices[] = {1, 2, 3, 5, 8, 13, 31, 64, 127, 130};
  std::vector<int64_t> sizes;
  for (unsigned d = 0; d < rank; ++d)
    sizes.push_back(choices[below(rank > 2 ? 6 : 10)]);

  UnitBuilder unit;
  KernelBuilder k("linalg.generic", std::string(rank, 'p'));
  unsigned numInputs = 1 + below(3);
  for (unsigned i = 0; i < numInputs; ++i) {
    std::vector<unsigned> order(rank);
    for (unsigned d = 0; d < rank; ++d)
      order[d] = d;
    std::shuffle(order.begin(), order.end(), engine);
    std::vector<int64_t> shape;
    std::vector<Ix> map;
    for (unsigned d : order) {
      unsigned kind = below(5);
      if (kind == 0)
        continue;
      bool reversed = kind == 1;
      shape.push_back(sizes[d]);
      map.push_back(reversed ? dim(d) * -1 + at(sizes[d] - 1) : dim(d));
    }
    TestTensor tensor = makeTensor(DType::F32, shape);
    randomise(tensor, engine, true);
    k.input(unit.input(tensor), map);
  }
  uint32_t out = unit.output(makeTensor(DType::F32, sizes));
  k.output(out, identity(rank)).body(unit.unit.tensors);
  std::vector<Reg> values;
  for (Reg reg = 0; reg <= numInputs; ++reg)
    values.push_back(reg);
  Reg position = k.position(below(rank));
  values.push_back(k.convert(Opcode::SIToFP, DType::F32, DType::Index, position));
  values.push_back(k.constantF32(0.25f));
  const Opcode ops[] = {Opcode::AddF, Opcode::SubF,     Opcode::MulF,
                        Opcode::DivF, Opcode::MaximumF, Opcode::MinNumF};
  for (unsigned i = 0; i < 4 + below(8); ++i) {
    Reg a = values[below(static_cast<unsigned>(values.size()))];
    Reg b = values[below(static_cast<unsigned>(values.size()))];
    if (below(6) == 0) {
      Reg less = k.op(Opcode::CmpFUlt, DType::F32, a, b);
      values.push_back(k.op(Opcode::Select, DType::F32, less, b, values.back()));
    } else {
      values.push_back(k.op(ops[below(6)], DType::F32, a, b));
    }
  }
  k.yield({values.back()});
  std::vector<anneal::plan::DomainSource> domain;
  for (unsigned d = 0; d < rank; ++d)
    domain.push_back({static_cast<int32_t>(numInputs), d});
  unit.add(k, domain);
  expectMatchesReference(unit);
}

TEST(MapTest, MatchesTheReferenceOnRandomBodiesAndMaps) {
  for (unsigned seed = 100; seed < 220; ++seed) {
    SCOPED_TRACE(seed);
    runRandomCase(seed);
  }
}

} // namespace
