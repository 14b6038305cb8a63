//===- Shape.h - A contraction's dimensions, sorted by role -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_SHAPE_H
#define ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_SHAPE_H

#include "Convert.h"

#include "anneal/Runtime/Kernels/Contraction.h"

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"

#include <array>
#include <span>

namespace anneal::runtime::contraction {

/// Parallel, and reduction, dimensions that a problem may have: places are kept in arrays of this
/// size.
inline constexpr int kMaxDims = 16;

/// Axes that an operand may have.
inline constexpr int kMaxAxes = 8;

/// Largest supported number of elements or bytes of anything.
inline constexpr int64_t kMaxCount = int64_t(1) << 62;

/// A dimension of the iteration space.
struct LoopDim {
  int64_t size = 1;
  /// Strides in A and B, in elements.
  std::array<int64_t, 2> operand = {0, 0};
  int64_t c = 0;
  int64_t init = 0;
  /// Position among the problem's parallel or reduction dimensions.
  int origin = 0;
  /// Several reduction dimensions in one; none of them moves along an axis that leaves its bounds.
  bool merged = false;
};
using LoopDims = absl::InlinedVector<LoopDim, 3>;

/// a / b and a mod b for a >= 0, b > 0; most are small, and narrow divisions are several times
/// faster.
struct Division {
  int64_t quotient, rest;
  Division(int64_t a, int64_t b) {
    if (b == 1) {
      quotient = a;
      rest = 0;
    } else if (((a | b) >> 32) == 0) {
      quotient = static_cast<uint32_t>(a) / static_cast<uint32_t>(b);
      rest = static_cast<uint32_t>(a) % static_cast<uint32_t>(b);
    } else {
      quotient = a / b;
      rest = a % b;
    }
  }
};

/// Product of the sizes.
int64_t extentOf(std::span<const LoopDim> dims);

/// Whether flattened positions over `dims` are evenly spaced under the stride that `strideOf`
/// reads; `step` is then their distance (of dimensions of size one: zero).
template <typename StrideOf>
bool isLinear(std::span<const LoopDim> dims, StrideOf strideOf, int64_t &step) {
  step = 0;
  int64_t inner = 1;
  bool any = false;
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i].size == 1)
      continue;
    const int64_t stride = strideOf(dims[i]);
    if (!any)
      step = stride;
    else if (stride != step * inner)
      return false;
    any = true;
    inner *= dims[i].size;
  }
  return true;
}

/// An axis of an operand with its window and its bounds (see PaddedAxis).
struct Axis {
  int64_t size, low, stride;
  /// Some position of the iteration space is outside [0, size).
  bool leaves;
  /// Coefficients, by position among the problem's dimensions.
  std::vector<int64_t> parallel, reduction;

  /// Positions that a step along a reduction dimension moves.
  int64_t alongReduction(const LoopDim &dim) const {
    return dim.merged ? 0 : reduction[static_cast<size_t>(dim.origin)];
  }
  int64_t alongParallel(const LoopDim &dim) const {
    return parallel[static_cast<size_t>(dim.origin)];
  }
};

/// One of A and B.
struct OperandShape {
  ElementReader reader;
  std::vector<Axis> axes;
  /// Some axis leaves its bounds.
  bool padded = false;
  /// The padding value as the compute type.
  std::array<char, 8> pad = {};
  /// Offset of iteration point 0 from the operand's pointer, in elements.
  int64_t origin = 0;
  bool constant = false;
};

/// A problem in the form that the planners work on.
struct Shape {
  const IsaKernels *kernels = nullptr;
  Isa isa = Isa::Portable;
  ComputeType compute = ComputeType::F32;
  plan::DType c = plan::DType::F32;
  ReductionOrder order = ReductionOrder::Chain;
  std::array<OperandShape, 2> operands;

  /// Parallel dimensions larger than one by role, in descending order of their stride in C: in both
  /// inputs or in neither, in A alone, in B alone.
  LoopDims batch;
  std::array<LoopDims, 2> sides;
  /// Reduction dimensions larger than one, in numeric order, neighbours merged where that is the
  /// same access.
  LoopDims reduction;

  int numParallel = 0;
  int64_t outputs = 0;
  int64_t steps = 0;

  InitKind init = InitKind::Value;
  /// The initial value as the compute type.
  std::array<char, 8> initValue = {};
  bool tileBuffer = false;
  unsigned numThreads = 0;

  int64_t elementBytes() const { return bytesOf(compute); }
  int64_t resultBytes() const { return static_cast<int64_t>(plan::sizeOf(c)); }
  /// C's elements stand in memory as the compute type does.
  bool directResult() const {
    return resultConversionOf(c) == ResultConversion::Move4 ||
           resultConversionOf(c) == ResultConversion::Move8;
  }
  const MicroKernels &micro() const { return kernels->micro[static_cast<int>(compute)]; }
};

/// Checks the problem and sorts its dimensions.
absl::StatusOr<Shape> normalise(const ContractionProblem &problem, Isa isa);

} // namespace anneal::runtime::contraction

#endif // ANNEAL_LIB_RUNTIME_KERNELS_CONTRACTION_SHAPE_H
