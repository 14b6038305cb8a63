//===- Binding.h - Tensors and iteration spaces with sizes ------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// First step of binding a unit (DESIGN.md D3): the sizes of its tensors and of its kernels'
// iteration spaces, affine maps turned into strides, and the checks that every access stays inside.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_BINDING_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_BINDING_H

#include "anneal/Plan/Unit.h"
#include "anneal/Runtime/Interpreter/BoundUnit.h"

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace anneal::runtime::interpreter {

class KernelFacts;
class UnitFactsImpl;

/// One value for each dimension; without allocation up to 8 (loops that could not be merged).
using DimVec = absl::InlinedVector<int64_t, 8>;
/// The same where there are many of them, and none is made in a call.
using StrideVec = absl::InlinedVector<int64_t, 4>;
/// One flag for each tensor, kernel or operand of a unit.
using FlagVec = absl::InlinedVector<bool, 16>;

/// A tensor of a unit whose layout is known; sizes and strides in elements.
struct BoundTensor {
  plan::DType dtype = plan::DType::F32;
  DimVec sizes;
  DimVec strides;
  /// Its bytes are known when a form is given constants, so that packed forms of it can be made.
  bool isConstant = false;
  bool isTemporary = false;
  /// Temporaries: bytes from the start of the workspace.
  size_t workspaceOffset = 0;

  size_t elementSize() const { return plan::sizeOf(dtype); }
  /// Number of elements; sizes are checked when bound, so that it fits.
  int64_t numElements() const;
  size_t rank() const { return sizes.size(); }
};

/// A linear access: element `offset + sum i_d * strides[d]` of a tensor, `i` the iteration point.
struct LinearAccess {
  int64_t offset = 0;
  StrideVec strides;
};

/// The iteration space of one kernel.
struct IterSpace {
  DimVec sizes;
  /// One for each operand of the kernel; meaningless where `isLinear` is false.
  absl::InlinedVector<LinearAccess, 4> accesses;
  absl::InlinedVector<bool, 4> isLinear;

  bool isEmpty() const;
  /// Product of the sizes.
  int64_t numPoints() const;
};

/// A packed form of a constant parameter that a kernel reads; which constant it is, is not known
/// yet.
struct DerivedRequest {
  /// Index among UnitBinding::tensors, and bytes from its first element to where packing starts.
  uint32_t tensor = 0;
  int64_t offset = 0;
  /// As in DerivedConstants::getOrCreate.
  std::string layout;
  size_t bytes = 0;
  std::function<void(const void *source, void *memory)> fill;
};

/// What the binding of a kernel reads, and what it asks for.
struct BindContext {
  const UnitFactsImpl &facts;
  const plan::Unit &unit;
  const UnitBinding &binding;
  /// As in plan::Unit::tensors.
  std::vector<BoundTensor> tensors;
  /// Packed forms that the kernels read, by their index here (RunState::derived).
  std::vector<DerivedRequest> &derived;
};

/// Layouts of all tensors of `unit`: parameters as the binding says, temporaries dense and
/// row-major (without a place in the workspace yet). InvalidArgument where rank or a known size of
/// a parameter differs, where a temporary would have a negative size or too many bytes.
absl::StatusOr<std::vector<BoundTensor>> bindTensors(const plan::Unit &unit,
                                                     const UnitBinding &binding);

/// Value of a size expression given the tensors bound so far.
int64_t evaluateSize(const plan::SizeExpr &size, const std::vector<BoundTensor> &tensors,
                     const UnitBinding &binding);

/// Iteration space of a structured kernel. InvalidArgument, naming operation, operand, dimension
/// and sizes, where a linear access would leave its operand or a plain dimension does not match its
/// size.
absl::StatusOr<IterSpace> bindSpace(const KernelFacts &facts, const BindContext &context);

/// Some index expression of the kernel mixes two iteration dimensions (pooling, convolution).
bool hasWindow(const plan::Kernel &kernel);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_BINDING_H
