//===- ChannelWindow.cpp - Sliding windows, a lane for each channel -------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Depthwise convolution of planes that are small: rows shorter than a vector would leave lanes
// empty, and a plane is done before its pointers are set up. A vector of channels is transposed, so
// that each position has them side by side, computed position by position, and transposed back.
//
//===----------------------------------------------------------------------===//

#include "IsaParts.h"

#include "Transpose.h"
#include "Vec.h"

namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE {
namespace {

/// Outputs of a row that are computed together: their chains fill each other's waits.
constexpr int kMostOutputs = ANNEAL_ISA == 2 ? 12 : 6;

template <typename T> class ChannelWindow {
public:
  explicit ChannelWindow(const ChannelWindowArgs &args)
      : args(args), columns(args.columnSpan), input(static_cast<T *>(args.scratch)),
        weights(input + args.rowSpan * columns * kLanes<T>),
        results(weights + args.windowRows * args.windowColumns * kLanes<T>) {}

  void run() {
    placeInit();
    transposeInput();
    transposeValues(weights, kLanes<T>, static_cast<const T *>(args.weights), args.weightStride,
                    args.channels, args.windowRows * args.windowColumns);
    for (int64_t y = 0; y < args.rows; ++y)
      runRow(y);
    forEachRun([&](T *c, T *result, int64_t count) {
      transposeValues(c, args.channelC, result, kLanes<T>, count, args.channels);
    });
  }

private:
  static void transposeValues(T *to, int64_t toStep, const T *from, int64_t fromStep, int64_t numI,
                              int64_t numK) {
    static_assert(sizeof(T) == sizeof(uint32_t));
    transposeBlock(reinterpret_cast<uint32_t *>(to), toStep,
                   reinterpret_cast<const uint32_t *>(from), fromStep, numI, numK);
  }

  /// Calls `body(c, result, count)` for results that are neighbours in memory.
  template <typename Body> void forEachRun(Body body) {
    const bool isDense = args.ldc == args.columns;
    const int64_t runs = isDense ? 1 : args.rows;
    const int64_t count = isDense ? args.rows * args.columns : args.columns;
    for (int64_t run = 0; run < runs; ++run)
      body(static_cast<T *>(args.c) + run * args.ldc, results + run * count * kLanes<T>, count);
  }

  /// Initial values of all results; a sum that begins at -0 becomes 0 by zeros of the padding.
  void placeInit() {
    const int64_t count = args.rows * args.columns;
    if (args.isPlaced) {
      forEachRun([&](const T *c, T *result, int64_t n) {
        transposeValues(result, kLanes<T>, c, args.channelC, args.channels, n);
      });
    } else {
      alignas(64) T starts[kLanes<T>] = {};
      const T *init = static_cast<const T *>(args.init);
      for (int64_t c = 0; c < args.channels; ++c)
        starts[c] = init[c * args.initStride];
      for (int64_t i = 0; i < count; ++i)
        store<T>(results + i * kLanes<T>, load<T>(starts));
    }
    leavesPaddingOut = args.leavesPaddingOut && !hasNegativeZero(args.isPlaced ? count : 1);
  }

  bool hasNegativeZero(int64_t count) const {
    for (int64_t i = 0; i < count; ++i)
      for (int64_t c = 0; c < args.channels; ++c) {
        uint32_t bits;
        __builtin_memcpy(&bits, results + i * kLanes<T> + c, sizeof bits);
        if (bits == uint32_t(1) << 31)
          return true;
      }
    return false;
  }

  void transposeInput() {
    const Vec<T> pad = splat<T>(*static_cast<const T *>(args.pad));
    for (int64_t y = 0; y < args.rowSpan; ++y) {
      T *row = input + y * columns * kLanes<T>;
      const bool exists = y >= args.rowBegin && y < args.rowEnd;
      if (!exists && leavesPaddingOut)
        continue;
      const int64_t first = exists ? args.columnBegin : columns;
      const int64_t end = exists ? args.columnEnd : columns;
      for (int64_t x = 0; x < first; ++x)
        store<T>(row + x * kLanes<T>, pad);
      if (first < end)
        transposeValues(row + first * kLanes<T>, kLanes<T>,
                        static_cast<const T *>(args.input) + y * args.rowStep + first,
                        args.channelStep, args.channels, end - first);
      for (int64_t x = end; x < columns; ++x)
        store<T>(row + x * kLanes<T>, pad);
    }
  }

  void runRow(int64_t y) {
    // Rows of the window that are looked at: those outside are zeros of the padding.
    int64_t first = 0, end = args.windowRows;
    if (leavesPaddingOut) {
      const int64_t at = y * args.rowStride;
      while (first < end && at + first * args.rowDilation < args.rowBegin)
        ++first;
      while (end > first && at + (end - 1) * args.rowDilation >= args.rowEnd)
        --end;
    }
    int64_t x = 0;
    for (; x + kMostOutputs <= args.columns; x += kMostOutputs)
      runOutputs<kMostOutputs>(y, x, first, end);
    runRest<kMostOutputs - 1>(y, x, first, end);
  }

  template <int Outputs> void runRest(int64_t y, int64_t x, int64_t first, int64_t end) {
    if constexpr (Outputs > 0) {
      if (args.columns - x == Outputs)
        return runOutputs<Outputs>(y, x, first, end);
      runRest<Outputs - 1>(y, x, first, end);
    }
  }

  template <int Outputs> void runOutputs(int64_t y, int64_t x, int64_t first, int64_t end) {
    Vec<T> acc[Outputs];
    T *to = results + (y * args.columns + x) * kLanes<T>;
    unroll<Outputs>([&](auto o) ANNEAL_ALWAYS_INLINE { acc[o] = load<T>(to + o * kLanes<T>); });
    const int64_t step = args.columnStride * kLanes<T>;
    const T *weight = weights + first * args.windowColumns * kLanes<T>;
    for (int64_t i = first; i < end; ++i) {
      const T *from =
          input + ((y * args.rowStride + i * args.rowDilation) * columns + x * args.columnStride) *
                      kLanes<T>;
      for (int64_t j = 0; j < args.windowColumns; ++j, weight += kLanes<T>) {
        const Vec<T> w = load<T>(weight);
        unroll<Outputs>([&](auto o) ANNEAL_ALWAYS_INLINE {
          acc[o] = multiplyAdd(w, load<T>(from + o * step), acc[o]);
        });
        from += args.columnDilation * kLanes<T>;
      }
    }
    unroll<Outputs>([&](auto o) ANNEAL_ALWAYS_INLINE { store<T>(to + o * kLanes<T>, acc[o]); });
  }

  const ChannelWindowArgs &args;
  const int64_t columns;
  T *const input;
  T *const weights;
  T *const results;
  bool leavesPaddingOut = false;
};

template <typename T> void channelWindow(const ChannelWindowArgs &args) {
  ChannelWindow<T>(args).run();
}

} // namespace

void fillChannelWindow(IsaKernels &table) { table.channelWindow = &channelWindow<float>; }

} // namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE
