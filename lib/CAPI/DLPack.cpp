//===- DLPack.cpp - Tensors to and from DLPack ----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DLPack.h"

#include "Handles.h"

#include "absl/strings/str_cat.h"

#include <optional>

using namespace anneal;
using namespace anneal::capi;
using runtime::Tensor;

namespace {

std::optional<plan::DType> dtypeOf(DLDataType type) {
  using plan::DType;
  if (type.lanes != 1)
    return std::nullopt;
  switch (type.code) {
  case kDLBool:
    return type.bits == 8 ? std::optional(DType::I1) : std::nullopt;
  case kDLInt:
  case kDLUInt:
    // Integers have no sign of their own.
    switch (type.bits) {
    case 8:
      return DType::I8;
    case 16:
      return DType::I16;
    case 32:
      return DType::I32;
    case 64:
      return DType::I64;
    default:
      return std::nullopt;
    }
  case kDLFloat:
    return type.bits == 16   ? std::optional(DType::F16)
           : type.bits == 32 ? std::optional(DType::F32)
           : type.bits == 64 ? std::optional(DType::F64)
                             : std::nullopt;
  case kDLBfloat:
    return type.bits == 16 ? std::optional(DType::BF16) : std::nullopt;
  default:
    return std::nullopt;
  }
}

DLDataType typeOf(plan::DType dtype) {
  auto bits = static_cast<uint8_t>(8 * plan::sizeOf(dtype));
  switch (dtype) {
  case plan::DType::I1:
    return {kDLBool, bits, 1};
  case plan::DType::BF16:
    return {kDLBfloat, bits, 1};
  case plan::DType::F16:
  case plan::DType::F32:
  case plan::DType::F64:
    return {kDLFloat, bits, 1};
  default:
    return {kDLInt, bits, 1};
  }
}

AnnealFailure *checkDLTensor(const DLTensor &source) {
  int32_t device = source.device.type;
  if (device != kDLCPU && device != kDLCUDAHost && device != kDLROCMHost)
    return invalid(absl::StrCat("a DLPack tensor is on device type ", device,
                                ", and only memory of the processor is read (type 1); copy it "
                                "there first"));
  if (!dtypeOf(source.dtype))
    return invalid(absl::StrCat("a DLPack tensor has elements of type code ",
                                int(source.dtype.code), " with ", int(source.dtype.bits),
                                " bits and ", int(source.dtype.lanes),
                                " lanes, which none of Anneal's types is"));
  if (source.ndim < 0)
    return invalid(absl::StrCat("a DLPack tensor has ", source.ndim, " dimensions"));
  return nullptr;
}

/// `deleter(context)` as in annealTensorWrap.
AnnealFailure *wrap(const DLTensor &source, bool isReadOnly, AnnealDeleter deleter, void *context,
                    AnnealTensor **tensor) {
  if (AnnealFailure *failure = checkDLTensor(source))
    return failure;
  void *data = source.data ? static_cast<char *>(source.data) + source.byteOffset : nullptr;
  AnnealFailure *failure = annealTensorWrap(static_cast<AnnealDType>(*dtypeOf(source.dtype)),
                                            static_cast<size_t>(source.ndim), source.shape,
                                            source.strides, data, deleter, context, tensor);
  if (!failure)
    (*tensor)->isReadOnly = isReadOnly;
  return failure;
}

/// What an exported tensor refers to.
template <typename Managed> struct Exported {
  explicit Exported(const Tensor &tensor)
      : tensor(tensor), sizes(tensor.dims().begin(), tensor.dims().end()),
        strides(tensor.strides().begin(), tensor.strides().end()) {
    managed.context = this;
    managed.deleter = [](Managed *self) { delete static_cast<Exported *>(self->context); };
    managed.tensor = {tensor.data(),
                      {kDLCPU, 0},
                      static_cast<int32_t>(tensor.rank()),
                      typeOf(tensor.dtype()),
                      sizes.data(),
                      strides.data(),
                      0};
  }
  const Tensor tensor;
  std::vector<int64_t> sizes, strides;
  Managed managed{};
};

} // namespace

AnnealFailure *annealTensorFromDLPack(DLManagedTensor *managed, AnnealTensor **tensor) {
  return guarded([&]() -> AnnealFailure * {
    if (!managed || !tensor)
      return invalid("null was given for a DLPack tensor or the place of the new tensor");
    auto release = [](void *context) {
      auto *owned = static_cast<DLManagedTensor *>(context);
      if (owned->deleter)
        owned->deleter(owned);
    };
    return wrap(managed->tensor, false, release, managed, tensor);
  });
}

AnnealFailure *annealTensorFromDLPackVersioned(DLManagedTensorVersioned *managed,
                                               AnnealTensor **tensor) {
  return guarded([&]() -> AnnealFailure * {
    if (!managed || !tensor)
      return invalid("null was given for a DLPack tensor or the place of the new tensor");
    if (managed->version.major != kDLMajorVersion)
      return invalid(absl::StrCat("a DLPack tensor has version ", managed->version.major, ".",
                                  managed->version.minor, ", and version ", kDLMajorVersion,
                                  " is read"));
    auto release = [](void *context) {
      auto *owned = static_cast<DLManagedTensorVersioned *>(context);
      if (owned->deleter)
        owned->deleter(owned);
    };
    return wrap(managed->tensor, managed->flags & kDLReadOnly, release, managed, tensor);
  });
}

AnnealFailure *annealTensorBorrowDLPack(const void *dlTensor, AnnealTensor **tensor) {
  return guarded([&]() -> AnnealFailure * {
    if (!dlTensor || !tensor)
      return invalid("null was given for a DLPack tensor or the place of the new tensor");
    return wrap(*static_cast<const DLTensor *>(dlTensor), false, nullptr, nullptr, tensor);
  });
}

AnnealFailure *annealTensorToDLPack(const AnnealTensor *tensor, DLManagedTensor **managed) {
  return guarded([&]() -> AnnealFailure * {
    if (!isAlive(tensor))
      return badHandle(tensor, "the tensor");
    if (!managed)
      return invalid("null was given for the place of the DLPack tensor");
    if (tensor->isReadOnly)
      return invalid("a read-only tensor can be exported by annealTensorToDLPackVersioned alone");
    *managed = &(new Exported<DLManagedTensor>(tensor->tensor))->managed;
    return nullptr;
  });
}

AnnealFailure *annealTensorToDLPackVersioned(const AnnealTensor *tensor,
                                             DLManagedTensorVersioned **managed) {
  return guarded([&]() -> AnnealFailure * {
    if (!isAlive(tensor))
      return badHandle(tensor, "the tensor");
    if (!managed)
      return invalid("null was given for the place of the DLPack tensor");
    auto *exported = new Exported<DLManagedTensorVersioned>(tensor->tensor);
    exported->managed.version = {kDLMajorVersion, 0};
    exported->managed.flags = tensor->isReadOnly ? kDLReadOnly : 0;
    *managed = &exported->managed;
    return nullptr;
  });
}
