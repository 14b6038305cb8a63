//===- IndexKernels.h - Vector code for indices -----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_INDEXKERNELS_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_INDEXKERNELS_H

#include "anneal/Runtime/Kernels/Isa.h"

#include <cstddef>
#include <cstdint>

namespace anneal::runtime::interpreter {

/// Loops over indices, built for each instruction set.
struct IndexKernels {
  /// dst[i] = start + i * step.
  void (*iota)(int64_t *dst, int64_t start, int64_t step, size_t n);
  /// dst[i] = index[i] * stride, or += if `add`. True if all of 0 <= index[i] < size.
  bool (*offsets)(int64_t *dst, const int64_t *index, int64_t size, int64_t stride, size_t n,
                  bool add);
  /// True if no byte is zero.
  bool (*allTrue)(const uint8_t *flags, size_t n);
  /// Position of the first of `n` elements that differs from *value in any bit, or n. `elementSize`
  /// is 1, 2, 4 or 8.
  size_t (*firstOther)(const void *elements, const void *value, size_t elementSize, size_t n);
};

const IndexKernels &findIndexKernels(Isa isa);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_INDEXKERNELS_H
