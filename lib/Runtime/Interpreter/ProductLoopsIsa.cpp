//===- ProductLoopsIsa.cpp - Sums of products, for each ISA ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaneVectors.h"
#include "ReduceLoops.h"

namespace anneal::runtime::interpreter::ANNEAL_ISA_NAMESPACE {

namespace {

inline constexpr size_t kRows = 4;

struct Add {
  template <class V> static V apply(V a, V b) { return a + b; }
};

/// a * b + c with one rounding, lane by lane.
template <class T> Vector<T> fused(Vector<T> a, Vector<T> b, Vector<T> c) {
  Vector<T> r;
#pragma GCC unroll 16
  for (size_t l = 0; l < VectorOf<T>::kCount; ++l)
    r[l] = sizeof(T) == 4
               ? static_cast<T>(__builtin_fmaf(static_cast<float>(a[l]), static_cast<float>(b[l]),
                                               static_cast<float>(c[l])))
               : static_cast<T>(__builtin_fma(a[l], b[l], c[l]));
  return r;
}

#if ANNEAL_ISA == 2
template <> Vector<float> fused<float>(Vector<float> a, Vector<float> b, Vector<float> c) {
  return _mm512_fmadd_ps(a, b, c);
}
template <> Vector<double> fused<double>(Vector<double> a, Vector<double> b, Vector<double> c) {
  return _mm512_fmadd_pd(a, b, c);
}
#endif

template <class T> void addProducts(RowLanes<T> &lanes, const T *x, const T *y) {
  constexpr size_t count = VectorOf<T>::kCount;
#pragma GCC unroll 8
  for (size_t k = 0; k < RowLanes<T>::kCount; ++k)
    lanes.v[k] = fused<T>(loadVector<T>(x + k * count), loadVector<T>(y + k * count), lanes.v[k]);
}

/// Less than 16 products: the lanes beyond them stay as they are.
template <class T> void addTail(RowLanes<T> &lanes, const T *x, const T *y, size_t n) {
  T before[kLanes], after[kLanes], left[kLanes] = {}, right[kLanes] = {};
  lanes.store(before);
  memcpy(left, x, n * sizeof(T));
  memcpy(right, y, n * sizeof(T));
  addProducts(lanes, left, right);
  lanes.store(after);
  memcpy(before, after, n * sizeof(T));
  lanes.load(before);
}

template <class T, size_t Rows>
void productRows(T *out, const T *x, int64_t xStride, const T *y, int64_t yStride, size_t n) {
  RowLanes<T> lanes[kRows] = {RowLanes<T>(-T(0)), RowLanes<T>(-T(0)), RowLanes<T>(-T(0)),
                              RowLanes<T>(-T(0))};
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
#pragma GCC unroll 8
    for (size_t r = 0; r < Rows; ++r)
      addProducts(lanes[r], x + static_cast<int64_t>(r) * xStride + i,
                  y + static_cast<int64_t>(r) * yStride + i);
  for (size_t r = 0; r < Rows; ++r) {
    if (i < n)
      addTail(lanes[r], x + static_cast<int64_t>(r) * xStride + i,
              y + static_cast<int64_t>(r) * yStride + i, n - i);
    out[r] = lanes[r].template tree<Add>();
  }
}

template <class T>
void rows(void *out, const void *x, int64_t xStride, const void *y, int64_t yStride, size_t numRows,
          size_t n) {
  T *to = static_cast<T *>(out);
  const T *left = static_cast<const T *>(x), *right = static_cast<const T *>(y);
  for (; numRows >= kRows; numRows -= kRows, to += kRows) {
    productRows<T, kRows>(to, left, xStride, right, yStride, n);
    left += kRows * xStride;
    right += kRows * yStride;
  }
  for (; numRows > 0; --numRows, ++to, left += xStride, right += yStride)
    productRows<T, 1>(to, left, xStride, right, yStride, n);
}

template <class T> void accumulate(void *sums, const void *x, const void *y, size_t n) {
  const T *left = static_cast<const T *>(x), *right = static_cast<const T *>(y);
  RowLanes<T> lanes(0);
  lanes.load(sums);
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    addProducts(lanes, left + i, right + i);
  if (i < n)
    addTail(lanes, left + i, right + i, n - i);
  lanes.store(sums);
}

} // namespace

bool findProducts(plan::DType type, ProductLoops &loops);

bool findProducts(plan::DType type, ProductLoops &loops) {
  if (type == plan::DType::F32)
    loops = {rows<float>, accumulate<float>};
  else if (type == plan::DType::F64)
    loops = {rows<double>, accumulate<double>};
  else
    return false;
  return true;
}

} // namespace anneal::runtime::interpreter::ANNEAL_ISA_NAMESPACE
