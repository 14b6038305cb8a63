//===- MathLoops.h - Loops over strips for functions that are dear -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops that never run their function on single elements: what is left of a strip after whole
// blocks is brought into a block of its own.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_STRIP_MATHLOOPS_H
#define ANNEAL_LIB_RUNTIME_KERNELS_STRIP_MATHLOOPS_H

#include "Loops.h"
#include "ScalarFloat.h"

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {

/// Elements of a block: as many as the widest vector holds.
template <class T> inline constexpr size_t kBlock = 64 / sizeof(T);

/// d = Op::apply(a) on the whole blocks of n elements.
template <class Op, class T>
[[gnu::noinline, gnu::noclone]] void unaryBlocks(T *d, const T *a, size_t n) {
  n &= ~(kBlock<T> - 1);
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i)
    d[i] = Op::apply(a[i]);
}

template <class Op, class T>
[[gnu::noinline, gnu::noclone]] void binaryBlocks(T *d, const T *a, const T *b, size_t n) {
  n &= ~(kBlock<T> - 1);
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i)
    d[i] = Op::apply(a[i], b[i]);
}

/// The elements of x after whole blocks, in a block filled up with ones.
template <class T> struct Rest {
  T values[kBlock<T>];
  Rest(const T *x, size_t begin, size_t count) {
    fill(values, T(1), kBlock<T>);
    memcpy(values, x + begin, count * sizeof(T));
  }
};

template <class Op, class T> void mapBlocks(const StripArgs &s) {
  T *d = static_cast<T *>(s.dst);
  const T *a = static_cast<const T *>(s.a);
  size_t rest = s.n % kBlock<T>, whole = s.n - rest;
  if (rest) {
    Rest<T> x(a, whole, rest);
    unaryBlocks<Op>(x.values, x.values, kBlock<T>);
    unaryBlocks<Op>(d, a, whole);
    memcpy(d + whole, x.values, rest * sizeof(T));
  } else {
    unaryBlocks<Op>(d, a, whole);
  }
}

template <class Op, class T> void mapBlocks2(const StripArgs &s) {
  T *d = static_cast<T *>(s.dst);
  const T *a = static_cast<const T *>(s.a), *b = static_cast<const T *>(s.b);
  size_t rest = s.n % kBlock<T>, whole = s.n - rest;
  if (rest) {
    Rest<T> x(a, whole, rest), y(b, whole, rest);
    binaryBlocks<Op>(x.values, x.values, y.values, kBlock<T>);
    binaryBlocks<Op>(d, a, b, whole);
    memcpy(d + whole, x.values, rest * sizeof(T));
  } else {
    binaryBlocks<Op>(d, a, b, whole);
  }
}

/// Op::apply where `Op::isHard` is false, else Op::slow, which may be anything; chunk by chunk,
/// vectorised where a chunk has no hard element.
template <class Op, class T> void mapChecked(const StripArgs &s) {
  StripArgs t = s;
  for (size_t done = 0; done < s.n; done += kChunk) {
    T *d = static_cast<T *>(s.dst) + done;
    const T *a = static_cast<const T *>(s.a) + done;
    t.n = s.n - done < kChunk ? s.n - done : kChunk;
    t.dst = d;
    t.a = a;
    unsigned hard = 0;
    for (size_t i = 0; i < t.n; ++i)
      hard |= Op::isHard(a[i]);
    if (!hard) {
      mapBlocks<Op, T>(t);
      continue;
    }
    for (size_t i = 0; i < t.n; ++i)
      d[i] = Op::isHard(a[i]) ? Op::slow(a[i]) : Op::apply(a[i]);
  }
}

template <class Op, class T> void mapChecked2(const StripArgs &s) {
  StripArgs t = s;
  for (size_t done = 0; done < s.n; done += kChunk) {
    T *d = static_cast<T *>(s.dst) + done;
    const T *a = static_cast<const T *>(s.a) + done, *b = static_cast<const T *>(s.b) + done;
    t.n = s.n - done < kChunk ? s.n - done : kChunk;
    t.dst = d;
    t.a = a;
    t.b = b;
    unsigned hard = 0;
    for (size_t i = 0; i < t.n; ++i)
      hard |= Op::isHard(a[i], b[i]);
    if (!hard) {
      mapBlocks2<Op, T>(t);
      continue;
    }
    for (size_t i = 0; i < t.n; ++i)
      d[i] = Op::isHard(a[i], b[i]) ? Op::slow(a[i], b[i]) : Op::apply(a[i], b[i]);
  }
}

/// A binary function that has code for strips only.
template <StripFn F, class T> StripFn pickMath2(unsigned mask) {
  return pickExpanded<F, sizeof(T), sizeof(T), sizeof(T)>(mask);
}

/// The powers that have a rule of their own, for speed: x^2 = x x, x^3 = x x x, in f64 for f32.
struct Square {
  template <class T> static T apply(T x) { return x * x; }
};
struct Cube {
  template <class T> static T apply(T x) {
    double wide = x;
    return static_cast<T>(wide * wide * wide);
  }
};
/// PowF on single elements through Other where the exponent has no such rule.
template <class Other> struct Power {
  template <class T> static T apply(T x, T y) {
    T r = Other::apply(x, y);
    r = y == 2 ? Square::apply(x) : r;
    return y == 3 ? Cube::apply(x) : r;
  }
};
/// The same, one exponent for all: F takes an exponent for each.
template <StripFn F, class T> void powUniform(const StripArgs &s) {
  T exponent = *static_cast<const T *>(s.b);
  if (exponent == 2)
    mapUnary<Square, T, T>(s);
  else if (exponent == 3)
    mapUnary<Cube, T, T>(s);
  else
    expanded<F, 2, sizeof(T), 0, sizeof(T), sizeof(T), 0>(s);
}
template <StripFn F, class T> StripFn pickPower(unsigned mask) {
  return mask == 2 ? powUniform<F, T> : pickMath2<F, T>(mask);
}

/// Remainder of the truncating division, exact: by its quotient where that is small, else by the
/// library's function, which is exact too.
template <class T> struct Remainder {
  static unsigned isHard(T a, T b) {
    constexpr T maxQuotient = T(1 << 20);
    return !(absolute(a) < absolute(b) * maxQuotient) | (magnitude(b) >= kInfBits<T>);
  }
  static T apply(T a, T b) {
    T x = absolute(a), y = absolute(b);
    // The rounded quotient may be one too many.
    T r = fusedMulAdd(-Trunc::apply(x / y), y, x);
    return withSign(r < 0 ? r + y : r, a);
  }
  static T slow(T a, T b) { return sizeof(T) == 4 ? __builtin_fmodf(a, b) : __builtin_fmod(a, b); }
};

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE

#endif // ANNEAL_LIB_RUNTIME_KERNELS_STRIP_MATHLOOPS_H
