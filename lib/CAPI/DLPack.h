//===- DLPack.h - The structs of DLPack -------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The binary interface of DLPack 1.0 (https://dmlc.github.io/dlpack/latest/c_api.html), and of what
// came before it, as far as it is used here. Debian's dlpack.h is older than the versioned struct.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CAPI_DLPACK_H
#define ANNEAL_LIB_CAPI_DLPACK_H

#include <cstdint>

namespace anneal::capi {

struct DLDevice {
  int32_t type;
  int32_t id;
};
/// Memory that the processor reads: its own, and pinned by CUDA or ROCm.
inline constexpr int32_t kDLCPU = 1, kDLCUDAHost = 3, kDLROCMHost = 11;

struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};
enum DLDataTypeCode : uint8_t { kDLInt = 0, kDLUInt = 1, kDLFloat = 2, kDLBfloat = 4, kDLBool = 6 };

struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  /// In elements; null: row-major.
  int64_t *strides;
  uint64_t byteOffset;
};

inline constexpr uint32_t kDLMajorVersion = 1;
inline constexpr uint64_t kDLReadOnly = 1;

} // namespace anneal::capi

struct DLManagedTensor {
  anneal::capi::DLTensor tensor;
  void *context;
  void (*deleter)(DLManagedTensor *);
};

struct DLManagedTensorVersioned {
  struct {
    uint32_t major, minor;
  } version;
  void *context;
  void (*deleter)(DLManagedTensorVersioned *);
  uint64_t flags;
  anneal::capi::DLTensor tensor;
};

#endif // ANNEAL_LIB_CAPI_DLPACK_H
