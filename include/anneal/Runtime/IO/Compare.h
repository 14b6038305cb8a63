//===- Compare.h - Results against expected values ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_IO_COMPARE_H
#define ANNEAL_RUNTIME_IO_COMPARE_H

#include "anneal/Runtime/Tensor.h"

#include <string>

namespace anneal::runtime {

/// Largest difference allowed: |actual - expected| <= atol + rtol * |expected|, as numpy.allclose.
struct Tolerance {
  double rtol = 1e-5;
  double atol = 1e-8;
};

/// Empty if `actual` has the type, sizes and values of `expected`, else what differs: the types, or
/// how many elements differ and the worst of them with its position. NaN equals NaN, infinities and
/// integers compare exactly.
std::string describeMismatch(const Tensor &actual, const Tensor &expected,
                             const Tolerance &tolerance);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_IO_COMPARE_H
