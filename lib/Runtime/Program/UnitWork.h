//===- UnitWork.h - What a call of a unit does ------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_UNITWORK_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_UNITWORK_H

#include "anneal/Plan/Unit.h"
#include "anneal/Runtime/Interpreter/BoundUnit.h"

#include "absl/types/span.h"

namespace anneal::runtime {

/// What one call does. Estimates, for reports and policies.
struct UnitWork {
  /// For each kernel the size of its iteration space times the arithmetic and math operations on
  /// floats in its body, a fused multiply-add counting two. Branches are not followed.
  double flops = 0;
  /// What goes in and comes out: all of the operands, along strides of 0 once.
  double bytes = 0;
};

/// Of a unit on tensors of these sizes.
UnitWork workOf(const plan::Unit &unit, absl::Span<const BindTensor> tensors,
                absl::Span<const uint64_t> scalars);

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_UNITWORK_H
