//===- Nest.h - Loop nests over streams of values ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration space as loops, and what moves along with them: operands in memory and positions.
// All are linear in the loop variables, so that loops can be dropped, exchanged and merged by
// looking at strides alone.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_NEST_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_NEST_H

#include "BodyInfo.h"
#include "Kernels.h"

#include "absl/types/span.h"

#include <algorithm>
#include <cstdint>

namespace anneal::runtime::interpreter {

/// Something whose element at loop position (i...) is number `offset + sum i_d * strides[d]`: of a
/// tensor, or, for a position, that number itself.
struct Stream {
  enum class Kind : uint8_t { Read, Write, Position };
  Kind kind = Kind::Read;
  /// Operand of the kernel, or iteration dimension whose position it is.
  uint32_t index = 0;
  TensorPlace place;
  size_t elementSize = 8;
  int64_t offset = 0;
  StrideVec strides;

  /// Elements from the first one to that at a position in the first `rank` loops.
  int64_t distance(const int64_t *position, size_t rank) const {
    int64_t elements = 0;
    for (size_t d = 0; d < rank; ++d)
      elements += position[d] * strides[d];
    return elements;
  }
};

/// Loops, outermost first, with the streams that run along.
struct Nest {
  DimVec sizes;
  absl::InlinedVector<Stream, 6> streams;

  /// Removes loops of size 1 among [begin, end); returns the new end.
  size_t dropUnits(size_t begin, size_t end);
  /// Merges neighbouring loops among [begin, end) where every stream allows it; returns the new
  /// end.
  size_t merge(size_t begin, size_t end);
  /// Puts a loop of one iteration, in which nothing moves, in place `at`.
  void insertUnitLoop(size_t at);
  /// Moves loop `from` to position `to`, shifting those between.
  void moveLoop(size_t from, size_t to);
  /// Orders the loops [begin, end), which must be free to be exchanged, for locality: by falling
  /// distance in memory of the written streams, or of the read ones if nothing is written.
  void sortForLocality(size_t begin, size_t end);
};

/// Counts through nested loops of which the last one is cut into blocks: the unit in which work is
/// dealt to threads. Without loops there is one block of one iteration.
class BlockCounter {
public:
  /// `sizes`: of the loops, outermost first; they must outlive the counter. Starts at block
  /// `start`.
  BlockCounter(absl::Span<const int64_t> sizes, int64_t block, int64_t start);

  /// Position in each loop, the first one of the block in the last loop.
  const int64_t *position() const { return at.data(); }
  /// Iterations of the last loop in this block.
  int64_t count() const { return std::min(block, last - at.back()); }
  void next();

  /// Number of blocks in all.
  static int64_t numBlocks(absl::Span<const int64_t> sizes, int64_t block);

private:
  absl::Span<const int64_t> sizes;
  int64_t block, last;
  DimVec at;
};

/// The element of a stream at loop position 0.
char *firstElement(const RunState &state, const Stream &stream);

/// Place of a bound tensor in a frame.
TensorPlace placeOf(const BindContext &context, uint32_t tensor);

/// A nest with the kernel's iteration dimensions as loops, in their order. Streams: the operands
/// that `body`'s live instructions or results read, the positions that they read, and, if
/// `withOutputs`, the outputs.
Nest buildNest(const KernelBinding &binding, absl::Span<const plan::Reg> results, bool withOutputs);

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_NEST_H
