//===- Fusion.h - Which kernels run with the anchor -------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A unit's anchor (plan::Unit::anchor) is a contraction that is run tile by tile. What can be done
// to a tile while it is in a near cache: initial values before the first product, padding in the
// reads of an input, element-wise kernels on the result. Then the tensors in between are never
// whole in memory.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_FUSION_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_FUSION_H

#include "BodyInfo.h"
#include "Kernels.h"

#include <vector>

namespace anneal::runtime::interpreter {

/// Kernels of a unit that run as one, by index; -1: none.
struct FusionPlan {
  uint32_t anchor = 0;
  ContractionBody body;
  /// Makes the initial values of the anchor's output.
  int32_t init = -1;
  /// Pads of the anchor's operands x and y.
  int32_t padX = -1, padY = -1;
  /// Element-wise kernels on the result, right after the anchor.
  std::vector<uint32_t> epilogues;
  /// The anchor's output is not needed in memory.
  bool elidesResult = false;

  bool contains(uint32_t kernel) const;
  /// More than the anchor runs.
  bool isTrivial() const { return init < 0 && padX < 0 && padY < 0 && epilogues.empty(); }
};

/// Decides, from structure and sizes, what runs with the unit's anchor. False if there is no
/// anchor, or it cannot be run tile by tile with anything.
bool planFusion(const BindContext &context, FusionPlan &plan);

/// Temporaries that are never whole in memory, a flag for each tensor.
FlagVec elidedTensors(const plan::Unit &unit, const FusionPlan &plan);

/// The kernels of the plan as one. Null if after all they must run one by one.
absl::StatusOr<KernelPtr> bindFused(const BindContext &context, const FusionPlan &plan, Isa isa);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_FUSION_H
