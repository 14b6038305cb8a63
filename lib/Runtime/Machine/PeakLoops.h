//===- PeakLoops.h - Loops that reach the machine's limits -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_MACHINE_PEAKLOOPS_H
#define ANNEAL_LIB_RUNTIME_MACHINE_PEAKLOOPS_H

#include <cstddef>
#include <cstdint>

namespace anneal::runtime {

/// For each instruction set: `fmaLoop` makes `rounds` rounds of independent fused multiply-adds and
/// returns how many floating-point operations a round has; `sumLoop` reads `count` floats.
#define ANNEAL_PEAK_LOOPS(isa)                                                                     \
  namespace isa {                                                                                  \
  double fmaLoop(uint64_t rounds, float *sink);                                                    \
  float sumLoop(const float *data, size_t count);                                                  \
  }
ANNEAL_PEAK_LOOPS(portable)
ANNEAL_PEAK_LOOPS(avx2)
ANNEAL_PEAK_LOOPS(avx512)
#undef ANNEAL_PEAK_LOOPS

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_MACHINE_PEAKLOOPS_H
