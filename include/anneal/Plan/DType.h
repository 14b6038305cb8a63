//===- DType.h - Element types of tensors and scalars -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PLAN_DTYPE_H
#define ANNEAL_PLAN_DTYPE_H

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace anneal::plan {

/// Element type of a tensor or a scalar. Integers are signless, as in MLIR: signedness belongs to
/// the operation. `I1` takes one byte in memory, its value 0 or 1. `Index` is a 64-bit integer.
enum class DType : uint8_t { I1, I8, I16, I32, I64, Index, F16, BF16, F32, F64 };

inline constexpr unsigned kNumDTypes = 10;

/// Bytes that one element takes in memory.
constexpr size_t sizeOf(DType type) {
  switch (type) {
  case DType::I1:
  case DType::I8:
    return 1;
  case DType::I16:
  case DType::F16:
  case DType::BF16:
    return 2;
  case DType::I32:
  case DType::F32:
    return 4;
  case DType::I64:
  case DType::Index:
  case DType::F64:
    return 8;
  }
  return 0;
}

constexpr bool isFloat(DType type) { return type >= DType::F16; }
constexpr bool isInteger(DType type) { return !isFloat(type); }

/// Bits of the value (1 for `I1`).
constexpr unsigned bitWidth(DType type) {
  return type == DType::I1 ? 1 : static_cast<unsigned>(sizeOf(type)) * 8;
}

/// MLIR spelling: "i1", "f32", "index", ...
std::string_view name(DType type);

} // namespace anneal::plan

#endif // ANNEAL_PLAN_DTYPE_H
