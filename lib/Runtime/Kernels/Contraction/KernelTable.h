//===- KernelTable.h - Kernels of one instruction set -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the drivers call: loops over registers, compiled once for each instruction set, behind
// function pointers. Pointers are untyped and strides count elements, so that drivers are written
// once for all element types. Only plain structs here, because sources of every instruction set
// include this.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_KERNELTABLE_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_KERNELTABLE_H

#include "anneal/Runtime/Kernels/Isa.h"

#include <cstdint>

namespace anneal::runtime::contraction {

/// Types that sums are kept in. Integers wrap, so signedness does not matter.
enum class ComputeType : uint8_t { F32, F64, I32, I64 };
inline constexpr int kNumComputeTypes = 4;

/// How a micro-kernel finds its operands at reduction step k.
enum class MicroMode : uint8_t {
  /// Row r at `rows[k * rowStep + r]` (a packed row panel, or rows that are contiguous), columns at
  /// `columns + k * columnStep`.
  Packed,
  /// Row r at `rows[r * rowStride + k]`, columns at `columns + k * columnStep`.
  Strided,
  /// As Packed, columns at `columns + offsets[k]`.
  Offsets
};
inline constexpr int kNumMicroModes = 3;

/// One register tile: c[r][j] = init[r][j] + sum over k of rows[r][k] * columns[k][j], a chain of
/// multiply-adds in ascending k.
struct MicroArgs {
  const void *rows;
  int64_t rowStride;
  int64_t rowStep;
  const void *columns;
  int64_t columnStep;
  /// Elements from one pair of vectors to the next: tiles wider than a panel.
  int64_t panelStride;
  const int64_t *offsets;
  int64_t steps;
  void *c;
  int64_t ldc;
  /// Initial values: those of row r begin at `init + r * ldInit`, one for each column or, with
  /// `initBroadcast`, one for the whole row.
  const void *init;
  int64_t ldInit;
  bool initBroadcast;
  /// Lanes of the last vector that exist, 1 to all. Fewer than all: with `maskColumns` kernels, the
  /// others are not read from `columns`; they are never read from `init` nor written to `c`.
  int64_t lastLanes;
};
using MicroFn = void (*)(const MicroArgs &args);

inline constexpr int kNumTileWidths = 4; ///< 1, 2, 4, 8 vectors
inline constexpr int kMaxTileRows = 14;

/// Micro-kernels of one compute type.
struct MicroKernels {
  int64_t lanes;
  /// Rows of the tallest kernel of each width (log2 of its vectors); 0: none.
  int64_t maxRows[kNumTileWidths];
  /// [mode][maskColumns][log2 vectors][rows - 1]. Equal pointers where masks cost nothing.
  MicroFn fns[kNumMicroModes][2][kNumTileWidths][kMaxTileRows];
};

/// Element conversions that packing does on the fly. Others go through a slow generic path.
enum class Conversion : uint8_t {
  Move4,
  Move8,
  HalfToFloat,
  BFloatToFloat,
  FloatToDouble,
  I8ToI32,
  U8ToI32,
  I16ToI32,
  U16ToI32,
  I8ToI64,
  U8ToI64,
  I16ToI64,
  U16ToI64,
  I32ToI64,
  U32ToI64,
  None
};
inline constexpr int kNumConversions = static_cast<int>(Conversion::None);

/// to[k * toStep + i] = from[i * fromI + k * fromK] for i < numI, k < numK.
using PackFn = void (*)(void *to, int64_t toStep, const void *from, int64_t fromI, int64_t fromK,
                        int64_t numI, int64_t numK);

/// to[k * toStep + i] = from[k * fromK + i] for k < numK and the i < numI <= 16 that are bits of
/// `inside`; the element at `pad` for other i. Elements of four bytes, as they are.
using PackInsideFn = void (*)(void *to, int64_t toStep, const void *from, int64_t fromK,
                              uint32_t inside, int64_t numI, int64_t numK, const void *pad);

/// A plane of `rows x columns` elements, row y at `to + y * toRow`: inside the box [rowBegin,
/// rowEnd) x [columnBegin, columnEnd) it is from[(y - rowBegin) * fromRow + (x - columnBegin) *
/// fromColumn], outside the (already converted) value at `pad`.
struct PlaneArgs {
  void *to;
  int64_t toRow, rows, columns;
  const void *from;
  int64_t fromRow, fromColumn;
  int64_t rowBegin, rowEnd, columnBegin, columnEnd;
  const void *pad;
};
using PlaneFn = void (*)(const PlaneArgs &args);

/// Conversions of results.
enum class ResultConversion : uint8_t {
  Move4,
  Move8,
  FloatToHalf,
  FloatToBFloat,
  I32ToI8,
  I32ToI16
};
inline constexpr int kNumResultConversions = 6;

/// to[i * toI + k * toK] = from[k * fromStep + i] for i < numI, k < numK.
using UnpackFn = void (*)(void *to, int64_t toI, int64_t toK, const void *from, int64_t fromStep,
                          int64_t numI, int64_t numK);

/// The 16 lanes of a reduction (ReductionOrder::Lanes16), in f32 or f64.
struct LaneKernels {
  /// lanes[r * 16 + (k mod 16)] gains matrix[r * rowStride + k] * vector[k], for rows r and
  /// ascending k.
  void (*alongSteps)(const void *matrix, int64_t rowStride, int64_t rows, const void *vector,
                     int64_t steps, void *lanes);
  /// lanes[(k mod 16) * laneStride + j] gains matrix[k * stepStride + j] * vector[k], for columns
  /// j.
  void (*alongColumns)(const void *matrix, int64_t stepStride, int64_t columns, const void *vector,
                       int64_t steps, void *lanes, int64_t laneStride);
  /// sums[r] = the tree over lanes[r * 16 ...].
  void (*sumRows)(const void *lanes, int64_t rows, void *sums);
  /// sums[j] = the tree over lanes[l * laneStride + j].
  void (*sumColumns)(const void *lanes, int64_t laneStride, int64_t columns, void *sums);
};

inline constexpr int kMaxBatchPoints = 4;

/// A contraction whose lanes run along a dimension of A, B and C (depthwise convolution, channels
/// last): c[p][j] = init[p][j] + sum over k of a[k * points + p][j] * b[k][j], p < points <=
/// kMaxBatchPoints.
struct BatchArgs {
  const void *const *a;
  const void *const *b;
  int64_t points, steps, columns;
  void *const *c;
  /// Initial values, one for each column or, with `initBroadcast`, one for the point.
  const void *const *init;
  bool initBroadcast;
};
using BatchFn = void (*)(const BatchArgs &args);

/// Output rows that share the rows of the input under a window: many where a row is one vector
/// wide.
inline constexpr int kWindowRows = 4, kNarrowWindowRows = 8;

/// Some output rows of a sliding window (depthwise convolution):
/// c[t][x] = init[t][x] + sum over input rows n and columns w of
///   weights[weightRows[n * maxRows + t] + w] * input[rowOffsets[n] + columnOffsets[w] + x],
/// t < rows, terms with a negative entry of weightRows left out.
struct WindowArgs {
  const void *input;
  const int64_t *rowOffsets;
  const int64_t *weightRows;
  /// For each input row, which output rows see it, if these are neighbours: the first one times
  /// kNarrowWindowRows plus how many; else 0.
  const uint8_t *rowSpans;
  int64_t numRows;
  const int64_t *columnOffsets;
  int64_t numColumns;
  const void *weights;
  int64_t rows, width;
  void *c;
  int64_t ldc;
  /// Initial values: row t begins at `init + t * ldInit`, one for each x or, with `initBroadcast`,
  /// one for the row.
  const void *init;
  int64_t ldInit;
  bool initBroadcast;
};
/// [0] for up to kWindowRows rows (`maxRows`) of any width, [1] for up to kNarrowWindowRows rows
/// that are at most a vector wide.
using WindowFn = void (*)(const WindowArgs &args);

/// A sliding window over the planes of up to a vector of channels (f32). Positions are counted from
/// what output 0 sees first.
struct ChannelWindowArgs {
  /// Position 0 of channel 0; channels and rows are this far apart, columns are neighbours.
  const void *input;
  int64_t channelStep, rowStep;
  /// Positions that are in the plane; at all others there is `pad`.
  int64_t rowBegin, rowEnd, columnBegin, columnEnd;
  const void *pad;
  /// Positions that are seen at all.
  int64_t rowSpan, columnSpan;
  /// The window; each channel's weights are contiguous.
  const void *weights;
  int64_t weightStride, windowRows, windowColumns, rowDilation, columnDilation;
  int64_t channels, rows, columns, rowStride, columnStride;
  void *c;
  int64_t channelC, ldc;
  /// Initial value of each channel, unless initial values stand where the results will.
  const void *init;
  int64_t initStride;
  bool isPlaced;
  /// Rows of the window that lie outside of the plane are left out where no sum begins at -0.
  bool leavesPaddingOut;
  /// lanes * (rowSpan * columnSpan + windowRows * windowColumns + rows * columns) elements, aligned
  /// to 64.
  void *scratch;
};
using ChannelWindowFn = void (*)(const ChannelWindowArgs &args);

/// Everything of one instruction set.
struct IsaKernels {
  MicroKernels micro[kNumComputeTypes];
  PackFn pack[kNumConversions];
  PlaneFn plane[kNumConversions];
  /// Null where there are no such masks.
  PackInsideFn packInside;
  UnpackFn unpack[kNumResultConversions];
  LaneKernels lanes[2];
  BatchFn batch[kNumComputeTypes];
  WindowFn window[kNumComputeTypes][2];
  ChannelWindowFn channelWindow;
};

namespace portable {
const IsaKernels &isaKernels();
}
namespace avx2 {
const IsaKernels &isaKernels();
}
namespace avx512 {
const IsaKernels &isaKernels();
}

/// The kernels for `isa`.
const IsaKernels &kernelsFor(Isa isa);

} // namespace anneal::runtime::contraction

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_KERNELTABLE_H
