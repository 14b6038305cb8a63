//===- Vec.h - One vector register of an instruction set --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For sources that are compiled once for each instruction set (anneal_isa_sources). Everything is
// inlined by force or internal to its source, so that no function compiled for one instruction set
// is linked in for another.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_VEC_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_VEC_H

#include <cstdint>

#if ANNEAL_ISA > 0
#include <immintrin.h>
#endif

#define ANNEAL_ALWAYS_INLINE __attribute__((always_inline))

namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE {

inline constexpr int kVectorBytes = ANNEAL_ISA == 2 ? 64 : ANNEAL_ISA == 1 ? 32 : 16;

/// A vector of T. Integers are unsigned, so that they wrap.
template <typename T> struct VecOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
  static constexpr int lanes = kVectorBytes / static_cast<int>(sizeof(T));
};
template <typename T> using Vec = typename VecOf<T>::type;
template <typename T> inline constexpr int kLanes = VecOf<T>::lanes;

template <typename T> ANNEAL_ALWAYS_INLINE inline Vec<T> load(const T *from) {
  Vec<T> v;
  __builtin_memcpy(&v, from, sizeof v);
  return v;
}

template <typename T> ANNEAL_ALWAYS_INLINE inline void store(T *to, Vec<T> v) {
  __builtin_memcpy(to, &v, sizeof v);
}

/// All lanes `value`. (Subtracting +0.0 keeps every value, -0.0 too; it folds to a broadcast.)
template <typename T> ANNEAL_ALWAYS_INLINE inline Vec<T> splat(T value) { return value - Vec<T>{}; }

/// a * b + c, rounded once.
#if ANNEAL_ISA == 2
ANNEAL_ALWAYS_INLINE inline Vec<float> multiplyAdd(Vec<float> a, Vec<float> b, Vec<float> c) {
  return (Vec<float>)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
ANNEAL_ALWAYS_INLINE inline Vec<double> multiplyAdd(Vec<double> a, Vec<double> b, Vec<double> c) {
  return (Vec<double>)_mm512_fmadd_pd((__m512d)a, (__m512d)b, (__m512d)c);
}
#elif ANNEAL_ISA == 1
ANNEAL_ALWAYS_INLINE inline Vec<float> multiplyAdd(Vec<float> a, Vec<float> b, Vec<float> c) {
  return (Vec<float>)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
ANNEAL_ALWAYS_INLINE inline Vec<double> multiplyAdd(Vec<double> a, Vec<double> b, Vec<double> c) {
  return (Vec<double>)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
}
#else
// Through the C library, a lane at a time: slow, exact, and out of line to keep kernels small.
__attribute__((noinline, unused)) static Vec<float> multiplyAdd(Vec<float> a, Vec<float> b,
                                                                Vec<float> c) {
  for (int i = 0; i < kLanes<float>; ++i)
    c[i] = __builtin_fmaf(a[i], b[i], c[i]);
  return c;
}
__attribute__((noinline, unused)) static Vec<double> multiplyAdd(Vec<double> a, Vec<double> b,
                                                                 Vec<double> c) {
  for (int i = 0; i < kLanes<double>; ++i)
    c[i] = __builtin_fma(a[i], b[i], c[i]);
  return c;
}
#endif
ANNEAL_ALWAYS_INLINE inline Vec<uint32_t> multiplyAdd(Vec<uint32_t> a, Vec<uint32_t> b,
                                                      Vec<uint32_t> c) {
  return a * b + c;
}
ANNEAL_ALWAYS_INLINE inline Vec<uint64_t> multiplyAdd(Vec<uint64_t> a, Vec<uint64_t> b,
                                                      Vec<uint64_t> c) {
  return a * b + c;
}

/// Which of the first lanes of a vector of T take part in a partial load or store.
#if ANNEAL_ISA == 2
template <typename T> struct LaneMask {
  unsigned bits;
  ANNEAL_ALWAYS_INLINE explicit LaneMask(int64_t count)
      : bits(static_cast<unsigned>((uint64_t(1) << count) - 1)) {}
};
template <typename T> ANNEAL_ALWAYS_INLINE inline Vec<T> load(const T *from, LaneMask<T> mask) {
  if constexpr (sizeof(T) == 4)
    return (Vec<T>)_mm512_maskz_loadu_epi32(static_cast<__mmask16>(mask.bits), from);
  else
    return (Vec<T>)_mm512_maskz_loadu_epi64(static_cast<__mmask8>(mask.bits), from);
}
template <typename T> ANNEAL_ALWAYS_INLINE inline void store(T *to, Vec<T> v, LaneMask<T> mask) {
  if constexpr (sizeof(T) == 4)
    _mm512_mask_storeu_epi32(to, static_cast<__mmask16>(mask.bits), (__m512i)v);
  else
    _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(mask.bits), (__m512i)v);
}
#elif ANNEAL_ISA == 1
/// All ones, then zeros: a window of it is a mask.
alignas(64) static const int32_t kMaskWindow[16] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                                    0,  0,  0,  0,  0,  0,  0,  0};
template <typename T> struct LaneMask {
  __m256i bits;
  ANNEAL_ALWAYS_INLINE explicit LaneMask(int64_t count)
      : bits(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(
            kMaskWindow + 8 - count * static_cast<int64_t>(sizeof(T) / 4)))) {}
};
template <typename T> ANNEAL_ALWAYS_INLINE inline Vec<T> load(const T *from, LaneMask<T> mask) {
  if constexpr (sizeof(T) == 4)
    return (Vec<T>)_mm256_maskload_epi32(reinterpret_cast<const int *>(from), mask.bits);
  else
    return (Vec<T>)_mm256_maskload_epi64(reinterpret_cast<const long long *>(from), mask.bits);
}
template <typename T> ANNEAL_ALWAYS_INLINE inline void store(T *to, Vec<T> v, LaneMask<T> mask) {
  if constexpr (sizeof(T) == 4)
    _mm256_maskstore_epi32(reinterpret_cast<int *>(to), mask.bits, (__m256i)v);
  else
    _mm256_maskstore_epi64(reinterpret_cast<long long *>(to), mask.bits, (__m256i)v);
}
#else
template <typename T> struct LaneMask {
  int64_t count;
  ANNEAL_ALWAYS_INLINE explicit LaneMask(int64_t count) : count(count) {}
};
template <typename T> ANNEAL_ALWAYS_INLINE inline Vec<T> load(const T *from, LaneMask<T> mask) {
  Vec<T> v = {};
  for (int64_t i = 0; i < kLanes<T>; ++i)
    if (i < mask.count)
      v[i] = from[i];
  return v;
}
template <typename T> ANNEAL_ALWAYS_INLINE inline void store(T *to, Vec<T> v, LaneMask<T> mask) {
  for (int64_t i = 0; i < kLanes<T>; ++i)
    if (i < mask.count)
      to[i] = v[i];
}
#endif

/// A compile-time index that converts to int.
template <int I> struct Index {
  static constexpr int value = I;
  ANNEAL_ALWAYS_INLINE constexpr operator int() const { return I; }
};

template <int Begin, int End, typename Fn>
ANNEAL_ALWAYS_INLINE constexpr void unrollRange(Fn &&fn) {
  if constexpr (End - Begin == 1) {
    fn(Index<Begin>{});
  } else if constexpr (End - Begin > 1) {
    unrollRange<Begin, (Begin + End) / 2>(fn);
    unrollRange<(Begin + End) / 2, End>(fn);
  }
}

/// fn(Index<0>{}), ... fn(Index<N - 1>{}): accumulators that are indexed so stay in registers.
template <int N, typename Fn> ANNEAL_ALWAYS_INLINE constexpr void unroll(Fn &&fn) {
  unrollRange<0, N>(fn);
}

} // namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_VEC_H
