//===- GemmBench.cpp - Speed of contraction kernels beside the peak -------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// gemm-bench [--filter=TEXT] [--isa=portable|avx2|avx512] [--blas=LIBRARY] [--dnnl=LIBRARY]
//            [--rounds=N] [--describe]
//
// Measures each case on one thread and prints GF/s, the share of the multiply-add peak that is
// measured in the same rounds, time per call and, for the libraries that are given, their speed on
// plain products. Times are CPU times of the thread; of all rounds the fastest counts.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "Peak.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <functional>
#include <memory>
#include <random>

using namespace anneal;
using runtime::ContractionOperands;
using runtime::ContractionPlan;
using runtime::ContractionSide;

namespace {

/// cblas_sgemm and dnnl_sgemm.
using BlasFn = void (*)(int order, int transA, int transB, int m, int n, int k, float alpha,
                        const float *a, int lda, const float *b, int ldb, float beta, float *c,
                        int ldc);
using DnnlFn = int (*)(char transA, char transB, int64_t m, int64_t n, int64_t k, float alpha,
                       const float *a, int64_t lda, const float *b, int64_t ldb, float beta,
                       float *c, int64_t ldc);

struct Options {
  std::string filter, blas, dnnl;
  runtime::Isa isa = runtime::detectIsa();
  int rounds = 15;
  bool describe = false;
};

double threadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct FreeDeleter {
  void operator()(void *memory) const { std::free(memory); }
};
template <typename T> using Memory = std::unique_ptr<T, FreeDeleter>;

template <typename T> Memory<T> allocate(size_t count) {
  const size_t bytes = (count * sizeof(T) + 4095) & ~size_t(4095);
  return Memory<T>(static_cast<T *>(std::aligned_alloc(4096, std::max<size_t>(bytes, 4096))));
}

Memory<float> randomFloats(int64_t count) {
  Memory<float> data = allocate<float>(static_cast<size_t>(count));
  std::minstd_rand random(7);
  std::uniform_real_distribution<float> value(-1, 1);
  for (int64_t i = 0; i < count; ++i)
    data.get()[i] = value(random);
  return data;
}

/// Something to time: calls of one function, as many as take about two milliseconds.
struct Timed {
  std::function<void()> call;
  int64_t calls = 1;
  double best = 1e30;

  void calibrate() {
    call();
    while (true) {
      const double start = threadSeconds();
      for (int64_t i = 0; i < calls; ++i)
        call();
      const double spent = threadSeconds() - start;
      if (spent > 1e-3)
        break;
      calls *= 4;
    }
  }
  void round() {
    const double start = threadSeconds();
    for (int64_t i = 0; i < calls; ++i)
      call();
    best = std::min(best, (threadSeconds() - start) / static_cast<double>(calls));
  }
};

/// GF/s of independent multiply-adds, over about half a millisecond.
double measurePeak(runtime::Isa isa) {
  const double start = threadSeconds();
  const double flops = bench::multiplyAddRounds(isa, 50000);
  return 1e-9 * flops / (threadSeconds() - start);
}

/// A case with its data and everything that is timed on it.
class Runner {
public:
  Runner(const bench::Case &what, const Options &options, BlasFn blas, DnnlFn dnnl)
      : what(what), a(randomFloats(what.sizeA)), b(randomFloats(what.sizeB)),
        c(randomFloats(what.sizeC)) {
    runtime::ContractionProblem problem = what.problem;
    problem.numThreads = 1;
    plan = std::make_unique<ContractionPlan>(
        std::move(*ContractionPlan::create(problem, options.isa)));
    scratch = allocate<char>(plan->scratchBytes());
    operands.a = a.get();
    operands.b = b.get();
    operands.c = c.get();
    if (plan->packing(ContractionSide::B).wanted) {
      packed = allocate<char>(plan->packing(ContractionSide::B).bytes);
      plan->pack(ContractionSide::B, b.get(), packed.get());
      operands.packedB = packed.get();
    }
    ours.call = [this] { plan->run(0, plan->numTiles(), operands, scratch.get()); };
    const int m = static_cast<int>(what.m), n = static_cast<int>(what.n);
    const int k = static_cast<int>(what.k), ldb = what.transposedB ? k : n;
    if (blas && what.batch > 0)
      theirs[0].call = [=, this] {
        for (int64_t i = 0; i < this->what.batch; ++i)
          blas(101, 111, this->what.transposedB ? 112 : 111, m, n, k, 1, a.get() + i * m * k, k,
               b.get() + i * k * n, ldb, 0, c.get() + i * m * n, n);
      };
    if (dnnl && what.batch > 0)
      theirs[1].call = [=, this] {
        for (int64_t i = 0; i < this->what.batch; ++i)
          dnnl('N', this->what.transposedB ? 'T' : 'N', m, n, k, 1, a.get() + i * m * k, k,
               b.get() + i * k * n, ldb, 0, c.get() + i * m * n, n);
      };
  }

  void measure(const Options &options) {
    double peak = 0;
    for (Timed *timed : {&ours, &theirs[0], &theirs[1]})
      if (timed->call)
        timed->calibrate();
    for (int round = 0; round < options.rounds; ++round) {
      peak = std::max(peak, measurePeak(options.isa));
      for (Timed *timed : {&ours, &theirs[0], &theirs[1]})
        if (timed->call)
          timed->round();
    }
    const double gflop = 2e-9 * static_cast<double>(plan->numMultiplyAdds());
    std::printf("%-40s %9.2f us %7.1f GF/s %5.1f %% of %5.1f", what.name.c_str(), ours.best * 1e6,
                gflop / ours.best, 100 * gflop / ours.best / peak, peak);
    for (const Timed &their : theirs)
      if (their.call)
        std::printf("  %7.1f GF/s %5.2fx", gflop / their.best, their.best / ours.best);
    std::printf("\n");
    if (options.describe)
      std::printf("    %s\n", plan->describe().c_str());
    std::fflush(stdout);
  }

private:
  const bench::Case &what;
  Memory<float> a, b, c;
  Memory<char> packed, scratch;
  std::unique_ptr<ContractionPlan> plan;
  ContractionOperands operands;
  Timed ours, theirs[2];
};

bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    auto value = [&](const char *flag, std::string &to) {
      const size_t length = std::strlen(flag);
      if (argument.compare(0, length, flag) != 0)
        return false;
      to = argument.substr(length);
      return true;
    };
    std::string text;
    if (value("--filter=", options.filter) || value("--blas=", options.blas) ||
        value("--dnnl=", options.dnnl))
      continue;
    if (value("--isa=", text)) {
      bool known = false;
      for (unsigned isa = 0; isa <= static_cast<unsigned>(runtime::detectIsa()); ++isa)
        if (name(static_cast<runtime::Isa>(isa)) == text) {
          options.isa = static_cast<runtime::Isa>(isa);
          known = true;
        }
      if (known)
        continue;
    }
    if (value("--rounds=", text) && std::atoi(text.c_str()) > 0) {
      options.rounds = std::atoi(text.c_str());
      continue;
    }
    if (argument == "--describe") {
      options.describe = true;
      continue;
    }
    std::fprintf(stderr, "gemm-bench: unknown or unusable argument '%s'\n", argv[i]);
    return false;
  }
  return true;
}

/// A function of a library, or null with a message.
void *findFunction(const std::string &library, const char *function) {
  if (library.empty())
    return nullptr;
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void *found = handle ? dlsym(handle, function) : nullptr;
  if (!found)
    std::fprintf(stderr, "gemm-bench: %s\n", dlerror());
  return found;
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options))
    return 2;
  const auto blas = reinterpret_cast<BlasFn>(findFunction(options.blas, "cblas_sgemm"));
  const auto dnnl = reinterpret_cast<DnnlFn>(findFunction(options.dnnl, "dnnl_sgemm"));
  std::printf("one thread, kernels for %s\n", std::string(name(options.isa)).c_str());
  std::printf("%-40s %12s %12s %7s%s%s\n", "case", "time", "speed", "of peak      ",
              blas ? "      blas, ours is" : "", dnnl ? "      dnnl, ours is" : "");
  for (const bench::Case &what : bench::standardCases())
    if (what.name.find(options.filter) != std::string::npos)
      Runner(what, options, blas, dnnl).measure(options);
  return 0;
}
