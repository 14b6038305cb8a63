//===- NumpyRandom.h - The random numbers of NumPy's default_rng *- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_IO_NUMPYRANDOM_H
#define ANNEAL_RUNTIME_IO_NUMPYRANDOM_H

#include <cstdint>

namespace anneal::runtime {

/// The stream of `numpy.random.default_rng(seed)`: PCG64 (O'Neill 2014, XSL-RR 128/64) seeded
/// through NumPy's SeedSequence, bit for bit, so that a script can make the same inputs as
/// `jit-run` (CLI.md, --input). Not thread-safe.
class NumpyRandom {
public:
  explicit NumpyRandom(uint64_t seed);

  /// As `integers(low, high)`: uniform in [low, high). Requires low < high.
  int64_t integer(int64_t low, int64_t high);
  /// As `uniform(low, high)`.
  double uniform(double low, double high);

private:
  uint64_t next64();
  uint32_t next32();

  unsigned __int128 state = 0;
  unsigned __int128 increment = 0;
  /// Upper half of the last 64-bit number, not yet handed out by next32.
  uint32_t spare = 0;
  bool hasSpare = false;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_IO_NUMPYRANDOM_H
