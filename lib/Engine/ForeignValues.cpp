//===- ForeignValues.cpp - Arguments and results of compiled functions ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForeignValues.h"

#include "absl/strings/str_cat.h"

#include <cstring>

namespace anneal::engine {
namespace {

constexpr size_t kWord = sizeof(int64_t);

size_t descriptorWords(size_t rank) { return 3 + 2 * rank; }

/// Copies `rank` dimensions; strides in elements.
void copyElements(size_t rank, const int64_t *sizes, const char *from, const int64_t *fromStrides,
                  char *to, const int64_t *toStrides, size_t elementBytes) {
  if (rank == 0) {
    std::memcpy(to, from, elementBytes);
    return;
  }
  auto bytes = static_cast<int64_t>(elementBytes);
  if (rank == 1 && fromStrides[0] == 1 && toStrides[0] == 1) {
    std::memcpy(to, from, static_cast<size_t>(sizes[0]) * elementBytes);
    return;
  }
  for (int64_t i = 0; i < sizes[0]; ++i)
    copyElements(rank - 1, sizes + 1, from + i * fromStrides[0] * bytes, fromStrides + 1,
                 to + i * toStrides[0] * bytes, toStrides + 1, elementBytes);
}

} // namespace

ForeignValues::ForeignValues(const plan::ForeignFunction &function) : function(function) {
  size_t offset = 0;
  for (const plan::Param &result : function.results) {
    size_t alignment = result.isScalar ? plan::sizeOf(result.dtype) : kWord;
    offset = (offset + alignment - 1) / alignment * alignment;
    resultOffsets.push_back(offset);
    offset +=
        result.isScalar ? plan::sizeOf(result.dtype) : descriptorWords(result.dims.size()) * kWord;
  }
  results.resize(offset / kWord + 1);
  resultsAddress = results.data();
}

bool ForeignValues::returnsStruct() const {
  return function.results.size() > 1 ||
         (function.results.size() == 1 && !function.results[0].isScalar);
}

absl::Status ForeignValues::setInputs(absl::Span<const runtime::Value> inputs) {
  for (const runtime::Value &input : inputs) {
    if (input.isScalar()) {
      arguments.push_back({static_cast<int64_t>(input.scalar().bits)});
      continue;
    }
    absl::StatusOr<runtime::Tensor> dense = input.tensor().toDense();
    if (!dense.ok())
      return dense.status();
    auto address = reinterpret_cast<int64_t>(dense->data());
    std::vector<int64_t> descriptor = {address, address, 0};
    descriptor.insert(descriptor.end(), dense->dims().begin(), dense->dims().end());
    int64_t stride = 1;
    descriptor.resize(descriptorWords(dense->rank()));
    for (size_t d = dense->rank(); d-- > 0; stride *= dense->dims()[d])
      descriptor[3 + dense->rank() + d] = stride;
    tensors.push_back(*std::move(dense));
    arguments.push_back(std::move(descriptor));
  }
  return absl::OkStatus();
}

std::vector<void *> ForeignValues::pointers() {
  std::vector<void *> list;
  // A pointer argument is passed as the address of the pointer.
  addresses.clear();
  addresses.reserve(arguments.size());
  if (returnsStruct())
    list.push_back(&resultsAddress);
  for (size_t i = 0; i < arguments.size(); ++i) {
    addresses.push_back(arguments[i].data());
    list.push_back(function.arguments[i].isScalar ? addresses[i] : &addresses[i]);
  }
  if (!returnsStruct() && !function.results.empty())
    list.push_back(results.data());
  return list;
}

absl::Status ForeignValues::readTensor(const plan::Param &param, size_t index,
                                       const int64_t *descriptor, runtime::Value &output) const {
  size_t rank = param.dims.size();
  absl::Span<const int64_t> sizes(descriptor + 3, rank);
  absl::StatusOr<runtime::Tensor> target =
      output.isTensor() ? output.tensor() : runtime::Tensor::allocate(param.dtype, sizes);
  if (!target.ok())
    return target.status();
  if (target->dtype() != param.dtype || target->dims() != sizes)
    return absl::InvalidArgumentError(absl::StrCat("output #", index, ": the result is ",
                                                   runtime::tensorTypeString(param.dtype, sizes),
                                                   ", the output given is ", target->typeString()));
  size_t bytes = plan::sizeOf(param.dtype);
  const char *data =
      reinterpret_cast<const char *>(descriptor[1]) + descriptor[2] * static_cast<int64_t>(bytes);
  if (target->numElements() > 0)
    copyElements(rank, sizes.data(), data, descriptor + 3 + rank, target->dataAs<char>(),
                 target->strides().data(), bytes);
  output = *std::move(target);
  return absl::OkStatus();
}

absl::Status ForeignValues::readResults(absl::Span<runtime::Value> outputs) const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const plan::Param &param = function.results[i];
    const char *at = reinterpret_cast<const char *>(results.data()) + resultOffsets[i];
    if (!param.isScalar) {
      absl::Status status = readTensor(param, i, reinterpret_cast<const int64_t *>(at), outputs[i]);
      if (!status.ok())
        return status;
      continue;
    }
    runtime::Scalar scalar{param.dtype, 0};
    std::memcpy(&scalar.bits, at, plan::sizeOf(param.dtype));
    if (param.dtype == plan::DType::I1)
      scalar.bits &= 1;
    outputs[i] = scalar;
  }
  return absl::OkStatus();
}

} // namespace anneal::engine
