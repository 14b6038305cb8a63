//===- Pack.cpp - Moves between tensors, panels and tiles -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies of small two-dimensional blocks with a conversion of each element: into panels and padded
// planes, and out of result tiles.
//
//===----------------------------------------------------------------------===//

#include "IsaParts.h"

#include "Half.h"
#include "Transpose.h"

namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE {
namespace {

template <typename T> struct BitsOf;
template <> struct BitsOf<float> {
  using type = uint32_t;
};
template <> struct BitsOf<uint32_t> {
  using type = uint32_t;
};
template <> struct BitsOf<double> {
  using type = uint64_t;
};
template <> struct BitsOf<uint64_t> {
  using type = uint64_t;
};

/// A conversion: element types, and how one element and a contiguous row are converted.
template <typename SourceT, typename TargetT> struct Widen {
  using Source = SourceT;
  using Target = TargetT;
  ANNEAL_ALWAYS_INLINE static Target one(Source value) { return static_cast<Target>(value); }
  ANNEAL_ALWAYS_INLINE static void row(Target *to, const Source *from, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      to[i] = one(from[i]);
  }
};

template <typename T> struct Move {
  using Source = T;
  using Target = T;
  ANNEAL_ALWAYS_INLINE static T one(T value) { return value; }
  ANNEAL_ALWAYS_INLINE static void row(T *to, const T *from, int64_t n) {
    for (; n >= kLanes<T>; n -= kLanes<T>, to += kLanes<T>, from += kLanes<T>)
      store<T>(to, load<T>(from));
    if (n > 0) {
      const LaneMask<T> mask(n);
      store<T>(to, load<T>(from, mask), mask);
    }
  }
};

struct HalfToFloat {
  using Source = uint16_t;
  using Target = float;
  ANNEAL_ALWAYS_INLINE static float one(uint16_t value) { return halfToFloat(value); }
  ANNEAL_ALWAYS_INLINE static void row(float *to, const uint16_t *from, int64_t n) {
#if ANNEAL_ISA == 2
    for (; n > 0; n -= 16, to += 16, from += 16) {
      const LaneMask<float> mask(n < 16 ? n : 16);
      const __m256i half = _mm256_maskz_loadu_epi16(static_cast<__mmask16>(mask.bits), from);
      store<float>(to, (Vec<float>)_mm512_cvtph_ps(half), mask);
    }
#elif ANNEAL_ISA == 1
    for (; n >= 8; n -= 8, to += 8, from += 8)
      store<float>(to, (Vec<float>)_mm256_cvtph_ps(
                           _mm_loadu_si128(reinterpret_cast<const __m128i *>(from))));
#endif
    for (int64_t i = 0; i < n; ++i)
      to[i] = one(from[i]);
  }
};

struct FloatToHalf {
  using Source = float;
  using Target = uint16_t;
  ANNEAL_ALWAYS_INLINE static uint16_t one(float value) { return floatToHalf(value); }
  ANNEAL_ALWAYS_INLINE static void row(uint16_t *to, const float *from, int64_t n) {
#if ANNEAL_ISA == 2
    for (; n > 0; n -= 16, to += 16, from += 16) {
      const LaneMask<float> mask(n < 16 ? n : 16);
      const __m256i half =
          _mm512_cvtps_ph((__m512)load<float>(from, mask), _MM_FROUND_TO_NEAREST_INT);
      _mm256_mask_storeu_epi16(to, static_cast<__mmask16>(mask.bits), half);
    }
#elif ANNEAL_ISA == 1
    for (; n >= 8; n -= 8, to += 8, from += 8)
      _mm_storeu_si128(reinterpret_cast<__m128i *>(to),
                       _mm256_cvtps_ph((__m256)load<float>(from), _MM_FROUND_TO_NEAREST_INT));
#endif
    for (int64_t i = 0; i < n; ++i)
      to[i] = one(from[i]);
  }
};

struct BFloatToFloat : Widen<uint16_t, float> {
  ANNEAL_ALWAYS_INLINE static float one(uint16_t value) { return bfloatToFloat(value); }
  ANNEAL_ALWAYS_INLINE static void row(float *to, const uint16_t *from, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      to[i] = one(from[i]);
  }
};

struct FloatToBFloat : Widen<float, uint16_t> {
  ANNEAL_ALWAYS_INLINE static uint16_t one(float value) { return floatToBFloat(value); }
  ANNEAL_ALWAYS_INLINE static void row(uint16_t *to, const float *from, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      to[i] = one(from[i]);
  }
};

/// A row whose source elements are `stride` apart.
template <typename C>
ANNEAL_ALWAYS_INLINE inline void stridedRow(typename C::Target *to, const typename C::Source *from,
                                            int64_t stride, int64_t n) {
#if ANNEAL_ISA == 2
  if constexpr (sizeof(typename C::Source) == 4 && sizeof(typename C::Target) == 4) {
    // Every second element of two vectors; the last one is not read past its last wanted element.
    if (stride == 2) {
      const __m512i even =
          _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
      for (; n >= 16; n -= 16, to += 16, from += 32) {
        const __m512i low = _mm512_loadu_si512(from);
        const __m512i high = _mm512_maskz_loadu_epi32(0x7fff, from + 16);
        _mm512_storeu_si512(to, _mm512_permutex2var_epi32(low, even, high));
      }
      if (n > 0) {
        const uint32_t wanted = (uint32_t(1) << (2 * n - 1)) - 1;
        const __m512i low = _mm512_maskz_loadu_epi32(static_cast<__mmask16>(wanted), from);
        const __m512i high =
            _mm512_maskz_loadu_epi32(static_cast<__mmask16>(wanted >> 16), from + 16);
        _mm512_mask_storeu_epi32(to, static_cast<__mmask16>((1u << n) - 1),
                                 _mm512_permutex2var_epi32(low, even, high));
      }
      return;
    }
  }
#endif
  for (int64_t i = 0; i < n; ++i)
    to[i] = C::one(from[i * stride]);
}

/// Sources that are contiguous along k: converted in short rows, then transposed.
template <typename C>
ANNEAL_ALWAYS_INLINE inline void packTransposed(typename C::Target *to, int64_t toStep,
                                                const typename C::Source *from, int64_t fromI,
                                                int64_t numI, int64_t numK) {
  using Target = typename C::Target;
  constexpr int64_t rows = kTransposeTile, steps = 64;
  Target block[rows * steps];
  for (int64_t i = 0; i < numI; i += rows) {
    const int64_t countI = numI - i < rows ? numI - i : rows;
    for (int64_t k = 0; k < numK; k += steps) {
      const int64_t countK = numK - k < steps ? numK - k : steps;
      for (int64_t row = 0; row < countI; ++row)
        C::row(block + row * steps, from + (i + row) * fromI + k, countK);
      using Bits = typename BitsOf<Target>::type;
      transposeBlock(reinterpret_cast<Bits *>(to + k * toStep + i), toStep,
                     reinterpret_cast<const Bits *>(block), steps, countI, countK);
    }
  }
}

/// Rows of N elements.
template <typename C, int N>
void packNarrow(typename C::Target *to, int64_t toStep, const typename C::Source *from,
                int64_t fromI, int64_t fromK, int64_t numK) {
  for (int64_t k = 0; k < numK; ++k, to += toStep, from += fromK)
    unroll<N>([&](auto i) ANNEAL_ALWAYS_INLINE { to[i] = C::one(from[i * fromI]); });
}

template <typename C>
void pack(void *to, int64_t toStep, const void *from, int64_t fromI, int64_t fromK, int64_t numI,
          int64_t numK) {
  using Source = typename C::Source;
  using Target = typename C::Target;
  Target *target = static_cast<Target *>(to);
  const Source *source = static_cast<const Source *>(from);
  if (numI <= 4 && (numI <= 1 || fromK != 1)) {
    using Fn = void (*)(Target *, int64_t, const Source *, int64_t, int64_t, int64_t);
    static constexpr Fn fns[] = {packNarrow<C, 1>, packNarrow<C, 2>, packNarrow<C, 3>,
                                 packNarrow<C, 4>};
    if (numI > 0)
      fns[numI - 1](target, toStep, source, fromI, fromK, numK);
  } else if (fromI == 1) {
    for (int64_t k = 0; k < numK; ++k)
      C::row(target + k * toStep, source + k * fromK, numI);
  } else if (fromK == 1 && numI > 1 && numK > 1) {
    if constexpr (__is_same(C, Move<Source>))
      transposeBlock(target, toStep, source, fromI, numI, numK);
    else
      packTransposed<C>(target, toStep, source, fromI, numI, numK);
  } else {
    for (int64_t k = 0; k < numK; ++k)
      stridedRow<C>(target + k * toStep, source + k * fromK, fromI, numI);
  }
}

#if ANNEAL_ISA == 2
void packInside(void *to, int64_t toStep, const void *from, int64_t fromK, uint32_t inside,
                int64_t numI, int64_t numK, const void *pad) {
  auto *target = static_cast<uint32_t *>(to);
  auto *source = static_cast<const uint32_t *>(from);
  int32_t value;
  __builtin_memcpy(&value, pad, sizeof value);
  const __m512i outside = _mm512_set1_epi32(value);
  const LaneMask<uint32_t> whole(numI);
  for (int64_t k = 0; k < numK; ++k, target += toStep, source += fromK)
    store<uint32_t>(
        target,
        (Vec<uint32_t>)_mm512_mask_loadu_epi32(outside, static_cast<__mmask16>(inside), source),
        whole);
}
#endif

template <typename T> ANNEAL_ALWAYS_INLINE inline void fillRow(T *to, T value, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    to[i] = value;
}

template <typename C> void plane(const PlaneArgs &args) {
  using Source = typename C::Source;
  using Target = typename C::Target;
  const Target pad = *static_cast<const Target *>(args.pad);
  const Source *from = static_cast<const Source *>(args.from);
  const int64_t width = args.columnEnd - args.columnBegin;
  for (int64_t y = 0; y < args.rows; ++y) {
    Target *to = static_cast<Target *>(args.to) + y * args.toRow;
    if (y < args.rowBegin || y >= args.rowEnd) {
      fillRow(to, pad, args.columns);
      continue;
    }
    const Source *row = from + (y - args.rowBegin) * args.fromRow;
    fillRow(to, pad, args.columnBegin);
    if (args.fromColumn == 1)
      C::row(to + args.columnBegin, row, width);
    else
      stridedRow<C>(to + args.columnBegin, row, args.fromColumn, width);
    fillRow(to + args.columnEnd, pad, args.columns - args.columnEnd);
  }
}

template <typename C>
void unpack(void *to, int64_t toI, int64_t toK, const void *from, int64_t fromStep, int64_t numI,
            int64_t numK) {
  using Source = typename C::Source;
  using Target = typename C::Target;
  Target *target = static_cast<Target *>(to);
  const Source *source = static_cast<const Source *>(from);
  if (toI == 1) {
    for (int64_t k = 0; k < numK; ++k)
      C::row(target + k * toK, source + k * fromStep, numI);
    return;
  }
  if constexpr (__is_same(C, Move<Source>)) {
    if (toK == 1) {
      transposeBlock(target, toI, source, fromStep, numK, numI);
      return;
    }
  }
  for (int64_t k = 0; k < numK; ++k)
    for (int64_t i = 0; i < numI; ++i)
      target[i * toI + k * toK] = C::one(source[k * fromStep + i]);
}

template <typename C> void fillConversion(IsaKernels &table, Conversion conversion) {
  table.pack[static_cast<int>(conversion)] = &pack<C>;
  table.plane[static_cast<int>(conversion)] = &plane<C>;
}

template <typename C> void fillResult(IsaKernels &table, ResultConversion conversion) {
  table.unpack[static_cast<int>(conversion)] = &unpack<C>;
}

} // namespace

void fillPack(IsaKernels &table) {
#if ANNEAL_ISA == 2
  table.packInside = &packInside;
#endif
  fillConversion<Move<uint32_t>>(table, Conversion::Move4);
  fillConversion<Move<uint64_t>>(table, Conversion::Move8);
  fillConversion<HalfToFloat>(table, Conversion::HalfToFloat);
  fillConversion<BFloatToFloat>(table, Conversion::BFloatToFloat);
  fillConversion<Widen<float, double>>(table, Conversion::FloatToDouble);
  fillConversion<Widen<int8_t, uint32_t>>(table, Conversion::I8ToI32);
  fillConversion<Widen<uint8_t, uint32_t>>(table, Conversion::U8ToI32);
  fillConversion<Widen<int16_t, uint32_t>>(table, Conversion::I16ToI32);
  fillConversion<Widen<uint16_t, uint32_t>>(table, Conversion::U16ToI32);
  fillConversion<Widen<int8_t, uint64_t>>(table, Conversion::I8ToI64);
  fillConversion<Widen<uint8_t, uint64_t>>(table, Conversion::U8ToI64);
  fillConversion<Widen<int16_t, uint64_t>>(table, Conversion::I16ToI64);
  fillConversion<Widen<uint16_t, uint64_t>>(table, Conversion::U16ToI64);
  fillConversion<Widen<int32_t, uint64_t>>(table, Conversion::I32ToI64);
  fillConversion<Widen<uint32_t, uint64_t>>(table, Conversion::U32ToI64);
  fillResult<Move<uint32_t>>(table, ResultConversion::Move4);
  fillResult<Move<uint64_t>>(table, ResultConversion::Move8);
  fillResult<FloatToHalf>(table, ResultConversion::FloatToHalf);
  fillResult<FloatToBFloat>(table, ResultConversion::FloatToBFloat);
  fillResult<Widen<uint32_t, uint8_t>>(table, ResultConversion::I32ToI8);
  fillResult<Widen<uint32_t, uint16_t>>(table, ResultConversion::I32ToI16);
}

} // namespace anneal::runtime::contraction::ANNEAL_ISA_NAMESPACE
