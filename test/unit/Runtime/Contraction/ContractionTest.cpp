//===- ContractionTest.cpp - Contractions and convolutions, bit for bit ---===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionTesting.h"

#include "gtest/gtest.h"

#include <functional>

using namespace anneal::runtime;
using namespace anneal::runtime::testing;
using anneal::plan::DType;

namespace {

/// Sizes around register tiles, lanes and blocks.
int64_t pickSize(Random &random, int64_t most) {
  static constexpr int64_t sizes[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  11, 12, 13, 14, 15, 16,
                                      17, 23, 27, 28, 29, 31, 32, 33, 41, 47, 48, 49, 63, 64, 65};
  int64_t size;
  do
    size = sizes[pick(random, 0, std::size(sizes) - 1)];
  while (size > most || (size == 0 && pick(random, 0, 9) != 0));
  return size;
}

/// Random choices of how C begins and where it ends.
void pickEnds(ContractionSpec &spec, Random &random) {
  spec.init = static_cast<InitKind>(pick(random, 0, 2));
  if (pick(random, 0, 1) == 0)
    for (size_t d = 0; d < spec.parallel.size(); ++d)
      spec.initDims.push_back(pick(random, 0, 1) == 0);
  spec.tileBuffer = pick(random, 0, 3) == 0;
  spec.finishHook = pick(random, 0, 3) == 0;
  spec.a.constant = pick(random, 0, 2) == 0;
  spec.b.constant = pick(random, 0, 1) == 0;
}

/// Random element types that a contraction may have.
void pickTypes(ContractionSpec &spec, Random &random) {
  struct Types {
    DType a, b, c;
  };
  static constexpr Types types[] = {
      {DType::F32, DType::F32, DType::F32},   {DType::F64, DType::F64, DType::F64},
      {DType::F16, DType::F16, DType::F32},   {DType::F16, DType::F16, DType::F16},
      {DType::BF16, DType::BF16, DType::F32}, {DType::BF16, DType::BF16, DType::BF16},
      {DType::F32, DType::F32, DType::F64},   {DType::F16, DType::F32, DType::F32},
      {DType::F32, DType::F16, DType::F16},   {DType::I8, DType::F32, DType::F32},
      {DType::I8, DType::I8, DType::I32},     {DType::I16, DType::I16, DType::I32},
      {DType::I32, DType::I32, DType::I32},   {DType::I64, DType::I64, DType::I64},
      {DType::I8, DType::I8, DType::I8},      {DType::I16, DType::I16, DType::I16},
      {DType::I32, DType::I32, DType::I64},   {DType::I8, DType::I16, DType::I64},
      {DType::I1, DType::I32, DType::I32},    {DType::I64, DType::I64, DType::I32},
      {DType::Index, DType::I64, DType::I64}, {DType::F64, DType::F64, DType::F32}};
  const Types &chosen = types[pick(random, 0, std::size(types) - 1)];
  spec.a.type = chosen.a;
  spec.b.type = chosen.b;
  spec.c = chosen.c;
  spec.a.isUnsigned = pick(random, 0, 1) == 0;
  spec.b.isUnsigned = pick(random, 0, 1) == 0;
}

void addAxes(OperandSpec &operand, const ContractionSpec &spec,
             std::initializer_list<int64_t> dims) {
  for (int64_t dim : dims)
    operand.axes.push_back(spec.axis(dim));
}

std::string sizesOf(const ContractionSpec &spec) {
  std::string text;
  for (int64_t d = 0; d < spec.dims(); ++d)
    text += (d ? "x" : "") + std::to_string(spec.size(d));
  return text;
}

/// C[b?, m, n] = A[b?, m, k] * B[b?, k, n].
ContractionSpec matmul(int64_t batch, int64_t m, int64_t n, int64_t k) {
  ContractionSpec spec;
  spec.parallel = {batch, m, n};
  spec.reduction = {k};
  addAxes(spec.a, spec, {0, 1, 3});
  addAxes(spec.b, spec, {0, 3, 2});
  spec.layoutC = {0, 1, 2};
  ContractionSpec::dense(spec.a);
  ContractionSpec::dense(spec.b);
  return spec;
}

TEST(ContractionTest, MatmulsOfEverySizeAroundTheTilesAreExact) {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    ContractionSpec spec =
        matmul(1, pickSize(random, 65), pickSize(random, 65), pickSize(random, 65));
    pickEnds(spec, random);
    expectExact(spec, random, "matmul " + sizesOf(spec));
    if (HasFatalFailure())
      return;
  }
}

TEST(ContractionTest, LongReductionsAreSplitIntoBlocksWithoutChangingBits) {
  Random random(2);
  const int64_t sizes[][3] = {{15, 33, 641}, {14, 40, 1300}, {29, 32, 1027}, {1, 48, 6200},
                              {33, 1, 1100}, {3, 200, 900},  {40, 70, 560}};
  for (auto [m, n, k] : sizes)
    for (int round = 0; round < 4; ++round) {
      ContractionSpec spec = matmul(1, m, n, k);
      if (round >= 2)
        shuffleLayouts(spec, random);
      if (round % 2)
        spec.a.type = spec.b.type = spec.c = DType::F16;
      pickEnds(spec, random);
      expectExact(spec, random, "long matmul " + sizesOf(spec));
      if (HasFatalFailure())
        return;
    }
}

TEST(ContractionTest, BatchedMatmulsInAnyLayoutAndTypeAreExact) {
  Random random(3);
  for (int round = 0; round < 400; ++round) {
    ContractionSpec spec = matmul(pickSize(random, 8), pickSize(random, 33), pickSize(random, 49),
                                  pickSize(random, 49));
    pickTypes(spec, random);
    shuffleLayouts(spec, random);
    pickEnds(spec, random);
    expectExact(spec, random, "batch_matmul " + sizesOf(spec));
    if (HasFatalFailure())
      return;
  }
}

/// Every dimension is, at random, in A, in B, in both or (parallel ones) in neither.
TEST(ContractionTest, AnyContractionOfAnyRankIsExact) {
  Random random(4);
  for (int round = 0; round < 400; ++round) {
    ContractionSpec spec;
    const int64_t numParallel = pick(random, 0, 5), numReduction = pick(random, 0, 3);
    for (int64_t d = 0; d < numParallel; ++d)
      spec.parallel.push_back(pickSize(random, numParallel > 3 ? 5 : 17));
    for (int64_t d = 0; d < numReduction; ++d)
      spec.reduction.push_back(pickSize(random, 11));
    for (int64_t d = 0; d < spec.dims(); ++d) {
      const int64_t roles = pick(random, d < numParallel ? 0 : 1, 3);
      if (roles & 1)
        spec.a.axes.push_back(spec.axis(d));
      if (roles & 2)
        spec.b.axes.push_back(spec.axis(d));
    }
    if (pick(random, 0, 2) == 0)
      pickTypes(spec, random);
    shuffleLayouts(spec, random);
    pickEnds(spec, random);
    spec.order = pick(random, 0, 2) == 0 ? ReductionOrder::Lanes16 : ReductionOrder::Chain;
    expectExact(spec, random, "contraction " + sizesOf(spec));
    if (HasFatalFailure())
      return;
  }
}

TEST(ContractionTest, MatrixVectorProductsAddInSixteenLanes) {
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    ContractionSpec spec;
    const bool wide = round % 20 == 0, deep = round % 20 == 10;
    spec.parallel = {wide || deep ? 1 : pickSize(random, 5),
                     wide ? pick(random, 250, 600) : pickSize(random, 65)};
    spec.reduction = {deep ? pick(random, 900, 2600) : pickSize(random, 49)};
    if (pick(random, 0, 3) == 0)
      spec.reduction.push_back(pickSize(random, 4));
    addAxes(spec.a, spec, {0, 1});
    addAxes(spec.b, spec, {0});
    for (int64_t d = 2; d < spec.dims(); ++d) {
      spec.a.axes.push_back(spec.axis(d));
      spec.b.axes.push_back(spec.axis(d));
    }
    if (pick(random, 0, 1))
      std::swap(spec.a, spec.b);
    spec.order = ReductionOrder::Lanes16;
    if (pick(random, 0, 2) == 0)
      pickTypes(spec, random);
    shuffleLayouts(spec, random);
    pickEnds(spec, random);
    expectExact(spec, random, "matvec " + sizesOf(spec));
    if (HasFatalFailure())
      return;
  }
}

TEST(ContractionTest, DotsAddInSixteenLanes) {
  Random random(6);
  for (int64_t k : {0, 1, 15, 16, 17, 31, 33, 100, 1023, 5000}) {
    ContractionSpec spec;
    spec.reduction = {k};
    addAxes(spec.a, spec, {0});
    addAxes(spec.b, spec, {0});
    ContractionSpec::dense(spec.a);
    ContractionSpec::dense(spec.b);
    spec.order = ReductionOrder::Lanes16;
    expectExact(spec, random, "dot " + std::to_string(k));
  }
}

/// What a convolution looks like; dimensions are n, g, f, then outputs, then c and the window.
struct ConvShape {
  int64_t n, groups, filters, channels;
  std::vector<int64_t> outputs, window, strides, dilations, low, high;
};

ConvShape pickConv(Random &random, int64_t rank) {
  ConvShape shape;
  shape.n = pick(random, 0, 3) == 0 ? pick(random, 2, 4) : 1;
  shape.groups = pick(random, 0, 3) == 0 ? pick(random, 2, 5) : 1;
  shape.filters = pickSize(random, rank == 1 ? 49 : 33);
  shape.channels = pickSize(random, rank == 3 ? 4 : 17);
  for (int64_t d = 0; d < rank; ++d) {
    shape.outputs.push_back(pickSize(random, rank == 1 ? 65 : rank == 2 ? 17 : 7));
    shape.window.push_back(pick(random, 1, rank == 3 ? 3 : 5));
    shape.strides.push_back(pick(random, 0, 1) ? 1 : pick(random, 1, 3));
    shape.dilations.push_back(pick(random, 0, 2) ? 1 : pick(random, 1, 3));
    const bool padded = pick(random, 0, 1) == 0;
    shape.low.push_back(padded ? pick(random, 0, 3) : 0);
    shape.high.push_back(padded ? pick(random, 0, 3) : 0);
  }
  return shape;
}

/// With `depthwise` there are neither filters nor channels: one window for each group.
ContractionSpec convolution(const ConvShape &shape, bool depthwise) {
  ContractionSpec spec;
  const int64_t rank = static_cast<int64_t>(shape.outputs.size());
  spec.parallel = {shape.n, shape.groups};
  if (!depthwise)
    spec.parallel.push_back(shape.filters);
  const int64_t firstOutput = static_cast<int64_t>(spec.parallel.size());
  spec.parallel.insert(spec.parallel.end(), shape.outputs.begin(), shape.outputs.end());
  const int64_t firstReduction = static_cast<int64_t>(spec.parallel.size());
  if (!depthwise)
    spec.reduction.push_back(shape.channels);
  spec.reduction.insert(spec.reduction.end(), shape.window.begin(), shape.window.end());
  const int64_t firstWindow = firstReduction + (depthwise ? 0 : 1);
  addAxes(spec.a, spec, {0, 1});
  addAxes(spec.b, spec, {1});
  if (!depthwise) {
    addAxes(spec.a, spec, {firstReduction});
    addAxes(spec.b, spec, {2, firstReduction});
  }
  for (int64_t d = 0; d < rank; ++d) {
    spec.a.axes.push_back(spec.window(firstOutput + d, shape.strides[d], firstWindow + d,
                                      shape.dilations[d], shape.low[d], shape.high[d]));
    spec.b.axes.push_back(spec.axis(firstWindow + d));
  }
  ContractionSpec::dense(spec.a);
  ContractionSpec::dense(spec.b);
  spec.layoutC.resize(spec.parallel.size());
  for (size_t d = 0; d < spec.layoutC.size(); ++d)
    spec.layoutC[d] = static_cast<int>(d);
  return spec;
}

/// Channels last: N, spatial, G, C.
void channelsLast(ContractionSpec &spec, bool depthwise, int64_t rank) {
  auto last = [rank](std::vector<int> &layout, int64_t leading, int64_t count) {
    layout.clear();
    for (int64_t d = 0; d < leading; ++d)
      layout.push_back(static_cast<int>(d));
    for (int64_t d = 0; d < rank; ++d)
      layout.push_back(static_cast<int>(count - rank + d));
    for (int64_t d = leading; d < count - rank; ++d)
      layout.push_back(static_cast<int>(d));
  };
  last(spec.a.layout, 1, static_cast<int64_t>(spec.a.axes.size()));
  last(spec.layoutC, 1, static_cast<int64_t>(spec.parallel.size()));
  last(spec.b.layout, 0, static_cast<int64_t>(spec.b.axes.size()));
  if (!depthwise)
    std::swap(*(spec.b.layout.end() - 1), *(spec.b.layout.end() - 2));
}

void runConvolutions(int64_t rank, bool depthwise, int rounds, uint64_t seed) {
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    ConvShape shape = pickConv(random, rank);
    if (depthwise)
      shape.groups = pick(random, 1, 40);
    ContractionSpec spec = convolution(shape, depthwise);
    const int64_t layout = pick(random, 0, 3);
    if (layout == 1)
      channelsLast(spec, depthwise, rank);
    if (layout == 2)
      shuffleLayouts(spec, random);
    if (pick(random, 0, 2) == 0)
      pickTypes(spec, random);
    pickEnds(spec, random);
    expectExact(spec, random,
                (depthwise ? "depthwise " : "convolution ") + sizesOf(spec) + " layout " +
                    std::to_string(layout) + " round " + std::to_string(round));
    if (::testing::Test::HasFatalFailure())
      return;
  }
}

TEST(ContractionTest, Convolutions1DAreExact) { runConvolutions(1, false, 200, 7); }
TEST(ContractionTest, Convolutions2DAreExact) { runConvolutions(2, false, 150, 8); }
TEST(ContractionTest, Convolutions3DAreExact) { runConvolutions(3, false, 100, 9); }
TEST(ContractionTest, DepthwiseConvolutions1DAreExact) { runConvolutions(1, true, 150, 10); }
TEST(ContractionTest, DepthwiseConvolutions2DAreExact) { runConvolutions(2, true, 200, 11); }
TEST(ContractionTest, DepthwiseConvolutions3DAreExact) { runConvolutions(3, true, 80, 12); }

TEST(ContractionTest, PaddingCountsAsValues) {
  // 0 * inf in the padding must give NaN, as it does when the padding is in memory.
  ConvShape shape = {1, 1, 3, 2, {9, 20}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
  Random random(13);
  for (bool last : {false, true}) {
    ContractionSpec spec = convolution(shape, false);
    if (last)
      channelsLast(spec, false, 2);
    expectExact(spec, random, "padded convolution");
  }
}

} // namespace
