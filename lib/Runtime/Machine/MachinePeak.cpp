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
#include <atomic>
#include <chrono>
#include <sched.h>
#include <thread>
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

/// Pins the calling thread to the `i`-th of the CPUs that it may use: threads that begin on one CPU
/// take milliseconds to part.
void pinTo(unsigned i) {
  cpu_set_t allowed, own;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
    return;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed) || i-- > 0)
      continue;
    CPU_ZERO(&own);
    CPU_SET(cpu, &own);
    sched_setaffinity(0, sizeof(own), &own);
    return;
  }
}

/// Runs `body(i)` on `threads` threads that begin together; seconds from the first beginning to the
/// last end.
template <typename Body> double timeTogether(unsigned threads, Body body) {
  using Clock = std::chrono::steady_clock;
  std::vector<Clock::time_point> begins(threads), ends(threads);
  std::atomic<unsigned> missing{threads};
  std::vector<std::thread> team;
  for (unsigned i = 0; i < threads; ++i)
    team.emplace_back([&, i] {
      pinTo(i);
      missing.fetch_sub(1);
      while (missing.load() > 0)
        std::this_thread::yield();
      begins[i] = Clock::now();
      body(i);
      ends[i] = Clock::now();
    });
  for (std::thread &thread : team)
    thread.join();
  auto first = *std::min_element(begins.begin(), begins.end());
  auto last = *std::max_element(ends.begin(), ends.end());
  return std::chrono::duration<double>(last - first).count();
}

double measureGflops(const Loops &loops, unsigned threads) {
  constexpr uint64_t kRounds = 600000;
  constexpr int kRepeats = 3;
  std::vector<float> sinks(threads);
  std::vector<double> perRound(threads);
  double best = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    double seconds =
        timeTogether(threads, [&](unsigned i) { perRound[i] = loops.fma(kRounds, &sinks[i]); });
    best = std::max(best, perRound[0] * kRounds * threads / seconds * 1e-9);
  }
  return best;
}

double measureBandwidth(const Loops &loops, unsigned threads) {
  // Well more than a last-level cache holds, and no more: a report should not cost more than what
  // it reports on.
  constexpr int64_t kFloats = int64_t(16) << 20;
  constexpr int kRepeats = 2;
  // Touched once, memory is there; what it holds does not matter.
  constexpr int64_t kFloatsInPage = 1024;
  absl::StatusOr<Tensor> buffer = Tensor::allocate(plan::DType::F32, {kFloats});
  if (!buffer.ok())
    return 0;
  float *data = buffer->dataAs<float>();
  // Vector loads want alignment.
  int64_t share = kFloats / threads / kFloatsInPage * kFloatsInPage;
  timeTogether(threads, [&](unsigned i) {
    for (int64_t at = 0; at < share; at += kFloatsInPage)
      data[i * share + at] = 1;
  });
  std::vector<float> sinks(threads);
  double best = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    double seconds = timeTogether(threads, [&](unsigned i) {
      sinks[i] = loops.sum(data + i * share, static_cast<size_t>(share));
    });
    double bytes = static_cast<double>(share) * threads * sizeof(float);
    best = std::max(best, bytes / seconds * 1e-9);
  }
  return best;
}

} // namespace

MachinePeak measureMachinePeak(unsigned threads) {
  threads = std::clamp(threads, 1u, usableCores());
  Loops loops = loopsFor(detectIsa());
  return {measureGflops(loops, threads), measureBandwidth(loops, threads)};
}

} // namespace anneal::runtime
