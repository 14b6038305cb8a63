//===- BodyBoxes.h - Compiled bodies over loop nests ------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the compiled code of a body (AnnealBoxFn) runs where the interpreter would run strips: the
// two innermost loops of a nest become the rows and columns of a box, the others are counted here.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_BODYBOXES_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_BODYBOXES_H

#include "Kernels.h"
#include "Nest.h"

#include "absl/types/span.h"

#include <cstdint>
#include <vector>

namespace anneal::runtime::interpreter {

/// A stream that stands elsewhere during one run: the element at position `begin` of the box is at
/// `data`. `strides`: one for each loop, in elements.
struct MovedStream {
  size_t stream;
  char *data;
  const int64_t *strides;
};

/// The streams of a nest as operands of a box. Immutable; thread-safe.
class BodyBoxes {
public:
  /// False where compiled code is not used: too many operands or loops; rows of a few elements; or
  /// the body may fail and writes over what it reads, so that it could not be run again for its
  /// message.
  bool bind(const KernelBinding &binding, const Nest &nest, absl::Span<const size_t> moved = {});

  /// The code to run, or null: none for this operation, or bind() refused.
  AnnealBoxFn codeIn(const RunState &state) const { return state.body(sourceOp); }

  /// Decides how runAll cuts the nest: blocks of some thousand points, which extend over a range of
  /// loop `numCut - 1` and all of the loops inside it. `nanoseconds`: of all of it on one thread.
  void cut(size_t numCut, double nanoseconds, unsigned numThreads);
  /// The fewest of the outer loops that cut() has to be given for such blocks.
  size_t numLoopsToCut() const;

  /// Runs `code` on the whole nest, in parallel where that pays. False if the body failed
  /// somewhere; the blocks that were not begun are left out. REQUIRES: cut() was called.
  bool runAll(AnnealBoxFn code, const RunState &state) const;

  /// Runs `code` on the points `begin` to `begin + extents` (one entry for each loop), the outer
  /// loops in ascending order. False if the body failed; what it was is found out by running the
  /// strips.
  bool run(AnnealBoxFn code, const RunState &state, const int64_t *begin, const int64_t *extents,
           absl::Span<const MovedStream> moved = {}) const;

private:
  static constexpr size_t kMostOperands = 16;
  static constexpr size_t kMostDims = 12;

  struct Box;

  void place(Box &box, const RunState &state, const int64_t *begin,
             absl::Span<const MovedStream> moved) const;
  void step(Box &box, size_t loop, int64_t by) const;

  /// Each operand and position once: an output that is read moves with the stream that writes it.
  struct Mover {
    Stream stream;
    /// In the nest.
    size_t number;
  };

  int32_t sourceOp = -1;
  DimVec sizes;
  std::vector<Mover> movers;
  std::vector<GatherSource> gathers;
  size_t numCutLoops = 0;
  int64_t blockRows = 1;
  Grain grain;
};

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_BODYBOXES_H
