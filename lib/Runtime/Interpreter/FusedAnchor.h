//===- FusedAnchor.h - A contraction run with its neighbours ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_FUSEDANCHOR_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_FUSEDANCHOR_H

#include "BoxLoop.h"
#include "Contract.h"

#include <optional>

namespace anneal::runtime::interpreter {

/// A contraction of which each tile is prepared and finished by element-wise kernels.
class FusedAnchor final : public BoundKernel {
public:
  /// Most element-wise kernels on the result.
  static constexpr size_t kMostEpilogues = 4;

  struct Parts {
    std::shared_ptr<const ContractionPlan> plan;
    PackedOperands packed;
    Stream a, b, c;
    /// The stream of initial values (InitKind::Tensor), or the scalar of the unit that is one.
    std::optional<Stream> initTensor;
    int64_t initScalar = -1;
    /// Writes initial values (InitKind::Hook).
    std::optional<BoxLoop> init;
    std::vector<BoxLoop> epilogues;
    bool elidesResult = false;
    Grain grain;
  };

  explicit FusedAnchor(Parts parts);
  void run(RunState &state) const override;

private:
  /// One worker's run of some tiles.
  struct Chunk {
    const FusedAnchor &kernel;
    RunState &state;
    BoxLoop::Worker init;
    BoxLoop::Worker epilogues[kMostEpilogues];
  };

  void runTiles(RunState &state, const ContractionOperands &operands, int64_t begin, int64_t end,
                uint32_t worker) const;
  static void initTile(void *context, const ContractionBox &box);
  static void finishTile(void *context, const ContractionBox &box);

  Parts parts;
};

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_FUSEDANCHOR_H
