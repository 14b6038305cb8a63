//===- Saturating.h - Sums of counters --------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_SUPPORT_SATURATING_H
#define ANNEAL_SUPPORT_SATURATING_H

#include <cstdint>

namespace anneal {

/// a + b, or the largest number if that is more.
constexpr uint64_t addSaturating(uint64_t a, uint64_t b) {
  return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

} // namespace anneal

#endif // ANNEAL_SUPPORT_SATURATING_H
