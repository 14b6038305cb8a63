//===- peak.cpp - FMA peak and memory bandwidth of this machine -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the other figures of the benchmark are compared with. Prints one JSON
// object: for each thread count, the f32 FMA rate (GFLOP/s, the best of several
// short runs) and the bandwidth of a streaming read (GB/s) over a buffer larger
// than the last-level cache. Compile with -O3 -march=native -pthread.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

namespace {

#if defined(__AVX512F__)
constexpr int lanes = 16;
#elif defined(__AVX__)
constexpr int lanes = 8;
#else
constexpr int lanes = 4;
#endif

using Vec __attribute__((vector_size(lanes * sizeof(float)))) = float;

/// Independent chains enough to cover two FMA ports at latency 5, and few
/// enough for 16 registers.
constexpr int chains = 12;
constexpr int runs = 5;
/// 256 MB: larger than the last-level cache of any machine aimed at.
constexpr std::size_t bufferBytes = std::size_t{256} << 20;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Keeps `value` alive without a store.
void keep(Vec value) { asm volatile("" : : "x"(value)); }

/// `steps` rounds of `chains` FMAs; the flops are steps * chains * lanes * 2.
void multiplyAdd(long steps) {
  Vec acc[chains];
  for (int i = 0; i < chains; ++i)
    acc[i] = Vec{} + static_cast<float>(i);
  Vec factor = Vec{} + 0.999f;
  Vec addend = Vec{} + 0.001f;
  asm volatile("" : "+x"(factor), "+x"(addend));
  for (long s = 0; s < steps; ++s) {
#pragma GCC unroll 12
    for (int i = 0; i < chains; ++i)
      acc[i] = acc[i] * factor + addend;
  }
  for (Vec &value : acc)
    keep(value);
}

void readAll(const Vec *data, std::size_t count) {
  Vec sum[4] = {};
  for (std::size_t i = 0; i + 4 <= count; i += 4)
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j)
      sum[j] += data[i + j];
  keep(sum[0] + sum[1] + sum[2] + sum[3]);
}

/// The shortest of `runs` timings of `body(thread)` on `threads` threads.
double best(int threads, const std::function<void(int)> &body) {
  double shortest = 1e30;
  for (int run = 0; run < runs; ++run) {
    double start = seconds();
    std::vector<std::thread> pool;
    for (int t = 1; t < threads; ++t)
      pool.emplace_back(body, t);
    body(0);
    for (std::thread &thread : pool)
      thread.join();
    shortest = std::min(shortest, seconds() - start);
  }
  return shortest;
}

} // namespace

int main(int argc, char **argv) {
  int most = argc > 1 ? std::atoi(argv[1]) : 2;
  void *memory = std::aligned_alloc(64, bufferBytes);
  if (!memory || most < 1) {
    std::fprintf(stderr, "peak: error: usage: peak [THREADS]\n");
    return 2;
  }
  auto *data = static_cast<Vec *>(memory);
  std::size_t count = bufferBytes / sizeof(Vec);
  std::fill_n(static_cast<float *>(memory), bufferBytes / sizeof(float), 1.0f);

  constexpr long steps = 4'000'000;
  std::printf("{\"lanes\": %d, \"threads\": [", lanes);
  for (int threads = 1; threads <= most; ++threads) {
    double compute = best(threads, [](int) { multiplyAdd(steps); });
    double stream = best(threads, [=](int t) {
      std::size_t share = count / threads;
      readAll(data + share * t, share);
    });
    double flops = double(steps) * chains * lanes * 2 * threads;
    std::printf("%s{\"n\": %d, \"gflops\": %.1f, \"gbs\": %.1f}", threads > 1 ? ", " : "", threads,
                flops / compute / 1e9, double(bufferBytes) / stream / 1e9);
  }
  std::printf("]}\n");
  std::free(memory);
  return 0;
}
