//===- NumpyRandomTest.cpp ------------------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/NumpyRandom.h"

#include <gtest/gtest.h>

using anneal::runtime::NumpyRandom;

namespace {

// The expected numbers are NumPy's own:
//   r = np.random.default_rng(seed); r.integers(1000, 30000, 3); r.uniform(-1, 2, 2);
//   r.integers(-5, 1 << 40, 3); r.integers(0, 2)
struct Stream {
  uint64_t seed;
  int64_t small[3];
  double reals[2];
  int64_t large[3];
  int64_t bit;
};

const Stream kStreams[] = {
    {0,
     {25668, 19471, 15822},
     {-0.87707942819141593, -0.95041709341441272},
     {894200084523, 1003585370533, 667003089278},
     0},
    {42,
     {3588, 23444, 19982},
     {1.5757937597341476, 1.0921040871780918},
     {103549089071, 1072708119942, 836881952699},
     0},
    {(uint64_t(1) << 40) + 7,
     {6988, 25064, 18675},
     {-0.53862785244103739, 1.0235136376028255},
     {812363961825, 538755658005, 16931238567},
     0},
};

TEST(NumpyRandomTest, GivesTheNumbersOfDefaultRng) {
  for (const Stream &stream : kStreams) {
    NumpyRandom random(stream.seed);
    for (int64_t expected : stream.small)
      EXPECT_EQ(random.integer(1000, 30000), expected) << stream.seed;
    for (double expected : stream.reals)
      EXPECT_EQ(random.uniform(-1, 2), expected) << stream.seed;
    for (int64_t expected : stream.large)
      EXPECT_EQ(random.integer(-5, int64_t(1) << 40), expected) << stream.seed;
    EXPECT_EQ(random.integer(0, 2), stream.bit) << stream.seed;
  }
}

TEST(NumpyRandomTest, StaysInsideTheWidestRange) {
  NumpyRandom random(1);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_LT(random.integer(INT64_MIN, INT64_MAX), INT64_MAX);
    EXPECT_EQ(random.integer(7, 8), 7);
  }
}

} // namespace
