//===- Lanes.cpp - Reductions dealt to 16 lanes ---------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ReductionOrder::Lanes16: matrix-vector products and dots. The sixteen lanes of an output are
// neighbours in registers where the matrix is contiguous along the reduction, and rows of a small
// buffer where it is contiguous along the outputs.
//
//===----------------------------------------------------------------------===//

#include "IsaParts.h"

#include "Vec.h"

namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE {
namespace {

constexpr int kLaneCount = 16;

/// Vectors that hold the lanes of one output.
template <typename T> constexpr int kLaneVectors = kLaneCount / kLanes<T>;

template <typename T> struct SignedOf;
template <> struct SignedOf<float> {
  using type = int32_t;
};
template <> struct SignedOf<double> {
  using type = int64_t;
};

/// `updated` in the first `count` lanes, `old` in the others.
template <typename T>
ANNEAL_ALWAYS_INLINE inline Vec<T> select(Vec<T> updated, Vec<T> old, int64_t count) {
  using I = typename SignedOf<T>::type;
  Vec<I> lane;
  for (int i = 0; i < kLanes<T>; ++i)
    lane[i] = static_cast<I>(i);
  return lane < splat<I>(static_cast<I>(count)) ? updated : old;
}

/// Some rows, all steps.
template <typename T, int Rows>
ANNEAL_ALWAYS_INLINE inline void dotRows(const T *matrix, int64_t rowStride, const T *vector,
                                         int64_t steps, T *lanes) {
  constexpr int vectors = kLaneVectors<T>;
  Vec<T> acc[Rows * vectors];
  unroll<Rows * vectors>([&](auto i)
                             ANNEAL_ALWAYS_INLINE { acc[i] = load<T>(lanes + i * kLanes<T>); });
  int64_t k = 0;
  for (; k + kLaneCount <= steps; k += kLaneCount) {
    unroll<vectors>([&](auto v) ANNEAL_ALWAYS_INLINE {
      const Vec<T> x = load<T>(vector + k + v * kLanes<T>);
      unroll<Rows>([&](auto r) ANNEAL_ALWAYS_INLINE {
        const Vec<T> row = load<T>(matrix + r * rowStride + k + v * kLanes<T>);
        acc[r * vectors + v] = multiplyAdd(row, x, acc[r * vectors + v]);
      });
    });
  }
  unroll<vectors>([&](auto v) ANNEAL_ALWAYS_INLINE {
    int64_t count = steps - k - v * kLanes<T>;
    count = count < kLanes<T> ? count : kLanes<T>;
    if (count <= 0)
      return;
    const LaneMask<T> mask(count);
    const Vec<T> x = load<T>(vector + k + v * kLanes<T>, mask);
    unroll<Rows>([&](auto r) ANNEAL_ALWAYS_INLINE {
      const Vec<T> row = load<T>(matrix + r * rowStride + k + v * kLanes<T>, mask);
      Vec<T> &sum = acc[r * vectors + v];
      sum = select<T>(multiplyAdd(row, x, sum), sum, count);
    });
  });
  unroll<Rows * vectors>([&](auto i)
                             ANNEAL_ALWAYS_INLINE { store<T>(lanes + i * kLanes<T>, acc[i]); });
}

template <typename T>
void alongSteps(const void *matrix, int64_t rowStride, int64_t rows, const void *vector,
                int64_t steps, void *lanes) {
  // Eight chains hide the latency of a multiply-add.
  constexpr int block = kLaneVectors<T> >= 8 ? 1 : 8 / kLaneVectors<T>;
  const T *m = static_cast<const T *>(matrix), *x = static_cast<const T *>(vector);
  T *l = static_cast<T *>(lanes);
  int64_t r = 0;
  for (; r + block <= rows; r += block)
    dotRows<T, block>(m + r * rowStride, rowStride, x, steps, l + r * kLaneCount);
  for (; r < rows; ++r)
    dotRows<T, 1>(m + r * rowStride, rowStride, x, steps, l + r * kLaneCount);
}

template <typename T>
void alongColumns(const void *matrix, int64_t stepStride, int64_t columns, const void *vector,
                  int64_t steps, void *lanes, int64_t laneStride) {
  const T *m = static_cast<const T *>(matrix), *x = static_cast<const T *>(vector);
  T *l = static_cast<T *>(lanes);
  const int64_t full = columns - columns % kLanes<T>;
  for (int64_t k = 0; k < steps; ++k) {
    const T *row = m + k * stepStride;
    T *lane = l + (k % kLaneCount) * laneStride;
    const Vec<T> factor = splat<T>(x[k]);
    for (int64_t j = 0; j < full; j += kLanes<T>)
      store<T>(lane + j, multiplyAdd(load<T>(row + j), factor, load<T>(lane + j)));
    if (full < columns) {
      const LaneMask<T> mask(columns - full);
      const Vec<T> sum = multiplyAdd(load<T>(row + full, mask), factor, load<T>(lane + full, mask));
      store<T>(lane + full, sum, mask);
    }
  }
}

template <typename T> void sumRows(const void *lanes, int64_t rows, void *sums) {
  const T *l = static_cast<const T *>(lanes);
  T *to = static_cast<T *>(sums);
  for (int64_t r = 0; r < rows; ++r, l += kLaneCount) {
    T level[kLaneCount / 2];
    for (int i = 0; i < 8; ++i)
      level[i] = l[i] + l[i + 8];
    for (int i = 0; i < 4; ++i)
      level[i] += level[i + 4];
    for (int i = 0; i < 2; ++i)
      level[i] += level[i + 2];
    to[r] = level[0] + level[1];
  }
}

template <typename T>
void sumColumns(const void *lanes, int64_t laneStride, int64_t columns, void *sums) {
  const T *l = static_cast<const T *>(lanes);
  T *to = static_cast<T *>(sums);
  for (int64_t j = 0; j < columns; ++j) {
    T level[kLaneCount / 2];
    for (int i = 0; i < 8; ++i)
      level[i] = l[i * laneStride + j] + l[(i + 8) * laneStride + j];
    for (int i = 0; i < 4; ++i)
      level[i] += level[i + 4];
    for (int i = 0; i < 2; ++i)
      level[i] += level[i + 2];
    to[j] = level[0] + level[1];
  }
}

template <typename T> LaneKernels makeLaneKernels() {
  return {&alongSteps<T>, &alongColumns<T>, &sumRows<T>, &sumColumns<T>};
}

} // namespace

void fillLanes(IsaKernels &table) {
  table.lanes[static_cast<int>(ComputeType::F32)] = makeLaneKernels<float>();
  table.lanes[static_cast<int>(ComputeType::F64)] = makeLaneKernels<double>();
}

} // namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE
