//===- BoxLoop.h - Element-wise kernels on tiles ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_BOXLOOP_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_BOXLOOP_H

#include "BodyBoxes.h"
#include "Kernels.h"
#include "StripLoop.h"

#include "anneal/Runtime/Kernels/Contraction.h"

namespace anneal::runtime::interpreter {

/// An element-wise kernel that is run on boxes of its space, one of its tensors standing in the box
/// of a contraction's tile. Immutable; thread-safe.
class BoxLoop {
public:
  struct Spec {
    const KernelBinding &binding;
    /// All of the kernel's streams along the contraction's parallel loops.
    const Nest &nest;
    /// Streams, by index in the nest, that stand in the tile.
    absl::Span<const size_t> tiled;
  };

  bool bind(const Spec &spec);
  size_t scratchBytes() const;
  /// Nanoseconds of one element.
  double costPerPoint() const { return perPoint; }

  /// Most loops that a strip extends over.
  static constexpr size_t kMostLoops = 3;

  /// A worker's states, kept from tile to tile; each is started when it is first needed.
  struct Worker {
    RunState *run = nullptr;
    char *scratch = nullptr;
    bool isStarted[kMostLoops] = {};
    StripLoop::Worker states[kMostLoops];
  };
  /// Begins in `scratch` (of scratchBytes).
  void start(RunState &state, char *scratch, Worker &worker) const;
  /// Runs the kernel on the points of the box. False if the body failed.
  bool run(Worker &worker, const ContractionBox &box) const;

private:
  size_t chooseLoop(const ContractionBox &box) const;
  bool startLoop(Worker &worker, size_t k) const;
  bool runCompiled(AnnealBoxFn code, const RunState &state, const ContractionBox &box) const;
  bool runStrips(const StripLoop &loop, const StripLoop::Worker &own,
                 const ContractionBox &box) const;

  /// Entry k: strips over the last k + 1 loops, the innermost k of them whole. Long rows are strips
  /// of their own, short ones are brought together.
  absl::InlinedVector<StripLoop, kMostLoops> loops;
  BodyBoxes boxes;
  size_t numLoops = 0;
  int64_t maxStrip = 1;
  /// Rows from this length on are strips of their own.
  int64_t longRow = 1;
  absl::InlinedVector<size_t, 4> tiled;
  double perPoint = 0;
};

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_BOXLOOP_H
