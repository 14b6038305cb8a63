//===- Cases.h - Contractions that gemm-bench measures ----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_UTILS_BENCH_MICRO_CASES_H
#define ANNEAL_UTILS_BENCH_MICRO_CASES_H

#include "anneal/Runtime/Kernels/Contraction.h"

#include <string>
#include <vector>

namespace anneal::bench {

/// One measured contraction.
struct Case {
  std::string name;
  runtime::ContractionProblem problem;
  /// Elements of each operand.
  int64_t sizeA = 0, sizeB = 0, sizeC = 0;
  /// For products that a BLAS has: row-major C[m, n] += A[m, k] * B, B[n, k] where transposed.
  /// `batch` zero: no such product.
  int64_t batch = 0, m = 0, n = 0, k = 0;
  bool transposedB = false;
};

/// Products and convolutions of the kinds that models are made of, f32.
std::vector<Case> standardCases();

} // namespace anneal::bench

#endif // ANNEAL_UTILS_BENCH_MICRO_CASES_H
