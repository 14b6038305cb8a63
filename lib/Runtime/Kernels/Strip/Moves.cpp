//===- Moves.cpp - Movement of strips -------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

#include <utility>

#if ANNEAL_ISA > 0
#include <immintrin.h>
#endif

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {
namespace {

template <class T> void copy(void *dst, const void *src, size_t n) {
  memmove(dst, src, n * sizeof(T));
}

template <class T> void splat(void *dst, const void *value, size_t n) {
  fill(static_cast<T *>(dst), *static_cast<const T *>(value), n);
}

/// dst[i] = src[i * Stride], the stride known.
template <class T, int64_t Stride> void gatherFixed(T *dst, const T *src, size_t n) {
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i)
    dst[i] = src[static_cast<int64_t>(i) * Stride];
}

template <class T> void gatherStrided(void *dst, const void *src, int64_t stride, size_t n) {
  T *d = static_cast<T *>(dst);
  const T *s = static_cast<const T *>(src);
  switch (stride) {
  case 0:
    return n ? splat<T>(d, s, n) : void();
  case 1:
    return copy<T>(d, s, n);
  case 2:
    return gatherFixed<T, 2>(d, s, n);
  case -1:
    return gatherFixed<T, -1>(d, s, n);
  default:
    for (size_t i = 0; i < n; ++i, s += stride)
      d[i] = *s;
  }
}

template <class T> void scatterStrided(void *dst, int64_t stride, const void *src, size_t n) {
  T *d = static_cast<T *>(dst);
  const T *s = static_cast<const T *>(src);
  if (stride == 1)
    return copy<T>(d, s, n);
  for (size_t i = 0; i < n; ++i, d += stride)
    *d = s[i];
}

template <class T>
void gatherIndexed(void *dst, const void *base, const int64_t *indices, size_t n) {
  T *d = static_cast<T *>(dst);
  const T *b = static_cast<const T *>(base);
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i)
    d[i] = b[indices[i]];
}

//===----------------------------------------------------------------------===//
// Transposition
//===----------------------------------------------------------------------===//

/// Rows that are transposed in registers: a square of as many elements as a vector holds. Wide
/// vectors pay where their lanes can be permuted freely.
template <class T>
inline constexpr size_t kVectorBytes = ANNEAL_ISA == 2 && sizeof(T) >= 4 ? 64 : 16;
template <class T> inline constexpr size_t kSquare = kVectorBytes<T> / sizeof(T);

template <class T> struct VectorOf {
  typedef T Type __attribute__((vector_size(kVectorBytes<T>)));
};

/// The first (Half = 0) or second half of a and b, interleaved.
template <class T, size_t Half, size_t... I>
typename VectorOf<T>::Type interleave(typename VectorOf<T>::Type a, typename VectorOf<T>::Type b,
                                      std::index_sequence<I...>) {
  constexpr size_t n = kSquare<T>;
  return __builtin_shufflevector(a, b, (Half * n / 2 + I / 2 + (I % 2) * n)...);
}

template <class T>
void transposeSquare(T *dst, int64_t dstStride, const T *src, int64_t srcStride) {
  constexpr size_t n = kSquare<T>;
  using Vector = typename VectorOf<T>::Type;
  constexpr auto indices = std::make_index_sequence<n>();
  Vector rows[n], next[n];
#pragma GCC unroll 16
  for (size_t r = 0; r < n; ++r)
    memcpy(&rows[r], src + static_cast<int64_t>(r) * srcStride, sizeof(Vector));
  // Each round interleaves row r with row r + n/2; after log2(n) rounds rows are columns.
#pragma GCC unroll 4
  for (size_t round = 1; round < n; round *= 2) {
#pragma GCC unroll 16
    for (size_t r = 0; r < n / 2; ++r) {
      next[2 * r] = interleave<T, 0>(rows[r], rows[r + n / 2], indices);
      next[2 * r + 1] = interleave<T, 1>(rows[r], rows[r + n / 2], indices);
    }
#pragma GCC unroll 16
    for (size_t r = 0; r < n; ++r)
      rows[r] = next[r];
  }
#pragma GCC unroll 16
  for (size_t r = 0; r < n; ++r)
    memcpy(dst + static_cast<int64_t>(r) * dstStride, &rows[r], sizeof(Vector));
}

template <class T>
void transposeElements(T *dst, int64_t dstStride, const T *src, int64_t srcStride, size_t rows,
                       size_t cols) {
  for (size_t c = 0; c < cols; ++c)
    for (size_t r = 0; r < rows; ++r)
      dst[static_cast<int64_t>(c) * dstStride + static_cast<int64_t>(r)] =
          src[static_cast<int64_t>(r) * srcStride + static_cast<int64_t>(c)];
}

/// A few rows to columns that are dense: their elements in turn.
template <class T, size_t Rows>
void interleaveRows(T *dst, const T *src, int64_t srcStride, size_t cols) {
#pragma GCC ivdep
  for (size_t c = 0; c < cols; ++c)
#pragma GCC unroll 4
    for (size_t r = 0; r < Rows; ++r)
      dst[c * Rows + r] = src[static_cast<int64_t>(r) * srcStride + static_cast<int64_t>(c)];
}

template <class T>
void transpose(void *dst, int64_t dstStride, const void *src, int64_t srcStride, size_t rows,
               size_t cols) {
  constexpr size_t n = kSquare<T>;
  T *d = static_cast<T *>(dst);
  const T *s = static_cast<const T *>(src);
  if (dstStride == static_cast<int64_t>(rows)) {
    if (rows == 2)
      return interleaveRows<T, 2>(d, s, srcStride, cols);
    if (rows == 3)
      return interleaveRows<T, 3>(d, s, srcStride, cols);
    if (rows == 4)
      return interleaveRows<T, 4>(d, s, srcStride, cols);
  }
  size_t wholeRows = rows / n * n, wholeCols = cols / n * n;
  for (size_t r = 0; r < wholeRows; r += n)
    for (size_t c = 0; c < wholeCols; c += n)
      transposeSquare(d + static_cast<int64_t>(c) * dstStride + r, dstStride,
                      s + static_cast<int64_t>(r) * srcStride + c, srcStride);
  transposeElements(d + static_cast<int64_t>(wholeCols) * dstStride, dstStride, s + wholeCols,
                    srcStride, wholeRows, cols - wholeCols);
  transposeElements(d + wholeRows, dstStride, s + static_cast<int64_t>(wholeRows) * srcStride,
                    srcStride, rows - wholeRows, cols);
}

// Rows are often shorter than a call takes: a few vectors each, the last one in part.

#if ANNEAL_ISA == 2
/// The first `bytes` (below 64) bytes of a vector.
inline __mmask64 firstBytes(size_t bytes) { return (uint64_t(1) << bytes) - 1; }

template <class T>
void copyRows(void *dst, int64_t dstStride, const void *src, int64_t srcStride, size_t rows,
              size_t cols) {
  const size_t bytes = cols * sizeof(T), whole = bytes / 64 * 64;
  const __mmask64 rest = firstBytes(bytes - whole);
  const int64_t dstStep = dstStride * static_cast<int64_t>(sizeof(T));
  const int64_t srcStep = srcStride * static_cast<int64_t>(sizeof(T));
  char *d = static_cast<char *>(dst);
  const char *s = static_cast<const char *>(src);
  for (size_t r = 0; r < rows; ++r, d += dstStep, s += srcStep) {
    for (size_t at = 0; at < whole; at += 64)
      _mm512_storeu_si512(d + at, _mm512_loadu_si512(s + at));
    if (rest)
      _mm512_mask_storeu_epi8(d + whole, rest, _mm512_maskz_loadu_epi8(rest, s + whole));
  }
}

#endif

/// Each of `rows` neighbours a few times.
template <class T, size_t Cols> void repeatEach(T *dst, const T *src, size_t rows) {
#pragma GCC ivdep
  for (size_t r = 0; r < rows; ++r)
#pragma GCC unroll 4
    for (size_t c = 0; c < Cols; ++c)
      dst[r * Cols + c] = src[r];
}

/// Whether that did it.
template <class T>
bool repeatFew(T *dst, const T *src, int64_t srcStride, size_t rows, size_t cols) {
  if (srcStride != 1 || cols < 2 || cols > 4)
    return false;
  cols == 2   ? repeatEach<T, 2>(dst, src, rows)
  : cols == 3 ? repeatEach<T, 3>(dst, src, rows)
              : repeatEach<T, 4>(dst, src, rows);
  return true;
}

#if ANNEAL_ISA == 2
inline __m512i broadcast(uint8_t value) { return _mm512_set1_epi8(static_cast<char>(value)); }
inline __m512i broadcast(uint16_t value) { return _mm512_set1_epi16(static_cast<short>(value)); }
inline __m512i broadcast(uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); }
inline __m512i broadcast(uint64_t value) {
  return _mm512_set1_epi64(static_cast<long long>(value));
}

template <class T>
void splatRows(void *dst, const void *src, int64_t srcStride, size_t rows, size_t cols) {
  const size_t bytes = cols * sizeof(T), whole = bytes / 64 * 64;
  const __mmask64 rest = firstBytes(bytes - whole);
  char *d = static_cast<char *>(dst);
  const T *s = static_cast<const T *>(src);
  if (repeatFew(static_cast<T *>(dst), s, srcStride, rows, cols))
    return;
  for (size_t r = 0; r < rows; ++r, d += bytes, s += srcStride) {
    const __m512i value = broadcast(*s);
    for (size_t at = 0; at < whole; at += 64)
      _mm512_storeu_si512(d + at, value);
    if (rest)
      _mm512_mask_storeu_epi8(d + whole, rest, value);
  }
}
#else
template <class T>
void copyRows(void *dst, int64_t dstStride, const void *src, int64_t srcStride, size_t rows,
              size_t cols) {
  T *d = static_cast<T *>(dst);
  const T *s = static_cast<const T *>(src);
  for (size_t r = 0; r < rows; ++r, d += dstStride, s += srcStride) {
#pragma GCC ivdep
    for (size_t c = 0; c < cols; ++c)
      d[c] = s[c];
  }
}

template <class T>
void splatRows(void *dst, const void *src, int64_t srcStride, size_t rows, size_t cols) {
  T *d = static_cast<T *>(dst);
  const T *s = static_cast<const T *>(src);
  if (repeatFew(d, s, srcStride, rows, cols))
    return;
  for (size_t r = 0; r < rows; ++r, d += cols, s += srcStride)
    fill(d, *s, cols);
}
#endif

template <class T> StripMoves movesOf() {
  return {copy<T>,          splat<T>,    gatherStrided<T>, scatterStrided<T>,
          gatherIndexed<T>, copyRows<T>, splatRows<T>,     transpose<T>};
}

//===----------------------------------------------------------------------===//
// Select, Const, Move
//===----------------------------------------------------------------------===//

struct Choose {
  template <class T> static T apply(uint8_t condition, T a, T b) { return condition ? a : b; }
};

template <class T> void moveStrip(const StripArgs &s) { copy<T>(s.dst, s.a, s.n); }
template <class T> void moveUniform(const StripArgs &s) { splat<T>(s.dst, s.a, s.n); }
template <class T> void constant(const StripArgs &s) {
  fill(static_cast<T *>(s.dst), static_cast<T>(s.imm), s.n);
}

/// Select by one condition: a copy of what it chooses. Bit 0 of Mask: b, bit 1: c is uniform.
template <class T, unsigned Mask> void chooseOnce(const StripArgs &s) {
  bool first = *static_cast<const uint8_t *>(s.a) != 0;
  bool uniform = ((first ? Mask : Mask >> 1) & 1) != 0;
  const void *source = first ? s.b : s.c;
  uniform ? splat<T>(s.dst, source, s.n) : copy<T>(s.dst, source, s.n);
}

template <class T> StripFn selectOf(unsigned mask) {
  static constexpr StripFn fns[] = {mapTernary<Choose, T, uint8_t, T, T, 0>, chooseOnce<T, 0>,
                                    mapTernary<Choose, T, uint8_t, T, T, 2>, chooseOnce<T, 1>,
                                    mapTernary<Choose, T, uint8_t, T, T, 4>, chooseOnce<T, 2>,
                                    mapTernary<Choose, T, uint8_t, T, T, 6>};
  return fns[mask];
}

/// Calls `use` with a value of the unsigned type of that size; a null result for other sizes.
template <class Use> auto withSize(size_t elementSize, Use use) -> decltype(use(uint8_t())) {
  switch (elementSize) {
  case 1:
    return use(uint8_t());
  case 2:
    return use(uint16_t());
  case 4:
    return use(uint32_t());
  case 8:
    return use(uint64_t());
  default:
    return {};
  }
}

} // namespace

StripFn findSelect(size_t elementSize, unsigned mask) {
  return withSize(elementSize, [&](auto zero) { return selectOf<decltype(zero)>(mask); });
}

StripFn findConst(size_t elementSize) {
  return withSize(elementSize, [](auto zero) -> StripFn { return constant<decltype(zero)>; });
}

StripFn findMove(size_t elementSize, unsigned mask) {
  return withSize(elementSize, [&](auto zero) -> StripFn {
    return mask ? moveUniform<decltype(zero)> : moveStrip<decltype(zero)>;
  });
}

StripMoves findMoves(size_t elementSize) {
  return withSize(elementSize, [](auto zero) { return movesOf<decltype(zero)>(); });
}

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE
