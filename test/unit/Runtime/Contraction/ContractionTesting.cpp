//===- ContractionTesting.cpp - Contractions against a plain loop ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractionTesting.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>

namespace anneal::runtime::testing {

using plan::DType;

int64_t pick(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

int64_t ContractionSpec::size(int64_t dim) const {
  const int64_t numParallel = static_cast<int64_t>(parallel.size());
  return dim < numParallel ? parallel[dim] : reduction[dim - numParallel];
}

AxisSpec ContractionSpec::axis(int64_t dim) const {
  AxisSpec axis;
  axis.coefficients.assign(dims(), 0);
  axis.coefficients[dim] = 1;
  axis.size = size(dim);
  return axis;
}

AxisSpec ContractionSpec::window(int64_t outputDim, int64_t stride, int64_t windowDim,
                                 int64_t dilation, int64_t low, int64_t high) const {
  AxisSpec axis;
  axis.coefficients.assign(dims(), 0);
  axis.coefficients[outputDim] = stride;
  axis.coefficients[windowDim] = dilation;
  axis.low = low;
  axis.bounded = true;
  const int64_t reach = std::max<int64_t>(size(outputDim) - 1, 0) * stride +
                        std::max<int64_t>(size(windowDim) - 1, 0) * dilation + 1;
  axis.size = std::max<int64_t>(reach - low - high, 0);
  return axis;
}

void ContractionSpec::dense(OperandSpec &operand) {
  operand.layout.resize(operand.axes.size());
  std::iota(operand.layout.begin(), operand.layout.end(), 0);
}

void shuffleLayouts(ContractionSpec &spec, Random &random) {
  auto shuffled = [&](std::vector<int> &layout, size_t count) {
    layout.resize(count);
    std::iota(layout.begin(), layout.end(), 0);
    std::shuffle(layout.begin(), layout.end(), random);
  };
  shuffled(spec.a.layout, spec.a.axes.size());
  shuffled(spec.b.layout, spec.b.axes.size());
  shuffled(spec.layoutC, spec.parallel.size());
  spec.a.gap = pick(random, 0, 3) == 0 ? pick(random, 1, 5) : 0;
  spec.b.gap = pick(random, 0, 3) == 0 ? pick(random, 1, 5) : 0;
  spec.gapC = pick(random, 0, 3) == 0 ? pick(random, 1, 5) : 0;
}

namespace {

/// Memory of a tensor, placed so that a stray access next to it is noticed by a sanitizer.
struct Tensor {
  std::vector<int64_t> strides;
  std::unique_ptr<char[]> data;
  size_t bytes = 0;
};

std::vector<int64_t> stridesOf(const std::vector<int64_t> &sizes, const std::vector<int> &layout,
                               int64_t gap, int64_t &elements) {
  std::vector<int64_t> strides(sizes.size(), 0);
  int64_t stride = 1;
  for (size_t i = layout.size(); i-- > 0;) {
    strides[layout[i]] = stride;
    stride *= std::max<int64_t>(sizes[layout[i]], 1);
    if (i + 1 == layout.size())
      stride += gap;
  }
  elements = 1;
  for (size_t d = 0; d < sizes.size(); ++d)
    elements += std::max<int64_t>(sizes[d] - 1, 0) * strides[d];
  return strides;
}

uint16_t toHalf(float value) {
  // By search: the half whose value is nearest, ties to even. Only for test data of small range.
  const float magnitude = std::fabs(value);
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent, -13);
  const float unit = std::ldexp(1.0f, exponent - 11);
  const int units = static_cast<int>(std::nearbyint(magnitude / unit));
  const int bits = units >= 1024 ? ((exponent + 13) << 10) + units : units;
  return static_cast<uint16_t>(bits | (std::signbit(value) ? 0x8000 : 0));
}

float fromHalf(uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  float magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                    : exponent     ? std::ldexp(static_cast<float>(fraction + 1024), exponent - 25)
                                   : std::ldexp(static_cast<float>(fraction), -24);
  return bits & 0x8000 ? -magnitude : magnitude;
}

uint16_t toBFloat(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value))
    return static_cast<uint16_t>(bits >> 16 | 0x40);
  const uint32_t low = bits & 0xffff, high = bits >> 16;
  return static_cast<uint16_t>(high + (low > 0x8000 || (low == 0x8000 && (high & 1)) ? 1 : 0));
}

float fromBFloat(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

/// f32 rounded to half in the general case: overflow to infinity.
uint16_t roundToHalf(float value) {
  if (std::isnan(value))
    return 0x7e00;
  if (std::fabs(value) >= 65520.0f)
    return static_cast<uint16_t>(std::signbit(value) ? 0xfc00 : 0x7c00);
  return toHalf(value);
}

template <typename T> void put(char *to, T value) { std::memcpy(to, &value, sizeof value); }
template <typename T> T get(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void writeRandom(DType type, char *to, Random &random) {
  const int64_t kind = pick(random, 0, 99);
  double value = std::uniform_real_distribution<double>(-2, 2)(random);
  if (kind == 0)
    value = -0.0;
  if (kind == 1)
    value = 0.0;
  switch (type) {
  case DType::I1:
    return put<uint8_t>(to, random() & 1);
  case DType::I8:
    return put<uint8_t>(to, static_cast<uint8_t>(random()));
  case DType::I16:
    return put<uint16_t>(to, static_cast<uint16_t>(random()));
  case DType::I32:
    return put<uint32_t>(to, static_cast<uint32_t>(random()));
  case DType::I64:
  case DType::Index:
    return put<uint64_t>(to, random());
  case DType::F16:
    return put<uint16_t>(to, toHalf(static_cast<float>(value)));
  case DType::BF16:
    return put<uint16_t>(to, toBFloat(static_cast<float>(value)));
  case DType::F32:
    return put<float>(to, static_cast<float>(value));
  case DType::F64:
    return put<double>(to, value);
  }
}

/// An integer element, extended.
uint64_t readInteger(DType type, bool isUnsigned, const char *from) {
  switch (type) {
  case DType::I1:
    return isUnsigned ? get<uint8_t>(from) : -static_cast<uint64_t>(get<uint8_t>(from));
  case DType::I8:
    return isUnsigned ? get<uint8_t>(from) : static_cast<uint64_t>(int64_t(get<int8_t>(from)));
  case DType::I16:
    return isUnsigned ? get<uint16_t>(from) : static_cast<uint64_t>(int64_t(get<int16_t>(from)));
  case DType::I32:
    return isUnsigned ? get<uint32_t>(from) : static_cast<uint64_t>(int64_t(get<int32_t>(from)));
  default:
    return get<uint64_t>(from);
  }
}

double readReal(DType type, bool isUnsigned, const char *from) {
  switch (type) {
  case DType::F16:
    return fromHalf(get<uint16_t>(from));
  case DType::BF16:
    return fromBFloat(get<uint16_t>(from));
  case DType::F32:
    return get<float>(from);
  case DType::F64:
    return get<double>(from);
  default:
    return isUnsigned ? static_cast<double>(readInteger(type, true, from))
                      : static_cast<double>(static_cast<int64_t>(readInteger(type, false, from)));
  }
}

/// A float operand converted to C's type, as f32 or f64.
double operandReal(DType type, bool isUnsigned, DType c, const char *from) {
  const double value = readReal(type, isUnsigned, from);
  if (c == DType::F64 || type == c)
    return value;
  const float narrow = static_cast<float>(value);
  if (c == DType::F16)
    return fromHalf(roundToHalf(narrow));
  return c == DType::BF16 ? fromBFloat(toBFloat(narrow)) : narrow;
}

void writeReal(DType type, char *to, double value) {
  if (type == DType::F64)
    return put<double>(to, value);
  const float narrow = static_cast<float>(value);
  if (type == DType::F16)
    return put<uint16_t>(to, roundToHalf(narrow));
  if (type == DType::BF16)
    return put<uint16_t>(to, toBFloat(narrow));
  put<float>(to, narrow);
}

template <typename T> T sumLanes(const std::vector<T> &as, const std::vector<T> &bs, T init) {
  T lanes[16];
  std::fill_n(lanes, 16, T(-0.0));
  for (size_t p = 0; p < as.size(); ++p)
    lanes[p % 16] = std::fma(as[p], bs[p], lanes[p % 16]);
  for (int width = 8; width >= 1; width /= 2)
    for (int l = 0; l < width; ++l)
      lanes[l] = lanes[l] + lanes[l + width];
  return init + lanes[0];
}

template <typename T>
T sumReal(const std::vector<double> &as, const std::vector<double> &bs, T init, bool lanes) {
  std::vector<T> a(as.begin(), as.end()), b(bs.begin(), bs.end());
  if (lanes)
    return sumLanes<T>(a, b, init);
  for (size_t p = 0; p < a.size(); ++p)
    init = std::fma(a[p], b[p], init);
  return init;
}

/// Calls fn with each point of a box, last dimension fastest.
void forEachPoint(const std::vector<int64_t> &sizes,
                  const std::function<void(const std::vector<int64_t> &)> &fn) {
  for (int64_t size : sizes)
    if (size == 0)
      return;
  std::vector<int64_t> point(sizes.size(), 0);
  while (true) {
    fn(point);
    size_t d = sizes.size();
    while (d-- > 0) {
      if (++point[d] < sizes[d])
        break;
      point[d] = 0;
    }
    if (d + 1 == 0)
      return;
  }
}

/// A contraction with its data.
class Instance {
public:
  Instance(const ContractionSpec &spec, Random &random) : spec(spec) {
    fillOperand(spec.a, a, padA, random);
    fillOperand(spec.b, b, padB, random);
    int64_t elements = 0;
    c.strides = stridesOf(spec.parallel, spec.layoutC, spec.gapC, elements);
    c.bytes = static_cast<size_t>(elements) * sizeOf(spec.c);
    std::vector<int64_t> initSizes = spec.parallel;
    for (size_t d = 0; d < initSizes.size(); ++d)
      if (!spec.initDims.empty() && !spec.initDims[d])
        initSizes[d] = 1;
    std::vector<int> order = spec.layoutC;
    if (!spec.initDims.empty())
      std::shuffle(order.begin(), order.end(), random);
    init.strides = stridesOf(initSizes, order, 0, elements);
    for (size_t d = 0; d < initSizes.size(); ++d)
      if (!spec.initDims.empty() && !spec.initDims[d])
        init.strides[d] = 0;
    init.bytes = static_cast<size_t>(elements) * sizeOf(spec.c);
    fill(init, spec.c, random);
    if (spec.init == InitKind::Value)
      writeRandom(spec.c, reinterpret_cast<char *>(&initBits), random);
    buildProblem();
    reference();
  }

  void check(Isa isa, Random &random, const std::string &what);

private:
  static void fill(Tensor &tensor, DType type, Random &random) {
    tensor.data = std::make_unique<char[]>(tensor.bytes);
    for (size_t at = 0; at + sizeOf(type) <= tensor.bytes; at += sizeOf(type))
      writeRandom(type, tensor.data.get() + at, random);
  }

  void fillOperand(const OperandSpec &operand, Tensor &tensor, uint64_t &pad, Random &random) {
    std::vector<int64_t> sizes;
    for (const AxisSpec &axis : operand.axes)
      sizes.push_back(axis.size);
    int64_t elements = 0;
    tensor.strides = stridesOf(sizes, operand.layout, operand.gap, elements);
    tensor.bytes = static_cast<size_t>(elements) * sizeOf(operand.type);
    fill(tensor, operand.type, random);
    writeRandom(operand.type, reinterpret_cast<char *>(&pad), random);
  }

  void buildProblem() {
    problem.a = spec.a.type;
    problem.b = spec.b.type;
    problem.c = spec.c;
    problem.unsignedA = spec.a.isUnsigned;
    problem.unsignedB = spec.b.isUnsigned;
    problem.order = spec.order;
    problem.constantA = spec.a.constant;
    problem.constantB = spec.b.constant;
    problem.init = spec.init;
    problem.initBits = initBits;
    problem.tileBuffer = spec.tileBuffer;
    const int64_t numParallel = static_cast<int64_t>(spec.parallel.size());
    for (int64_t d = 0; d < spec.dims(); ++d) {
      ContractionDim dim;
      dim.size = spec.size(d);
      for (size_t i = 0; i < spec.a.axes.size(); ++i)
        dim.strideA += spec.a.axes[i].coefficients[d] * a.strides[i];
      for (size_t i = 0; i < spec.b.axes.size(); ++i)
        dim.strideB += spec.b.axes[i].coefficients[d] * b.strides[i];
      if (d < numParallel) {
        dim.strideC = spec.tileBuffer ? 0 : c.strides[d];
        dim.strideInit = init.strides[d];
      }
      (d < numParallel ? problem.parallel : problem.reduction).push_back(dim);
    }
    addPadding(spec.a, a, padA, problem.paddingA);
    addPadding(spec.b, b, padB, problem.paddingB);
  }

  static void addPadding(const OperandSpec &operand, const Tensor &tensor, uint64_t pad,
                         OperandPadding &padding) {
    padding.valueBits = pad;
    for (size_t i = 0; i < operand.axes.size(); ++i)
      if (operand.axes[i].bounded)
        padding.axes.push_back({operand.axes[i].size, operand.axes[i].low, tensor.strides[i],
                                operand.axes[i].coefficients});
  }

  const char *elementAt(const OperandSpec &operand, const Tensor &tensor, const uint64_t &pad,
                        const std::vector<int64_t> &point) const {
    int64_t offset = 0;
    for (size_t i = 0; i < operand.axes.size(); ++i) {
      int64_t index = -operand.axes[i].low;
      for (size_t d = 0; d < point.size(); ++d)
        index += operand.axes[i].coefficients[d] * point[d];
      if (index < 0 || index >= operand.axes[i].size)
        return reinterpret_cast<const char *>(&pad);
      offset += index * tensor.strides[i];
    }
    return tensor.data.get() + offset * static_cast<int64_t>(sizeOf(operand.type));
  }

  int64_t offsetOf(const Tensor &tensor, const std::vector<int64_t> &point) const {
    return std::inner_product(point.begin(), point.end(), tensor.strides.begin(), int64_t(0));
  }

  const char *initAt(const std::vector<int64_t> &point) const {
    if (spec.init == InitKind::Value)
      return reinterpret_cast<const char *>(&initBits);
    return init.data.get() + offsetOf(init, point) * static_cast<int64_t>(sizeOf(spec.c));
  }

  /// The plain loop.
  void reference() {
    expected = std::make_unique<char[]>(c.bytes);
    std::memset(expected.get(), 0x5a, c.bytes);
    forEachPoint(spec.parallel, [&](const std::vector<int64_t> &output) {
      std::vector<double> as, bs;
      const char *first = initAt(output);
      uint64_t sum = isInteger(spec.c) ? readInteger(spec.c, false, first) : 0;
      std::vector<int64_t> point = output;
      point.resize(static_cast<size_t>(spec.dims()));
      forEachPoint(spec.reduction, [&](const std::vector<int64_t> &step) {
        std::copy(step.begin(), step.end(), point.begin() + static_cast<int64_t>(output.size()));
        const char *x = elementAt(spec.a, a, padA, point), *y = elementAt(spec.b, b, padB, point);
        if (isInteger(spec.c)) {
          sum += readInteger(spec.a.type, spec.a.isUnsigned, x) *
                 readInteger(spec.b.type, spec.b.isUnsigned, y);
        } else {
          as.push_back(operandReal(spec.a.type, spec.a.isUnsigned, spec.c, x));
          bs.push_back(operandReal(spec.b.type, spec.b.isUnsigned, spec.c, y));
        }
      });
      char *to = expected.get() + offsetOf(c, output) * static_cast<int64_t>(sizeOf(spec.c));
      const bool lanes = spec.order == ReductionOrder::Lanes16;
      if (isInteger(spec.c))
        std::memcpy(to, &sum, sizeOf(spec.c));
      else if (spec.c == DType::F64)
        writeReal(spec.c, to, sumReal<double>(as, bs, readReal(spec.c, false, first), lanes));
      else
        writeReal(
            spec.c, to,
            sumReal<float>(as, bs, static_cast<float>(readReal(spec.c, false, first)), lanes));
    });
  }

  /// Fills a box with the initial values.
  static void initBox(void *context, const ContractionBox &box) {
    Instance &self = *static_cast<Instance *>(context);
    self.walk(box, [&](const std::vector<int64_t> &point, char *element) {
      std::memcpy(element, self.initAt(point), sizeOf(self.spec.c));
    });
  }

  /// Takes a finished box; counts how often each output is seen.
  static void finishBox(void *context, const ContractionBox &box) {
    Instance &self = *static_cast<Instance *>(context);
    self.walk(box, [&](const std::vector<int64_t> &point, char *element) {
      const int64_t at = self.offsetOf(self.c, point);
      ++self.seen[static_cast<size_t>(at)];
      const size_t bytes = sizeOf(self.spec.c);
      std::memcpy(self.result.get() + at * static_cast<int64_t>(bytes), element, bytes);
    });
  }

  void walk(const ContractionBox &box,
            const std::function<void(const std::vector<int64_t> &, char *)> &fn) {
    const std::vector<int64_t> sizes(box.size, box.size + spec.parallel.size());
    forEachPoint(sizes, [&](const std::vector<int64_t> &point) {
      std::vector<int64_t> global = point;
      int64_t offset = 0;
      for (size_t d = 0; d < point.size(); ++d) {
        global[d] += box.begin[d];
        offset += point[d] * box.stride[d];
      }
      fn(global, static_cast<char *>(box.data) + offset * static_cast<int64_t>(sizeOf(spec.c)));
    });
  }

  bool sameElement(const char *x, const char *y) const {
    if (std::memcmp(x, y, sizeOf(spec.c)) == 0)
      return true;
    return isFloat(spec.c) && std::isnan(readReal(spec.c, false, x)) &&
           std::isnan(readReal(spec.c, false, y));
  }

  const ContractionSpec &spec;
  ContractionProblem problem;
  Tensor a, b, c, init;
  uint64_t padA = 0, padB = 0, initBits = 0;
  std::unique_ptr<char[]> expected, result;
  std::vector<int> seen;
};

void Instance::check(Isa isa, Random &random, const std::string &what) {
  absl::StatusOr<ContractionPlan> plan = ContractionPlan::create(problem, isa);
  ASSERT_TRUE(plan.ok()) << what << ": " << plan.status().message();
  ContractionOperands operands;
  operands.a = a.data.get();
  operands.b = b.data.get();
  operands.init = init.data.get();
  std::unique_ptr<char[]> packed[2];
  for (int side = 0; side < 2; ++side) {
    const ConstantPacking &packing = plan->packing(static_cast<ContractionSide>(side));
    if (!packing.wanted)
      continue;
    EXPECT_FALSE(packing.layout.empty());
    packed[side] = std::make_unique<char[]>(packing.bytes + 64);
    char *aligned = packed[side].get();
    aligned += -reinterpret_cast<uintptr_t>(aligned) & 63;
    plan->pack(static_cast<ContractionSide>(side), side == 0 ? operands.a : operands.b, aligned);
    (side == 0 ? operands.packedA : operands.packedB) = aligned;
    (side == 0 ? operands.a : operands.b) = nullptr;
  }
  result = std::make_unique<char[]>(c.bytes);
  std::memset(result.get(), 0x5a, c.bytes);
  operands.c = spec.tileBuffer ? nullptr : result.get();
  seen.assign(c.bytes / sizeOf(spec.c), 0);
  TileHooks hooks;
  hooks.context = this;
  if (spec.init == InitKind::Hook)
    hooks.init = &initBox;
  if (spec.tileBuffer || spec.finishHook)
    hooks.finish = &finishBox;
  auto scratch = std::make_unique<char[]>(plan->scratchBytes() + 64);
  for (int64_t tile = 0; tile < plan->numTiles();) {
    const int64_t end = std::min(plan->numTiles(), tile + pick(random, 1, 3));
    char *aligned = scratch.get() + (-reinterpret_cast<uintptr_t>(scratch.get()) & 63);
    std::memset(aligned, 0xff, plan->scratchBytes());
    plan->run(tile, end, operands, aligned, hooks);
    tile = end;
  }
  const size_t bytes = sizeOf(spec.c);
  for (size_t at = 0; at < c.bytes; at += bytes)
    ASSERT_TRUE(sameElement(expected.get() + at, result.get() + at))
        << what << "\n  " << plan->describe() << "\n  element " << at / bytes << " of "
        << c.bytes / bytes << ": expected " << readReal(spec.c, false, expected.get() + at)
        << ", got " << readReal(spec.c, false, result.get() + at);
  if (hooks.finish)
    forEachPoint(spec.parallel, [&](const std::vector<int64_t> &point) {
      EXPECT_EQ(seen[static_cast<size_t>(offsetOf(c, point))], 1) << what << plan->describe();
    });
}

} // namespace

void expectExact(const ContractionSpec &spec, Random &random, const std::string &what) {
  Instance instance(spec, random);
  for (unsigned isa = 0; isa <= static_cast<unsigned>(detectIsa()); ++isa) {
    instance.check(static_cast<Isa>(isa), random, what);
    if (::testing::Test::HasFatalFailure())
      return;
  }
}

} // namespace anneal::runtime::testing
