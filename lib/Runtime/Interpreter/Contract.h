//===- Contract.h - Contractions for the engine -----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_CONTRACT_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_CONTRACT_H

#include "Kernels.h"
#include "Nest.h"

#include "anneal/Runtime/Kernels/Contraction.h"

namespace anneal::runtime::interpreter {

/// Lanes16 where no access is windowed and not each input has a parallel dimension that the other
/// lacks; else Chain. Read off the maps.
std::pair<bool, bool> ownDimensions(const plan::Kernel &kernel, const ContractionBody &body);

/// A contraction as a nest: parallel loops in the order of the operation, then reduction loops;
/// streams 0, 1 and 2 are A, B and C.
struct ContractionNest {
  ContractionBody body;
  Nest nest;
  size_t numParallel = 0;
  ReductionOrder order = ReductionOrder::Chain;
};

/// A, B and C along the kernel's iteration dimensions.
std::vector<Stream> contractionStreams(const KernelBinding &binding, const ContractionBody &body);

/// Sorts the loops and reads the order off the maps; nothing is merged yet. `streams` are along the
/// kernel's iteration dimensions, the first three of them A, B and C.
ContractionNest buildContractionNest(const KernelBinding &binding, const ContractionBody &body,
                                     const std::vector<Stream> &streams);

/// Drops loops of size 1 and merges neighbours, parallel and reduction ones apart.
void simplifyLoops(ContractionNest &contraction);

/// The engine's description of a nest: types, loops and strides, which operands are constants.
/// Initial values are read from C.
ContractionProblem describeProblem(const KernelBinding &binding,
                                   const ContractionNest &contraction);

/// Packed forms of the constant operands that the plan asks for, as indices of RunState::derived;
/// -1 where it asks for none.
struct PackedOperands {
  int32_t a = -1;
  int32_t b = -1;

  void setOperands(const RunState &state, ContractionOperands &operands) const {
    operands.packedA = a >= 0 ? state.derived[a] : nullptr;
    operands.packedB = b >= 0 ? state.derived[b] : nullptr;
  }
};
/// Asks for them.
PackedOperands requestPacked(const KernelBinding &binding, const ContractionNest &contraction,
                             const std::shared_ptr<const ContractionPlan> &plan);

/// Tiles in chunks for the workers.
Grain tileGrain(const ContractionPlan &plan, int64_t numOutputs, double perOutput,
                unsigned numThreads);

/// Null where the body is no contraction, the engine does not take its types, or neither input has
/// a parallel dimension of its own: then it is no more than a reduction along rows.
absl::StatusOr<KernelPtr> bindContraction(const KernelBinding &binding);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_CONTRACT_H
