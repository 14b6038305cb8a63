//===- ExecutionTensors.cpp - Tensors that a call finds out about ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Execution.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace anneal::runtime {

namespace {

/// Units bound in calls that a context remembers (a power of two): a loop over growing tensors
/// passes by, a loop over a few shapes stays.
constexpr size_t kLateBinds = 64;

/// An entry of the context's memory of late bindings per combination of key parts.
size_t lateBindPlace(uint32_t invoke, const std::vector<int64_t> &key) {
  uint64_t hash = invoke;
  for (int64_t part : key)
    hash = (hash ^ static_cast<uint64_t>(part)) * 0x9E3779B97F4A7C15u;
  return (hash >> 40) % kLateBinds;
}

} // namespace

int64_t Execution::offsetOf(uint32_t memref) const {
  plan::Reg reg = code.function.memrefs[memref].offset;
  return reg == plan::kNoReg ? 0 : static_cast<int64_t>(registers[reg]);
}

/// Reads sizes and strides from the registers into `dims`.
absl::Status Execution::layOutNow(uint32_t memref, int64_t *dims, TensorLayout &layout) const {
  const plan::MemRef &tensor = code.function.memrefs[memref];
  size_t rank = tensor.sizes.size();
  for (size_t d = 0; d < rank; ++d) {
    dims[d] = static_cast<int64_t>(registers[tensor.sizes[d]]);
    dims[rank + d] = static_cast<int64_t>(registers[tensor.strides[d]]);
  }
  layout.sizes = absl::MakeConstSpan(dims, rank);
  layout.strides = absl::MakeConstSpan(dims + rank, rank);
  return computeReach(layout, tensor.dtype);
}

bool Execution::isInside(uint32_t memref, const TensorLayout &layout, int64_t offset) const {
  if (layout.isEmpty())
    return true;
  const BaseState &base = context.bases[code.memrefs[memref].base];
  auto size = static_cast<int64_t>(plan::sizeOf(code.function.memrefs[memref].dtype));
  int64_t before = (base.data - base.begin) / size, behind = (base.end - base.data) / size;
  // The reach is far below 2^62, so that only the offset has to be looked at on its own.
  return offset >= -before && offset <= behind && offset + layout.low >= -before &&
         offset + layout.high < behind;
}

absl::Status Execution::setView(uint32_t index, const plan::Step &step) {
  const ViewCode &view = code.views[index];
  const TensorLayout *layout = &instance.layouts[view.memref];
  TensorLayout current;
  if (view.dynamicDims != kNone) {
    absl::Status status =
        layOutNow(view.memref, context.dynamicDims.data() + view.dynamicDims, current);
    if (!status.ok())
      return failure(status.code(), status.message(), step);
    layout = &current;
  }
  int64_t offset = layout->isEmpty() ? 0 : offsetOf(view.memref);
  if (!isInside(view.memref, *layout, offset))
    return failure(
        absl::StatusCode::kOutOfRange,
        absl::StrCat("a ",
                     tensorTypeString(code.function.memrefs[view.memref].dtype, layout->sizes),
                     " reaches outside the tensor that it is a part of"),
        step);
  auto size = static_cast<int64_t>(plan::sizeOf(code.function.memrefs[view.memref].dtype));
  context.views[index].data = context.bases[code.memrefs[view.memref].base].data + offset * size;
  return absl::OkStatus();
}

absl::Status Execution::locate(uint32_t memref, StridedView &view) {
  const MemRefCode &known = code.memrefs[memref];
  TensorLayout layout = instance.layouts[memref];
  if (!known.hasKnownShape)
    if (absl::Status status = layOutNow(memref, context.resultDims.data(), layout); !status.ok())
      return status;
  int64_t offset = layout.isEmpty() ? 0 : offsetOf(memref);
  if (!isInside(memref, layout, offset))
    return absl::OutOfRangeError("a result reaches outside its memory");
  auto size = static_cast<int64_t>(plan::sizeOf(code.function.memrefs[memref].dtype));
  view = {context.bases[known.base].data + offset * size, layout.sizes, layout.strides};
  return absl::OkStatus();
}

/// The remembered binding for the operands as they are now, or the place where to remember it.
LateBind &Execution::findLateBind(const StepCode &step, bool &isKnown) {
  const InvokeCode &invoke = code.invokes[step.invoke];
  std::vector<int64_t> &key = context.lateKey;
  key.clear();
  for (size_t i = 0; i < invoke.step->memrefs.size(); ++i) {
    const AnnealView &view = context.views[invoke.firstView + i];
    size_t rank = code.function.memrefs[invoke.step->memrefs[i]].sizes.size();
    key.insert(key.end(), view.sizes, view.sizes + rank);
    key.insert(key.end(), view.strides, view.strides + rank);
  }
  for (size_t s = 0; s < invoke.step->scalars.size(); ++s)
    if (invoke.unit->scalars[s].isShape)
      key.push_back(static_cast<int64_t>(context.unitScalars[invoke.firstScalar + s]));
  if (context.lateBinds.empty())
    context.lateBinds.resize(kLateBinds);
  LateBind &place = context.lateBinds[lateBindPlace(step.invoke, key)];
  isKnown = place.invoke == step.invoke && place.key == key;
  if (!isKnown) {
    place.invoke = kNone;
    place.key = key;
  }
  return place;
}

absl::Status Execution::bindLate(const StepCode &step, UnitCall &call) {
  bool isKnown;
  LateBind &late = findLateBind(step, isKnown);
  if (!isKnown) {
    const InvokeCode &invoke = code.invokes[step.invoke];
    absl::InlinedVector<BindTensor, 8> tensors;
    for (size_t i = 0; i < invoke.step->memrefs.size(); ++i) {
      const AnnealView &view = context.views[invoke.firstView + i];
      uint32_t memref = invoke.step->memrefs[i];
      size_t rank = code.function.memrefs[memref].sizes.size();
      BindTensor tensor;
      tensor.sizes = absl::MakeConstSpan(view.sizes, rank);
      tensor.strides = absl::MakeConstSpan(view.strides, rank);
      const MemRefCode &memrefCode = code.memrefs[memref];
      uint32_t constant = code.function.memrefs[memref].base.index;
      int64_t offset = instance.layouts[memref].offset;
      bool isFixed = memrefCode.isFixedConstant ||
                     (memrefCode.isConstant && context.shared.constants->isWhole(
                                                   constant, offset, tensor.sizes, tensor.strides));
      if (isFixed && view.data) {
        tensor.constant = static_cast<int32_t>(
            context.shared.constants->partIdentity(constant, offset, tensor.sizes, tensor.strides));
        tensor.constantData = view.data;
      }
      tensors.push_back(tensor);
    }
    BindRequest request;
    request.unit = invoke.step->unit;
    request.tensors = tensors;
    request.scalars = absl::MakeConstSpan(context.unitScalars.data() + invoke.firstScalar,
                                          invoke.step->scalars.size());
    request.location = invoke.step->location;
    BindCache &binds = context.shared.binds;
    BindCache::FormRef form;
    absl::Status status;
    binds.getForms({&request, 1}, {&form, 1}, {&status, 1});
    if (status.ok())
      status = binds.attach(request, std::move(form), late.entry);
    if (!status.ok())
      return status;
    late.invoke = step.invoke;
  }
  return useLateBind(late.entry, step, call);
}

/// Points the frame at the bound unit and at memory of the call that is large enough for it.
absl::Status Execution::useLateBind(const BoundEntry &entry, const StepCode &step, UnitCall &call) {
  auto rounded = [](size_t bytes) { return (bytes + 63) / 64 * 64; };
  size_t scratch = rounded(entry.unit.scratchBytesPerWorker());
  size_t workers = context.shared.numThreads();
  size_t needed = rounded(entry.unit.workspaceBytes()) + scratch * workers;
  if (!context.lateMemory || context.lateMemory->size() < needed) {
    context.lateMemory.reset();
    context.lateMemory = context.shared.memory->acquire(needed);
  }
  if (!context.lateMemory)
    return failure(absl::StatusCode::kResourceExhausted,
                   absl::StrCat("out of memory: ", needed, " bytes for the temporaries of a unit"),
                   *step.step);
  auto *memory = static_cast<char *>(context.lateMemory->data());
  call.fn = BoundUnit::run;
  call.work = entry.work();
  call.frame.code = &entry.unit;
  call.frame.scratch = memory;
  call.frame.scratchPerWorker = scratch;
  call.frame.workspace = memory + scratch * workers;
  return absl::OkStatus();
}

} // namespace anneal::runtime
