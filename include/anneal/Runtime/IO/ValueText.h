//===- ValueText.h - Values as text ------------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_IO_VALUETEXT_H
#define ANNEAL_RUNTIME_IO_VALUETEXT_H

#include "anneal/Runtime/Tensor.h"

#include "absl/strings/string_view.h"

#include <cstdint>
#include <string>

namespace anneal::runtime {

/// One element, shortest form that reads back to the same value ("1.5", "-inf", "nan", "true").
std::string elementText(plan::DType dtype, const void *element);

/// Element `dtype` from text: a decimal or 0x integer, true/false, or a decimal floating-point
/// number, inf or nan; written to `element`. False if it is none of these or does not fit the type
/// (integers: the signed and the unsigned range of the width).
bool parseElement(absl::string_view text, plan::DType dtype, void *element);

/// "2x3xf32=[[1, 2, 3], [4, 5, 6]]", "i64=5". A tensor of more than `elideAbove` elements has only
/// the first and last three of each dimension, "..." between.
std::string valueText(const Value &value, int64_t elideAbove);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_IO_VALUETEXT_H
