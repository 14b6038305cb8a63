//===- Kernels.h - The kinds of bound kernels -------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function for each way of running a kernel. Each returns null where its way does not fit, so
// that the next, more general one is tried; runElement fits all.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_KERNELS_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_KERNELS_H

#include "BodyInfo.h"
#include "Kernel.h"
#include "KernelFacts.h"
#include "StripCode.h"

#include <memory>
#include <vector>

namespace anneal::runtime::interpreter {

/// The tensors that a kernel's body gathers from.
std::vector<GatherSource> gatherSources(const plan::Kernel &kernel, const BindContext &context);

/// A structured kernel that is being bound: its space is not empty.
struct KernelBinding {
  KernelBinding(const KernelFacts &facts, const IterSpace &space, const BindContext &context,
                Isa isa)
      : facts(facts), kernel(facts.kernel), space(space), context(context),
        gathers(gatherSources(kernel, context)), isa(isa) {}

  const KernelFacts &facts;
  const plan::Kernel &kernel;
  const IterSpace &space;
  const BindContext &context;
  std::vector<GatherSource> gathers;
  Isa isa;

  unsigned numThreads() const { return context.binding.numThreads; }
  const BoundTensor &tensorOf(size_t operand) const {
    return context.tensors[kernel.operands[operand].tensor];
  }
};

using KernelPtr = std::unique_ptr<BoundKernel>;

/// One output, all loops parallel, and a body that hands on an operand or a scalar: copies,
/// transpositions, broadcasts, fills.
KernelPtr bindCopy(const KernelBinding &binding);

/// All loops parallel.
KernelPtr bindMap(const KernelBinding &binding);

/// KernelKind::Pad. InvalidArgument where ranks or types do not fit.
absl::StatusOr<KernelPtr> bindPad(const plan::Kernel &kernel, const BindContext &context, Isa isa);

/// Any kernel: one point of the space after the other, each output's element written at once. Null
/// only where an operation of the body is not known for its types.
KernelPtr bindElement(const KernelBinding &binding);

/// Different points of the parallel loops write different elements, and no output moves along a
/// reduction.
bool hasDistinctOutputs(const KernelBinding &binding);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_KERNELS_H
