//===- PadKernel.cpp - Padding as a kernel of its own ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the output: padding before, a row of the input, padding after; or padding alone.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Nest.h"
#include "StripLoop.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace anneal::runtime::interpreter {

namespace {

/// One dimension: the output's positions [first, last) hold input, from position `cut` on.
struct PadDim {
  int64_t size = 1;
  int64_t first = 0, last = 1;
  int64_t cut = 0;
  int64_t fromStride = 0, toStride = 0;

  bool isWhole() const { return first == 0 && last == size && cut == 0; }
};

class PadKernel final : public BoundKernel {
public:
  absl::Status bind(const plan::Kernel &kernel, const BindContext &context, Isa isa);
  void run(RunState &state) const override;

private:
  void bindDims(const plan::Kernel &kernel, const BindContext &context);
  void runRows(RunState &state, int64_t begin, int64_t end, uint32_t worker) const;
  void runRow(char *to, const char *from, bool inside, const char *value) const;

  StripCode value;
  StripMoves moves;
  int64_t elementSize = 4;
  TensorPlace source, target;
  absl::InlinedVector<PadDim, 6> dims;
  Grain grain;
};

absl::Status PadKernel::bind(const plan::Kernel &kernel, const BindContext &context, Isa isa) {
  const BoundTensor &input = context.tensors[kernel.operands[0].tensor];
  const BoundTensor &output = context.tensors[kernel.operands[1].tensor];
  if (input.rank() != output.rank() || kernel.padLow.size() != output.rank() ||
      input.dtype != output.dtype)
    return absl::InvalidArgumentError(absl::StrCat(kernel.opName, ": input of rank ", input.rank(),
                                                   " and output of rank ", output.rank(), " with ",
                                                   kernel.padLow.size(), " paddings do not fit"));
  StripSpec spec{.body = kernel.body};
  spec.results = kernel.body.yields;
  spec.maxStrip = 1;
  spec.location = kernel.location;
  spec.isa = isa;
  if (!value.compile(spec))
    return absl::UnimplementedError(
        absl::StrCat(kernel.opName, ": an operation of the body has no code for its types"));
  elementSize = static_cast<int64_t>(output.elementSize());
  moves = findStripMoves(output.elementSize(), isa);
  source = placeOf(context, kernel.operands[0].tensor);
  target = placeOf(context, kernel.operands[1].tensor);
  bindDims(kernel, context);
  int64_t rows = 1;
  for (size_t d = 0; d + 1 < dims.size(); ++d)
    rows *= dims[d].size;
  constexpr double kPerRow = 15, kPerByte = 0.15;
  double nanoseconds = static_cast<double>(rows) *
                       (kPerRow + kPerByte * static_cast<double>(dims.back().size * elementSize));
  grain =
      chooseGrain(output.numElements() == 0 ? 0 : rows, nanoseconds, context.binding.numThreads);
  scratch = value.frameBytes();
  return absl::OkStatus();
}

void PadKernel::bindDims(const plan::Kernel &kernel, const BindContext &context) {
  const BoundTensor &input = context.tensors[kernel.operands[0].tensor];
  const BoundTensor &output = context.tensors[kernel.operands[1].tensor];
  for (size_t d = 0; d < output.rank(); ++d) {
    int64_t low = evaluateSize(kernel.padLow[d], context.tensors, context.binding);
    PadDim dim;
    dim.size = output.sizes[d];
    dim.first = std::clamp<int64_t>(low, 0, dim.size);
    dim.last = std::clamp<int64_t>(low + input.sizes[d], dim.first, dim.size);
    dim.cut = std::max<int64_t>(-low, 0);
    dim.fromStride = input.strides[d];
    dim.toStride = output.strides[d];
    // A dimension without padding becomes part of the one before it where both sides are dense.
    PadDim *outer = dims.empty() ? nullptr : &dims.back();
    if (outer && dim.isWhole() && outer->fromStride == dim.fromStride * dim.size &&
        outer->toStride == dim.toStride * dim.size) {
      for (int64_t *position : {&outer->size, &outer->first, &outer->last, &outer->cut})
        *position *= dim.size;
      outer->fromStride = dim.fromStride;
      outer->toStride = dim.toStride;
      continue;
    }
    dims.push_back(dim);
  }
  if (dims.empty())
    dims.push_back(PadDim());
}

void PadKernel::run(RunState &state) const {
  runChunks(state, grain, [&](int64_t begin, int64_t end, uint32_t worker) {
    runRows(state, begin, end, worker);
  });
}

void PadKernel::runRows(RunState &state, int64_t begin, int64_t end, uint32_t worker) const {
  StripFrame frame;
  value.layOut(state, state.scratch(worker), {}, frame);
  if (!value.begin(state, frame))
    return;
  const auto *fill = static_cast<const char *>(frame.values[value.resultValue(0)]);
  char *to = state.data(target);
  const char *from = state.data(source);
  DimVec sizes;
  for (size_t d = 0; d + 1 < dims.size(); ++d)
    sizes.push_back(dims[d].size);
  BlockCounter counter(sizes, 1, begin);
  for (int64_t row = begin; row < end; ++row, counter.next()) {
    int64_t toOffset = 0, fromOffset = 0;
    bool inside = true;
    for (size_t d = 0; d + 1 < dims.size(); ++d) {
      int64_t position = counter.position()[d];
      inside &= position >= dims[d].first && position < dims[d].last;
      toOffset += position * dims[d].toStride;
      fromOffset += (position - dims[d].first + dims[d].cut) * dims[d].fromStride;
    }
    runRow(to + toOffset * elementSize, inside ? from + fromOffset * elementSize : nullptr, inside,
           fill);
  }
}

void PadKernel::runRow(char *to, const char *from, bool inside, const char *fill) const {
  const PadDim &dim = dims.back();
  int64_t stride = dim.toStride, size = elementSize;
  auto splat = [&](int64_t begin, int64_t end) {
    int64_t count = end - begin;
    if (count > 0)
      splatBox(moves, static_cast<size_t>(size), to + begin * stride * size, &count, &stride, 1,
               fill);
  };
  if (!inside)
    return splat(0, dim.size);
  splat(0, dim.first);
  splat(dim.last, dim.size);
  from += dim.cut * dim.fromStride * size;
  int64_t count = dim.last - dim.first;
  if (stride == 1)
    return loadBox(moves, static_cast<size_t>(size), to + dim.first * size, from, &count,
                   &dim.fromStride, 1);
  for (int64_t i = 0; i < count; ++i)
    moves.copy(to + (dim.first + i) * stride * size, from + i * dim.fromStride * size, 1);
}

} // namespace

absl::StatusOr<KernelPtr> bindPad(const plan::Kernel &kernel, const BindContext &context, Isa isa) {
  auto pad = std::make_unique<PadKernel>();
  if (absl::Status status = pad->bind(kernel, context, isa); !status.ok())
    return status;
  return KernelPtr(std::move(pad));
}

} // namespace anneal::runtime::interpreter
