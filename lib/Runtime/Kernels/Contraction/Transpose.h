//===- Transpose.h - Transposition of small blocks --------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_TRANSPOSE_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_TRANSPOSE_H

#include "Vec.h"

namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE {

#if ANNEAL_ISA == 2

/// Transposes 16 x 16 elements held in 16 vectors.
ANNEAL_ALWAYS_INLINE inline void transposeVectors(__m512i *v) {
  __m512i t[16];
  unroll<8>([&](auto i) ANNEAL_ALWAYS_INLINE {
    t[2 * i] = _mm512_unpacklo_epi32(v[2 * i], v[2 * i + 1]);
    t[2 * i + 1] = _mm512_unpackhi_epi32(v[2 * i], v[2 * i + 1]);
  });
  unroll<4>([&](auto i) ANNEAL_ALWAYS_INLINE {
    v[4 * i] = _mm512_unpacklo_epi64(t[4 * i], t[4 * i + 2]);
    v[4 * i + 1] = _mm512_unpackhi_epi64(t[4 * i], t[4 * i + 2]);
    v[4 * i + 2] = _mm512_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
    v[4 * i + 3] = _mm512_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
  });
  // v[4g + c] holds, in its 128-bit lane q, column 4q + c of rows 4g ... 4g + 3.
  unroll<4>([&](auto c) ANNEAL_ALWAYS_INLINE {
    t[c] = _mm512_shuffle_i32x4(v[c], v[4 + c], 0x88);
    t[4 + c] = _mm512_shuffle_i32x4(v[c], v[4 + c], 0xdd);
    t[8 + c] = _mm512_shuffle_i32x4(v[8 + c], v[12 + c], 0x88);
    t[12 + c] = _mm512_shuffle_i32x4(v[8 + c], v[12 + c], 0xdd);
  });
  unroll<4>([&](auto c) ANNEAL_ALWAYS_INLINE {
    v[c] = _mm512_shuffle_i32x4(t[c], t[8 + c], 0x88);
    v[8 + c] = _mm512_shuffle_i32x4(t[c], t[8 + c], 0xdd);
    v[4 + c] = _mm512_shuffle_i32x4(t[4 + c], t[12 + c], 0x88);
    v[12 + c] = _mm512_shuffle_i32x4(t[4 + c], t[12 + c], 0xdd);
  });
}

/// to[k * toStep + i] = from[i * fromStep + k] for i < numI <= 16, k < numK <= 16.
ANNEAL_ALWAYS_INLINE inline void transposeTile(uint32_t *to, int64_t toStep, const uint32_t *from,
                                               int64_t fromStep, int64_t numI, int64_t numK) {
  const LaneMask<uint32_t> maskI(numI), maskK(numK);
  __m512i v[16];
  unroll<16>([&](auto i) ANNEAL_ALWAYS_INLINE {
    v[i] = i < numI ? (__m512i)load<uint32_t>(from + i * fromStep, maskK) : _mm512_setzero_si512();
  });
  transposeVectors(v);
  unroll<16>([&](auto k) ANNEAL_ALWAYS_INLINE {
    if (k < numK)
      store<uint32_t>(to + k * toStep, (Vec<uint32_t>)v[k], maskI);
  });
}
inline constexpr int64_t kTransposeTile = 16;

#elif ANNEAL_ISA == 1

/// Transposes 8 x 8 elements held in 8 vectors.
ANNEAL_ALWAYS_INLINE inline void transposeVectors(__m256i *v) {
  __m256i t[8];
  unroll<4>([&](auto i) ANNEAL_ALWAYS_INLINE {
    t[2 * i] = _mm256_unpacklo_epi32(v[2 * i], v[2 * i + 1]);
    t[2 * i + 1] = _mm256_unpackhi_epi32(v[2 * i], v[2 * i + 1]);
  });
  unroll<2>([&](auto i) ANNEAL_ALWAYS_INLINE {
    v[4 * i] = _mm256_unpacklo_epi64(t[4 * i], t[4 * i + 2]);
    v[4 * i + 1] = _mm256_unpackhi_epi64(t[4 * i], t[4 * i + 2]);
    v[4 * i + 2] = _mm256_unpacklo_epi64(t[4 * i + 1], t[4 * i + 3]);
    v[4 * i + 3] = _mm256_unpackhi_epi64(t[4 * i + 1], t[4 * i + 3]);
  });
  unroll<4>([&](auto c) ANNEAL_ALWAYS_INLINE {
    __m256i low = _mm256_permute2x128_si256(v[c], v[4 + c], 0x20);
    v[4 + c] = _mm256_permute2x128_si256(v[c], v[4 + c], 0x31);
    v[c] = low;
  });
}

/// to[k * toStep + i] = from[i * fromStep + k] for i < numI <= 8, k < numK <= 8.
ANNEAL_ALWAYS_INLINE inline void transposeTile(uint32_t *to, int64_t toStep, const uint32_t *from,
                                               int64_t fromStep, int64_t numI, int64_t numK) {
  const LaneMask<uint32_t> maskI(numI), maskK(numK);
  __m256i v[8];
  unroll<8>([&](auto i) ANNEAL_ALWAYS_INLINE {
    v[i] = i < numI ? (__m256i)load<uint32_t>(from + i * fromStep, maskK) : _mm256_setzero_si256();
  });
  transposeVectors(v);
  unroll<8>([&](auto k) ANNEAL_ALWAYS_INLINE {
    if (k < numK)
      store<uint32_t>(to + k * toStep, (Vec<uint32_t>)v[k], maskI);
  });
}
inline constexpr int64_t kTransposeTile = 8;

#else

/// to[k * toStep + i] = from[i * fromStep + k] for i < numI, k < numK.
ANNEAL_ALWAYS_INLINE inline void transposeTile(uint32_t *to, int64_t toStep, const uint32_t *from,
                                               int64_t fromStep, int64_t numI, int64_t numK) {
  for (int64_t k = 0; k < numK; ++k)
    for (int64_t i = 0; i < numI; ++i)
      to[k * toStep + i] = from[i * fromStep + k];
}
inline constexpr int64_t kTransposeTile = 8;

#endif

ANNEAL_ALWAYS_INLINE inline void transposeTile(uint64_t *to, int64_t toStep, const uint64_t *from,
                                               int64_t fromStep, int64_t numI, int64_t numK) {
  for (int64_t i = 0; i < numI; ++i)
    for (int64_t k = 0; k < numK; ++k)
      to[k * toStep + i] = from[i * fromStep + k];
}

/// to[k * toStep + i] = from[i * fromStep + k] for i < numI, k < numK.
template <typename T>
ANNEAL_ALWAYS_INLINE inline void transposeBlock(T *to, int64_t toStep, const T *from,
                                                int64_t fromStep, int64_t numI, int64_t numK) {
  constexpr int64_t tile = kTransposeTile;
  for (int64_t i = 0; i < numI; i += tile) {
    const int64_t countI = numI - i < tile ? numI - i : tile;
    for (int64_t k = 0; k < numK; k += tile) {
      // Rows are often far apart, each a stream of its own.
      for (int64_t row = 0; row < countI; ++row)
        __builtin_prefetch(from + (i + row) * fromStep + k + 2 * tile);
      transposeTile(to + k * toStep + i, toStep, from + i * fromStep + k, fromStep, countI,
                    numK - k < tile ? numK - k : tile);
    }
  }
}

} // namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_TRANSPOSE_H
