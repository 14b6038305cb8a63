//===- Shape.cpp - A contraction's dimensions, sorted by role -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shape.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

namespace anneal::runtime::contraction {

int64_t extentOf(std::span<const LoopDim> dims) {
  int64_t extent = 1;
  for (const LoopDim &dim : dims)
    extent *= dim.size;
  return extent;
}

namespace {

/// Product of sizes, or an error if it does not fit.
absl::StatusOr<int64_t> countPoints(const std::vector<ContractionDim> &dims, const char *what) {
  int64_t count = 1;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d].size < 0)
      return absl::InvalidArgumentError(
          absl::StrCat(what, " dimension ", d, " has size ", dims[d].size));
  for (const ContractionDim &dim : dims)
    if (dim.size == 0)
      return 0;
  for (const ContractionDim &dim : dims) {
    if (count > kMaxCount / dim.size)
      return absl::InvalidArgumentError(absl::StrCat(what, " dimensions have too many points"));
    count *= dim.size;
  }
  return count;
}

/// Whether a position of the axis can be outside [0, size).
bool leavesBounds(const PaddedAxis &axis, const ContractionProblem &problem) {
  int64_t first = -axis.low, last = -axis.low;
  const size_t numParallel = problem.parallel.size();
  for (size_t d = 0; d < axis.coefficients.size(); ++d) {
    const ContractionDim &dim =
        d < numParallel ? problem.parallel[d] : problem.reduction[d - numParallel];
    const int64_t reach = axis.coefficients[d] * (dim.size - 1);
    (reach < 0 ? first : last) += reach;
  }
  return first < 0 || last >= axis.size;
}

absl::Status fillOperand(const ContractionProblem &problem, int which, Shape &shape) {
  OperandShape &operand = shape.operands[which];
  const plan::DType type = which == 0 ? problem.a : problem.b;
  const bool isUnsigned = which == 0 ? problem.unsignedA : problem.unsignedB;
  const OperandPadding &padding = which == 0 ? problem.paddingA : problem.paddingB;
  std::optional<ElementReader> reader =
      ElementReader::create(type, isUnsigned, problem.c, *shape.kernels);
  if (!reader)
    return absl::UnimplementedError(absl::StrCat("no contraction of ", std::string(name(type)),
                                                 " elements into ", std::string(name(problem.c))));
  operand.reader = *reader;
  operand.constant = which == 0 ? problem.constantA : problem.constantB;
  operand.reader.one(&padding.valueBits, operand.pad.data());
  if (padding.axes.size() > kMaxAxes)
    return absl::UnimplementedError(absl::StrCat("operand with ", padding.axes.size(), " axes"));
  const size_t numParallel = problem.parallel.size();
  for (const PaddedAxis &axis : padding.axes) {
    if (axis.coefficients.size() != numParallel + problem.reduction.size())
      return absl::InvalidArgumentError("a padded axis needs a coefficient for each dimension");
    const auto split = axis.coefficients.begin() + static_cast<int64_t>(numParallel);
    operand.axes.push_back({axis.size,
                            axis.low,
                            axis.stride,
                            leavesBounds(axis, problem),
                            {axis.coefficients.begin(), split},
                            {split, axis.coefficients.end()}});
    operand.padded |= operand.axes.back().leaves;
    operand.origin -= axis.low * axis.stride;
  }
  return absl::OkStatus();
}

/// Whether an operand depends on parallel dimension `d`.
bool dependsOn(const ContractionDim &dim, const OperandShape &operand, int which, int d) {
  if ((which == 0 ? dim.strideA : dim.strideB) != 0)
    return true;
  return std::any_of(operand.axes.begin(), operand.axes.end(),
                     [&](const Axis &axis) { return axis.parallel[d] != 0; });
}

LoopDim loopDim(const ContractionDim &dim, int origin) {
  return {dim.size, {dim.strideA, dim.strideB}, dim.strideC, dim.strideInit, origin};
}

/// Sorts parallel dimensions by role.
absl::Status sortParallel(const ContractionProblem &problem, Shape &shape) {
  // A tile buffer is laid out as C would be if it were dense in the order of the dimensions.
  int64_t dense = 1;
  std::vector<int64_t> strides(problem.parallel.size());
  for (size_t d = problem.parallel.size(); d-- > 0;) {
    strides[d] = problem.tileBuffer ? dense : problem.parallel[d].strideC;
    dense *= std::max<int64_t>(problem.parallel[d].size, 1);
  }
  for (size_t d = 0; d < problem.parallel.size(); ++d) {
    const ContractionDim &dim = problem.parallel[d];
    if (dim.size <= 1)
      continue;
    if (strides[d] == 0)
      return absl::InvalidArgumentError(
          absl::StrCat("parallel dimension ", d, " has no stride in C"));
    const int origin = static_cast<int>(d);
    const bool inA = dependsOn(dim, shape.operands[0], 0, origin);
    const bool inB = dependsOn(dim, shape.operands[1], 1, origin);
    LoopDims &role = inA == inB ? shape.batch : shape.sides[inA ? 0 : 1];
    role.push_back(loopDim(dim, origin));
    role.back().c = strides[d];
  }
  auto byStride = [](const LoopDim &x, const LoopDim &y) { return std::abs(x.c) > std::abs(y.c); };
  std::stable_sort(shape.batch.begin(), shape.batch.end(), byStride);
  for (LoopDims &side : shape.sides)
    std::stable_sort(side.begin(), side.end(), byStride);
  return absl::OkStatus();
}

/// Whether a reduction dimension moves along an axis that leaves its bounds.
bool isBounded(const Shape &shape, const LoopDim &dim) {
  auto moves = [&](const Axis &axis) { return axis.leaves && axis.alongReduction(dim) != 0; };
  return std::any_of(shape.operands.begin(), shape.operands.end(),
                     [&](const OperandShape &operand) {
                       return std::any_of(operand.axes.begin(), operand.axes.end(), moves);
                     });
}

/// Keeps reduction dimensions larger than one and merges neighbours that both operands step through
/// evenly.
void mergeReduction(const ContractionProblem &problem, Shape &shape) {
  for (size_t d = 0; d < problem.reduction.size(); ++d) {
    const LoopDim dim = loopDim(problem.reduction[d], static_cast<int>(d));
    if (dim.size == 1)
      continue;
    LoopDim *outer = shape.reduction.empty() ? nullptr : &shape.reduction.back();
    const bool even = outer && outer->operand[0] == dim.operand[0] * dim.size &&
                      outer->operand[1] == dim.operand[1] * dim.size;
    if (even && !isBounded(shape, dim) && !isBounded(shape, *outer)) {
      outer->size *= dim.size;
      outer->operand = dim.operand;
      outer->merged = true;
      continue;
    }
    shape.reduction.push_back(dim);
  }
}

} // namespace

absl::StatusOr<Shape> normalise(const ContractionProblem &problem, Isa isa) {
  Shape shape;
  shape.kernels = &kernelsFor(isa);
  shape.isa = isa;
  std::optional<ComputeType> compute = computeTypeOf(problem.c);
  if (!compute)
    return absl::UnimplementedError("no contraction into i1");
  if (std::max(problem.parallel.size(), problem.reduction.size()) > kMaxDims)
    return absl::UnimplementedError(absl::StrCat("contraction with ", problem.parallel.size(),
                                                 " parallel and ", problem.reduction.size(),
                                                 " reduction dimensions"));
  shape.compute = *compute;
  shape.c = problem.c;
  // Integer sums wrap to the same bits in any order.
  shape.order = isFloat(*compute) ? problem.order : ReductionOrder::Chain;
  shape.numParallel = static_cast<int>(problem.parallel.size());
  absl::StatusOr<int64_t> outputs = countPoints(problem.parallel, "parallel");
  absl::StatusOr<int64_t> steps = countPoints(problem.reduction, "reduction");
  if (!outputs.ok())
    return outputs.status();
  if (!steps.ok())
    return steps.status();
  if (*steps != 0 && *outputs > kMaxCount / *steps)
    return absl::InvalidArgumentError("contraction with too many points");
  shape.outputs = *outputs;
  shape.steps = *steps;
  for (int which = 0; which < 2; ++which)
    if (absl::Status status = fillOperand(problem, which, shape); !status.ok())
      return status;
  shape.init = problem.init;
  shape.tileBuffer = problem.tileBuffer;
  shape.numThreads = problem.numThreads;
  ElementReader::create(problem.c, false, problem.c, *shape.kernels)
      ->one(&problem.initBits, shape.initValue.data());
  if (absl::Status status = sortParallel(problem, shape); !status.ok())
    return status;
  if (shape.steps > 0)
    mergeReduction(problem, shape);
  return shape;
}

} // namespace anneal::runtime::contraction
