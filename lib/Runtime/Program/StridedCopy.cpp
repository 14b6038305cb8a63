//===- StridedCopy.cpp - Copies between tensors of equal sizes ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StridedCopy.h"

#include "anneal/Runtime/ThreadPool.h"

#include "absl/container/inlined_vector.h"

#include <algorithm>
#include <cstring>

namespace anneal::runtime {

namespace {

/// One dimension of a copy, after those that can be walked as one are merged.
struct CopyDim {
  int64_t size;
  int64_t targetStride;
  int64_t sourceStride;
};
using CopyDims = absl::InlinedVector<CopyDim, 16>;

/// Bytes from which on a copy is split over threads, and bytes of a chunk.
constexpr int64_t kParallelFrom = 1 << 20;
constexpr int64_t kChunkBytes = 1 << 18;

/// Drops dimensions of size 1, merges neighbours that are one run in both tensors.
CopyDims mergeDims(const StridedView &target, const StridedView &source) {
  CopyDims dims;
  for (size_t d = 0; d < source.sizes.size(); ++d) {
    CopyDim dim{source.sizes[d], target.strides[d], source.strides[d]};
    if (dim.size == 1)
      continue;
    if (!dims.empty() && dims.back().targetStride == dim.targetStride * dim.size &&
        dims.back().sourceStride == dim.sourceStride * dim.size) {
      dims.back() = {dims.back().size * dim.size, dim.targetStride, dim.sourceStride};
      continue;
    }
    dims.push_back(dim);
  }
  if (dims.empty())
    dims.push_back({1, 1, 1});
  return dims;
}

template <typename T> void copyRow(T *target, const T *source, const CopyDim &dim) {
  if (dim.targetStride == 1 && dim.sourceStride == 1) {
    std::memcpy(target, source, static_cast<size_t>(dim.size) * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < dim.size; ++i)
    target[i * dim.targetStride] = source[i * dim.sourceStride];
}

/// Copies the rows [begin, end), a row being the innermost dimension, rows counted row-major.
template <typename T>
void copyRows(T *target, const T *source, const CopyDims &dims, int64_t begin, int64_t end) {
  size_t outer = dims.size() - 1;
  absl::InlinedVector<int64_t, 16> index(outer);
  int64_t rest = begin;
  for (size_t d = outer; d-- > 0;) {
    index[d] = rest % dims[d].size;
    rest /= dims[d].size;
    target += index[d] * dims[d].targetStride;
    source += index[d] * dims[d].sourceStride;
  }
  for (int64_t row = begin; row < end; ++row) {
    copyRow(target, source, dims[outer]);
    for (size_t d = outer; d-- > 0;) {
      target += dims[d].targetStride;
      source += dims[d].sourceStride;
      if (++index[d] < dims[d].size)
        break;
      target -= dims[d].size * dims[d].targetStride;
      source -= dims[d].size * dims[d].sourceStride;
      index[d] = 0;
    }
  }
}

template <typename T>
void copyTyped(const StridedView &target, const StridedView &source, ThreadPool *pool) {
  CopyDims dims = mergeDims(target, source);
  // One long run is cut into rows, so that threads can share it.
  int64_t inner = dims.back().size;
  constexpr int64_t kRun = kChunkBytes / static_cast<int64_t>(sizeof(T));
  int64_t tail = 0;
  if (dims.size() == 1 && inner > 2 * kRun) {
    CopyDim run = dims[0];
    tail = inner % kRun;
    dims[0] = {inner / kRun, run.targetStride * kRun, run.sourceStride * kRun};
    dims.push_back({kRun, run.targetStride, run.sourceStride});
    CopyDim rest{tail, run.targetStride, run.sourceStride};
    copyRow(static_cast<T *>(target.data) + (inner - tail) * run.targetStride,
            static_cast<const T *>(source.data) + (inner - tail) * run.sourceStride, rest);
    inner = kRun;
  }
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < dims.size(); ++d)
    rows *= dims[d].size;
  auto run = [&](int64_t begin, int64_t end) {
    copyRows(static_cast<T *>(target.data), static_cast<const T *>(source.data), dims, begin, end);
  };
  int64_t rowBytes = inner * static_cast<int64_t>(sizeof(T));
  if (!pool || rows * rowBytes < kParallelFrom)
    return run(0, rows);
  int64_t grain = std::max<int64_t>(1, kChunkBytes / std::max<int64_t>(1, rowBytes));
  pool->parallelFor(rows, grain, [&](int64_t begin, int64_t end, uint32_t) { run(begin, end); });
}

} // namespace

bool isRowMajor(absl::Span<const int64_t> sizes, absl::Span<const int64_t> strides) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end())
    return true;
  int64_t step = 1;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] != 1 && strides[d] != step)
      return false;
    step *= sizes[d];
  }
  return true;
}

void copyStrided(const StridedView &target, const StridedView &source, size_t elementSize,
                 ThreadPool *pool) {
  bool isSame = target.data == source.data && target.strides == source.strides;
  if (isSame || std::find(source.sizes.begin(), source.sizes.end(), 0) != source.sizes.end())
    return;
  switch (elementSize) {
  case 1:
    return copyTyped<uint8_t>(target, source, pool);
  case 2:
    return copyTyped<uint16_t>(target, source, pool);
  case 4:
    return copyTyped<uint32_t>(target, source, pool);
  default:
    return copyTyped<uint64_t>(target, source, pool);
  }
}

} // namespace anneal::runtime
