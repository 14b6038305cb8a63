//===- UnitData.cpp - Values and layouts to compare tiers on --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitTexts.h"

#include "anneal/Support/HalfFloat.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace anneal::test {

using plan::DType;
using runtime::test::TestTensor;

namespace {

uint64_t draw(Random &random, uint64_t below) { return random() % below; }

/// Bits of a float of the format: sign, exponent field, mantissa.
struct Format {
  unsigned exponentBits, mantissaBits;
};

Format formatOf(DType type) {
  switch (type) {
  case DType::F16:
    return {5, 10};
  case DType::BF16:
    return {8, 7};
  case DType::F32:
    return {8, 23};
  default:
    return {11, 52};
  }
}

uint64_t specialFloat(DType type, Random &random) {
  Format format = formatOf(type);
  uint64_t one = 1, mantissa = (one << format.mantissaBits) - 1;
  uint64_t infinity = ((one << format.exponentBits) - 1) << format.mantissaBits;
  uint64_t unit = ((one << (format.exponentBits - 1)) - 1) << format.mantissaBits;
  const uint64_t magnitudes[] = {0,
                                 1,
                                 mantissa,
                                 mantissa + 1,
                                 infinity - 1,
                                 infinity,
                                 infinity | (one << (format.mantissaBits - 1)),
                                 unit,
                                 unit + 1,
                                 unit + (one << format.mantissaBits),
                                 unit - (one << format.mantissaBits),
                                 unit | (mantissa / 2 + 1)};
  uint64_t sign = draw(random, 2) << (format.exponentBits + format.mantissaBits);
  return magnitudes[draw(random, std::size(magnitudes))] | sign;
}

/// Between 2^-6 and 2^6, or so.
uint64_t moderateFloat(DType type, Random &random) {
  Format format = formatOf(type);
  uint64_t bias = (uint64_t(1) << (format.exponentBits - 1)) - 1;
  uint64_t exponent = bias - 6 + draw(random, 12);
  uint64_t mantissa =
      (uint64_t(random()) << 32 | random()) & ((uint64_t(1) << format.mantissaBits) - 1);
  uint64_t sign = draw(random, 2) << (format.exponentBits + format.mantissaBits);
  return sign | exponent << format.mantissaBits | mantissa;
}

uint64_t maskOf(DType type) {
  unsigned width = plan::bitWidth(type);
  return width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
}

uint64_t smallInteger(DType type, Random &random) { return (draw(random, 41) - 20) & maskOf(type); }

uint64_t specialInteger(DType type, Random &random) {
  uint64_t mask = maskOf(type), top = mask ^ (mask >> 1);
  const uint64_t values[] = {0, 1, 2, mask, mask - 1, top, top - 1, top + 1};
  return values[draw(random, std::size(values))] & mask;
}

template <class Fn> void fill(TestTensor &tensor, Fn value) {
  size_t size = plan::sizeOf(tensor.dtype);
  for (size_t i = 0; i + size <= tensor.memory.size(); i += size) {
    uint64_t bits = value();
    std::memcpy(tensor.memory.data() + i, &bits, size);
  }
}

} // namespace

std::string typeName(DType type) { return std::string(plan::name(type)); }

uint64_t anyBits(DType type, Random &random) {
  uint64_t kind = draw(random, 4);
  if (plan::isFloat(type))
    return kind == 0   ? specialFloat(type, random)
           : kind == 1 ? (uint64_t(random()) << 32 | random()) & maskOf(type)
                       : moderateFloat(type, random);
  return kind == 0   ? specialInteger(type, random)
         : kind == 1 ? (uint64_t(random()) << 32 | random()) & maskOf(type)
                     : smallInteger(type, random);
}

void fillSpecial(TestTensor &tensor, Random &random) {
  fill(tensor, [&] { return anyBits(tensor.dtype, random); });
}

void fillModerate(TestTensor &tensor, Random &random) {
  fill(tensor, [&] {
    return plan::isFloat(tensor.dtype) ? moderateFloat(tensor.dtype, random)
                                       : smallInteger(tensor.dtype, random);
  });
}

TestTensor makeAnyTensor(DType type, const std::vector<int64_t> &sizes, bool canRepeat,
                         Random &random) {
  std::vector<unsigned> order;
  for (unsigned d = 0; d < sizes.size(); ++d)
    order.push_back(d);
  uint64_t kind = draw(random, 6);
  if (kind == 5)
    std::shuffle(order.begin(), order.end(), random);
  TestTensor tensor = runtime::test::makeStrided(type, sizes, order, kind == 3 ? 3 : 0);
  for (size_t d = 0; kind == 4 && d < sizes.size(); ++d) {
    uint64_t choice = draw(random, 3);
    if (choice == 0 && canRepeat) {
      tensor.strides[d] = 0;
    } else if (choice == 1 && sizes[d] > 0) {
      tensor.offset += (sizes[d] - 1) * tensor.strides[d];
      tensor.strides[d] = -tensor.strides[d];
    }
  }
  return tensor;
}

std::vector<TestTensor> RandomUnit::tensors(const std::vector<int64_t> &sizes,
                                            Random &random) const {
  std::vector<TestTensor> all;
  for (size_t t = 0; t < types.size(); ++t) {
    std::vector<int64_t> own;
    for (int dim : maps[t])
      own.push_back(dim < 0 ? 1 : sizes[static_cast<size_t>(dim)]);
    all.push_back(makeAnyTensor(types[t], own, t < numInputs, random));
    fillSpecial(all.back(), random);
  }
  return all;
}

} // namespace anneal::test
