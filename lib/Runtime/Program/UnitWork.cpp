//===- UnitWork.cpp - What a call of a unit does --------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitWork.h"

namespace anneal::runtime {

namespace {

using plan::OpClass;
using plan::SizeExpr;

/// Float operations in one run of a body.
double flopsOfBody(const plan::Body &body) {
  double flops = 0;
  for (const plan::Instr &instr : body.instrs)
    switch (plan::classOf(instr.op)) {
    case OpClass::FloatTernary:
      flops += instr.op == plan::Opcode::Fma ? 2 : 1;
      break;
    case OpClass::FloatBinary:
    case OpClass::FloatUnary:
    case OpClass::FloatInt:
      flops += 1;
      break;
    default:
      break;
    }
  return flops;
}

/// Sizes of the tensors of a unit: parameters as given, temporaries evaluated, which refer to
/// tensors before them.
struct TensorSizes {
  const plan::Unit &unit;
  absl::Span<const BindTensor> tensors;
  absl::Span<const uint64_t> scalars;

  int64_t dim(uint32_t tensor, int64_t d) const {
    auto position = static_cast<size_t>(d);
    if (tensor < tensors.size())
      return tensors[tensor].sizes[position];
    const SizeExpr &size = unit.tensors[tensor].sizes[position];
    switch (size.kind) {
    case SizeExpr::Kind::Constant:
      return size.value;
    case SizeExpr::Kind::Scalar:
      return static_cast<int64_t>(scalars[size.index]);
    case SizeExpr::Kind::Dim:
      return dim(size.index, size.value);
    }
    return 0;
  }
};

double bytesOf(const plan::Unit &unit, absl::Span<const BindTensor> tensors) {
  double total = 0;
  for (size_t t = 0; t < tensors.size(); ++t) {
    const BindTensor &tensor = tensors[t];
    auto bytes = static_cast<double>(sizeOf(unit.tensors[t].dtype));
    for (size_t d = 0; d < tensor.sizes.size(); ++d)
      if (tensor.strides[d] != 0 || tensor.sizes[d] == 0)
        bytes *= static_cast<double>(tensor.sizes[d]);
    total += bytes;
  }
  return total;
}

double flopsOf(const plan::Unit &unit, absl::Span<const BindTensor> tensors,
               absl::Span<const uint64_t> scalars) {
  TensorSizes sizes{unit, tensors, scalars};
  double total = 0;
  for (const plan::Kernel &kernel : unit.kernels) {
    double flops = flopsOfBody(kernel.body);
    if (flops == 0)
      continue;
    for (const plan::DomainSource &source : kernel.domain)
      flops *= static_cast<double>(
          source.operand < 0
              ? source.dim
              : sizes.dim(kernel.operands[static_cast<size_t>(source.operand)].tensor, source.dim));
    total += flops;
  }
  return total;
}

} // namespace

UnitWork workOf(const plan::Unit &unit, absl::Span<const BindTensor> tensors,
                absl::Span<const uint64_t> scalars) {
  return {flopsOf(unit, tensors, scalars), bytesOf(unit, tensors)};
}

} // namespace anneal::runtime
