//===- Batch.cpp - Lanes along a dimension of all operands ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where A, B and C are all contiguous along one dimension (depthwise convolution with channels
// last), nothing is broadcast: each step multiplies vectors of A, one for each of a few points that
// share B, by a vector of B.
//
//===----------------------------------------------------------------------===//

#include "IsaParts.h"

#include "Vec.h"

namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE {
namespace {

/// Columns [j, j + Vectors * lanes) of all points; with Mask only `mask` of the last vector.
template <typename T, int Points, int Vectors, bool Mask>
ANNEAL_ALWAYS_INLINE inline void batchColumns(const BatchArgs &args, int64_t j, LaneMask<T> mask) {
  auto at = [&](const void *base, int v) ANNEAL_ALWAYS_INLINE {
    const T *from = static_cast<const T *>(base) + j + v * kLanes<T>;
    return Mask ? load<T>(from, mask) : load<T>(from);
  };
  Vec<T> acc[Points * Vectors];
  unroll<Points>([&](auto p) ANNEAL_ALWAYS_INLINE {
    unroll<Vectors>([&](auto v) ANNEAL_ALWAYS_INLINE {
      acc[p * Vectors + v] = args.initBroadcast ? splat<T>(*static_cast<const T *>(args.init[p]))
                                                : at(args.init[p], v);
    });
  });
  for (int64_t k = 0; k < args.steps; ++k) {
    const void *const *a = args.a + k * Points;
    Vec<T> b[Vectors];
    unroll<Vectors>([&](auto v) ANNEAL_ALWAYS_INLINE { b[v] = at(args.b[k], v); });
    unroll<Points>([&](auto p) ANNEAL_ALWAYS_INLINE {
      unroll<Vectors>([&](auto v) ANNEAL_ALWAYS_INLINE {
        acc[p * Vectors + v] = multiplyAdd(at(a[p], v), b[v], acc[p * Vectors + v]);
      });
    });
  }
  unroll<Points>([&](auto p) ANNEAL_ALWAYS_INLINE {
    unroll<Vectors>([&](auto v) ANNEAL_ALWAYS_INLINE {
      T *to = static_cast<T *>(args.c[p]) + j + v * kLanes<T>;
      if constexpr (Mask)
        store<T>(to, acc[p * Vectors + v], mask);
      else
        store<T>(to, acc[p * Vectors + v]);
    });
  });
}

template <typename T, int Points> void batchPoints(const BatchArgs &args) {
  constexpr int64_t lanes = kLanes<T>;
  const LaneMask<T> all(lanes);
  int64_t j = 0;
  for (; j + 2 * lanes <= args.columns; j += 2 * lanes)
    batchColumns<T, Points, 2, false>(args, j, all);
  for (; j + lanes <= args.columns; j += lanes)
    batchColumns<T, Points, 1, false>(args, j, all);
  if (j < args.columns)
    batchColumns<T, Points, 1, true>(args, j, LaneMask<T>(args.columns - j));
}

template <typename T> void batch(const BatchArgs &args) {
  switch (args.points) {
  case 1:
    return batchPoints<T, 1>(args);
  case 2:
    return batchPoints<T, 2>(args);
  case 3:
    return batchPoints<T, 3>(args);
  case 4:
    return batchPoints<T, 4>(args);
  }
}

} // namespace

void fillBatch(IsaKernels &table) {
  table.batch[static_cast<int>(ComputeType::F32)] = &batch<float>;
  table.batch[static_cast<int>(ComputeType::F64)] = &batch<double>;
  table.batch[static_cast<int>(ComputeType::I32)] = &batch<uint32_t>;
  table.batch[static_cast<int>(ComputeType::I64)] = &batch<uint64_t>;
}

} // namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE
