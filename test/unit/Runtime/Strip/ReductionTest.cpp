//===- ReductionTest.cpp - Row reductions ---------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripTesting.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::testing;

namespace {

constexpr Opcode kCombiners[] = {
    Opcode::AddF,    Opcode::MulF,  Opcode::MaximumF, Opcode::MinimumF, Opcode::MaxNumF,
    Opcode::MinNumF, Opcode::AddI,  Opcode::MulI,     Opcode::MaxSI,    Opcode::MaxUI,
    Opcode::MinSI,   Opcode::MinUI, Opcode::AndI,     Opcode::OrI,      Opcode::XOrI};

/// Combines two values by the element-wise operation, on the portable instruction set.
Raw combine(Opcode op, DType type, Raw a, Raw b) {
  plan::Instr instr;
  instr.op = op;
  instr.type = type;
  return run(instr, 0, Isa::Portable, {{{a}, {b}, {}}}, 1).first[0];
}

/// The reduction as StripOps.h describes it, element by element. The identity never shows: lanes
/// without elements are left out.
Raw reduce(Opcode op, DType type, const std::vector<Raw> &x) {
  DType lane = rowLaneType(type);
  std::vector<Raw> lanes(kRowLanes);
  std::vector<bool> used(kRowLanes, false);
  auto add = [&](size_t l, Raw value) {
    lanes[l] = used[l] ? combine(op, lane, lanes[l], value) : value;
    used[l] = true;
  };
  for (size_t p = 0; p < x.size(); ++p)
    add(p % kRowLanes, lane == type ? x[p] : encode(lane, decode(type, x[p])));
  for (size_t half = kRowLanes / 2; half > 0; half /= 2)
    for (size_t l = 0; l < half; ++l)
      if (used[l + half])
        add(l, lanes[l + half]);
  return lane == type ? lanes[0] : encode(type, decode(lane, lanes[0]));
}

/// In strips of `strip` elements.
Raw reduceInStrips(const RowReduceFns &fns, DType type, const std::vector<Raw> &x, size_t strip) {
  std::vector<char> row(x.size() * plan::sizeOf(type));
  for (size_t i = 0; i < x.size(); ++i)
    store(row.data(), type, i, x[i]);
  alignas(64) char lanes[kRowLanes * 8];
  fns.init(lanes);
  for (size_t begin = 0; begin < x.size(); begin += strip)
    fns.accumulate(lanes, row.data() + begin * plan::sizeOf(type),
                   std::min(strip, x.size() - begin));
  Raw result = 0;
  fns.finish(lanes, &result);
  return result;
}

std::vector<DType> types() {
  std::vector<DType> all(std::begin(kIntTypes), std::end(kIntTypes));
  all.insert(all.end(), std::begin(kFloatTypes), std::end(kFloatTypes));
  return all;
}

/// Sums of random bits overflow at once: smaller numbers, with a few special ones.
std::vector<Raw> row(DType type, size_t n, unsigned seed, bool special) {
  std::vector<Raw> values = randomValues(type, n, seed);
  if (plan::isInteger(type))
    return values;
  for (size_t i = 0; i < n; ++i)
    values[i] = encode(type, (static_cast<long double>(values[i] % 4001) - 2000) / 256);
  std::vector<Raw> edges = edgeValues(type);
  for (size_t i = seed % 5; special && i < n; i += 17)
    values[i] = edges[(i / 17 * 3 + seed) % edges.size()];
  return values;
}

TEST(ReductionTest, FollowsTheTreeOf16Lanes) {
  for (Opcode op : kCombiners)
    for (DType type : types()) {
      bool isLegal = plan::isFloat(type) == (plan::classOf(op) == plan::OpClass::FloatBinary);
      for (Isa isa : availableIsas()) {
        SCOPED_TRACE(std::string(plan::name(op)) + " " + std::string(plan::name(type)) + " " +
                     std::string(name(isa)));
        RowReduceFns fns;
        ASSERT_EQ(findRowReduce(op, type, isa, fns), isLegal);
        if (!isLegal)
          continue;
        for (size_t n : {1, 2, 9, 15, 16, 17, 31, 32, 63, 64, 65, 130, 700})
          for (unsigned seed : {1u, 2u, 3u}) {
            std::vector<Raw> x = row(type, n, seed, seed != 1);
            Raw expected = reduce(op, type, x);
            for (size_t strip : {16, 64, 256, 1024})
              ASSERT_TRUE(same(type, reduceInStrips(fns, type, x, strip), expected))
                  << n << " elements in strips of " << strip;
          }
      }
    }
}

TEST(ReductionTest, EmptyRowGivesTheIdentity) {
  auto ofEmptyRow = [](Opcode op, DType type) {
    RowReduceFns fns;
    EXPECT_TRUE(findRowReduce(op, type, detectIsa(), fns));
    return reduceInStrips(fns, type, {}, 16);
  };
  for (DType type : kFloatTypes) {
    EXPECT_EQ(ofEmptyRow(Opcode::AddF, type), encode(type, -0.0L));
    EXPECT_EQ(ofEmptyRow(Opcode::MulF, type), encode(type, 1));
    EXPECT_EQ(ofEmptyRow(Opcode::MaximumF, type), encode(type, -HUGE_VALL));
    EXPECT_EQ(ofEmptyRow(Opcode::MinimumF, type), encode(type, HUGE_VALL));
    EXPECT_TRUE(isNaN(type, ofEmptyRow(Opcode::MaxNumF, type)));
    EXPECT_TRUE(isNaN(type, ofEmptyRow(Opcode::MinNumF, type)));
  }
  for (DType type : kIntTypes) {
    Raw top = Raw(1) << (plan::bitWidth(type) - 1), ones = wrapped(type, ~Raw(0));
    EXPECT_EQ(ofEmptyRow(Opcode::AddI, type), 0u);
    EXPECT_EQ(ofEmptyRow(Opcode::MulI, type), 1u);
    EXPECT_EQ(ofEmptyRow(Opcode::MaxSI, type), top);
    EXPECT_EQ(ofEmptyRow(Opcode::MinSI, type), top - 1);
    EXPECT_EQ(ofEmptyRow(Opcode::MaxUI, type), 0u);
    EXPECT_EQ(ofEmptyRow(Opcode::MinUI, type), ones);
    EXPECT_EQ(ofEmptyRow(Opcode::AndI, type), ones);
    EXPECT_EQ(ofEmptyRow(Opcode::OrI, type), 0u);
    EXPECT_EQ(ofEmptyRow(Opcode::XOrI, type), 0u);
  }
}

TEST(ReductionTest, HalfSumsAreRoundedOnce) {
  // 2048 + 1 is not a number of F16; 4096 of them are.
  RowReduceFns fns;
  ASSERT_TRUE(findRowReduce(Opcode::AddF, DType::F16, detectIsa(), fns));
  std::vector<Raw> ones(4096, encode(DType::F16, 1));
  EXPECT_EQ(reduceInStrips(fns, DType::F16, ones, 512), encode(DType::F16, 4096));
}

} // namespace
