//===- Window.cpp - Sliding windows over rows -----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Depthwise convolution: every output has few products, so what counts is how often an input vector
// is loaded. A few output rows are computed together; each input row is loaded once for all of
// them, in an order in which every output still sees its products in ascending order.
//
//===----------------------------------------------------------------------===//

#include "IsaParts.h"

#include "Vec.h"

namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE {
namespace {

/// Widest chunk of a row, in vectors.
constexpr int kMaxVectors = ANNEAL_ISA == 2 ? 6 : ANNEAL_ISA == 1 ? 3 : 1;

/// Whether an index is one of those from First on.
template <int First, int Count> struct Neighbours {
  template <typename I> constexpr bool operator()(I) const {
    return I::value >= First && I::value < First + Count;
  }
};

/// Columns [x, x + Vectors * lanes) of all rows; of the last vector only `lastLanes` where masked.
template <typename T, int Rows, int Vectors, bool Mask>
ANNEAL_ALWAYS_INLINE inline void windowChunk(const WindowArgs &args, int64_t x, int64_t lastLanes) {
  const LaneMask<T> mask(lastLanes);
  auto loadAt = [&](const T *from, auto v) ANNEAL_ALWAYS_INLINE {
    if constexpr (Mask && v.value == Vectors - 1)
      return load<T>(from + v * kLanes<T>, mask);
    else
      return load<T>(from + v * kLanes<T>);
  };
  Vec<T> acc[Rows * Vectors];
  unroll<Rows>([&](auto t) ANNEAL_ALWAYS_INLINE {
    // Rows that do not exist repeat the last one's and are dropped.
    const int64_t row = t < args.rows ? static_cast<int64_t>(t) : args.rows - 1;
    const T *init = static_cast<const T *>(args.init) + row * args.ldInit;
    unroll<Vectors>([&](auto v) ANNEAL_ALWAYS_INLINE {
      acc[t * Vectors + v] = args.initBroadcast ? splat<T>(*init) : loadAt(init + x, v);
    });
  });
  const T *input = static_cast<const T *>(args.input) + x;
  const T *weights = static_cast<const T *>(args.weights);
  // One input row, for the output rows `seen(t)`.
  auto addRow = [&](const T *row, const int64_t *weightRows, auto seen) ANNEAL_ALWAYS_INLINE {
    for (int64_t w = 0; w < args.numColumns; ++w) {
      const T *from = row + args.columnOffsets[w];
      Vec<T> vectors[Vectors];
      unroll<Vectors>([&](auto v) ANNEAL_ALWAYS_INLINE { vectors[v] = loadAt(from, v); });
      unroll<Rows>([&](auto t) ANNEAL_ALWAYS_INLINE {
        if (!seen(t))
          return;
        const Vec<T> weight = splat<T>(weights[weightRows[t] + w]);
        unroll<Vectors>([&](auto v) ANNEAL_ALWAYS_INLINE {
          acc[t * Vectors + v] = multiplyAdd(weight, vectors[v], acc[t * Vectors + v]);
        });
      });
    }
  };
  const int64_t *weightRows = args.weightRows;
  for (int64_t n = 0; n < args.numRows; ++n, weightRows += Rows) {
    const T *row = input + args.rowOffsets[n];
    // Which rows see it is known in the loop over the columns: it has no branches.
    bool isKnown = false;
    if constexpr (Rows == kWindowRows)
      unroll<Rows>([&](auto first) ANNEAL_ALWAYS_INLINE {
        using First = decltype(first);
        unroll<Rows - First::value>([&](auto more) ANNEAL_ALWAYS_INLINE {
          constexpr int count = decltype(more)::value + 1;
          if (args.rowSpans[n] != First::value * kNarrowWindowRows + count)
            return;
          addRow(row, weightRows, Neighbours<First::value, count>());
          isKnown = true;
        });
      });
    if (!isKnown)
      addRow(row, weightRows, [&](auto t) ANNEAL_ALWAYS_INLINE { return weightRows[t] >= 0; });
  }
  unroll<Rows>([&](auto t) ANNEAL_ALWAYS_INLINE {
    if (t >= args.rows)
      return;
    T *to = static_cast<T *>(args.c) + t * args.ldc + x;
    unroll<Vectors>([&](auto v) ANNEAL_ALWAYS_INLINE {
      if constexpr (Mask && v.value == Vectors - 1)
        store<T>(to + v * kLanes<T>, acc[t * Vectors + v], mask);
      else
        store<T>(to + v * kLanes<T>, acc[t * Vectors + v]);
    });
  });
}

/// The rest of the rows from x on, which is at most Vectors wide.
template <typename T, int Rows, int Vectors>
ANNEAL_ALWAYS_INLINE inline void windowTail(const WindowArgs &args, int64_t x) {
  const int64_t width = args.width - x;
  if constexpr (Vectors > 1) {
    if (width <= (Vectors - 1) * kLanes<T>)
      return windowTail<T, Rows, Vectors - 1>(args, x);
  }
  windowChunk<T, Rows, Vectors, true>(args, x, width - (Vectors - 1) * kLanes<T>);
}

template <typename T> void window(const WindowArgs &args) {
  constexpr int64_t chunk = kMaxVectors * kLanes<T>;
  int64_t x = 0;
  for (; x + chunk <= args.width; x += chunk)
    windowChunk<T, kWindowRows, kMaxVectors, false>(args, x, kLanes<T>);
  if (x < args.width)
    windowTail<T, kWindowRows, kMaxVectors>(args, x);
}

template <typename T> void windowNarrow(const WindowArgs &args) {
  windowChunk<T, kNarrowWindowRows, 1, true>(args, 0, args.width);
}

template <typename T> void fillType(IsaKernels &table, ComputeType type) {
  table.window[static_cast<int>(type)][0] = &window<T>;
  table.window[static_cast<int>(type)][1] = &windowNarrow<T>;
}

} // namespace

void fillWindow(IsaKernels &table) {
  fillType<float>(table, ComputeType::F32);
  fillType<double>(table, ComputeType::F64);
  fillType<uint32_t>(table, ComputeType::I32);
  fillType<uint64_t>(table, ComputeType::I64);
}

} // namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE
