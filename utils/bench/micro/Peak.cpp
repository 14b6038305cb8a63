//===- Peak.cpp - Multiply-add peak of one thread -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peak.h"

#include <cmath>
#include <immintrin.h>

namespace anneal::bench {
namespace {

constexpr int kChains = 16;

__attribute__((target("avx512f"))) void chains512(int64_t rounds) {
  __m512 acc[kChains];
  const __m512 x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(1e-3f);
#pragma GCC unroll 16
  for (int i = 0; i < kChains; ++i)
    acc[i] = y * static_cast<float>(i);
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (int i = 0; i < kChains; ++i)
      acc[i] = _mm512_fmadd_ps(acc[i], x, y);
  }
#pragma GCC unroll 16
  for (int i = 0; i < kChains; ++i)
    asm volatile("" : : "v"(acc[i]));
}

__attribute__((target("avx2,fma"))) void chains256(int64_t rounds) {
  // Three of the sixteen registers hold other values.
  constexpr int chains = 12;
  __m256 acc[chains];
  const __m256 x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(1e-3f);
#pragma GCC unroll 12
  for (int i = 0; i < chains; ++i)
    acc[i] = y * static_cast<float>(i);
  for (int64_t round = 0; round < rounds * kChains / chains; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i)
      acc[i] = _mm256_fmadd_ps(acc[i], x, y);
  }
#pragma GCC unroll 12
  for (int i = 0; i < chains; ++i)
    asm volatile("" : : "x"(acc[i]));
}

void chains1(int64_t rounds) {
  float acc[kChains] = {};
  for (int64_t round = 0; round < rounds; ++round)
    for (float &sum : acc)
      sum = std::fma(sum, 0.999f, 1e-3f);
  asm volatile("" : : "m"(acc));
}

} // namespace

double multiplyAddRounds(runtime::Isa isa, int64_t rounds) {
  const double chainFlops = 2.0 * kChains * static_cast<double>(rounds);
  switch (isa) {
  case runtime::Isa::Avx512:
    chains512(rounds);
    return chainFlops * 16;
  case runtime::Isa::Avx2:
    chains256(rounds);
    return chainFlops * 8;
  case runtime::Isa::Portable:
    break;
  }
  chains1(rounds);
  return chainFlops;
}

} // namespace anneal::bench
