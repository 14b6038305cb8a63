//===- LaneVectors.h - Vectors and lanes for each ISA -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Included only by sources compiled once for each instruction set: everything is in that set's
// namespace, so that its code is never linked in for another one.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_LANEVECTORS_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_LANEVECTORS_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#if ANNEAL_ISA == 2
#include <immintrin.h>
#endif

namespace anneal::runtime::interpreter::ANNEAL_ISA_NAMESPACE {

inline constexpr size_t kVectorBytes = ANNEAL_ISA == 2 ? 64 : ANNEAL_ISA == 1 ? 32 : 16;
inline constexpr size_t kLanes = 16;

template <class T> struct VectorOf {
  static constexpr size_t kCount = kVectorBytes / sizeof(T);
  typedef T Type __attribute__((vector_size(kVectorBytes)));
};
template <class T> using Vector = typename VectorOf<T>::Type;

template <class T> Vector<T> loadVector(const T *p) {
  Vector<T> v;
  memcpy(&v, p, sizeof(v));
  return v;
}

/// The first n elements, n at most a vector's; the others are anything. Nothing else is touched.
template <class T> Vector<T> loadPart(const T *p, size_t n) {
#if ANNEAL_ISA == 2
  if constexpr (sizeof(T) == 4)
    return __builtin_bit_cast(Vector<T>,
                              _mm512_maskz_loadu_epi32(static_cast<__mmask16>((1u << n) - 1), p));
  else
    return __builtin_bit_cast(Vector<T>,
                              _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << n) - 1), p));
#else
  T elements[VectorOf<T>::kCount] = {};
  for (size_t i = 0; i < n; ++i)
    elements[i] = p[i];
  return loadVector<T>(elements);
#endif
}

/// Stores the first n elements of v, and touches nothing else.
template <class T> void storePart(T *p, Vector<T> v, size_t n) {
#if ANNEAL_ISA == 2
  if constexpr (sizeof(T) == 4)
    _mm512_mask_storeu_epi32(p, static_cast<__mmask16>((1u << n) - 1),
                             __builtin_bit_cast(__m512i, v));
  else
    _mm512_mask_storeu_epi64(p, static_cast<__mmask8>((1u << n) - 1),
                             __builtin_bit_cast(__m512i, v));
#else
  for (size_t i = 0; i < n; ++i)
    p[i] = v[i];
#endif
}

/// Lane l of the result is lane l + Half of v, for l < Half.
template <size_t Half, class V, size_t... I> V upperHalf(V v, std::index_sequence<I...>) {
  return __builtin_shufflevector(v, v, static_cast<int>((I + Half) % sizeof...(I))...);
}

/// Every other element of `low`, then of `high`, which repeats the last element of `low`.
template <class V, size_t... I> V everyOther(V low, V high, std::index_sequence<I...>) {
  return __builtin_shufflevector(low, high,
                                 static_cast<int>(2 * I < sizeof...(I) ? 2 * I : 2 * I + 1)...);
}

/// The 16 lanes of one row (DESIGN.md D4), in as many vectors as it takes.
template <class T> struct RowLanes {
  static constexpr size_t kCount = kLanes / VectorOf<T>::kCount;
  Vector<T> v[kCount];

  explicit RowLanes(T value) {
    T lanes[kLanes];
    for (size_t l = 0; l < kLanes; ++l)
      lanes[l] = value;
    memcpy(v, lanes, sizeof(v));
  }
  void load(const void *p) { memcpy(v, p, sizeof(v)); }
  void store(void *p) const { memcpy(p, v, sizeof(v)); }

  /// Lanes combined by `apply` in the fixed tree.
  template <class Op> T tree() const {
    Vector<T> x[kCount];
    memcpy(x, v, sizeof(v));
#pragma GCC unroll 8
    for (size_t half = kCount / 2; half > 0; half /= 2)
#pragma GCC unroll 8
      for (size_t k = 0; k < half; ++k)
        x[k] = Op::apply(x[k], x[k + half]);
    return combineLanes<Op, VectorOf<T>::kCount / 2>(x[0]);
  }

private:
  template <class Op, size_t Half> static T combineLanes(Vector<T> x) {
    if constexpr (Half == 0)
      return x[0];
    else
      return combineLanes<Op, Half / 2>(
          Op::apply(x, upperHalf<Half>(x, std::make_index_sequence<VectorOf<T>::kCount>())));
  }
};

} // namespace anneal::runtime::interpreter::ANNEAL_ISA_NAMESPACE

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_LANEVECTORS_H
