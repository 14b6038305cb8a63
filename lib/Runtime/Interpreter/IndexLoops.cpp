//===- IndexLoops.cpp - Vector code for indices, for each ISA -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IndexKernels.h"

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

bool offsets(int64_t *dst, const int64_t *index, int64_t size, int64_t stride, size_t n,
             bool add) {
  return add ? offsetsOf<true>(dst, index, size, stride, n)
             : offsetsOf<false>(dst, index, size, stride, n);
}

bool allTrue(const uint8_t *flags, size_t n) {
  uint8_t all = 1;
  for (size_t i = 0; i < n; ++i)
    all &= flags[i];
  return all != 0;
}

} // namespace

extern const IndexKernels kIndexKernels;
const IndexKernels kIndexKernels = {iota, offsets, allTrue};

} // namespace anneal::runtime::interpreter::ANNEAL_ISA_NAMESPACE
