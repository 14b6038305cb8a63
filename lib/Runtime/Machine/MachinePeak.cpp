//===- MachinePeak.cpp - What this machine can reach ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/MachinePeak.h"

#include "PeakLoops.h"
#include "anneal/Runtime/Kernels/Isa.h"
#include "anneal/Runtime/Tensor.h"
#include "anneal/Runtime/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace anneal::runtime {
namespace {

struct Loops {
  double (*fma)(uint64_t rounds, float *sink);
  float (*sum)(const float *data, size_t count);
};

Loops loopsFor(Isa isa) {
  switch (isa) {
  case Isa::Avx512:
    return {avx512::fmaLoop, avx512::sumLoop};
  case Isa::Avx2:
    return {avx2::fmaLoop, avx2::sumLoop};
  case Isa::Portable:
    break;
  }
  return {portable::fmaLoop, portable::sumLoop};
}

/// Runs `body(i)` for each thread of the pool at once; seconds of the whole.
template <typename Body> double timeOnAllThreads(ThreadPool &pool, Body body) {
  auto begin = std::chrono::steady_clock::now();
  pool.parallelFor(pool.numThreads(), 1, [&](int64_t first, int64_t last, uint32_t) {
    for (int64_t i = first; i < last; ++i)
      body(i);
  });
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

MachinePeak measureMachinePeak(ThreadPool &pool) {
  Loops loops = loopsFor(detectIsa());
  unsigned threads = pool.numThreads();
  std::vector<float> sinks(threads);
  MachinePeak peak;

  constexpr uint64_t kRounds = 400000;
  constexpr int kRepeats = 3;
  double flops = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    double seconds = timeOnAllThreads(pool, [&](int64_t i) {
      double perRound = loops.fma(kRounds, &sinks[static_cast<size_t>(i)]);
      if (i == 0)
        flops = perRound * kRounds * threads;
    });
    peak.gflops = std::max(peak.gflops, flops / seconds * 1e-9);
  }

  constexpr int64_t kFloats = int64_t(24) << 20;
  absl::StatusOr<Tensor> buffer = Tensor::allocate(plan::DType::F32, {kFloats});
  if (!buffer.ok())
    return peak;
  int64_t share = kFloats / threads;
  auto touch = [&](int64_t i) {
    std::fill_n(buffer->dataAs<float>() + i * share, share, 1.0f);
  };
  timeOnAllThreads(pool, touch);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    double seconds = timeOnAllThreads(pool, [&](int64_t i) {
      // Vector loads want alignment.
      int64_t begin = i * share / 64 * 64;
      sinks[static_cast<size_t>(i)] =
          loops.sum(buffer->dataAs<float>() + begin, static_cast<size_t>(share));
    });
    double bytes = static_cast<double>(share) * threads * sizeof(float);
    peak.bandwidthGbs = std::max(peak.bandwidthGbs, bytes / seconds * 1e-9);
  }
  return peak;
}

} // namespace anneal::runtime
