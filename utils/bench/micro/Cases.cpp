//===- Cases.cpp - Contractions that gemm-bench measures ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

namespace anneal::bench {
namespace {

/// Row-major C[batch, m, n] = A[batch, m, k] * B[batch, k, n] (or B[batch, n, k]).
Case product(std::string name, int64_t batch, int64_t m, int64_t n, int64_t k, bool constantB,
             bool transposedB) {
  Case c;
  c.name = std::move(name);
  if (batch > 1)
    c.problem.parallel.push_back({batch, m * k, k * n, m * n, 0});
  c.problem.parallel.push_back({m, k, 0, n, 0});
  c.problem.parallel.push_back({n, 0, transposedB ? k : 1, 1, 0});
  c.problem.reduction.push_back({k, 1, transposedB ? 1 : n, 0, 0});
  c.problem.constantB = constantB;
  c.sizeA = batch * m * k;
  c.sizeB = batch * k * n;
  c.sizeC = batch * m * n;
  c.batch = batch;
  c.m = m;
  c.n = n;
  c.k = k;
  c.transposedB = transposedB;
  return c;
}

Case matmul(int64_t m, int64_t n, int64_t k, bool constantB = false) {
  std::string name = std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k);
  return product((constantB ? "weights " : "matmul ") + name, 1, m, n, k, constantB, false);
}

Case batched(int64_t batch, int64_t m, int64_t n, int64_t k, bool transposedB) {
  return product(std::string(transposedB ? "batch nt " : "batch nn ") + std::to_string(batch) +
                     " of " + std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k),
                 batch, m, n, k, false, transposedB);
}

/// Matrix-vector product in 16 lanes: y[m] = A[m, k] x[k], or with `columns` A[k, m].
Case matvec(int64_t m, int64_t k, bool columns) {
  Case c;
  c.name =
      std::string(columns ? "vecmat " : "matvec ") + std::to_string(m) + "x" + std::to_string(k);
  c.problem.parallel = {{m, columns ? 1 : k, 0, 1, 0}};
  c.problem.reduction = {{k, columns ? m : 1, 1, 0, 0}};
  c.problem.order = runtime::ReductionOrder::Lanes16;
  c.sizeA = m * k;
  c.sizeB = k;
  c.sizeC = m;
  return c;
}

struct Conv {
  int64_t n, c, h, w, f, kh, kw, stride, pad;
  bool depthwise = false, channelsLast = false;
};

/// Two-dimensional convolution with constant filters; one-dimensional ones have h = kh = 1.
Case convolution(const char *label, const Conv &conv) {
  const auto &[n, c, h, w, f, kh, kw, stride, pad, depthwise, last] = conv;
  const int64_t padH = kh > 1 ? pad : 0, padW = kw > 1 ? pad : 0;
  const int64_t oh = (h + 2 * padH - kh) / stride + 1, ow = (w + 2 * padW - kw) / stride + 1;
  const int64_t filters = depthwise ? c : f;
  // Strides of input, filter and output along (n, channel, row, column).
  const int64_t inC = last ? 1 : h * w, inW = last ? c : 1, inH = w * inW;
  const int64_t outC = last ? 1 : oh * ow, outW = last ? filters : 1, outH = ow * outW;
  Case result;
  result.name = std::string(label) + " " + std::to_string(n) + "x" + std::to_string(c) + "x" +
                std::to_string(h) + "x" + std::to_string(w) + " f" + std::to_string(filters) + " " +
                std::to_string(kh) + "x" + std::to_string(kw) + "/" + std::to_string(stride);
  runtime::ContractionProblem &problem = result.problem;
  const int64_t kC = depthwise ? 1 : c;
  const int64_t filterW = last ? (depthwise ? c : c * f) : 1, filterH = kw * filterW;
  problem.parallel.push_back({n, c * h * w, 0, filters * oh * ow, 0});
  problem.parallel.push_back({filters, depthwise ? inC : 0, last ? 1 : kC * kh * kw, outC, 0});
  problem.parallel.push_back({oh, stride * inH, 0, outH, 0});
  problem.parallel.push_back({ow, stride * inW, 0, outW, 0});
  const runtime::ContractionDim channel = {c, inC, last ? f : kh * kw, 0, 0};
  if (!depthwise && !last)
    problem.reduction.push_back(channel);
  problem.reduction.push_back({kh, inH, filterH, 0, 0});
  problem.reduction.push_back({kw, inW, filterW, 0, 0});
  if (!depthwise && last)
    problem.reduction.push_back(channel);
  const bool leading = !depthwise && !last, trailing = !depthwise && last;
  std::vector<int64_t> rows = {0, 0, stride, 0}, columns = {0, 0, 0, stride};
  for (std::vector<int64_t> *axis : {&rows, &columns}) {
    if (leading)
      axis->push_back(0);
    axis->push_back(axis == &rows ? 1 : 0);
    axis->push_back(axis == &rows ? 0 : 1);
    if (trailing)
      axis->push_back(0);
  }
  problem.paddingA.axes.push_back({h, padH, inH, rows});
  problem.paddingA.axes.push_back({w, padW, inW, columns});
  problem.constantB = true;
  result.sizeA = n * c * h * w;
  result.sizeB = filters * kC * kh * kw;
  result.sizeC = n * filters * oh * ow;
  return result;
}

} // namespace

std::vector<Case> standardCases() {
  std::vector<Case> cases;
  for (int64_t size : {8, 16, 32, 64, 100, 128, 256, 384, 512, 768, 1000, 1024})
    cases.push_back(matmul(size, size, size));
  for (int64_t m : {1, 4, 7, 16, 17, 64, 128, 256})
    cases.push_back(matmul(m, 384, 384, true));
  for (int64_t m : {1, 4, 7, 16, 17, 64})
    cases.push_back(matmul(m, 1024, 1024, true));
  for (int64_t m : {7, 64, 128}) {
    cases.push_back(matmul(m, 1536, 384, true));
    cases.push_back(matmul(m, 384, 1536, true));
  }
  cases.push_back(matmul(64, 4096, 1024, true));
  cases.push_back(matmul(1, 512, 128, true));
  for (int64_t s : {7, 32, 64, 128, 256}) {
    cases.push_back(batched(12, s, s, 32, true));
    cases.push_back(batched(12, s, s, 32, false));
    cases.push_back(batched(12, s, 32, s, false));
  }
  cases.push_back(matvec(1024, 1024, false));
  cases.push_back(matvec(1024, 1024, true));
  cases.push_back(convolution("conv", {1, 8, 24, 96, 8, 1, 1, 1, 0}));
  cases.push_back(convolution("conv", {1, 16, 12, 96, 88, 1, 1, 1, 0}));
  cases.push_back(convolution("conv", {1, 200, 6, 96, 32, 1, 1, 1, 0}));
  cases.push_back(convolution("conv", {1, 32, 6, 96, 200, 1, 1, 1, 0}));
  cases.push_back(convolution("conv", {1, 64, 56, 56, 256, 1, 1, 1, 0}));
  cases.push_back(convolution("conv", {1, 256, 14, 14, 1024, 1, 1, 1, 0}));
  cases.push_back(convolution("conv", {1, 64, 56, 56, 64, 3, 3, 1, 1}));
  cases.push_back(convolution("conv", {1, 128, 28, 28, 128, 3, 3, 1, 1}));
  cases.push_back(convolution("conv", {1, 256, 14, 14, 256, 3, 3, 1, 1}));
  cases.push_back(convolution("conv", {1, 512, 7, 7, 512, 3, 3, 1, 1}));
  cases.push_back(convolution("conv", {1, 128, 56, 56, 128, 3, 3, 2, 1}));
  cases.push_back(convolution("conv", {1, 256, 28, 28, 256, 3, 3, 2, 1}));
  cases.push_back(convolution("conv", {1, 3, 224, 224, 64, 7, 7, 2, 3}));
  cases.push_back(convolution("conv", {1, 3, 48, 192, 8, 3, 3, 2, 1}));
  cases.push_back(convolution("conv", {1, 96, 160, 160, 24, 3, 3, 1, 1}));
  cases.push_back(convolution("conv", {1, 256, 512, 1, 512, 5, 1, 1, 0}));
  cases.push_back(convolution("conv1d", {1, 129, 1, 6, 128, 1, 3, 1, 0}));
  cases.push_back(convolution("conv1d", {1, 128, 1, 6, 64, 1, 3, 2, 0}));
  cases.push_back(convolution("conv1d", {64, 128, 1, 6, 64, 1, 3, 2, 0}));
  cases.push_back(convolution("conv1d", {1, 1, 1, 832, 258, 1, 256, 128, 0}));
  cases.push_back(convolution("depthwise", {1, 32, 24, 96, 0, 3, 3, 1, 1, true}));
  cases.push_back(convolution("depthwise", {1, 200, 6, 96, 0, 5, 5, 1, 2, true}));
  cases.push_back(convolution("depthwise", {1, 128, 56, 56, 0, 3, 3, 1, 1, true}));
  cases.push_back(convolution("depthwise", {1, 128, 56, 56, 0, 3, 3, 2, 1, true}));
  cases.push_back(convolution("depthwise", {1, 512, 7, 7, 0, 5, 5, 1, 2, true}));
  cases.push_back(convolution("nhwc", {1, 64, 56, 56, 64, 3, 3, 1, 1, false, true}));
  cases.push_back(convolution("nhwc", {1, 64, 56, 56, 256, 1, 1, 1, 0, false, true}));
  cases.push_back(convolution("nhwc depthwise", {1, 128, 56, 56, 0, 3, 3, 1, 1, true, true}));
  return cases;
}

} // namespace anneal::bench
