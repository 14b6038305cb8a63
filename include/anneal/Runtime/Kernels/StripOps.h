//===- StripOps.h - Operations on strips of values --------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The vector code of the interpreter (DESIGN.md §5): each function runs one operation of
// Opcodes.def over a strip of `n` contiguous elements, moves a strip between memory and a register,
// or reduces one. All functions are pure: no state, no errors, no traps; any thread may call any of
// them. The bits of the results depend neither on the instruction set nor on how a strip is cut
// (docs/Numerics.md); NaN equals NaN here, whatever its sign or payload.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_KERNELS_STRIPOPS_H
#define ANNEAL_RUNTIME_KERNELS_STRIPOPS_H

#include "anneal/Plan/Body.h"
#include "anneal/Runtime/Kernels/Isa.h"

#include <cstddef>
#include <cstdint>

namespace anneal::runtime {

/// Operands of one operation on a strip. Pointers are aligned to their element's size at least.
/// `dst` (and `dst2`) may be equal to a source of the same element size, but must not overlap a
/// source in any other way.
struct StripArgs {
  void *dst = nullptr;
  /// Second result of the `IntExtended` operations.
  void *dst2 = nullptr;
  const void *a = nullptr;
  const void *b = nullptr;
  const void *c = nullptr;
  /// Number of elements; may be 0.
  size_t n = 0;
  /// `Const` only: the bits of the value.
  uint64_t imm = 0;
};

using StripFn = void (*)(const StripArgs &args);

/// The code for `instr` (of which `op`, `type` and `srcType` count). Bit k of `uniformMask` says
/// that source k (a, b, c) is one value for the whole strip, `args` then pointing to that single
/// value. An operation all of whose sources are uniform must be called with n = 1, except `Move`,
/// which then fills the strip. Null if there is no such operation on such types, or if the opcode
/// computes no value of its own (IterIndex, Gather, Assert, Jump*, Check*).
StripFn findStripOp(const plan::Instr &instr, unsigned uniformMask, Isa isa);

/// The comparison `compare` of `a` and `b` and the choice between the two that follows from it, at
/// once: dst = compare(a, b) ? a : b, or the other one of them if not `first`. Null unless it is a
/// comparison of f32 or f64.
StripFn findCompareSelect(const plan::Instr &compare, bool first, unsigned uniformMask, Isa isa);

/// Number of lanes of a row reduction.
inline constexpr size_t kRowLanes = 16;

/// Reduction of a row in the fixed order of DESIGN.md D4: element p of the row goes to lane p mod
/// 16, in ascending order; then lanes (l, l+8), (l, l+4), (l, l+2), (0, 1) are combined, lower lane
/// first.
struct RowReduceFns {
  /// Sets the 16 lanes (of `rowLaneType`) to the identity of the combiner.
  void (*init)(void *lanes) = nullptr;
  /// Combines `n` elements at `x` into the lanes, x[0] into lane 0: every strip of a row but the
  /// last has a multiple of 16 elements.
  void (*accumulate)(void *lanes, const void *x, size_t n) = nullptr;
  /// Writes the combined lanes to `out`, one element of the type that is reduced. Leaves the lanes.
  void (*finish)(const void *lanes, void *out) = nullptr;
};

/// Type of the lanes in a reduction of elements of `type`: F32 for F16 and BF16 (accumulated there,
/// rounded once, by `finish`), else `type` itself.
plan::DType rowLaneType(plan::DType type);

/// Fills `fns` for a combiner among AddF (identity -0.0), MulF (1), MaximumF (-inf), MinimumF
/// (+inf), MaxNumF, MinNumF (NaN), AddI, MulI, MaxSI, MaxUI, MinSI, MinUI, AndI, OrI, XOrI. False
/// if there is no such combiner on `type`.
bool findRowReduce(plan::Opcode combiner, plan::DType type, Isa isa, RowReduceFns &fns);

/// Movement of elements of one size. Strides are in elements and may be zero or negative (0 on the
/// written side: the last one written stays). Source and destination must not overlap.
struct StripMoves {
  /// dst[i] = src[i].
  void (*copy)(void *dst, const void *src, size_t n) = nullptr;
  /// dst[i] = *value.
  void (*splat)(void *dst, const void *value, size_t n) = nullptr;
  /// dst[i] = src[i * stride].
  void (*gatherStrided)(void *dst, const void *src, int64_t stride, size_t n) = nullptr;
  /// dst[i * stride] = src[i].
  void (*scatterStrided)(void *dst, int64_t stride, const void *src, size_t n) = nullptr;
  /// dst[i] = base[indices[i]]. The caller has checked the indices.
  void (*gatherIndexed)(void *dst, const void *base, const int64_t *indices, size_t n) = nullptr;
  /// dst[r * dstStride + c] = src[r * srcStride + c] for r in [0, rows), c in [0, cols).
  void (*copyRows)(void *dst, int64_t dstStride, const void *src, int64_t srcStride, size_t rows,
                   size_t cols) = nullptr;
  /// dst[r * cols + c] = src[r * srcStride].
  void (*splatRows)(void *dst, const void *src, int64_t srcStride, size_t rows,
                    size_t cols) = nullptr;
  /// dst[c * dstStride + r] = src[r * srcStride + c] for r in [0, rows), c in [0, cols).
  void (*transpose)(void *dst, int64_t dstStride, const void *src, int64_t srcStride, size_t rows,
                    size_t cols) = nullptr;
};

/// The moves of elements of 1, 2, 4 or 8 bytes; null pointers for any other size.
StripMoves findStripMoves(size_t elementSize, Isa isa);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_KERNELS_STRIPOPS_H
