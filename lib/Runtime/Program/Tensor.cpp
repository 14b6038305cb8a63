//===- Tensor.cpp - Tensors and scalars at the edge of a call -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Tensor.h"

#include "StridedCopy.h"

#include "absl/strings/str_cat.h"

namespace anneal::runtime {

namespace {

/// Up to here there is memory, and asking for how much there is would cost more than the
/// allocation.
constexpr size_t kSmall = size_t(64) << 20;

absl::string_view dtypeName(plan::DType dtype) {
  std::string_view text = plan::name(dtype);
  return {text.data(), text.size()};
}

Dims rowMajorStrides(absl::Span<const int64_t> dims) {
  Dims strides(dims.size());
  int64_t step = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = step;
    step *= dims[d];
  }
  return strides;
}

} // namespace

std::string tensorTypeString(plan::DType dtype, absl::Span<const int64_t> dims) {
  std::string text = "tensor<";
  for (int64_t size : dims)
    size < 0 ? absl::StrAppend(&text, "?x") : absl::StrAppend(&text, size, "x");
  absl::StrAppend(&text, dtypeName(dtype), ">");
  return text;
}

absl::StatusOr<int64_t> checkedNumElements(plan::DType dtype, absl::Span<const int64_t> dims) {
  bool isEmpty = false, overflows = false;
  int64_t bytes = static_cast<int64_t>(plan::sizeOf(dtype));
  for (int64_t size : dims) {
    if (size < 0)
      return absl::InvalidArgumentError(
          absl::StrCat("a tensor cannot have the size ", size, " in a dimension"));
    isEmpty |= size == 0;
    overflows |= size > 0 && __builtin_mul_overflow(bytes, size, &bytes);
  }
  if (isEmpty)
    return 0;
  if (overflows)
    return absl::ResourceExhaustedError(
        absl::StrCat(tensorTypeString(dtype, dims), " is larger than the address space"));
  return bytes / static_cast<int64_t>(plan::sizeOf(dtype));
}

Tensor::Tensor() = default;
Tensor::Tensor(const Tensor &other) = default;
Tensor::Tensor(Tensor &&other) noexcept = default;
Tensor &Tensor::operator=(const Tensor &other) = default;
Tensor &Tensor::operator=(Tensor &&other) noexcept = default;
Tensor::~Tensor() = default;

absl::StatusOr<Tensor> Tensor::allocate(plan::DType dtype, absl::Span<const int64_t> dims) {
  absl::StatusOr<int64_t> elements = checkedNumElements(dtype, dims);
  if (!elements.ok())
    return elements.status();
  size_t bytes = static_cast<size_t>(*elements) * plan::sizeOf(dtype);
  bool mayExist = bytes <= kSmall || bytes <= usableMemory();
  BlockRef block(mayExist ? MemoryBlock::create(bytes) : nullptr);
  if (!block)
    return absl::ResourceExhaustedError(
        absl::StrCat("out of memory: ", bytes, " bytes for ", tensorTypeString(dtype, dims)));
  return inBlock(dtype, dims, std::move(block));
}

Tensor Tensor::inBlock(plan::DType dtype, absl::Span<const int64_t> dims, BlockRef block) {
  Tensor tensor = view(dtype, dims, block->data());
  tensor.block = std::move(block);
  return tensor;
}

Tensor Tensor::view(plan::DType dtype, absl::Span<const int64_t> dims, void *data,
                    std::shared_ptr<const void> owner, absl::Span<const int64_t> strides) {
  Tensor tensor;
  tensor.elementType = dtype;
  tensor.sizes.assign(dims.begin(), dims.end());
  if (strides.empty())
    tensor.steps = rowMajorStrides(dims);
  else
    tensor.steps.assign(strides.begin(), strides.end());
  tensor.bytes = data;
  tensor.owner = std::move(owner);
  return tensor;
}

Tensor Tensor::view(plan::DType dtype, absl::Span<const int64_t> dims, const void *data,
                    std::shared_ptr<const void> owner, absl::Span<const int64_t> strides) {
  return view(dtype, dims, const_cast<void *>(data), std::move(owner), strides);
}

int64_t Tensor::numElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  return count;
}

size_t Tensor::sizeInBytes() const {
  return static_cast<size_t>(numElements()) * plan::sizeOf(elementType);
}

bool Tensor::isDense() const { return isRowMajor(sizes, steps); }

absl::StatusOr<Tensor> Tensor::toDense() const {
  if (isDense())
    return *this;
  absl::StatusOr<Tensor> dense = allocate(elementType, sizes);
  if (dense.ok())
    copyStrided({dense->data(), dense->dims(), dense->strides()}, {bytes, sizes, steps},
                plan::sizeOf(elementType), nullptr);
  return dense;
}

std::string Value::typeString() const {
  if (isTensor())
    return tensor().typeString();
  return isScalar() ? std::string(dtypeName(scalar().dtype)) : "nothing";
}

} // namespace anneal::runtime
