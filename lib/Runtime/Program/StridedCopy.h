//===- StridedCopy.h - Copies between tensors of equal sizes ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_STRIDEDCOPY_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_STRIDEDCOPY_H

#include "absl/types/span.h"

#include <cstddef>
#include <cstdint>

namespace anneal::runtime {

class ThreadPool;

/// A tensor in memory as a copy sees it; strides in elements.
struct StridedView {
  void *data = nullptr;
  absl::Span<const int64_t> sizes;
  absl::Span<const int64_t> strides;
};

/// True if the strides are those of a row-major tensor without gaps; sizes 0 and 1 put no demand on
/// them.
bool isRowMajor(absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides);

/// Copies `source` to `target`, of equal sizes, elements of `elementSize` bytes (1, 2, 4 or 8). The
/// two must not overlap, unless they are the same tensor. Large copies are split over the pool (may
/// be null). Allocates nothing up to rank 16.
void copyStrided(const StridedView &target, const StridedView &source, size_t elementSize,
                 ThreadPool *pool);

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_STRIDEDCOPY_H
