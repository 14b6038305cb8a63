//===- ContractionUnitTest.cpp - Contractions and their neighbours --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "anneal/Runtime/DerivedConstants.h"

#include "gtest/gtest.h"

using namespace anneal::runtime::test;

namespace {

TestTensor random(DType dtype, std::vector<int64_t> sizes, std::mt19937 &engine) {
  TestTensor tensor = makeTensor(dtype, std::move(sizes));
  randomise(tensor, engine);
  return tensor;
}

std::vector<Ix> identity(unsigned rank) {
  std::vector<Ix> map;
  for (unsigned d = 0; d < rank; ++d)
    map.push_back(dim(d));
  return map;
}

/// yield acc + a * b, the operands' registers being 0, 1 and 2.
void yieldProductSum(KernelBuilder &k, DType type, bool swapped = false) {
  bool isFloat = anneal::plan::isFloat(type);
  Opcode mul = isFloat ? Opcode::MulF : Opcode::MulI, add = isFloat ? Opcode::AddF : Opcode::AddI;
  Reg product = swapped ? k.op(mul, type, 1, 0) : k.op(mul, type, 0, 1);
  k.yield({swapped ? k.op(add, type, product, 2) : k.op(add, type, 2, product)});
}

struct MatmulShape {
  int64_t m, n, k;
};
const MatmulShape kMatmuls[] = {{1, 1, 1},  {1, 128, 128}, {5, 7, 3},   {64, 48, 33},
                                {31, 1, 9}, {130, 70, 20}, {4, 200, 1}, {17, 65, 130}};

TEST(ContractionUnitTest, MultipliesMatricesOfEveryType) {
  std::mt19937 engine(1);
  for (const MatmulShape &s : kMatmuls)
    for (DType type :
         {DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32, DType::I8, DType::I64}) {
      UnitBuilder unit;
      uint32_t a = unit.input(random(type, {s.m, s.k}, engine));
      uint32_t b = unit.input(random(type, {s.n, s.k}, engine));
      uint32_t c = unit.output(random(type, {s.m, s.n}, engine), true);
      KernelBuilder k("linalg.matmul_transpose_b", "ppr");
      k.input(a, {dim(0), dim(2)}).input(b, {dim(1), dim(2)}).output(c, {dim(0), dim(1)});
      k.body(unit.unit.tensors);
      yieldProductSum(k, type, s.m % 2 == 0);
      unit.add(k);
      expectMatchesReference(unit, {Order::FmaChain});
    }
}

TEST(ContractionUnitTest, WidensItsInputs) {
  std::mt19937 engine(2);
  struct Case {
    DType from, to;
    Opcode convert;
  };
  for (const Case &c :
       {Case{DType::I8, DType::I32, Opcode::ExtSI}, Case{DType::I8, DType::I32, Opcode::ExtUI},
        Case{DType::F16, DType::F32, Opcode::ExtF}, Case{DType::BF16, DType::F32, Opcode::ExtF},
        Case{DType::F32, DType::F64, Opcode::ExtF}}) {
    UnitBuilder unit;
    uint32_t a = unit.input(random(c.from, {19, 40}, engine));
    uint32_t b = unit.input(random(c.from, {40, 23}, engine));
    uint32_t out = unit.output(random(c.to, {19, 23}, engine), true);
    KernelBuilder k("linalg.matmul", "ppr");
    k.input(a, {dim(0), dim(2)}).input(b, {dim(2), dim(1)}).output(out, {dim(0), dim(1)});
    k.body(unit.unit.tensors);
    Reg x = k.convert(c.convert, c.to, c.from, 0), y = k.convert(c.convert, c.to, c.from, 1);
    bool isFloat = anneal::plan::isFloat(c.to);
    Reg product = k.op(isFloat ? Opcode::MulF : Opcode::MulI, c.to, x, y);
    k.yield({k.op(isFloat ? Opcode::AddF : Opcode::AddI, c.to, 2, product)});
    unit.add(k);
    expectMatchesReference(unit, {Order::FmaChain});
  }
}

TEST(ContractionUnitTest, MultipliesQuantisedMatrices) {
  std::mt19937 engine(11);
  for (int64_t m : {1, 2, 40}) {
    UnitBuilder unit;
    uint32_t a = unit.input(random(DType::I8, {m, 60}, engine));
    uint32_t b = unit.input(random(DType::I8, {60, 33}, engine));
    uint32_t zero = unit.input(random(DType::I32, {}, engine));
    uint32_t out = unit.output(random(DType::I32, {m, 33}, engine), true);
    unit.unit.scalars.resize(1);
    KernelBuilder k("linalg.quantized_matmul", "ppr");
    k.input(a, {dim(0), dim(2)}).input(b, {dim(2), dim(1)}).input(zero, {});
    k.output(out, {dim(0), dim(1)}).body(unit.unit.tensors);
    Reg scalar = k.capture(0, DType::I32);
    Reg x = k.op(Opcode::SubI, DType::I32, k.convert(Opcode::ExtSI, DType::I32, DType::I8, 0), 2);
    Reg y =
        k.op(Opcode::SubI, DType::I32, k.convert(Opcode::ExtUI, DType::I32, DType::I8, 1), scalar);
    k.yield({k.op(Opcode::AddI, DType::I32, k.op(Opcode::MulI, DType::I32, x, y), 3)});
    unit.add(k);
    RunOptions options;
    options.scalars = {0xfffffff5};
    expectMatchesReference(unit, {Order::Chain}, options);
  }
}

TEST(ContractionUnitTest, UsesLanesWhereOneInputHasNoDimensionOfItsOwn) {
  std::mt19937 engine(3);
  for (int64_t n : {1, 30, 257}) {
    UnitBuilder unit;
    uint32_t a = unit.input(random(DType::F32, {20, n}, engine));
    uint32_t x = unit.input(random(DType::F32, {n}, engine));
    uint32_t product = unit.output(random(DType::F32, {20}, engine), true);
    uint32_t dot = unit.output(random(DType::F32, {}, engine), true);
    uint32_t squares = unit.output(random(DType::F32, {20}, engine), true);
    uint32_t vector = unit.output(random(DType::F32, {20}, engine), true);
    KernelBuilder matvec("linalg.matvec", "pr");
    matvec.input(a, {dim(0), dim(1)}).input(x, {dim(1)}).output(product, {dim(0)});
    matvec.body(unit.unit.tensors);
    yieldProductSum(matvec, DType::F32);
    unit.add(matvec);
    KernelBuilder dots("linalg.dot", "r");
    dots.input(x, {dim(0)}).input(x, {dim(0)}).output(dot, {}).body(unit.unit.tensors);
    yieldProductSum(dots, DType::F32);
    unit.add(dots);
    KernelBuilder square("linalg.generic", "pr");
    square.input(a, {dim(0), dim(1)}).output(squares, {dim(0)}).body(unit.unit.tensors);
    square.yield(
        {square.op(Opcode::AddF, DType::F32, square.op(Opcode::MulF, DType::F32, 0, 0), 1)});
    unit.add(square);
    KernelBuilder vecmat("linalg.vecmat", "rp");
    vecmat.input(x, {dim(0)}).input(a, {dim(1), dim(0)}).output(vector, {dim(1)});
    vecmat.body(unit.unit.tensors);
    yieldProductSum(vecmat, DType::F32);
    unit.add(vecmat);
    // A sum of squares is no contraction.
    expectMatchesReference(unit, {Order::FmaLanes, Order::FmaLanes, Order::Lanes, Order::FmaLanes});
  }
}

/// What a convolution unit is made of.
struct ConvCase {
  std::vector<int64_t> input = {1, 3, 12, 14}; ///< NCHW
  int64_t filters = 8, kh = 3, kw = 3, stride = 1, dilation = 1, pad = 0;
  bool depthwise = false;
  /// What makes the initial values: 0 a constant, 1 a bias for each channel, 2 a computed one.
  int init = 0;
  /// Element-wise kernels on the result: 0 none, 1 relu, 2 relu then residual sum.
  int epilogues = 1;
  bool resultIsOutput = false;
};

/// pad, init, convolution, element-wise kernels; the convolution is the anchor.
UnitBuilder convolution(const ConvCase &c, std::mt19937 &engine) {
  UnitBuilder unit;
  const std::vector<int64_t> &in = c.input;
  int64_t filters = c.depthwise ? in[1] : c.filters;
  int64_t oh = (in[2] + 2 * c.pad - (c.kh - 1) * c.dilation - 1) / c.stride + 1;
  int64_t ow = (in[3] + 2 * c.pad - (c.kw - 1) * c.dilation - 1) / c.stride + 1;
  std::vector<int64_t> outSizes = {in[0], filters, oh, ow};
  uint32_t image = unit.input(random(DType::F32, in, engine));
  std::vector<int64_t> weightSizes = {filters, in[1], c.kh, c.kw};
  if (c.depthwise)
    weightSizes.erase(weightSizes.begin() + 1);
  uint32_t weights = unit.input(random(DType::F32, weightSizes, engine));
  uint32_t bias = unit.input(random(DType::F32, {filters}, engine));
  uint32_t residual = unit.input(random(DType::F32, outSizes, engine));
  uint32_t out = unit.output(makeTensor(DType::F32, outSizes));
  uint32_t result = c.epilogues == 0 ? out : 0, second = 0;
  if (c.resultIsOutput && c.epilogues > 0)
    result = unit.output(makeTensor(DType::F32, outSizes));
  if (result == 0)
    result = unit.temporary(DType::F32, outSizes);
  if (c.epilogues == 2)
    second = unit.temporary(DType::F32, outSizes);

  uint32_t source = image;
  if (c.pad > 0) {
    source = unit.temporary(DType::F32, {in[0], in[1], in[2] + 2 * c.pad, in[3] + 2 * c.pad});
    KernelBuilder pad("tensor.pad", "");
    pad.input(image, std::vector<Ix>(4, at(0))).output(source, std::vector<Ix>(4, at(0)));
    pad.kernel.kind = anneal::plan::KernelKind::Pad;
    pad.yield({pad.constantF32(0.25f)});
    for (int64_t low : {int64_t(0), int64_t(0), c.pad, c.pad})
      pad.kernel.padLow.push_back({anneal::plan::SizeExpr::Kind::Constant, 0, low});
    unit.add(pad);
  }
  KernelBuilder init("linalg.fill", "pppp");
  if (c.init > 0)
    init.input(bias, {dim(1)});
  init.output(result, identity(4)).body(unit.unit.tensors);
  init.yield({c.init == 0   ? init.constantF32(0.5f)
              : c.init == 1 ? 0
                            : init.op(Opcode::Exp, DType::F32, 0)});
  unit.add(init);

  unit.unit.anchor = static_cast<int32_t>(unit.unit.kernels.size());
  KernelBuilder conv("linalg.conv_2d", c.depthwise ? "pppprr" : "pppprrr");
  unsigned kh = c.depthwise ? 4 : 5, kw = kh + 1;
  std::vector<Ix> weightMap = {dim(1), dim(4), dim(kh), dim(kw)};
  if (c.depthwise)
    weightMap.erase(weightMap.begin() + 1);
  conv.input(source,
             {dim(0), c.depthwise ? dim(1) : dim(4), dim(2) * c.stride + dim(kh) * c.dilation,
              dim(3) * c.stride + dim(kw) * c.dilation});
  conv.input(weights, weightMap).output(result, identity(4)).body(unit.unit.tensors);
  yieldProductSum(conv, DType::F32);
  unit.add(conv);

  if (c.epilogues > 0) {
    KernelBuilder relu("linalg.generic", "pppp");
    relu.input(result, identity(4)).output(c.epilogues == 2 ? second : out, identity(4));
    relu.body(unit.unit.tensors);
    relu.yield({relu.op(Opcode::MaximumF, DType::F32, 0, relu.constantF32(0))});
    unit.add(relu);
  }
  if (c.epilogues == 2) {
    KernelBuilder sum("linalg.generic", "pppp");
    sum.input(second, identity(4)).input(residual, identity(4)).input(bias, {dim(1)});
    sum.output(out, identity(4)).body(unit.unit.tensors);
    Reg scaled = sum.op(Opcode::MulF, DType::F32, 0, 2);
    sum.yield({sum.op(Opcode::AddF, DType::F32, scaled, 1)});
    unit.add(sum);
  }
  return unit;
}

std::vector<Order> ordersOf(const UnitBuilder &unit) {
  std::vector<Order> orders(unit.unit.kernels.size(), Order::Body);
  orders[static_cast<size_t>(unit.unit.anchor)] = Order::FmaChain;
  return orders;
}

/// Fused and unfused, with packed constants and without: the same bits as the reference.
void checkUnit(UnitBuilder unit) {
  UnitBuilder expected = unit;
  runReference(expected, {}, ordersOf(unit));
  expectMatches(unit, expected);
  anneal::runtime::DerivedConstants derived;
  RunOptions options;
  options.derived = &derived;
  options.constants = {1, 2};
  expectMatches(unit, expected, options);
  unit.unit.anchor = -1;
  expectMatches(unit, expected);
}

TEST(ContractionUnitTest, RunsConvolutionsWithTheirNeighbours) {
  std::mt19937 engine(4);
  for (int init : {0, 1, 2})
    for (int epilogues : {0, 1, 2})
      for (bool resultIsOutput : {false, true}) {
        ConvCase c;
        c.init = init;
        c.epilogues = epilogues;
        c.resultIsOutput = resultIsOutput;
        c.pad = epilogues == 1 ? 0 : 1;
        SCOPED_TRACE(testing::Message() << init << " " << epilogues << " " << resultIsOutput);
        checkUnit(convolution(c, engine));
      }
}

TEST(ContractionUnitTest, RunsConvolutionsOfManyShapes) {
  std::mt19937 engine(5);
  auto check = [&](std::vector<int64_t> input, int64_t filters, int64_t kh, int64_t kw,
                   int64_t stride, int64_t dilation, int64_t pad, bool depthwise) {
    ConvCase c{std::move(input), filters, kh, kw, stride, dilation, pad, depthwise, 1, 2, false};
    SCOPED_TRACE(testing::Message() << filters << " " << kh << " " << pad << " " << depthwise);
    checkUnit(convolution(c, engine));
  };
  check({2, 5, 17, 40}, 16, 1, 1, 1, 1, 0, false);
  check({1, 3, 33, 31}, 7, 3, 3, 2, 1, 1, false);
  check({1, 8, 9, 9}, 24, 5, 5, 1, 2, 4, false);
  check({2, 6, 1, 1}, 3, 1, 1, 1, 1, 0, false);
  check({1, 24, 24, 48}, 0, 3, 3, 1, 1, 1, true);
  check({2, 9, 15, 21}, 0, 5, 5, 2, 1, 2, true);
  check({1, 256, 20, 1}, 40, 5, 1, 1, 1, 0, false);
}

/// The epilogue's loops have no iterations to tell a tile's value from a constant.
TEST(ContractionUnitTest, RunsEpiloguesOnOneElement) {
  std::mt19937 engine(12);
  for (bool depthwise : {false, true}) {
    ConvCase c{{1, depthwise ? 1 : 6, 3, 3}, 1, 3, 3, 1, 1, 0, depthwise, 1, 2, false};
    checkUnit(convolution(c, engine));
  }
}

TEST(ContractionUnitTest, HandsOverSmallDepthwiseResultsOfSeveralChannels) {
  std::mt19937 engine(13);
  for (int init : {0, 1, 2})
    for (bool resultIsOutput : {false, true})
      for (const std::vector<int64_t> &input :
           {std::vector<int64_t>{1, 70, 3, 48}, {3, 37, 4, 25}, {2, 5, 1, 7}, {1, 2, 150, 100}}) {
        ConvCase c{input, 0, 5, 5, 1, 1, 2, true, init, 2, resultIsOutput};
        SCOPED_TRACE(testing::Message() << init << " " << resultIsOutput << " " << input[1]);
        checkUnit(convolution(c, engine));
      }
}

/// init, matmul, bias + activation.
UnitBuilder linear(const MatmulShape &s, DType type, std::mt19937 &engine) {
  UnitBuilder unit;
  uint32_t a = unit.input(random(type, {2, s.m, s.k}, engine));
  uint32_t b = unit.input(random(type, {s.k, s.n}, engine));
  uint32_t bias = unit.input(random(type, {s.n}, engine));
  uint32_t out = unit.output(makeTensor(type, {2, s.m, s.n}));
  uint32_t product = unit.temporary(type, {2, s.m, s.n});
  KernelBuilder init("linalg.fill", "ppp");
  init.output(product, identity(3)).body(unit.unit.tensors);
  init.yield({init.constant(type, 0)});
  unit.add(init);
  unit.unit.anchor = 1;
  KernelBuilder k("linalg.generic", "pppr");
  k.input(a, {dim(0), dim(1), dim(3)}).input(b, {dim(3), dim(2)}).output(product, identity(3));
  k.body(unit.unit.tensors);
  yieldProductSum(k, type);
  unit.add(k);
  KernelBuilder act("linalg.generic", "ppp");
  act.input(product, identity(3)).input(bias, {dim(2)}).output(out, identity(3));
  act.body(unit.unit.tensors);
  Reg x = act.op(Opcode::AddF, type, 0, 1);
  Reg t = act.op(Opcode::Tanh, type, x);
  Reg position = act.convert(Opcode::SIToFP, type, DType::Index, act.position(2));
  act.yield({act.op(Opcode::AddF, type, act.op(Opcode::MulF, type, x, t), position)});
  unit.add(act);
  return unit;
}

TEST(ContractionUnitTest, RunsLinearLayersWithTheirActivation) {
  std::mt19937 engine(6);
  for (const MatmulShape &s : kMatmuls)
    for (DType type : {DType::F32, DType::F16}) {
      SCOPED_TRACE(testing::Message() << s.m << "x" << s.n << "x" << s.k);
      checkUnit(linear(s, type, engine));
    }
}

TEST(ContractionUnitTest, DoesNotKeepTheResultOfAFusedAnchorInMemory) {
  std::mt19937 engine(7);
  UnitBuilder unit = linear({64, 48, 33}, DType::F32, engine);
  EXPECT_EQ(runUnit(unit).workspaceBytes, 0u);
  unit.unit.anchor = -1;
  EXPECT_EQ(runUnit(unit).workspaceBytes, 2u * 64 * 48 * 4);
}

TEST(ContractionUnitTest, StopsWhenAnEpilogueFails) {
  std::mt19937 engine(8);
  UnitBuilder unit = linear({8, 16, 4}, DType::F32, engine);
  KernelBuilder k("linalg.generic", "ppp");
  k.input(4, identity(3)).output(3, identity(3)).body(unit.unit.tensors);
  k.check(k.op(Opcode::CmpFOlt, DType::F32, 0, k.constantF32(-1000)), 11);
  k.yield({0});
  unit.unit.kernels.pop_back();
  unit.add(k);
  RunResult result = runUnit(unit);
  EXPECT_EQ(result.status, ANNEAL_ASSERT_FAILED);
  EXPECT_EQ(result.error.message, 11u);
}

TEST(ContractionUnitTest, EmptyReductionsLeaveTheInitialValues) {
  std::mt19937 engine(9);
  checkUnit(linear({6, 5, 0}, DType::F32, engine));
  checkUnit(linear({0, 5, 3}, DType::F32, engine));
}

TEST(ContractionUnitTest, ReusesTheMemoryOfTemporaries) {
  std::mt19937 engine(10);
  UnitBuilder unit;
  uint32_t in = unit.input(random(DType::F32, {1000}, engine));
  uint32_t out = unit.output(makeTensor(DType::F32, {1000}));
  uint32_t previous = in;
  std::vector<uint32_t> chain;
  for (int i = 0; i < 5; ++i)
    chain.push_back(unit.temporary(DType::F32, {1000}));
  chain.push_back(out);
  for (uint32_t next : chain) {
    KernelBuilder k("linalg.generic", "p");
    k.input(previous, identity(1)).output(next, identity(1)).body(unit.unit.tensors);
    k.yield({k.op(Opcode::NegF, DType::F32, 0)});
    unit.add(k);
    previous = next;
  }
  expectMatchesReference(unit);
  EXPECT_EQ(runUnit(unit).workspaceBytes, 2u * 4032);
}

} // namespace
