//===- UnitFlops.h - Floating-point operations of a unit --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_UNITFLOPS_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_UNITFLOPS_H

#include "anneal/Plan/Unit.h"
#include "anneal/Runtime/Interpreter/BoundUnit.h"

#include "absl/types/span.h"

namespace anneal::runtime {

/// Floating-point operations of one call of a unit on tensors of these sizes: for each kernel the
/// size of its iteration space times the arithmetic and math operations on floats in its body, a
/// fused multiply-add counting two. An estimate for reports: branches are not followed.
double flopsOf(const plan::Unit &unit, absl::Span<const BindTensor> tensors,
               absl::Span<const uint64_t> scalars);

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_UNITFLOPS_H
