//===- BoundUnit.cpp - A unit bound to shapes, ready to interpret ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Interpreter/BoundUnit.h"

#include "Bands.h"
#include "Contract.h"
#include "Fusion.h"
#include "IntegerProducts.h"
#include "Kernels.h"
#include "Reduction.h"
#include "Workspace.h"

#include "anneal/Runtime/DerivedConstants.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::interpreter;

namespace {

/// The kernels of a unit in order; those without points are left out.
class KernelSequence final : public UnitForm {
public:
  absl::Status bind(const UnitFactsImpl &facts, const UnitBinding &binding);

  size_t numDerived() const override { return requests.size(); }
  int32_t run(const AnnealUnitFrame *frame, const void *const *derived,
              absl::Span<const AnnealBoxFn> bodies) const override;
  absl::Status pack(const UnitBinding &binding, absl::Span<const void *> derived) const override;

private:
  absl::Status bindKernels(const BindContext &context, Isa isa, const FusionPlan *fusion,
                           KernelPtr fused);

  std::vector<KernelPtr> kernels;
  std::vector<DerivedRequest> requests;
};

/// When each kernel runs; those of `fusion` run together, in the place of its anchor.
absl::InlinedVector<uint32_t, 16> stepsOf(const plan::Unit &unit, const FusionPlan *fusion) {
  absl::InlinedVector<uint32_t, 16> steps(unit.kernels.size());
  for (uint32_t k = 0; k < steps.size(); ++k)
    steps[k] = fusion && fusion->contains(k) ? fusion->anchor : k;
  return steps;
}

/// The fastest way that fits a kernel with reductions.
KernelPtr bindReductionKernel(const KernelBinding &binding) {
  Reduction reduction;
  if (!bindReduction(binding, reduction))
    return nullptr;
  if (KernelPtr kernel = bindSelectReduction(binding, reduction))
    return kernel;
  using Bind = KernelPtr (*)(const KernelBinding &, const Reduction &);
  bool along = isAlongRows(reduction);
  bool rowsFirst = along && (reduction.inLanes || reduction.isOrderFree);
  const Bind ways[] = {rowsFirst ? bindRowReduction : bindChainReduction,
                       rowsFirst ? bindChainReduction
                       : along   ? bindRowReduction
                                 : bindStripReduction,
                       along ? bindStripReduction : bindRowReduction};
  for (Bind bind : ways)
    if (KernelPtr kernel = bind(binding, reduction))
      return kernel;
  return nullptr;
}

/// Memory behind that of the temporaries, for kernels that need some of their own.
struct ExtraWorkspace {
  size_t begin = 0;
  size_t bytes = 0;
};

/// The first way that fits a structured kernel with a space that is not empty; null if none does.
absl::StatusOr<KernelPtr> bindPoints(const KernelFacts &facts, const IterSpace &space,
                                     const BindContext &context, Isa isa, ExtraWorkspace &extra) {
  KernelBinding binding(facts, space, context, isa);
  if (facts.kernel.body.hasBranches || !hasDistinctOutputs(binding))
    return KernelPtr();
  if (facts.isMap) {
    KernelPtr copy = bindCopy(binding);
    return copy ? std::move(copy) : bindMap(binding);
  }
  absl::StatusOr<KernelPtr> contraction = bindContraction(binding);
  if (!contraction.ok() || *contraction)
    return contraction;
  size_t bytes = 0;
  absl::StatusOr<KernelPtr> products = bindIntegerProducts(binding, extra.begin, bytes);
  extra.bytes = std::max(extra.bytes, bytes);
  if (!products.ok() || *products)
    return products;
  return bindReductionKernel(binding);
}

/// Null if the kernel has nothing to do.
absl::StatusOr<KernelPtr> bindKernel(uint32_t k, const BindContext &context, Isa isa,
                                     ExtraWorkspace &extra) {
  const plan::Kernel &kernel = context.unit.kernels[k];
  if (kernel.kind == plan::KernelKind::Pad)
    return bindPad(kernel, context, isa);
  absl::StatusOr<IterSpace> space = bindSpace(context.facts.plain(k), context);
  if (!space.ok())
    return space.status();
  if (space->isEmpty())
    return KernelPtr();
  absl::StatusOr<KernelPtr> bound =
      bindPoints(context.facts.linear(k), *space, context, isa, extra);
  if (!bound.ok() || *bound)
    return bound;
  KernelPtr element = bindElement({context.facts.plain(k), *space, context, isa});
  if (!element)
    return absl::UnimplementedError(
        absl::StrCat(kernel.opName, ": an operation of the body has no code for its types"));
  return element;
}

absl::Status KernelSequence::bind(const UnitFactsImpl &facts, const UnitBinding &binding) {
  const plan::Unit &unit = facts.unit();
  absl::StatusOr<std::vector<BoundTensor>> tensors = bindTensors(unit, binding);
  if (!tensors.ok())
    return tensors.status();
  BindContext context{facts, unit, binding, *std::move(tensors), requests};
  Isa isa = binding.isa ? *binding.isa : detectIsa();
  FusionPlan fusion;
  if (planFusion(context, fusion)) {
    workspace = placeTemporaries(unit, stepsOf(unit, &fusion), elidedTensors(unit, fusion),
                                 context.tensors);
    absl::StatusOr<KernelPtr> fused = bindFused(context, fusion, isa);
    if (!fused.ok())
      return fused.status();
    if (*fused)
      return bindKernels(context, isa, &fusion, *std::move(fused));
  }
  FlagVec isElided(unit.tensors.size(), false);
  workspace = placeTemporaries(unit, stepsOf(unit, nullptr), isElided, context.tensors);
  return bindKernels(context, isa, nullptr, nullptr);
}

/// All kernels in order; those of `fusion` where its anchor stands.
absl::Status KernelSequence::bindKernels(const BindContext &context, Isa isa,
                                         const FusionPlan *fusion, KernelPtr fused) {
  ExtraWorkspace extra{workspace, 0};
  for (uint32_t k = 0; k < context.unit.kernels.size(); ++k) {
    bool isAnchor = fusion && fusion->anchor == k;
    if (fusion && fusion->contains(k) && !isAnchor)
      continue;
    absl::StatusOr<KernelPtr> bound =
        isAnchor ? std::move(fused) : bindKernel(k, context, isa, extra);
    if (!bound.ok())
      return bound.status();
    if (!*bound)
      continue;
    scratch = std::max(scratch, alignUp((*bound)->scratchBytes()));
    kernels.push_back(*std::move(bound));
  }
  workspace += extra.bytes;
  return absl::OkStatus();
}

int32_t KernelSequence::run(const AnnealUnitFrame *frame, const void *const *derived,
                            absl::Span<const AnnealBoxFn> bodies) const {
  RunState state(frame, derived, bodies);
  for (const KernelPtr &kernel : kernels) {
    kernel->run(state);
    if (state.hasFailed())
      return state.status();
  }
  return ANNEAL_OK;
}

absl::Status KernelSequence::pack(const UnitBinding &binding,
                                  absl::Span<const void *> derived) const {
  for (size_t i = 0; i < requests.size(); ++i) {
    const DerivedRequest &request = requests[i];
    const BindTensor &tensor = binding.tensors[request.tensor];
    const char *source = static_cast<const char *>(tensor.constantData) + request.offset;
    derived[i] = binding.derived->getOrCreate(static_cast<uint32_t>(tensor.constant),
                                              request.layout, request.bytes,
                                              [&](void *memory) { request.fill(source, memory); });
    if (!derived[i])
      return absl::ResourceExhaustedError(
          absl::StrCat("no memory for a packed constant of ", request.bytes, " bytes"));
  }
  return absl::OkStatus();
}

} // namespace

/// The kernels one after the other.
static absl::StatusOr<std::shared_ptr<const UnitForm>> bindSequence(const UnitFactsImpl &facts,
                                                                    const UnitBinding &binding) {
  auto form = std::make_shared<KernelSequence>();
  if (absl::Status status = form->bind(facts, binding); !status.ok())
    return status;
  return std::shared_ptr<const UnitForm>(std::move(form));
}

/// Forms of one band. Error: they can't be bound, or there is a rest and they have constants of
/// their own.
static absl::StatusOr<BandForms> bindBands(const UnitFactsImpl &facts, const UnitBinding &binding,
                                           const BandPlan &plan) {
  UnitBinding part = binding;
  part.parts = plan.parts;
  part.groupSize = plan.groupSize();
  part.numThreads = 1;
  absl::StatusOr<std::shared_ptr<const UnitForm>> whole = bindSequence(facts, part);
  if (!whole.ok())
    return whole.status();
  BandForms forms{*std::move(whole), nullptr};
  part.groupSize = plan.restSize();
  if (part.groupSize == 0)
    return forms;
  absl::StatusOr<std::shared_ptr<const UnitForm>> rest = bindSequence(facts, part);
  if (!rest.ok())
    return rest.status();
  forms.rest = *std::move(rest);
  if (forms.whole->numDerived() + forms.rest->numDerived() > 0)
    return absl::UnimplementedError("constants of two forms");
  return forms;
}

absl::StatusOr<std::shared_ptr<const UnitForm>> UnitForm::bind(const UnitFacts &facts,
                                                               const UnitBinding &binding) {
  const auto &known = static_cast<const UnitFactsImpl &>(facts);
  if (absl::optional<BandPlan> plan = planBands(known, binding))
    if (absl::StatusOr<BandForms> bands = bindBands(known, binding, *plan); bands.ok())
      return makeBanded(*std::move(bands), *plan, binding);
  return bindSequence(known, binding);
}

absl::StatusOr<BoundUnit> BoundUnit::make(std::shared_ptr<const UnitForm> form,
                                          const UnitBinding &binding) {
  BoundUnit bound;
  bound.form = std::move(form);
  bound.derived.resize(bound.form->numDerived());
  if (absl::Status status = bound.form->pack(binding, absl::MakeSpan(bound.derived)); !status.ok())
    return status;
  return bound;
}

absl::StatusOr<std::unique_ptr<BoundUnit>> BoundUnit::bind(const plan::Unit &unit,
                                                           const UnitBinding &binding) {
  absl::StatusOr<std::shared_ptr<const UnitForm>> form =
      UnitForm::bind(*UnitFacts::create(unit), binding);
  if (!form.ok())
    return form.status();
  absl::StatusOr<BoundUnit> bound = make(*std::move(form), binding);
  if (!bound.ok())
    return bound.status();
  return std::make_unique<BoundUnit>(*std::move(bound));
}

int32_t BoundUnit::run(const AnnealUnitFrame *frame) {
  const auto *unit = static_cast<const BoundUnit *>(frame->code);
  return unit->form->run(frame, unit->derived.data(), {});
}

int32_t BoundUnit::runKernels(const AnnealUnitFrame *frame, const AnnealBoxFn *bodies,
                              uint32_t numBodies) {
  const auto *unit = static_cast<const BoundUnit *>(frame->code);
  return unit->form->run(frame, unit->derived.data(), {bodies, numBodies});
}
