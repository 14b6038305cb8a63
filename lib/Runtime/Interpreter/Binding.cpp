//===- Binding.cpp - Tensors and iteration spaces with sizes --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Binding.h"

#include "KernelFacts.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::interpreter;

namespace anneal::runtime::interpreter {

int64_t BoundTensor::numElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

bool IterSpace::isEmpty() const { return std::find(sizes.begin(), sizes.end(), 0) != sizes.end(); }

int64_t IterSpace::numPoints() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

int64_t evaluateSize(const plan::SizeExpr &size, const std::vector<BoundTensor> &tensors,
                     const UnitBinding &binding) {
  switch (size.kind) {
  case plan::SizeExpr::Kind::Constant:
    return size.value;
  case plan::SizeExpr::Kind::Scalar:
    return static_cast<int64_t>(binding.scalars[size.index]);
  case plan::SizeExpr::Kind::Dim:
    return tensors[size.index].sizes[static_cast<size_t>(size.value)];
  }
  return 0;
}

namespace {

/// A parameter's layout, checked against what the unit knows of it.
absl::Status bindParameter(const plan::Unit &unit, uint32_t index, const BindTensor &given,
                           BoundTensor &bound) {
  const plan::UnitTensor &known = unit.tensors[index];
  if (given.sizes.size() != known.sizes.size() || given.strides.size() != known.sizes.size())
    return absl::InvalidArgumentError(absl::StrCat("unit ", unit.name, ": tensor #", index,
                                                   " has rank ", given.sizes.size(), ", expected ",
                                                   known.sizes.size()));
  for (size_t d = 0; d < known.sizes.size(); ++d)
    if (known.sizes[d].kind == plan::SizeExpr::Kind::Constant &&
        known.sizes[d].value != given.sizes[d])
      return absl::InvalidArgumentError(
          absl::StrCat("unit ", unit.name, ": dimension #", d, " of tensor #", index, " has size ",
                       given.sizes[d], ", expected ", known.sizes[d].value));
  bound.sizes.assign(given.sizes.begin(), given.sizes.end());
  bound.strides.assign(given.strides.begin(), given.strides.end());
  bound.isConstant = given.constant >= 0 && given.constantData != nullptr;
  return absl::OkStatus();
}

/// A temporary's layout: dense and row-major.
absl::Status bindTemporary(const plan::Unit &unit, uint32_t index, const UnitBinding &binding,
                           const std::vector<BoundTensor> &tensors, BoundTensor &bound) {
  const plan::UnitTensor &known = unit.tensors[index];
  size_t rank = known.sizes.size();
  bound.isTemporary = true;
  bound.sizes.resize(rank);
  bound.strides.resize(rank);
  int64_t stride = 1;
  for (size_t d = rank; d-- > 0;) {
    int64_t size = evaluateSize(known.sizes[d], tensors, binding);
    if (size < 0)
      return absl::InvalidArgumentError(absl::StrCat("unit ", unit.name, ": dimension #", d,
                                                     " of temporary #", index,
                                                     " would have the negative size ", size));
    bound.sizes[d] = size;
    bound.strides[d] = stride;
    if (__builtin_mul_overflow(stride, std::max<int64_t>(size, 1), &stride) ||
        stride > INT64_MAX / 16)
      return absl::InvalidArgumentError(
          absl::StrCat("unit ", unit.name, ": temporary #", index, " would be too large"));
  }
  return absl::OkStatus();
}

/// Size of dimension `d` of a tensor of which only a part is bound.
int64_t partSize(const UnitBinding &binding, const PartDims &part, size_t d, int64_t size) {
  if (d < 64 && (part.single >> d & 1))
    return 1;
  return part.grouped == static_cast<int32_t>(d) ? binding.groupSize : size;
}

/// Leaves a part of the tensor; a temporary stays dense.
void narrow(const UnitBinding &binding, const PartDims &part, BoundTensor &tensor) {
  int64_t stride = 1;
  for (size_t d = tensor.rank(); d-- > 0;) {
    tensor.sizes[d] = partSize(binding, part, d, tensor.sizes[d]);
    if (!tensor.isTemporary)
      continue;
    tensor.strides[d] = stride;
    stride *= std::max<int64_t>(tensor.sizes[d], 1);
  }
}

/// Smallest and largest value of a linear index over the (non-empty) space; false on overflow.
bool rangeOf(const plan::IndexExpr &index, const DimVec &sizes, int64_t &low, int64_t &high) {
  low = high = index.constant;
  for (size_t d = 0; d < index.coefficients.size(); ++d) {
    int64_t reach;
    if (__builtin_mul_overflow(index.coefficients[d], sizes[d] - 1, &reach) ||
        __builtin_add_overflow(reach < 0 ? low : high, reach, reach < 0 ? &low : &high))
      return false;
  }
  return true;
}

std::string operandName(const plan::Kernel &kernel, size_t operand) {
  if (operand < kernel.numInputs)
    return absl::StrCat("input #", operand);
  return absl::StrCat("output #", operand - kernel.numInputs);
}

/// Checks a linear index that is no plain dimension against the size that it indexes.
absl::Status checkIndex(const plan::Kernel &kernel, size_t operand, size_t dim, int64_t size,
                        const DimVec &sizes) {
  const plan::IndexExpr &index = kernel.operands[operand].indices[dim];
  int64_t low, high;
  if (!rangeOf(index, sizes, low, high))
    return absl::InvalidArgumentError(absl::StrCat(kernel.opName, ": index of dimension #", dim,
                                                   " of ", operandName(kernel, operand),
                                                   " overflows"));
  if (low < 0 || high >= size)
    return absl::InvalidArgumentError(absl::StrCat(kernel.opName, ": dimension #", dim, " of ",
                                                   operandName(kernel, operand), " has size ", size,
                                                   ", but is accessed from ", low, " to ", high));
  return absl::OkStatus();
}

absl::Status sizesDiffer(const plan::Kernel &kernel, size_t operand, size_t dim, int64_t size,
                         size_t iterDim, int64_t iterSize) {
  return absl::InvalidArgumentError(absl::StrCat(
      kernel.opName, ": dimension #", dim, " of ", operandName(kernel, operand), " has size ", size,
      ", but iteration dimension d", iterDim, " has size ", iterSize));
}

/// Strides of one operand over the iteration space, with the checks. Of an empty space only plain
/// dimensions are checked: nothing is accessed.
absl::Status bindAccess(const KernelFacts &facts, size_t operand, const BoundTensor &tensor,
                        bool isEmpty, IterSpace &space) {
  const plan::Kernel &kernel = facts.kernel;
  const plan::Operand &source = kernel.operands[operand];
  LinearAccess &access = space.accesses.emplace_back();
  access.strides.assign(space.sizes.size(), 0);
  bool linear = true;
  for (size_t dim = 0; dim < source.indices.size(); ++dim) {
    int64_t size = tensor.sizes[dim], stride = tensor.strides[dim];
    if (int plain = facts.plainDims[operand][dim]; plain >= 0) {
      auto iterDim = static_cast<size_t>(plain);
      if (space.sizes[iterDim] != size)
        return sizesDiffer(kernel, operand, dim, size, iterDim, space.sizes[iterDim]);
      access.strides[iterDim] += stride;
      continue;
    }
    const plan::IndexExpr &index = source.indices[dim];
    if (!index.isLinear()) {
      linear = false;
      continue;
    }
    if (!isEmpty)
      if (absl::Status status = checkIndex(kernel, operand, dim, size, space.sizes); !status.ok())
        return status;
    access.offset += index.constant * stride;
    for (size_t d = 0; d < index.coefficients.size(); ++d)
      access.strides[d] += index.coefficients[d] * stride;
  }
  space.isLinear.push_back(linear);
  return absl::OkStatus();
}

} // namespace

absl::StatusOr<std::vector<BoundTensor>> bindTensors(const plan::Unit &unit,
                                                     const UnitBinding &binding) {
  std::vector<BoundTensor> tensors(unit.tensors.size());
  uint32_t numParameters = unit.numInputs + unit.numOutputs;
  if (binding.tensors.size() != numParameters)
    return absl::InvalidArgumentError(absl::StrCat("unit ", unit.name, ": ", binding.tensors.size(),
                                                   " tensors, expected ", numParameters));
  if (binding.scalars.size() < unit.scalars.size())
    return absl::InvalidArgumentError(absl::StrCat("unit ", unit.name, ": ", binding.scalars.size(),
                                                   " scalars, expected ", unit.scalars.size()));
  for (uint32_t t = 0; t < unit.tensors.size(); ++t) {
    tensors[t].dtype = unit.tensors[t].dtype;
    absl::Status status = t < numParameters ? bindParameter(unit, t, binding.tensors[t], tensors[t])
                                            : bindTemporary(unit, t, binding, tensors, tensors[t]);
    if (!status.ok())
      return status;
  }
  for (size_t t = 0; t < binding.parts.size(); ++t)
    narrow(binding, binding.parts[t], tensors[t]);
  return tensors;
}

/// Leaves a part of the loops that run along dimensions of which a part is bound; their sizes may
/// be constants of the kernel. Tensors that aren't the unit's have those sizes already.
static void narrowLoops(const KernelFacts &facts, const UnitBinding &binding, DimVec &sizes) {
  for (size_t k = 0; k < facts.kernel.operands.size(); ++k) {
    uint32_t tensor = facts.kernel.operands[k].tensor;
    for (size_t d = 0; tensor < binding.parts.size() && d < facts.plainDims[k].size(); ++d)
      if (int32_t loop = facts.plainDims[k][d]; loop >= 0) {
        int64_t &size = sizes[static_cast<size_t>(loop)];
        size = partSize(binding, binding.parts[tensor], d, size);
      }
  }
}

absl::StatusOr<IterSpace> bindSpace(const KernelFacts &facts, const BindContext &context) {
  const plan::Kernel &kernel = facts.kernel;
  IterSpace space;
  for (const plan::DomainSource &source : kernel.domain) {
    int64_t size = source.dim;
    if (source.operand >= 0) {
      const plan::Operand &operand = kernel.operands[static_cast<size_t>(source.operand)];
      size = context.tensors[operand.tensor].sizes[static_cast<size_t>(source.dim)];
    }
    space.sizes.push_back(size);
  }
  narrowLoops(facts, context.binding, space.sizes);
  bool isEmpty = space.isEmpty();
  for (size_t k = 0; k < kernel.operands.size(); ++k) {
    const BoundTensor &tensor = context.tensors[kernel.operands[k].tensor];
    if (tensor.rank() != kernel.operands[k].indices.size())
      return absl::InvalidArgumentError(absl::StrCat(kernel.opName, ": ", operandName(kernel, k),
                                                     " has rank ", tensor.rank(), ", expected ",
                                                     kernel.operands[k].indices.size()));
    if (absl::Status status = bindAccess(facts, k, tensor, isEmpty, space); !status.ok())
      return status;
  }
  return space;
}

bool hasWindow(const plan::Kernel &kernel) {
  for (const plan::Operand &operand : kernel.operands)
    for (const plan::IndexExpr &index : operand.indices) {
      int dims = 0;
      for (int64_t coefficient : index.coefficients)
        dims += coefficient != 0;
      int64_t first = -1;
      for (const plan::IndexExpr::Token &token : index.postfix) {
        if (token.kind != plan::IndexExpr::Token::Kind::Dim || token.value == first)
          continue;
        dims += 1;
        first = token.value;
      }
      if (dims > 1)
        return true;
    }
  return false;
}

} // namespace anneal::runtime::interpreter
