//===- Tensor.h - Tensors and scalars at the edge of a call -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_TENSOR_H
#define ANNEAL_RUNTIME_TENSOR_H

#include "anneal/Plan/DType.h"
#include "anneal/Runtime/Memory.h"

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "absl/types/variant.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

namespace anneal::runtime {

/// Sizes or strides; no allocation up to rank 6.
using Dims = absl::InlinedVector<int64_t, 6>;

/// "tensor<?x4xf32>"; negative dims print as `?`.
std::string tensorTypeString(plan::DType dtype, absl::Span<const int64_t> dims);

/// Number of elements. Errors: a negative size (InvalidArgument), more than 2^63-1 bytes for
/// elements of `dtype` (ResourceExhausted); both name the type.
absl::StatusOr<int64_t> checkedNumElements(plan::DType dtype, absl::Span<const int64_t> dims);

/// A tensor in memory: element (i...) at `data + sum i_d * strides[d]` elements. A handle: copies
/// share the memory, which lives as long as one of them (or, for a view without owner, as long as
/// the caller sees to it). Handles are not synchronised; the memory may be read by many threads.
class Tensor {
public:
  /// No tensor: rank 0, no data.
  Tensor();
  Tensor(const Tensor &other);
  Tensor(Tensor &&other) noexcept;
  Tensor &operator=(const Tensor &other);
  Tensor &operator=(Tensor &&other) noexcept;
  ~Tensor();

  /// New memory, row-major, aligned to 64, contents undefined. Errors: as checkedNumElements, and
  /// ResourceExhausted when there is not that much memory.
  static absl::StatusOr<Tensor> allocate(plan::DType dtype, absl::Span<const int64_t> dims);

  /// Row-major tensor in a block that has room for it.
  static Tensor inBlock(plan::DType dtype, absl::Span<const int64_t> dims, BlockRef block);

  /// A view over memory of others, kept alive by `owner` (may be null). Nothing in the runtime
  /// writes to it unless it is passed as an output. Empty `strides`: row-major.
  static Tensor view(plan::DType dtype, absl::Span<const int64_t> dims, void *data,
                     std::shared_ptr<const void> owner = nullptr,
                     absl::Span<const int64_t> strides = {});
  static Tensor view(plan::DType dtype, absl::Span<const int64_t> dims, const void *data,
                     std::shared_ptr<const void> owner = nullptr,
                     absl::Span<const int64_t> strides = {});

  plan::DType dtype() const { return elementType; }
  size_t rank() const { return sizes.size(); }
  absl::Span<const int64_t> dims() const { return sizes; }
  absl::Span<const int64_t> strides() const { return steps; }
  void *data() const { return bytes; }
  template <typename T> T *dataAs() const { return static_cast<T *>(bytes); }
  int64_t numElements() const;
  /// Of the elements, as if dense.
  size_t sizeInBytes() const;
  /// Row-major without gaps (sizes 0 and 1 put no demand on strides).
  bool isDense() const;
  /// "tensor<2x3xf32>".
  std::string typeString() const { return tensorTypeString(elementType, sizes); }

  /// The same tensor, row-major: itself if it is dense, else a copy. Errors: out of memory.
  absl::StatusOr<Tensor> toDense() const;

private:
  plan::DType elementType = plan::DType::F32;
  Dims sizes;
  Dims steps;
  void *bytes = nullptr;
  BlockRef block;
  std::shared_ptr<const void> owner;
};

/// A single value; `bits` holds it zero-extended.
struct Scalar {
  plan::DType dtype = plan::DType::I64;
  uint64_t bits = 0;

  /// The value of a C++ number of the same size as `dtype`.
  template <typename T> static Scalar of(plan::DType dtype, T value) {
    Scalar scalar{dtype, 0};
    static_assert(sizeof(T) <= sizeof(uint64_t));
    std::memcpy(&scalar.bits, &value, sizeof(T));
    return scalar;
  }
  template <typename T> T as() const {
    T value;
    static_assert(sizeof(T) <= sizeof(uint64_t));
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
};

/// An input or a result of a call: nothing, a tensor or a scalar.
class Value {
public:
  Value() = default;
  Value(Tensor tensor) : content(std::move(tensor)) {}
  Value(Scalar scalar) : content(scalar) {}

  bool isEmpty() const { return content.index() == 0; }
  bool isTensor() const { return content.index() == 1; }
  bool isScalar() const { return content.index() == 2; }
  /// REQUIRES: isTensor().
  const Tensor &tensor() const { return *absl::get_if<1>(&content); }
  /// REQUIRES: isScalar().
  const Scalar &scalar() const { return *absl::get_if<2>(&content); }
  /// "tensor<2x3xf32>", "i64", "nothing".
  std::string typeString() const;

private:
  absl::variant<absl::monostate, Tensor, Scalar> content;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_TENSOR_H
