//===- Fusion.cpp - Which kernels run with the anchor ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Fusion.h"

#include "Linearise.h"

#include "absl/algorithm/container.h"

#include <algorithm>

using namespace anneal;
using plan::Kernel;
using plan::KernelKind;

namespace anneal::runtime::interpreter {

bool FusionPlan::contains(uint32_t kernel) const {
  int32_t k = static_cast<int32_t>(kernel);
  return kernel == anchor || k == init || k == padX || k == padY ||
         absl::c_linear_search(epilogues, kernel);
}

namespace {

class Planner {
public:
  Planner(const BindContext &context, FusionPlan &plan)
      : context(context), unit(context.unit), plan(plan),
        anchor(unit.kernels[static_cast<size_t>(unit.anchor)]) {}

  bool run();

private:
  bool anchorFits();
  void addInit();
  void addPad(uint32_t operand, int32_t &pad);
  void addEpilogues();
  bool isElementWise(const Kernel &kernel) const;
  bool isIdentity(const Kernel &kernel, const plan::Operand &operand) const;
  bool epilogueFits(const Kernel &kernel) const;
  bool resultIsElided() const;
  bool touches(const Kernel &kernel, uint32_t tensor) const;
  bool writes(const Kernel &kernel, uint32_t tensor) const;
  /// Last kernel before `before` that writes `tensor`, or -1.
  int32_t lastWriter(uint32_t tensor, uint32_t before) const;

  const BindContext &context;
  const plan::Unit &unit;
  FusionPlan &plan;
  const Kernel &anchor;
  uint32_t result = 0;
};

bool Planner::touches(const Kernel &kernel, uint32_t tensor) const {
  return absl::c_linear_search(kernel.gathers, tensor) ||
         absl::c_any_of(kernel.operands,
                        [&](const plan::Operand &operand) { return operand.tensor == tensor; });
}

bool Planner::writes(const Kernel &kernel, uint32_t tensor) const {
  for (size_t k = kernel.numInputs; k < kernel.operands.size(); ++k)
    if (kernel.operands[k].tensor == tensor)
      return true;
  return false;
}

int32_t Planner::lastWriter(uint32_t tensor, uint32_t before) const {
  for (uint32_t k = before; k-- > 0;)
    if (writes(unit.kernels[k], tensor))
      return static_cast<int32_t>(k);
  return -1;
}

bool Planner::anchorFits() {
  const KernelFacts &facts = context.facts.plain(plan.anchor);
  if (anchor.kind != KernelKind::Structured || !facts.contraction)
    return false;
  plan.body = *facts.contraction;
  // The output's dimensions are the parallel ones, each by itself.
  const plan::Operand &output = anchor.operands[anchor.numInputs];
  const BoundTensor &tensor = context.tensors[output.tensor];
  for (size_t d = 0; d < output.indices.size(); ++d)
    if (plainDimension(output.indices[d]) < 0 && tensor.sizes[d] != 1)
      return false;
  result = output.tensor;
  return true;
}

bool Planner::isElementWise(const Kernel &kernel) const {
  if (kernel.kind != KernelKind::Structured || kernel.body.hasBranches ||
      hasNonLinearInput(kernel) || kernel.iterators.size() != context.tensors[result].rank())
    return false;
  return absl::c_all_of(kernel.iterators,
                        [](plan::IterKind kind) { return kind == plan::IterKind::Parallel; });
}

/// The operand is read or written at exactly the point of iteration.
bool Planner::isIdentity(const Kernel &kernel, const plan::Operand &operand) const {
  const BoundTensor &tensor = context.tensors[operand.tensor];
  if (operand.indices.size() != kernel.iterators.size())
    return false;
  for (size_t d = 0; d < operand.indices.size(); ++d) {
    const plan::IndexExpr &index = operand.indices[d];
    bool isUnit = context.tensors[result].sizes[d] == 1 && tensor.sizes[d] == 1;
    if (plainDimension(index) != static_cast<int>(d) && !isUnit)
      return false;
  }
  return tensor.sizes == context.tensors[result].sizes;
}

void Planner::addInit() {
  int32_t k = lastWriter(result, plan.anchor);
  if (k < 0)
    return;
  const Kernel &kernel = unit.kernels[static_cast<size_t>(k)];
  if (kernel.numOutputs() != 1 || !isElementWise(kernel) ||
      !isIdentity(kernel, kernel.operands.back()))
    return;
  const BodyInfo &info = context.facts.plain(static_cast<size_t>(k)).info;
  // It writes all of the output without reading it, and nothing in between sees the output or
  // changes what it reads.
  if (info.uses[kernel.numInputs] != 0 || absl::c_linear_search(kernel.gathers, result))
    return;
  for (size_t i = 0; i < kernel.numInputs; ++i)
    if (kernel.operands[i].tensor == result)
      return;
  for (uint32_t between = static_cast<uint32_t>(k) + 1; between < plan.anchor; ++between) {
    const Kernel &other = unit.kernels[between];
    if (touches(other, result))
      return;
    for (size_t o = other.numInputs; o < other.operands.size(); ++o)
      if (touches(kernel, other.operands[o].tensor))
        return;
  }
  plan.init = k;
}

void Planner::addPad(uint32_t operand, int32_t &pad) {
  uint32_t padded = anchor.operands[operand].tensor;
  int32_t k = lastWriter(padded, plan.anchor);
  if (k < 0 || !context.tensors[padded].isTemporary)
    return;
  const Kernel &kernel = unit.kernels[static_cast<size_t>(k)];
  const plan::Body &body = kernel.body;
  if (kernel.kind != KernelKind::Pad || body.instrs.size() != 1 ||
      body.instrs[0].op != plan::Opcode::Const)
    return;
  // Nobody else reads the padded tensor, and the input stays as it is until the anchor runs.
  for (uint32_t other = 0; other < unit.kernels.size(); ++other) {
    bool isOwn = other == plan.anchor || static_cast<int32_t>(other) == k;
    if (!isOwn && touches(unit.kernels[other], padded))
      return;
    bool isBetween = static_cast<int32_t>(other) > k && other <= plan.anchor;
    if (isBetween && writes(unit.kernels[other], kernel.operands[0].tensor))
      return;
  }
  for (uint32_t o = 0; o < anchor.operands.size(); ++o)
    if (o != operand && anchor.operands[o].tensor == padded)
      return;
  pad = k;
}

bool Planner::epilogueFits(const Kernel &kernel) const {
  if (!isElementWise(kernel) || kernel.operands.empty())
    return false;
  bool readsTile = false;
  for (const plan::Operand &operand : kernel.operands) {
    bool isFused = operand.tensor == result;
    for (uint32_t before : plan.epilogues)
      isFused |= writes(unit.kernels[before], operand.tensor);
    if (isFused && !isIdentity(kernel, operand))
      return false;
    readsTile |= isFused;
  }
  for (uint32_t tensor : kernel.gathers) {
    if (tensor == result)
      return false;
    for (uint32_t before : plan.epilogues)
      if (writes(unit.kernels[before], tensor))
        return false;
  }
  // Tiles of the anchor still read its inputs: they must not change under it.
  for (size_t k = kernel.numInputs; k < kernel.operands.size(); ++k) {
    uint32_t written = kernel.operands[k].tensor;
    if (written == result)
      return false;
    for (uint32_t fused : {plan.anchor, static_cast<uint32_t>(plan.init)})
      if (fused < unit.kernels.size() && touches(unit.kernels[fused], written))
        return false;
    for (int32_t pad : {plan.padX, plan.padY})
      if (pad >= 0 && touches(unit.kernels[static_cast<size_t>(pad)], written))
        return false;
    for (uint32_t before : plan.epilogues)
      if (touches(unit.kernels[before], written))
        return false;
  }
  for (size_t d = 0; d < kernel.iterators.size(); ++d) {
    const plan::DomainSource &source = kernel.domain[d];
    int64_t size =
        source.operand < 0
            ? source.dim
            : context.tensors[kernel.operands[static_cast<size_t>(source.operand)].tensor]
                  .sizes[static_cast<size_t>(source.dim)];
    if (size != context.tensors[result].sizes[d])
      return false;
  }
  return readsTile;
}

void Planner::addEpilogues() {
  for (uint32_t k = plan.anchor + 1; k < unit.kernels.size(); ++k) {
    if (!epilogueFits(unit.kernels[k]))
      return;
    plan.epilogues.push_back(k);
  }
}

bool Planner::resultIsElided() const {
  if (!context.tensors[result].isTemporary || plan.init < 0)
    return false;
  for (uint32_t k = 0; k < unit.kernels.size(); ++k)
    if (!plan.contains(k) && touches(unit.kernels[k], result))
      return false;
  return true;
}

bool Planner::run() {
  plan.anchor = static_cast<uint32_t>(unit.anchor);
  if (!anchorFits())
    return false;
  addInit();
  addPad(plan.body.x, plan.padX);
  if (plan.body.y != plan.body.x)
    addPad(plan.body.y, plan.padY);
  addEpilogues();
  plan.elidesResult = resultIsElided();
  return !plan.isTrivial();
}

} // namespace

bool planFusion(const BindContext &context, FusionPlan &plan) {
  if (context.unit.anchor < 0)
    return false;
  return Planner(context, plan).run();
}

FlagVec elidedTensors(const plan::Unit &unit, const FusionPlan &plan) {
  FlagVec elided(unit.tensors.size(), false);
  const Kernel &anchor = unit.kernels[plan.anchor];
  if (plan.elidesResult)
    elided[anchor.operands[anchor.numInputs].tensor] = true;
  for (int32_t pad : {plan.padX, plan.padY})
    if (pad >= 0)
      elided[unit.kernels[static_cast<size_t>(pad)].operands[1].tensor] = true;
  return elided;
}

} // namespace anneal::runtime::interpreter
