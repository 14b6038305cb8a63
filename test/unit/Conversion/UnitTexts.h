//===- UnitTexts.h - Units and data to compare tiers on ---------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_UNIT_CONVERSION_UNITTEXTS_H
#define ANNEAL_TEST_UNIT_CONVERSION_UNITTEXTS_H

#include "Reference.h"

#include <random>
#include <string>
#include <vector>

namespace anneal::test {

using Random = std::mt19937;

/// "f32", "i64", ... as MLIR writes it.
std::string typeName(plan::DType type);

/// A value of a type: often a special one (zeros of both signs, infinities, NaN, denormals, the
/// smallest and largest numbers, small integers), else any bits, else one of moderate size.
uint64_t anyBits(plan::DType type, Random &random);
/// Fills a tensor's memory with such values.
void fillSpecial(runtime::test::TestTensor &tensor, Random &random);
/// Fills it with numbers of moderate size.
void fillModerate(runtime::test::TestTensor &tensor, Random &random);

/// A tensor of the sizes with some layout: dense, with gaps, permuted, backwards, or (`canRepeat`)
/// standing still in some dimension.
runtime::test::TestTensor makeAnyTensor(plan::DType type, const std::vector<int64_t> &sizes,
                                        bool canRepeat, Random &random);

/// A unit that maps one or more inputs, element by element, with a body in text. `body` computes
/// %r of type `result` from %a0, %a1, ...
std::string mapUnit(const std::vector<plan::DType> &inputs, plan::DType result,
                    const std::string &body);

/// A unit drawn at random, and what to run it on.
struct RandomUnit {
  std::string text;
  /// Inputs, then outputs.
  std::vector<plan::DType> types;
  /// For each tensor, the iteration dimension of each of its dimensions; -1: of size 1.
  std::vector<std::vector<int>> maps;
  unsigned numInputs = 0;
  unsigned numDims = 0;
  std::vector<uint64_t> scalars;
  bool isReduction = false;

  /// Tensors for these sizes of the iteration dimensions.
  std::vector<runtime::test::TestTensor> tensors(const std::vector<int64_t> &sizes,
                                                 Random &random) const;
};

/// An element-wise operation on up to four dimensions, with any types.
RandomUnit randomMap(Random &random);
/// A reduction along the last dimension by known operations.
RandomUnit randomReduction(Random &random);

} // namespace anneal::test

#endif // ANNEAL_TEST_UNIT_CONVERSION_UNITTEXTS_H
