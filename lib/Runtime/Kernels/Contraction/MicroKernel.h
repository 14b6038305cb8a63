//===- MicroKernel.h - Register tiles ---------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner loop of every contraction (DESIGN.md D5): accumulators in registers over all reduction
// steps, for each step a load of each column vector and, for each row, a broadcast and a
// multiply-add with each vector.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_MICROKERNEL_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_MICROKERNEL_H

#include "anneal/Support/PackingLayout.h"

#include "KernelTable.h"
#include "Vec.h"

namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE {

/// Column vectors of one step, at `from`.
template <typename T, int Vectors, bool Mask>
ANNEAL_ALWAYS_INLINE inline void loadColumns(Vec<T> *columns, const T *from, int64_t panelStride,
                                             LaneMask<T> mask) {
  unroll<Vectors>([&](auto j) ANNEAL_ALWAYS_INLINE {
    const T *at = from + (j / kPanelVectors) * panelStride + (j % kPanelVectors) * kLanes<T>;
    if constexpr (Mask && j.value == Vectors - 1)
      columns[j] = load<T>(at, mask);
    else
      columns[j] = load<T>(at);
  });
}

template <typename T, int Rows, int Vectors>
ANNEAL_ALWAYS_INLINE inline void loadInit(Vec<T> *acc, const MicroArgs &args, LaneMask<T> mask) {
  const T *init = static_cast<const T *>(args.init);
  const int64_t ld = args.ldInit;
  if (args.initBroadcast) {
    unroll<Rows>([&](auto r) ANNEAL_ALWAYS_INLINE {
      Vec<T> value = splat<T>(init[r * ld]);
      unroll<Vectors>([&](auto j) ANNEAL_ALWAYS_INLINE { acc[r * Vectors + j] = value; });
    });
    return;
  }
  const bool full = args.lastLanes == kLanes<T>;
  unroll<Rows>([&](auto r) ANNEAL_ALWAYS_INLINE {
    unroll<Vectors - 1>([&](auto j) ANNEAL_ALWAYS_INLINE {
      acc[r * Vectors + j] = load<T>(init + r * ld + j * kLanes<T>);
    });
    const T *last = init + r * ld + (Vectors - 1) * kLanes<T>;
    acc[r * Vectors + Vectors - 1] = full ? load<T>(last) : load<T>(last, mask);
  });
}

template <typename T, int Rows, int Vectors>
ANNEAL_ALWAYS_INLINE inline void storeTile(const Vec<T> *acc, const MicroArgs &args,
                                           LaneMask<T> mask) {
  T *c = static_cast<T *>(args.c);
  const int64_t ld = args.ldc;
  const bool full = args.lastLanes == kLanes<T>;
  unroll<Rows>([&](auto r) ANNEAL_ALWAYS_INLINE {
    unroll<Vectors - 1>([&](auto j) ANNEAL_ALWAYS_INLINE {
      store<T>(c + r * ld + j * kLanes<T>, acc[r * Vectors + j]);
    });
    T *last = c + r * ld + (Vectors - 1) * kLanes<T>;
    if (full)
      store<T>(last, acc[r * Vectors + Vectors - 1]);
    else
      store<T>(last, acc[r * Vectors + Vectors - 1], mask);
  });
}

/// Steps between the columns that are loaded and those that are prefetched: panels stream from the
/// second cache, and columns that are read in place from another page for each step. Measured to
/// help where the loop has issue slots to spare: not in wide tiles, nor in tall ones with strided
/// rows.
inline constexpr int kPrefetchSteps = 6;

template <typename T, int Vectors>
ANNEAL_ALWAYS_INLINE inline void prefetchColumns(const T *from, int64_t panelStride) {
  unroll<Vectors>([&](auto j) ANNEAL_ALWAYS_INLINE {
    if constexpr (j.value * kVectorBytes % 64 == 0)
      __builtin_prefetch(from + (j / kPanelVectors) * panelStride +
                         (j % kPanelVectors) * kLanes<T>);
  });
}

/// Reduction steps whose rows are `rowStep` apart (MicroMode::Packed and Offsets).
template <typename T, int Rows, int Vectors, bool Offsets, bool Mask>
ANNEAL_ALWAYS_INLINE inline void accumulatePacked(Vec<T> *acc, const MicroArgs &args,
                                                  LaneMask<T> mask) {
  const T *rows = static_cast<const T *>(args.rows);
  const T *columns = static_cast<const T *>(args.columns);
  const int64_t rowStep = args.rowStep, columnStep = args.columnStep, panel = args.panelStride;
  const int64_t *offsets = args.offsets;
  for (int64_t k = 0, steps = args.steps; k < steps; ++k) {
    Vec<T> vectors[Vectors];
    loadColumns<T, Vectors, Mask>(vectors, Offsets ? columns + offsets[k] : columns, panel, mask);
    unroll<Rows>([&](auto r) ANNEAL_ALWAYS_INLINE {
      Vec<T> row = splat<T>(rows[r]);
      unroll<Vectors>([&](auto j) ANNEAL_ALWAYS_INLINE {
        acc[r * Vectors + j] = multiplyAdd(row, vectors[j], acc[r * Vectors + j]);
      });
    });
    rows += rowStep;
    if constexpr (!Offsets) {
      if constexpr (Rows > 1 && Vectors <= kPanelVectors)
        prefetchColumns<T, Vectors>(columns + kPrefetchSteps * columnStep, panel);
      columns += columnStep;
    }
  }
}

/// Reduction steps that are contiguous in each row (MicroMode::Strided). Three rows share a
/// pointer, so that 14 of them need five, and four steps share its increment.
template <typename T, int Rows, int Vectors, bool Mask>
ANNEAL_ALWAYS_INLINE inline void accumulateStrided(Vec<T> *acc, const MicroArgs &args,
                                                   LaneMask<T> mask) {
  constexpr int groups = (Rows + 2) / 3;
  const int64_t stride = args.rowStride, columnStep = args.columnStep, panel = args.panelStride;
  const T *columns = static_cast<const T *>(args.columns);
  const T *rows[groups];
  unroll<groups>([&](auto g) ANNEAL_ALWAYS_INLINE {
    rows[g] = static_cast<const T *>(args.rows) + 3 * g * stride;
  });
  auto step = [&](auto u) ANNEAL_ALWAYS_INLINE {
    Vec<T> vectors[Vectors];
    loadColumns<T, Vectors, Mask>(vectors, columns, panel, mask);
    unroll<Rows>([&](auto r) ANNEAL_ALWAYS_INLINE {
      Vec<T> row = splat<T>(rows[r / 3][(r % 3) * stride + u]);
      unroll<Vectors>([&](auto j) ANNEAL_ALWAYS_INLINE {
        acc[r * Vectors + j] = multiplyAdd(row, vectors[j], acc[r * Vectors + j]);
      });
    });
    if constexpr (Rows > 1 && Rows <= 8 && Vectors <= kPanelVectors)
      prefetchColumns<T, Vectors>(columns + kPrefetchSteps * columnStep, panel);
    columns += columnStep;
  };
  int64_t k = args.steps;
  for (; k >= 4; k -= 4) {
    unroll<4>(step);
    unroll<groups>([&](auto g) ANNEAL_ALWAYS_INLINE { rows[g] += 4; });
  }
  for (; k > 0; --k) {
    step(Index<0>{});
    unroll<groups>([&](auto g) ANNEAL_ALWAYS_INLINE { rows[g] += 1; });
  }
}

template <typename T, int Rows, int Vectors, MicroMode Mode, bool Mask>
void microKernel(const MicroArgs &args) {
  const LaneMask<T> mask(args.lastLanes);
  Vec<T> acc[Rows * Vectors];
  loadInit<T, Rows, Vectors>(acc, args, mask);
  if constexpr (Mode == MicroMode::Strided)
    accumulateStrided<T, Rows, Vectors, Mask>(acc, args, mask);
  else
    accumulatePacked<T, Rows, Vectors, Mode == MicroMode::Offsets, Mask>(acc, args, mask);
  storeTile<T, Rows, Vectors>(acc, args, mask);
}

/// Rows of the tallest kernel that is built for T and a width.
template <typename T> constexpr int tallestKernel(int vectors) {
  constexpr bool isFloat = __is_same(T, float) || __is_same(T, double);
  constexpr RegisterTile tile = registerTile(kVectorBytes, sizeof(T), isFloat);
  // Wide tiles of few rows serve products of a vector with a large matrix; only f32 has them.
  if (vectors > kPanelVectors && !__is_same(T, float))
    return 0;
  return static_cast<int>(tile.maxRowsFor(vectors));
}

template <typename T, MicroMode Mode, bool Mask, int LogVectors>
constexpr void fillWidth(MicroKernels &table) {
  constexpr int vectors = 1 << LogVectors;
  constexpr int rows = tallestKernel<T>(vectors);
  table.maxRows[LogVectors] = rows;
  if constexpr (rows > 0)
    unroll<rows>([&](auto r) {
      table.fns[static_cast<int>(Mode)][Mask][LogVectors][r] =
          &microKernel<T, r.value + 1, vectors, Mode, Mask>;
    });
}

template <typename T, MicroMode Mode> constexpr void fillMode(MicroKernels &table) {
  // A masked load costs the same as a full one on AVX-512: one kernel serves both.
  constexpr bool alwaysMask = ANNEAL_ISA == 2;
  fillWidth<T, Mode, true, 0>(table);
  fillWidth<T, Mode, true, 1>(table);
  fillWidth<T, Mode, true, 2>(table);
  fillWidth<T, Mode, true, 3>(table);
  if constexpr (!alwaysMask) {
    fillWidth<T, Mode, false, 0>(table);
    fillWidth<T, Mode, false, 1>(table);
    fillWidth<T, Mode, false, 2>(table);
    fillWidth<T, Mode, false, 3>(table);
  } else {
    for (int width = 0; width < kNumTileWidths; ++width)
      for (int row = 0; row < kMaxTileRows; ++row)
        table.fns[static_cast<int>(Mode)][0][width][row] =
            table.fns[static_cast<int>(Mode)][1][width][row];
  }
}

template <typename T> constexpr MicroKernels makeMicroKernels() {
  MicroKernels table = {};
  table.lanes = kLanes<T>;
  fillMode<T, MicroMode::Packed>(table);
  fillMode<T, MicroMode::Strided>(table);
  fillMode<T, MicroMode::Offsets>(table);
  return table;
}

} // namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_MICROKERNEL_H
