//===- Tensors.cpp - Tensors of the C interface ---------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "absl/strings/str_cat.h"

using namespace anneal;
using namespace anneal::capi;
using runtime::Tensor;

static_assert(static_cast<int>(ANNEAL_INDEX) == static_cast<int>(plan::DType::Index));
static_assert(static_cast<int>(ANNEAL_F64) == static_cast<int>(plan::DType::F64));

static bool isDType(AnnealDType dtype) { return static_cast<unsigned>(dtype) < plan::kNumDTypes; }

const char *annealDTypeName(AnnealDType dtype) {
  return isDType(dtype) ? plan::name(static_cast<plan::DType>(dtype)).data() : nullptr;
}
size_t annealDTypeSize(AnnealDType dtype) {
  return isDType(dtype) ? plan::sizeOf(static_cast<plan::DType>(dtype)) : 0;
}

/// What is wrong with the type and sizes of a tensor; null if nothing is.
static AnnealFailure *checkShape(AnnealDType dtype, size_t rank, const int64_t *sizes) {
  if (!isDType(dtype))
    return invalid(absl::StrCat("there is no element type ", static_cast<int>(dtype)));
  constexpr size_t kMostDims = 1024;
  if (rank > kMostDims)
    // With its sign: a negative one was given for a size_t.
    return invalid(absl::StrCat("a tensor of rank ", static_cast<int64_t>(rank),
                                "; ranks go from 0 to ", kMostDims));
  if (rank && !sizes)
    return invalid("null was given for the sizes of a tensor");
  return failureOf(
      runtime::checkedNumElements(static_cast<plan::DType>(dtype), absl::MakeConstSpan(sizes, rank))
          .status());
}

AnnealFailure *annealTensorCreate(AnnealDType dtype, size_t rank, const int64_t *sizes,
                                  AnnealTensor **tensor) {
  return guarded([&]() -> AnnealFailure * {
    if (!tensor)
      return invalid("null was given for the place of the new tensor");
    if (AnnealFailure *failure = checkShape(dtype, rank, sizes))
      return failure;
    auto made = Tensor::allocate(static_cast<plan::DType>(dtype), absl::MakeConstSpan(sizes, rank));
    if (!made.ok())
      return failureOf(made.status());
    *tensor = new AnnealTensor(*std::move(made));
    return nullptr;
  });
}

AnnealFailure *annealTensorWrap(AnnealDType dtype, size_t rank, const int64_t *sizes,
                                const int64_t *strides, void *data, AnnealDeleter deleter,
                                void *context, AnnealTensor **tensor) {
  return guarded([&]() -> AnnealFailure * {
    if (!tensor)
      return invalid("null was given for the place of the new tensor");
    if (AnnealFailure *failure = checkShape(dtype, rank, sizes))
      return failure;
    bool isEmpty = false;
    for (size_t d = 0; d < rank; ++d)
      isEmpty |= sizes[d] == 0;
    if (!data && !isEmpty)
      return invalid("null was given for the data of a tensor");
    auto shape = absl::MakeConstSpan(sizes, rank);
    auto steps = absl::MakeConstSpan(strides, strides ? rank : 0);
    auto made = std::make_unique<AnnealTensor>(Tensor());
    // The deleter runs for this owner only once nothing can fail any more.
    std::shared_ptr<bool> isArmed;
    std::shared_ptr<const void> owner;
    if (deleter) {
      isArmed = std::make_shared<bool>(false);
      owner = std::shared_ptr<const void>(static_cast<const void *>(isArmed.get()),
                                          [deleter, context, isArmed](const void *) {
                                            if (*isArmed)
                                              deleter(context);
                                          });
    }
    made->tensor =
        Tensor::view(static_cast<plan::DType>(dtype), shape, data, std::move(owner), steps);
    if (isArmed)
      *isArmed = true;
    *tensor = made.release();
    return nullptr;
  });
}

int32_t annealTensorDType(const AnnealTensor *tensor) {
  return isAlive(tensor) ? static_cast<int32_t>(tensor->tensor.dtype()) : -1;
}
size_t annealTensorRank(const AnnealTensor *tensor) {
  return isAlive(tensor) ? tensor->tensor.rank() : 0;
}
const int64_t *annealTensorSizes(const AnnealTensor *tensor) {
  return isAlive(tensor) ? tensor->tensor.dims().data() : nullptr;
}
const int64_t *annealTensorStrides(const AnnealTensor *tensor) {
  return isAlive(tensor) ? tensor->tensor.strides().data() : nullptr;
}
int64_t annealTensorNumElements(const AnnealTensor *tensor) {
  return isAlive(tensor) ? tensor->tensor.numElements() : 0;
}
void *annealTensorData(const AnnealTensor *tensor) {
  return isAlive(tensor) ? tensor->tensor.data() : nullptr;
}
void annealTensorDestroy(AnnealTensor *tensor) {
  if (isAlive(tensor))
    destroyHandle(tensor);
}

AnnealFailure *annealCancelTokenCreate(AnnealCancelToken **token) {
  return guarded([&]() -> AnnealFailure * {
    if (!token)
      return invalid("null was given for the place of the new cancel token");
    *token = new AnnealCancelToken();
    return nullptr;
  });
}
void annealCancelTokenRequest(AnnealCancelToken *token) {
  if (isAlive(token))
    token->isRequested.store(true, std::memory_order_relaxed);
}
void annealCancelTokenReset(AnnealCancelToken *token) {
  if (isAlive(token))
    token->isRequested.store(false, std::memory_order_relaxed);
}
void annealCancelTokenDestroy(AnnealCancelToken *token) {
  if (isAlive(token))
    destroyHandle(token);
}
