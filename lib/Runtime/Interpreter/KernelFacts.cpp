//===- KernelFacts.cpp - What of a kernel depends on no sizes -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelFacts.h"

#include "Contract.h"
#include "Linearise.h"
#include "StripLoop.h"

#include <algorithm>
#include <tuple>

using namespace anneal;
using plan::Reg;

namespace anneal::runtime::interpreter {

namespace {

std::vector<Combiner> matchCombiners(const plan::Kernel &kernel, const BodyInfo &info) {
  std::vector<Combiner> combiners;
  for (uint32_t k = 0; k < kernel.numOutputs(); ++k) {
    Combiner combiner;
    if (!matchCombiner(kernel, info, k, combiner))
      return {};
    combiners.push_back(combiner);
  }
  return combiners;
}

bool isCopyOf(const plan::Kernel &kernel, const BodyInfo &info) {
  const plan::Body &body = kernel.body;
  if (kernel.kind != plan::KernelKind::Structured || kernel.numOutputs() != 1 || body.hasBranches)
    return false;
  for (const plan::Instr &instr : body.instrs)
    if (instr.op == plan::Opcode::Assert)
      return false;
  int32_t def = info.def[throughMoves(body, info, body.yields[0])];
  return def < 0 || body.instrs[static_cast<size_t>(def)].op == plan::Opcode::Const;
}

} // namespace

KernelFacts::KernelFacts(const plan::Kernel &from)
    : kernel(from), info(from.body), yieldCost(estimateCost(from.body, from.body.yields)),
      yieldRead(registersRead(from.body, from.body.yields)) {
  isMap = std::all_of(kernel.iterators.begin(), kernel.iterators.end(),
                      [](plan::IterKind kind) { return kind == plan::IterKind::Parallel; });
  isCopy = isMap && isCopyOf(kernel, info);
  isWindowed = hasWindow(kernel);
  for (const plan::Operand &operand : kernel.operands) {
    plainDims.emplace_back();
    for (const plan::IndexExpr &index : operand.indices)
      plainDims.back().push_back(plainDimension(index));
  }
  if (isMap)
    return;
  combiners = matchCombiners(kernel, info);
  ContractionBody body;
  if (!matchContraction(kernel, info, body))
    return;
  contraction = body;
  std::tie(hasM, hasN) = ownDimensions(kernel, body);
  order = isWindowed || (hasM && hasN) ? ReductionOrder::Chain : ReductionOrder::Lanes16;
}

bool KernelFacts::areYields(absl::Span<const Reg> results) const {
  return std::equal(results.begin(), results.end(), kernel.body.yields.begin(),
                    kernel.body.yields.end());
}

absl::InlinedVector<bool, 32> KernelFacts::read(absl::Span<const Reg> results) const {
  return areYields(results) ? yieldRead : registersRead(kernel.body, results);
}

double KernelFacts::cost(absl::Span<const Reg> results) const {
  return areYields(results) ? yieldCost : estimateCost(kernel.body, results);
}

UnitFactsImpl::UnitFactsImpl(const plan::Unit &unit) : theUnit(unit) {
  kernels.reserve(unit.kernels.size());
  for (const plan::Kernel &kernel : unit.kernels) {
    Entry entry;
    entry.plain = std::make_unique<KernelFacts>(kernel);
    if (kernel.kind == plan::KernelKind::Structured && hasNonLinearInput(kernel)) {
      entry.gathered = std::make_unique<plan::Kernel>(withGatheredInputs(kernel));
      entry.linear = std::make_unique<KernelFacts>(*entry.gathered);
    }
    kernels.push_back(std::move(entry));
  }
}

} // namespace anneal::runtime::interpreter

namespace anneal::runtime {

std::unique_ptr<const UnitFacts> UnitFacts::create(const plan::Unit &unit) {
  return std::make_unique<interpreter::UnitFactsImpl>(unit);
}

} // namespace anneal::runtime
