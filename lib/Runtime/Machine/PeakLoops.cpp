//===- PeakLoops.cpp - Loops that reach the machine's limits --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeakLoops.h"

#if ANNEAL_ISA > 0
#include <immintrin.h>
#endif

namespace anneal::runtime::ANNEAL_ISA_NAMESPACE {
namespace {

#if ANNEAL_ISA == 2
using Vec = __m512;
inline Vec fma(Vec a, Vec b, Vec c) { return _mm512_fmadd_ps(a, b, c); }
#elif ANNEAL_ISA == 1
using Vec = __m256;
inline Vec fma(Vec a, Vec b, Vec c) { return _mm256_fmadd_ps(a, b, c); }
#else
typedef float Vec __attribute__((vector_size(16)));
inline Vec fma(Vec a, Vec b, Vec c) { return a * b + c; }
#endif

constexpr unsigned kLanes = sizeof(Vec) / sizeof(float);
/// More than latency times ports of any x86-64 so far, and few enough for 16 registers.
constexpr unsigned kChains = 12;

} // namespace

double fmaLoop(uint64_t rounds, float *sink) {
  Vec accumulators[kChains] = {};
  Vec factor = Vec{} + 0.5f, addend = Vec{} + 1.0f;
  // Values that the compiler can't see keep it from working the loop out or merging its chains; the
  // accumulators stay in registers.
  asm volatile("" : "+x"(factor), "+x"(addend));
  for (Vec &accumulator : accumulators)
    asm volatile("" : "+x"(accumulator));
  for (uint64_t r = 0; r < rounds; ++r) {
#pragma GCC unroll 12
    for (Vec &accumulator : accumulators)
      accumulator = fma(accumulator, factor, addend);
  }
  Vec total = {};
  for (Vec &accumulator : accumulators)
    total += accumulator;
  *sink = total[0];
  return 2.0 * kChains * kLanes;
}

float sumLoop(const float *data, size_t count) {
  Vec sums[8] = {};
  constexpr size_t kStep = 8 * kLanes;
  for (size_t i = 0; i + kStep <= count; i += kStep)
    for (unsigned j = 0; j < 8; ++j)
      sums[j] += *reinterpret_cast<const Vec *>(data + i + j * kLanes);
  Vec total = {};
  for (Vec &sum : sums)
    total += sum;
  return total[0];
}

} // namespace anneal::runtime::ANNEAL_ISA_NAMESPACE
