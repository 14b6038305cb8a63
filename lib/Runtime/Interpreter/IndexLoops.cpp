//===- IndexLoops.cpp - Vector code for indices, for each ISA -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexKernels.h"

#include <cstring>

namespace anneal::runtime::interpreter::ANNEAL_ISA_NAMESPACE {

namespace {

void iota(int64_t *dst, int64_t start, int64_t step, size_t n) {
  for (size_t i = 0; i < n; ++i)
    dst[i] = start + static_cast<int64_t>(i) * step;
}

template <bool Add>
bool offsetsOf(int64_t *dst, const int64_t *index, int64_t size, int64_t stride, size_t n) {
  uint64_t outside = 0;
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i) {
    uint64_t at = static_cast<uint64_t>(index[i]);
    // The sign bit of either is set if and only if the index is outside.
    outside |= at | (static_cast<uint64_t>(size) - 1 - at);
    uint64_t before = Add ? static_cast<uint64_t>(dst[i]) : 0;
    dst[i] = static_cast<int64_t>(before + at * static_cast<uint64_t>(stride));
  }
  return static_cast<int64_t>(outside) >= 0;
}

bool offsets(int64_t *dst, const int64_t *index, int64_t size, int64_t stride, size_t n, bool add) {
  return add ? offsetsOf<true>(dst, index, size, stride, n)
             : offsetsOf<false>(dst, index, size, stride, n);
}

bool allTrue(const uint8_t *flags, size_t n) {
  uint8_t all = 1;
  for (size_t i = 0; i < n; ++i)
    all &= flags[i];
  return all != 0;
}

template <class T> size_t firstOtherThan(const void *elements, const void *value, size_t n) {
  constexpr size_t block = 64 / sizeof(T);
  typedef T Bits __attribute__((may_alias));
  const Bits *p = static_cast<const Bits *>(elements);
  T expected;
  memcpy(&expected, value, sizeof(T));
  size_t i = 0;
  for (; i + block <= n; i += block) {
    T other = 0;
    for (size_t k = 0; k < block; ++k)
      other |= static_cast<T>(p[i + k] ^ expected);
    if (other != 0)
      break;
  }
  while (i < n && p[i] == expected)
    ++i;
  return i;
}

size_t firstOther(const void *elements, const void *value, size_t elementSize, size_t n) {
  switch (elementSize) {
  case 1:
    return firstOtherThan<uint8_t>(elements, value, n);
  case 2:
    return firstOtherThan<uint16_t>(elements, value, n);
  case 4:
    return firstOtherThan<uint32_t>(elements, value, n);
  default:
    return firstOtherThan<uint64_t>(elements, value, n);
  }
}

} // namespace

extern const IndexKernels kIndexKernels;
const IndexKernels kIndexKernels = {iota, offsets, allTrue, firstOther};

} // namespace anneal::runtime::interpreter::ANNEAL_ISA_NAMESPACE
