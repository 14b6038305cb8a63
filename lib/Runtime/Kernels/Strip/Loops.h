//===- Loops.h - Loops over strips ------------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops that run a branch-free scalar function over a strip, in a form that the compiler
// vectorises. Included only by sources compiled once for each instruction set: everything is in
// that set's namespace, so that its code is never linked in for another one.
//
// `ivdep`: a destination is equal to a source or does not overlap it, so iterations are
// independent.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_STRIP_LOOPS_H
#define ANNEAL_LIB_RUNTIME_KERNELS_STRIP_LOOPS_H

#include "anneal/Runtime/Kernels/StripOps.h"

#include <cstring>

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {

using plan::DType;
using plan::Opcode;

/// Source k of an operation: a strip, or one value for the whole strip.
template <class T, bool Uniform> struct Source {
  const T *p;
  T value;
  explicit Source(const void *source)
      : p(static_cast<const T *>(source)), value(Uniform ? *p : T()) {}
  T operator[](size_t i) const { return Uniform ? value : p[i]; }
};

/// dst = Op::apply(a).
template <class Op, class D, class A> void mapUnary(const StripArgs &s) {
  D *d = static_cast<D *>(s.dst);
  const A *a = static_cast<const A *>(s.a);
  size_t n = s.n;
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i)
    d[i] = Op::apply(a[i]);
}

/// dst = Op::apply(a, b); bit k of Mask: source k is uniform.
template <class Op, class D, class A, class B, unsigned Mask> void mapBinary(const StripArgs &s) {
  D *d = static_cast<D *>(s.dst);
  Source<A, (Mask & 1) != 0> a(s.a);
  Source<B, (Mask & 2) != 0> b(s.b);
  size_t n = s.n;
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i)
    d[i] = Op::apply(a[i], b[i]);
}

/// dst = Op::apply(a, b, c).
template <class Op, class D, class A, class B, class C, unsigned Mask>
void mapTernary(const StripArgs &s) {
  D *d = static_cast<D *>(s.dst);
  Source<A, (Mask & 1) != 0> a(s.a);
  Source<B, (Mask & 2) != 0> b(s.b);
  Source<C, (Mask & 4) != 0> c(s.c);
  size_t n = s.n;
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i)
    d[i] = Op::apply(a[i], b[i], c[i]);
}

/// `dst` filled with a value.
template <class T> void fill(T *dst, T value, size_t n) {
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i)
    dst[i] = value;
}

/// F with its first two sources exchanged.
template <StripFn F> void swapped(const StripArgs &s) {
  StripArgs t = s;
  t.a = s.b;
  t.b = s.a;
  F(t);
}

/// Binary operation on operands of one type.
template <class Op, class D, class T> StripFn pickBinary(unsigned mask) {
  return mask == 1   ? mapBinary<Op, D, T, T, 1>
         : mask == 2 ? mapBinary<Op, D, T, T, 2>
                     : mapBinary<Op, D, T, T, 0>;
}

/// The same where Op is commutative.
template <class Op, class D, class T> StripFn pickCommutative(unsigned mask) {
  return mask == 1   ? swapped<mapBinary<Op, D, T, T, 2>>
         : mask == 2 ? mapBinary<Op, D, T, T, 2>
                     : mapBinary<Op, D, T, T, 0>;
}

/// Op with its operands exchanged: a > b through b < a.
template <class Op, class D, class T> StripFn pickSwapped(unsigned mask) {
  return mask == 1   ? swapped<mapBinary<Op, D, T, T, 2>>
         : mask == 2 ? swapped<mapBinary<Op, D, T, T, 1>>
                     : swapped<mapBinary<Op, D, T, T, 0>>;
}

/// Elements handled at once where operands are first brought into another form on the stack.
inline constexpr size_t kChunk = 256;

/// Element sizes of the operands of an operation; 0: absent.
struct OperandSizes {
  size_t dst, dst2, a, b, c;
};

/// Runs `strips`, which takes no uniform source, on sources that are uniform where `mask` says so:
/// they are spread out on the stack first. For operations that take long enough by themselves.
void runExpanded(const StripArgs &s, StripFn strips, unsigned mask, const OperandSizes &sizes);

template <StripFn F, unsigned Mask, size_t D, size_t D2, size_t A, size_t B, size_t C>
void expanded(const StripArgs &s) {
  runExpanded(s, F, Mask, {D, D2, A, B, C});
}

/// A binary operation that has code for strips only.
template <StripFn F, size_t D, size_t A, size_t B, size_t D2 = 0>
StripFn pickExpanded(unsigned mask) {
  return mask == 1   ? expanded<F, 1, D, D2, A, B, 0>
         : mask == 2 ? expanded<F, 2, D, D2, A, B, 0>
                     : F;
}

// The groups of operations, each in a source of its own. `type` is never Index. Null: no such
// operation.
StripFn findIntOp(Opcode op, DType type, unsigned mask);
StripFn findIntCompare(Opcode op, DType type, unsigned mask);
StripFn findFloatOp(Opcode op, DType type, unsigned mask);      ///< F32, F64
StripFn findFloatCompare(Opcode op, DType type, unsigned mask); ///< F32, F64
StripFn findMathF32(Opcode op, unsigned mask);
StripFn findMathF64(Opcode op, unsigned mask);
StripFn findFPowI(DType type, DType exponent, unsigned mask); ///< F32, F64
StripFn findConversion(Opcode op, DType to, DType from);
StripFn findHalfOp(Opcode op, DType type, unsigned mask);        ///< F16, BF16
StripFn findHalfPowI(DType type, DType exponent, unsigned mask); ///< F16, BF16
StripFn findSelect(size_t elementSize, unsigned mask);
StripFn findConst(size_t elementSize);
StripFn findMove(size_t elementSize, unsigned mask);

/// F16 or BF16 to f32 and back (rounded to nearest even).
void widenHalf(DType type, float *dst, const uint16_t *src, size_t n);
void narrowHalf(DType type, uint16_t *dst, const float *src, size_t n);

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE

#endif // ANNEAL_LIB_RUNTIME_KERNELS_STRIP_LOOPS_H
