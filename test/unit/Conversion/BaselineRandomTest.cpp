//===- BaselineRandomTest.cpp - Random units at tier baseline -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies, types, maps, layouts, sizes and data drawn at random: compiled code gives the bits of the
// interpreter.
//
//===----------------------------------------------------------------------===//

#include "CompiledUnits.h"
#include "UnitTexts.h"

#include "gtest/gtest.h"

namespace anneal::test {

namespace {

/// Sizes that are empty, one, primes, around a vector and some vectors.
std::vector<int64_t> anySizes(unsigned numDims, Random &random) {
  static constexpr int64_t kSizes[] = {1, 1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 33, 48, 67, 130};
  std::vector<int64_t> sizes;
  int64_t points = 1;
  for (unsigned d = 0; d < numDims; ++d) {
    int64_t size = kSizes[random() % std::size(kSizes)];
    if (random() % 40 == 0)
      size = 0;
    if (points * size > 20000)
      size = 2;
    points *= std::max<int64_t>(size, 1);
    sizes.push_back(size);
  }
  return sizes;
}

class BaselineRandom : public ::testing::TestWithParam<CompileSetup> {
protected:
  void run(RandomUnit (*draw)(Random &), unsigned seed, int numUnits, int leastBoxes) {
    UnitCompiler compiler(GetParam());
    Random random(seed);
    int boxes = 0;
    for (int n = 0; n < numUnits && !HasFailure(); ++n) {
      RandomUnit unit = draw(random);
      SCOPED_TRACE(unit.text);
      auto compiled = compiler.compile(unit.text);
      if (!compiled)
        continue;
      for (int round = 0; round < 4; ++round) {
        std::vector<int64_t> sizes = anySizes(unit.numDims, random);
        std::string text;
        for (int64_t size : sizes)
          text += std::to_string(size) + " ";
        SCOPED_TRACE("sizes " + text);
        unsigned threads = 1 + random() % 3;
        boxes += expectSameBits(*compiled, unit.tensors(sizes, random), unit.scalars, threads);
      }
    }
    // Compiled code was run, not only the interpreter.
    EXPECT_GT(boxes, leastBoxes);
  }
};

TEST_P(BaselineRandom, MapsGiveTheInterpretersBits) { run(randomMap, 11, 150, 400); }

TEST_P(BaselineRandom, ReductionsGiveTheInterpretersBits) { run(randomReduction, 13, 150, 100); }

INSTANTIATE_TEST_SUITE_P(Targets, BaselineRandom, ::testing::ValuesIn(runnableSetups()),
                         [](const auto &info) {
                           return "Width" + std::to_string(info.param.vectorWidth);
                         });

} // namespace
} // namespace anneal::test
