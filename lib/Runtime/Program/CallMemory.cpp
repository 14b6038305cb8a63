//===- CallMemory.cpp - Where a call's inputs and results are -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallMemory.h"

#include "absl/strings/str_cat.h"

namespace anneal::runtime {

namespace {

bool isAligned(const Tensor &tensor) {
  return reinterpret_cast<uintptr_t>(tensor.data()) % plan::sizeOf(tensor.dtype()) == 0;
}

/// Whether two tensors share a byte. Strided ones are taken for everything between their ends.
bool overlap(const Tensor &a, const Tensor &b) {
  auto range = [](const Tensor &tensor) {
    TensorLayout layout;
    layout.sizes = tensor.dims();
    layout.strides = tensor.strides();
    auto size = static_cast<int64_t>(plan::sizeOf(tensor.dtype()));
    auto start = reinterpret_cast<intptr_t>(tensor.data());
    if (!computeReach(layout, tensor.dtype()).ok() || layout.isEmpty())
      return std::make_pair(start, start);
    return std::make_pair(start + layout.low * size, start + (layout.high + 1) * size);
  };
  auto [aBegin, aEnd] = range(a);
  auto [bBegin, bEnd] = range(b);
  return aBegin < bEnd && bBegin < aEnd;
}

} // namespace

absl::Status CallMemory::place() {
  for (size_t i = 0; i < inputs.size(); ++i)
    if (absl::Status status = placeInput(i); !status.ok())
      return status;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (absl::Status status = placeResult(i); !status.ok())
      return status;
  return absl::OkStatus();
}

absl::StatusOr<BlockRef> CallMemory::acquire(plan::DType dtype,
                                             absl::Span<const int64_t> dims) const {
  absl::StatusOr<int64_t> elements = checkedNumElements(dtype, dims);
  if (!elements.ok())
    return elements.status();
  size_t bytes = static_cast<size_t>(*elements) * plan::sizeOf(dtype);
  BlockRef block = shared.memory->acquire(bytes);
  if (!block)
    return absl::ResourceExhaustedError(
        absl::StrCat("out of memory: ", bytes, " bytes for ", tensorTypeString(dtype, dims)));
  return block;
}

absl::Status CallMemory::placeInput(size_t index) {
  if (!inputs[index].isTensor())
    return absl::OkStatus();
  const Tensor &tensor = inputs[index].tensor();
  context.arguments[index] = tensor.data();
  if (tensor.isDense() && isAligned(tensor))
    return absl::OkStatus();
  absl::StatusOr<BlockRef> block = acquire(tensor.dtype(), tensor.dims());
  if (!block.ok())
    return block.status();
  Tensor copy = Tensor::inBlock(tensor.dtype(), tensor.dims(), *block);
  copyStrided({copy.data(), copy.dims(), copy.strides()},
              {tensor.data(), tensor.dims(), tensor.strides()}, plan::sizeOf(tensor.dtype()),
              shared.pool.get());
  context.arguments[index] = copy.data();
  context.inputCopies[index] = *std::move(block);
  return absl::OkStatus();
}

/// Steps write the result's own memory, of sizes that are known with the instance.
bool CallMemory::isDirect(size_t index) const {
  const plan::Param &result = function.results[index];
  plan::Base own{plan::Base::Kind::Result, static_cast<uint32_t>(index)};
  return !result.isScalar && function.memrefs[result.memref].base == own;
}

absl::Status CallMemory::checkOutput(size_t index, absl::Span<const int64_t> dims) const {
  const plan::Param &result = function.results[index];
  const Value &output = outputs[index];
  bool fits = output.isTensor() && output.tensor().dtype() == result.dtype &&
              output.tensor().dims() == dims &&
              (output.tensor().data() || output.tensor().numElements() == 0);
  if (fits)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("result #", index, ": it is a ", tensorTypeString(result.dtype, dims),
                   ", the output given for it a ", output.typeString()));
}

/// Whether steps may write a result straight to the caller's memory.
bool CallMemory::isUsable(const Tensor &output, size_t index) const {
  if (!output.isDense() || !isAligned(output))
    return false;
  for (const Value &input : inputs)
    if (input.isTensor() && overlap(output, input.tensor()))
      return false;
  for (size_t other = 0; other < outputs.size(); ++other)
    if (other != index && outputs[other].isTensor() && overlap(output, outputs[other].tensor()))
      return false;
  return true;
}

absl::Status CallMemory::placeResult(size_t index) {
  if (!isDirect(index))
    return absl::OkStatus();
  const plan::Param &result = function.results[index];
  absl::Span<const int64_t> dims = instance.layouts[result.memref].sizes;
  if (!outputs[index].isEmpty()) {
    if (absl::Status status = checkOutput(index, dims); !status.ok())
      return status;
    const Tensor &output = outputs[index].tensor();
    if (isUsable(output, index)) {
      context.results[index] = output.data();
      return absl::OkStatus();
    }
  }
  absl::StatusOr<BlockRef> block = acquire(result.dtype, dims);
  if (!block.ok())
    return block.status();
  context.results[index] = (*block)->data();
  context.resultBlocks[index] = *std::move(block);
  return absl::OkStatus();
}

absl::Status CallMemory::finish(Execution &execution) {
  // Results that are not written yet may still be read from the caller's memory (an argument that
  // is returned), so all are fetched before outputs that were placed elsewhere are written.
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!function.results[i].isScalar && !isDirect(i))
      if (absl::Status status = finishResult(i, execution); !status.ok())
        return status;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const plan::Param &result = function.results[i];
    if (result.isScalar) {
      outputs[i] = Scalar{result.dtype, context.registers[result.scalar]};
      continue;
    }
    if (!context.resultBlocks[i])
      continue;
    StridedView view;
    absl::Span<const int64_t> dims;
    if (isDirect(i)) {
      dims = instance.layouts[result.memref].sizes;
    } else {
      if (absl::Status status = execution.locate(result.memref, view); !status.ok())
        return status;
      dims = view.sizes;
    }
    Tensor made = Tensor::inBlock(result.dtype, dims, std::move(context.resultBlocks[i]));
    if (outputs[i].isEmpty()) {
      outputs[i] = std::move(made);
      continue;
    }
    const Tensor &output = outputs[i].tensor();
    copyStrided({output.data(), output.dims(), output.strides()},
                {made.data(), made.dims(), made.strides()}, plan::sizeOf(result.dtype),
                shared.pool.get());
  }
  return absl::OkStatus();
}

/// Fetches a result from wherever the steps left it.
absl::Status CallMemory::finishResult(size_t index, Execution &execution) {
  const plan::Param &result = function.results[index];
  StridedView view;
  if (absl::Status status = execution.locate(result.memref, view); !status.ok())
    return status;
  if (!outputs[index].isEmpty())
    if (absl::Status status = checkOutput(index, view.sizes); !status.ok())
      return status;
  absl::StatusOr<BlockRef> block = acquire(result.dtype, view.sizes);
  if (!block.ok())
    return block.status();
  Tensor copy = Tensor::inBlock(result.dtype, view.sizes, *block);
  copyStrided({copy.data(), copy.dims(), copy.strides()}, view, plan::sizeOf(result.dtype),
              shared.pool.get());
  context.resultBlocks[index] = *std::move(block);
  return absl::OkStatus();
}

} // namespace anneal::runtime
