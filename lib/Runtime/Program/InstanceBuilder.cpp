//===- InstanceBuilder.cpp - Making a plan instance -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstanceBuilder.h"

#include "Failure.h"
#include "WorkspaceLayout.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <array>

namespace anneal::runtime {

using BaseKind = plan::Base::Kind;

absl::StatusOr<std::unique_ptr<Instance>> InstanceBuilder::build(absl::Span<const Value> inputs) {
  setInputs(inputs);
  absl::Status status = code.scalars().run(0, function.shapeCodeEnd, instance->registers.data());
  if (!status.ok())
    return status;
  copyShapes();
  sizeAllocs();
  checkMemRefs();
  collectBroken(code.body);
  if (status = bindUnits(); !status.ok())
    return status;
  if (status = firstCertainError(); !status.ok())
    return status;
  if (status = layOutWorkspace(); !status.ok())
    return status;
  placeViews();
  return std::move(instance);
}

void InstanceBuilder::setInputs(absl::Span<const Value> inputs) {
  std::vector<uint64_t> &registers = instance->registers;
  registers = function.scalarInit;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const plan::Param &argument = function.arguments[i];
    if (argument.isScalar) {
      registers[argument.scalar] = inputs[i].scalar().bits;
      argumentBytes.push_back(0);
      continue;
    }
    const Tensor &tensor = inputs[i].tensor();
    argumentBytes.push_back(tensor.sizeInBytes());
    for (size_t d = 0; d < tensor.rank(); ++d) {
      registers[argument.dimRegs[d]] = static_cast<uint64_t>(tensor.dims()[d]);
      instance->key.push_back(tensor.dims()[d]);
    }
  }
  for (plan::Reg reg : function.keyScalars)
    instance->key.push_back(static_cast<int64_t>(registers[reg]));
}

/// Sizes and strides of all memrefs of known shape, and the offsets of those of known place.
void InstanceBuilder::copyShapes() {
  size_t total = 0;
  for (const plan::MemRef &memref : function.memrefs)
    total += 2 * memref.sizes.size();
  // Never reallocated, since layouts point into it.
  instance->dims.reserve(total);
  instance->layouts.resize(function.memrefs.size());
  auto append = [&](const std::vector<plan::Reg> &regs) {
    const int64_t *start = instance->dims.data() + instance->dims.size();
    for (plan::Reg reg : regs)
      instance->dims.push_back(static_cast<int64_t>(instance->registers[reg]));
    return absl::MakeConstSpan(start, regs.size());
  };
  for (size_t m = 0; m < function.memrefs.size(); ++m) {
    if (!code.memrefs[m].hasKnownShape)
      continue;
    const plan::MemRef &memref = function.memrefs[m];
    TensorLayout &layout = instance->layouts[m];
    layout.sizes = append(memref.sizes);
    layout.strides = append(memref.strides);
    if (code.memrefs[m].hasKnownPlace && memref.offset != plan::kNoReg)
      layout.offset = static_cast<int64_t>(instance->registers[memref.offset]);
  }
}

absl::StatusOr<size_t> InstanceBuilder::bytesOf(uint32_t memref) const {
  plan::DType dtype = function.memrefs[memref].dtype;
  absl::StatusOr<int64_t> elements = checkedNumElements(dtype, instance->layouts[memref].sizes);
  if (!elements.ok())
    return elements.status();
  return static_cast<size_t>(*elements) * plan::sizeOf(dtype);
}

/// Memory of results and of allocs; none where sizes cannot be, which breaks the steps that use it.
void InstanceBuilder::sizeAllocs() {
  auto sizeOne = [&](uint32_t memref, std::vector<size_t> &sizes) {
    absl::StatusOr<size_t> bytes = bytesOf(memref);
    if (!bytes.ok())
      brokenMemRefs.emplace(memref, bytes.status());
    sizes.push_back(bytes.ok() ? *bytes : 0);
  };
  for (size_t i = 0; i < function.results.size(); ++i) {
    const plan::Param &result = function.results[i];
    bool isDirect = !result.isScalar && function.memrefs[result.memref].base ==
                                            plan::Base{BaseKind::Result, uint32_t(i)};
    if (isDirect)
      sizeOne(result.memref, resultBytes);
    else
      resultBytes.push_back(0);
  }
  for (const plan::Alloc &alloc : function.allocs)
    sizeOne(alloc.memref, allocBytes);
}

size_t InstanceBuilder::bytesBehind(const plan::Base &base) const {
  switch (base.kind) {
  case BaseKind::Argument:
    return argumentBytes[base.index];
  case BaseKind::Result:
    return resultBytes[base.index];
  case BaseKind::Constant:
    return shared.constants->sizeInBytes(base.index);
  case BaseKind::Alloc:
    return allocBytes[base.index];
  case BaseKind::Slot:
    return 0;
  }
  return 0;
}

absl::Status InstanceBuilder::checkPlace(uint32_t index) {
  const plan::MemRef &memref = function.memrefs[index];
  TensorLayout &layout = instance->layouts[index];
  if (absl::Status status = computeReach(layout, memref.dtype); !status.ok())
    return status;
  if (!code.memrefs[index].hasKnownPlace || layout.isEmpty())
    return absl::OkStatus();
  using Wide = __int128;
  auto size = static_cast<Wide>(plan::sizeOf(memref.dtype));
  Wide first = (Wide(layout.offset) + layout.low) * size;
  Wide end = (Wide(layout.offset) + layout.high + 1) * size;
  if (first < 0 || end > static_cast<Wide>(bytesBehind(memref.base)))
    return absl::OutOfRangeError(absl::StrCat("a ", tensorTypeString(memref.dtype, layout.sizes),
                                              " reaches outside the tensor that it is a part of"));
  return absl::OkStatus();
}

void InstanceBuilder::checkMemRefs() {
  for (uint32_t m = 0; m < function.memrefs.size(); ++m) {
    if (!code.memrefs[m].hasKnownShape || brokenMemRefs.count(m))
      continue;
    if (absl::Status status = checkPlace(m); !status.ok())
      brokenMemRefs.emplace(m, std::move(status));
  }
}

void InstanceBuilder::breakStep(const plan::Step &step, absl::Status status) {
  instance->brokenSteps.emplace(&step, std::move(status));
}

void InstanceBuilder::collectBroken(const BlockCode &block) {
  if (brokenMemRefs.empty())
    return;
  for (const StepCode &step : block.steps) {
    for (uint32_t memref : step.step->memrefs) {
      auto broken = brokenMemRefs.find(memref);
      if (broken == brokenMemRefs.end())
        continue;
      const plan::Unit *unit =
          step.kind == plan::StepKind::Invoke ? &shared.module.units[step.step->unit] : nullptr;
      breakStep(*step.step, failureAt(broken->second.code(), broken->second.message(),
                                      {shared.module, step.step->location, unit}));
    }
    for (const BlockCode &nested : step.blocks)
      collectBroken(nested);
  }
}

/// Steps of the outermost block run in every call, results are always given.
absl::Status InstanceBuilder::firstCertainError() const {
  for (const plan::Param &result : function.results)
    if (!result.isScalar)
      if (auto broken = brokenMemRefs.find(result.memref); broken != brokenMemRefs.end())
        return broken->second;
  if (!instance->brokenSteps.empty())
    for (const StepCode &step : code.body.steps)
      if (auto it = instance->brokenSteps.find(step.step); it != instance->brokenSteps.end())
        return it->second;
  return absl::OkStatus();
}

bool InstanceBuilder::mayBind(const InvokeCode &invoke) const {
  return invoke.isBoundEarly && !instance->brokenSteps.count(invoke.step);
}

void InstanceBuilder::addBindTensor(uint32_t memref) {
  const TensorLayout &layout = instance->layouts[memref];
  BindTensor tensor;
  tensor.sizes = layout.sizes;
  tensor.strides = layout.strides;
  uint32_t constant = function.memrefs[memref].base.index;
  // Parts that differ from instance to instance would each leave a derived form behind.
  bool isFixed = code.memrefs[memref].isFixedConstant ||
                 (code.memrefs[memref].isConstant &&
                  shared.constants->isWhole(constant, layout.offset, layout.sizes, layout.strides));
  if (isFixed && !layout.isEmpty()) {
    size_t offset =
        static_cast<size_t>(layout.offset) * plan::sizeOf(function.memrefs[memref].dtype);
    tensor.constant = static_cast<int32_t>(
        shared.constants->partIdentity(constant, layout.offset, layout.sizes, layout.strides));
    tensor.constantData = static_cast<const char *>(shared.constants->data(constant)) + offset;
  }
  bindTensors.push_back(tensor);
}

/// One call of each class, with what it is bound to.
std::vector<InstanceBuilder::ClassCall> InstanceBuilder::collectCalls() {
  bindTensors.reserve(code.views.size());
  unitScalars.resize(code.numUnitScalars);
  std::vector<ClassCall> calls;
  calls.reserve(code.numCallClasses());
  std::vector<uint32_t> callOfClass(code.numCallClasses(), kNone);
  for (const InvokeCode &invoke : code.invokes) {
    if (!mayBind(invoke) || callOfClass[invoke.callClass] != kNone)
      continue;
    callOfClass[invoke.callClass] = static_cast<uint32_t>(calls.size());
    const plan::Step &step = *invoke.step;
    const size_t firstTensor = bindTensors.size();
    for (uint32_t memref : step.memrefs)
      addBindTensor(memref);
    for (size_t s = 0; s < step.scalars.size(); ++s)
      unitScalars[invoke.firstScalar + s] = instance->registers[step.scalars[s]];
    ClassCall call;
    call.invoke = &invoke;
    call.request.unit = step.unit;
    call.request.tensors = absl::MakeConstSpan(bindTensors).subspan(firstTensor);
    call.request.scalars =
        absl::MakeConstSpan(unitScalars).subspan(invoke.firstScalar, step.scalars.size());
    call.request.location = step.location;
    calls.push_back(call);
  }
  return calls;
}

/// Whether the same tensors are constants whose bytes are known.
static bool haveSameConstants(const BindRequest &a, const BindRequest &b) {
  for (size_t t = 0; t < a.tensors.size(); ++t)
    if ((a.tensors[t].constantData != nullptr) != (b.tensors[t].constantData != nullptr))
      return false;
  return true;
}

/// Gets the form of each call, asking once for those that must be the same.
void InstanceBuilder::getForms(absl::Span<ClassCall> calls) {
  std::vector<BindRequest> wanted;
  wanted.reserve(calls.size());
  std::vector<uint32_t> firstOfForm(code.numFormClasses(), kNone);
  for (ClassCall &call : calls) {
    uint32_t &first = firstOfForm[call.invoke->formClass];
    if (first != kNone && haveSameConstants(wanted[first], call.request)) {
      call.form = first;
      continue;
    }
    call.form = static_cast<uint32_t>(wanted.size());
    if (first == kNone)
      first = call.form;
    wanted.push_back(call.request);
  }
  std::vector<BindCache::FormRef> forms(wanted.size());
  std::vector<absl::Status> statuses(wanted.size());
  shared.binds.getForms(wanted, absl::MakeSpan(forms), absl::MakeSpan(statuses));
  std::vector<BoundEntry> &classes = instance->classes;
  classes.resize(calls.size());
  shared.binds.forEach(calls.size(), [&](size_t i) {
    ClassCall &call = calls[i];
    call.status = statuses[call.form];
    if (call.status.ok())
      call.status = shared.binds.attach(call.request, forms[call.form], classes[i]);
  });
}

/// Binds one call of each class.
absl::Status InstanceBuilder::bindUnits() {
  instance->bound.resize(code.invokes.size());
  std::vector<ClassCall> calls = collectCalls();
  getForms(absl::MakeSpan(calls));
  std::vector<uint32_t> callOfClass(code.numCallClasses(), kNone);
  for (uint32_t i = 0; i < calls.size(); ++i) {
    if (calls[i].status.code() == absl::StatusCode::kResourceExhausted)
      return calls[i].status;
    callOfClass[calls[i].invoke->callClass] = i;
  }
  for (size_t i = 0; i < code.invokes.size(); ++i) {
    const InvokeCode &invoke = code.invokes[i];
    if (!mayBind(invoke))
      continue;
    uint32_t call = callOfClass[invoke.callClass];
    if (calls[call].status.ok())
      instance->bound[i] = &instance->classes[call];
    else
      breakStep(*invoke.step, calls[call].status);
  }
  return absl::OkStatus();
}

absl::Status InstanceBuilder::layOutWorkspace() {
  std::vector<LiveBuffer> buffers;
  buffers.reserve(function.allocs.size() + code.invokes.size());
  for (size_t a = 0; a < function.allocs.size(); ++a)
    buffers.push_back({allocBytes[a], function.allocs[a].firstStep, function.allocs[a].lastStep});
  size_t scratch = 0;
  for (size_t i = 0; i < code.invokes.size(); ++i) {
    const BoundEntry *entry = instance->bound[i];
    uint32_t step = code.invokes[i].step->number;
    buffers.push_back({entry ? entry->unit.workspaceBytes() : 0, step, step});
    if (entry)
      scratch = std::max(scratch, entry->unit.scratchBytesPerWorker());
  }
  instance->allocOffsets.reserve(function.allocs.size());
  instance->unitWorkspaceOffsets.reserve(code.invokes.size());
  std::optional<size_t> total = layOut(buffers);
  scratch = (scratch + 63) / 64 * 64;
  if (!total)
    return absl::ResourceExhaustedError(
        "the tensors of a call together are larger than the address space");
  size_t shift = scratch * shared.numThreads();
  for (size_t b = 0; b < buffers.size(); ++b)
    (b < function.allocs.size() ? instance->allocOffsets : instance->unitWorkspaceOffsets)
        .push_back(shift + buffers[b].offset);
  instance->scratchPerWorker = scratch;
  instance->workspaceBytes = shift + *total;
  size_t peak = shared.workspacePeak.load();
  while (instance->workspaceBytes > peak &&
         !shared.workspacePeak.compare_exchange_weak(peak, instance->workspaceBytes)) {
  }
  return absl::OkStatus();
}

void InstanceBuilder::placeViews() {
  std::array<size_t, 5> counts{};
  for (const ViewCode &view : code.views)
    ++counts[static_cast<size_t>(function.memrefs[view.memref].base.kind)];
  instance->argumentViews.reserve(counts[static_cast<size_t>(BaseKind::Argument)]);
  instance->resultViews.reserve(counts[static_cast<size_t>(BaseKind::Result)]);
  instance->workspaceViews.reserve(counts[static_cast<size_t>(BaseKind::Alloc)]);
  instance->constantViews.reserve(counts[static_cast<size_t>(BaseKind::Constant)]);
  instance->baseBytes.reserve(code.bases.size());
  for (const plan::Base &base : code.bases)
    instance->baseBytes.push_back(bytesBehind(base));
  for (uint32_t v = 0; v < code.views.size(); ++v) {
    uint32_t m = code.views[v].memref;
    if (!code.memrefs[m].hasKnownPlace || brokenMemRefs.count(m))
      continue;
    const plan::MemRef &memref = function.memrefs[m];
    const TensorLayout &layout = instance->layouts[m];
    size_t offset =
        layout.isEmpty() ? 0 : static_cast<size_t>(layout.offset) * plan::sizeOf(memref.dtype);
    switch (memref.base.kind) {
    case BaseKind::Argument:
      instance->argumentViews.push_back({v, memref.base.index, offset});
      break;
    case BaseKind::Result:
      instance->resultViews.push_back({v, memref.base.index, offset});
      break;
    case BaseKind::Alloc:
      instance->workspaceViews.push_back(
          {v, 0, instance->allocOffsets[memref.base.index] + offset});
      break;
    case BaseKind::Constant:
      instance->constantViews.emplace_back(
          v, static_cast<const char *>(shared.constants->data(memref.base.index)) + offset);
      break;
    case BaseKind::Slot:
      break;
    }
  }
}

} // namespace anneal::runtime
