//===- BoundUnit.cpp - A unit bound to shapes, ready to interpret ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Interpreter/BoundUnit.h"

#include "Kernels.h"
#include "Linearise.h"
#include "Workspace.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <numeric>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::interpreter;

namespace {

/// The kernels of a unit in order; those without points are left out.
class KernelSequence final : public BoundUnit {
public:
  absl::Status bind(const plan::Unit &unit, const UnitBinding &binding);
  int32_t runAll(const AnnealUnitFrame *frame) const;

private:
  std::vector<KernelPtr> kernels;
};

std::vector<GatherSource> gatherSources(const plan::Kernel &kernel, const BindContext &context) {
  std::vector<GatherSource> sources;
  for (uint32_t tensor : kernel.gathers) {
    const BoundTensor &bound = context.tensors[tensor];
    TensorPlace place{bound.isTemporary, bound.isTemporary ? bound.workspaceOffset : tensor};
    sources.push_back({place, bound.sizes, bound.strides, bound.elementSize()});
  }
  return sources;
}

/// The first way that fits a structured kernel with a space that is not empty.
KernelPtr bindPoints(const plan::Kernel &kernel, const IterSpace &space, const BindContext &context,
                     Isa isa) {
  BodyInfo info(kernel.body);
  KernelBinding binding{kernel, space, context, info, gatherSources(kernel, context), isa};
  if (kernel.body.hasBranches || !hasDistinctOutputs(binding))
    return nullptr;
  bool isParallel = std::all_of(kernel.iterators.begin(), kernel.iterators.end(),
                                [](plan::IterKind kind) { return kind == plan::IterKind::Parallel; });
  if (!isParallel)
    return nullptr;
  if (KernelPtr copy = bindCopy(binding))
    return copy;
  return bindMap(binding);
}

/// Null if the kernel has nothing to do.
absl::StatusOr<KernelPtr> bindKernel(const plan::Kernel &kernel, const BindContext &context,
                                     Isa isa) {
  absl::StatusOr<IterSpace> space = bindSpace(kernel, context);
  if (!space.ok())
    return space.status();
  if (space->isEmpty())
    return KernelPtr();
  KernelPtr bound = hasNonLinearInput(kernel)
                        ? bindPoints(withGatheredInputs(kernel), *space, context, isa)
                        : bindPoints(kernel, *space, context, isa);
  if (bound)
    return bound;
  BodyInfo info(kernel.body);
  bound = bindElement({kernel, *space, context, info, gatherSources(kernel, context), isa});
  if (!bound)
    return absl::UnimplementedError(
        absl::StrCat(kernel.opName, ": an operation of the body has no code for its types"));
  return bound;
}

absl::Status KernelSequence::bind(const plan::Unit &unit, const UnitBinding &binding) {
  absl::StatusOr<std::vector<BoundTensor>> tensors = bindTensors(unit, binding);
  if (!tensors.ok())
    return tensors.status();
  BindContext context{unit, binding, *std::move(tensors)};
  std::vector<uint32_t> stepOf(unit.kernels.size());
  std::iota(stepOf.begin(), stepOf.end(), 0);
  std::vector<bool> isElided(unit.tensors.size(), false);
  workspace = placeTemporaries(unit, stepOf, isElided, context.tensors);
  Isa isa = detectIsa();
  for (const plan::Kernel &kernel : unit.kernels) {
    absl::StatusOr<KernelPtr> bound = bindKernel(kernel, context, isa);
    if (!bound.ok())
      return bound.status();
    if (!*bound)
      continue;
    scratch = std::max(scratch, (*bound)->scratchBytes());
    kernels.push_back(*std::move(bound));
  }
  return absl::OkStatus();
}

int32_t KernelSequence::runAll(const AnnealUnitFrame *frame) const {
  RunState state(frame);
  for (const KernelPtr &kernel : kernels) {
    kernel->run(state);
    if (state.hasFailed())
      return state.status();
  }
  return ANNEAL_OK;
}

} // namespace

absl::StatusOr<std::unique_ptr<BoundUnit>> BoundUnit::bind(const plan::Unit &unit,
                                                           const UnitBinding &binding) {
  auto bound = std::make_unique<KernelSequence>();
  if (absl::Status status = bound->bind(unit, binding); !status.ok())
    return status;
  return std::unique_ptr<BoundUnit>(std::move(bound));
}

int32_t BoundUnit::run(const AnnealUnitFrame *frame) {
  const auto *unit = static_cast<const BoundUnit *>(frame->code);
  return static_cast<const KernelSequence *>(unit)->runAll(frame);
}
