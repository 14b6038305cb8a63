//===- Peak.h - Multiply-add peak of one thread -----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_UTILS_BENCH_MICRO_PEAK_H
#define ANNEAL_UTILS_BENCH_MICRO_PEAK_H

#include "anneal/Runtime/Kernels/Isa.h"

#include <cstdint>

namespace anneal::bench {

/// Runs `rounds` of 16 independent f32 multiply-adds on vectors of the instruction set (scalars for
/// the portable one); returns the number of floating-point operations.
double multiplyAddRounds(runtime::Isa isa, int64_t rounds);

} // namespace anneal::bench

#endif // ANNEAL_UTILS_BENCH_MICRO_PEAK_H
