//===- ReduceLoops.h - Vector code of reductions ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reductions of plain operands (no body but the combiner): many rows at once in the order of 16
// lanes, and many chains at once (pooling, sums of columns). Bits as in DESIGN.md D4, whatever the
// instruction set.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_REDUCELOOPS_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_REDUCELOOPS_H

#include "anneal/Plan/Body.h"
#include "anneal/Runtime/Kernels/Isa.h"

#include <cstddef>
#include <cstdint>

namespace anneal::runtime::interpreter {

/// The steps of a chain, as offsets in elements: for each of `offsets`, `innerCount` steps that are
/// `innerStride` apart.
struct ChainSteps {
  const int64_t *offsets = nullptr;
  size_t numOffsets = 1;
  int64_t innerStride = 0;
  size_t innerCount = 1;
};

/// Code for one combiner on one type; null where there is none.
struct ReduceLoops {
  /// out[r] = the `n` elements at src + r * rowStride, combined in 16 lanes and their tree (the
  /// initial value not yet).
  void (*rows)(void *out, const void *src, int64_t rowStride, size_t numRows, size_t n) = nullptr;
  /// acc[i] = acc[i] combined, step after step, with src[i * stride + offset of the step].
  void (*chains)(void *acc, const void *src, int64_t stride, size_t n,
                 const ChainSteps &steps) = nullptr;
};

/// For AddF, MulF, MaximumF, MinimumF, MaxNumF, MinNumF on f32 and f64, AddI and the maxima and
/// minima on i32 and i64. False for anything else.
bool findReduceLoops(plan::Opcode combiner, plan::DType type, Isa isa, ReduceLoops &loops);

/// Sums of products, each product and its addition being one fused multiply-add.
struct ProductLoops {
  /// out[r] = sum of x[r * xStride + i] * y[r * yStride + i], in 16 lanes that start from -0.0, and
  /// their tree.
  void (*rows)(void *out, const void *x, int64_t xStride, const void *y, int64_t yStride,
               size_t numRows, size_t n) = nullptr;
  /// Adds n products to the lanes, the first to lane 0.
  void (*accumulate)(void *lanes, const void *x, const void *y, size_t n) = nullptr;
};

/// For f32 and f64. False for anything else.
bool findProductLoops(plan::DType type, Isa isa, ProductLoops &loops);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_REDUCELOOPS_H
