//===- Convert.h - Element types in and out of the kernels ------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_CONVERT_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_CONVERT_H

#include "KernelTable.h"

#include "anneal/Plan/DType.h"

#include <cstddef>
#include <optional>
#include <string>

namespace anneal::runtime::contraction {

/// The type in which sums of C's type are kept; nothing for i1.
std::optional<ComputeType> computeTypeOf(plan::DType c);

/// Bytes of a compute type.
constexpr int64_t bytesOf(ComputeType type) {
  return type == ComputeType::F32 || type == ComputeType::I32 ? 4 : 8;
}
constexpr bool isFloat(ComputeType type) {
  return type == ComputeType::F32 || type == ComputeType::F64;
}

/// Reads elements of an operand as the compute type: converts to C's type as `arith` would, then
/// widens.
class ElementReader {
public:
  /// Nothing where `arith` has no such conversion in a contraction's body (float to integer).
  static std::optional<ElementReader> create(plan::DType from, bool isUnsigned, plan::DType via,
                                             const IsaKernels &kernels);

  /// Elements stand in memory as the compute type does.
  bool isIdentity() const { return identity; }
  int64_t sourceBytes() const { return static_cast<int64_t>(plan::sizeOf(from)); }

  /// PackFn.
  void pack(void *to, int64_t toStep, const void *source, int64_t fromI, int64_t fromK,
            int64_t numI, int64_t numK) const;
  /// Null where elements are converted or are not of four bytes.
  PackInsideFn packInside() const { return insideFn; }
  /// PlaneFn.
  void plane(const PlaneArgs &args) const;
  /// One element.
  void one(const void *source, void *to) const;

  /// Text that tells different conversions apart: "f16>f32".
  std::string name() const;

private:
  plan::DType from = plan::DType::F32;
  plan::DType via = plan::DType::F32;
  ComputeType to = ComputeType::F32;
  bool isUnsigned = false;
  bool identity = false;
  PackFn packFn = nullptr;
  PlaneFn planeFn = nullptr;
  PackInsideFn insideFn = nullptr;
};

/// How results leave the compute type for C's type.
ResultConversion resultConversionOf(plan::DType c);

} // namespace anneal::runtime::contraction

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_CONVERT_H
