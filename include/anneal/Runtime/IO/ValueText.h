//===- ValueText.h - Values as text ------------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_IO_VALUETEXT_H
#define ANNEAL_RUNTIME_IO_VALUETEXT_H

#include "anneal/Runtime/Tensor.h"

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <string>

namespace anneal::runtime {

/// One element, shortest form that reads back to the same value ("1.5", "-inf", "nan", "true").
std::string elementText(plan::DType dtype, const void *element);

/// Which integers a text may name for a signless integer type of w bits.
enum class IntegerRange {
  /// -2^(w-1) to 2^w - 1, the signed and the unsigned ones; for i64 and index the signed ones only,
  /// since the others would read back negative. Hexadecimal text names the bits: up to 2^w - 1.
  Any,
  /// 0 to 2^w - 1.
  Unsigned
};

/// Element `dtype` from text: a decimal or 0x integer, true/false, or a decimal floating-point
/// number, inf or nan; written to `element`. Errors: InvalidArgument that shows the text and says
/// whether it is none of these or does not fit the type.
absl::Status parseElement(absl::string_view text, plan::DType dtype, void *element,
                          IntegerRange range = IntegerRange::Any);

/// Largest integer that parseElement takes for a type, as 64 bits without sign.
uint64_t largestInteger(plan::DType dtype, IntegerRange range);

/// Smallest integer that parseElement takes for a type.
int64_t smallestInteger(plan::DType dtype, IntegerRange range);

/// "2x3xf32=[[1, 2, 3], [4, 5, 6]]", "i64=5". A tensor of more than `elideAbove` elements has only
/// the first and last three of each dimension, "..." between.
std::string valueText(const Value &value, int64_t elideAbove);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_IO_VALUETEXT_H
