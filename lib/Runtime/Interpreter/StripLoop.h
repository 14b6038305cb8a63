//===- StripLoop.h - A body run over boxes of a loop nest -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Joins a Nest and the StripCode of a body. A strip is a box of the innermost loops: a range of
// loop `stripLoop` and all of the loops inside it, flattened. Operands that are contiguous over a
// strip are used where they stand; others are brought into the worker's scratch first, and results
// taken from it.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_STRIPLOOP_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_STRIPLOOP_H

#include "Nest.h"
#include "StripCode.h"

#include <cstdint>
#include <vector>

namespace anneal::runtime::interpreter {

/// Moves a box of elements between memory and a dense strip. `extents` and `strides` (elements)
/// have `rank` entries, outermost first. The strip must not overlap the box.
void loadBox(const StripMoves &moves, size_t elementSize, char *strip, const char *box,
             const int64_t *extents, const int64_t *strides, size_t rank);
void storeBox(const StripMoves &moves, size_t elementSize, char *box, const int64_t *extents,
              const int64_t *strides, size_t rank, const char *strip);
/// Fills a box with one value.
void splatBox(const StripMoves &moves, size_t elementSize, char *box, const int64_t *extents,
              const int64_t *strides, size_t rank, const char *value);
/// The box is dense in memory, in row-major order.
bool isDense(const int64_t *extents, const int64_t *strides, size_t rank);

/// Time of the operations that make `results` for one element in nanoseconds, for decisions about
/// cutting loops.
double estimateCost(const plan::Body &body, absl::Span<const plan::Reg> results);

/// Which loops make a strip, and how long it is.
struct StripShape {
  size_t stripLoop = 0;
  size_t maxStrip = 512;
  /// Iterations of `stripLoop` in one strip, all loops inside it being whole.
  int64_t rows = 1;
};

/// The cheapest strips of a nest among those that begin at loop `firstLoop` or further inside, for
/// a body of `numSteps` operations.
StripShape chooseStrip(const Nest &nest, size_t firstLoop, size_t numSteps);

/// A body bound to a nest. Immutable; thread-safe, each worker with a scratch of its own.
class StripLoop {
public:
  struct Spec {
    const StripCodes &codes;
    const plan::Body &body;
    const Nest &nest;
    /// First loop of a strip, and most elements of a strip.
    size_t stripLoop = 0;
    size_t maxStrip = 512;
    absl::Span<const plan::Reg> results = {};
    /// The nest's write streams take the results, in order.
    bool writesResults = true;
    absl::Span<const GatherSource> gathers = {};
    /// Streams that `moveStream` moves: they differ from strip to strip even without a loop.
    absl::Span<const size_t> moved = {};
    size_t numIterators = 0;
    uint32_t location = 0;
    Isa isa = Isa::Portable;
  };

  /// False where an operation of the body is not known for its types.
  bool bind(const Spec &spec);

  size_t scratchBytes() const { return scratchSize; }
  const StripCode &stripCode() const { return *code; }
  size_t stripLoop() const { return firstLoop; }

  /// A worker's state while it runs strips; all of it lies in the worker's scratch.
  struct Worker {
    RunState *state = nullptr;
    StripFrame frame;
    /// Of each stream: its first element, its strides, what its slot holds.
    char **bases = nullptr;
    const int64_t **strides = nullptr;
    struct Held {
      const char *source;
      int64_t count;
    } *held = nullptr;
    char *slots = nullptr;
  };

  /// Makes a worker in `scratch` and computes what is the same for the whole run; false if that
  /// failed.
  bool start(RunState &state, char *scratch, Worker &worker) const;
  /// From here on, stream `s` of the nest is found elsewhere: its element at position `begin` is at
  /// `data`, and `strides` (one for each loop) are its strides. They must outlive their use.
  void moveStream(const Worker &worker, size_t s, char *data, const int64_t *begin,
                  const int64_t *strides) const;
  /// What was brought in from memory is brought in anew: memory has changed.
  void forget(const Worker &worker) const;

  /// Points the values of all streams at the strip that begins at `position` (one entry for each
  /// loop) and extends over `extents` (one for each loop from `stripLoop` on).
  void load(const Worker &worker, const int64_t *position, const int64_t *extents) const;
  /// Takes the results of the strip to the write streams.
  void store(const Worker &worker, const int64_t *position, const int64_t *extents) const;
  /// load, run, store. False if the body failed.
  bool runStrip(const Worker &worker, const int64_t *position, const int64_t *extents) const;
  /// Data of a result after the body ran: a strip, or one value if it does not vary.
  const void *result(const Worker &worker, size_t r) const {
    return worker.frame.values[code->resultValue(r)];
  }

private:
  struct BoundStream {
    Stream stream;
    Spread spread = Spread::Varying;
    ValueId value = 0;
    /// Write streams: which result.
    uint32_t result = 0;
    StripMoves moves;
    size_t slot = 0;
    /// What the slot holds may be kept from strip to strip.
    bool keeps = true;
    /// Always brought into the slot: a result that would else stand in memory that is written.
    bool mustCopy = false;
  };

  void bindStream(const Spec &spec, const Stream &stream);
  void loadStream(const Worker &worker, size_t s, const int64_t *position,
                  const int64_t *extents) const;
  void loadPositions(const Worker &worker, size_t s, int64_t first, const int64_t *extents,
                     int64_t count) const;
  void pointResult(const Worker &worker, size_t s, const int64_t *position,
                   const int64_t *extents) const;
  int64_t offsetAt(const Worker &worker, size_t s, const int64_t *position) const;
  char *addressAt(const Worker &worker, size_t s, const int64_t *position) const;

  std::shared_ptr<const StripCode> code;
  std::vector<GatherSource> gathers;
  std::vector<BoundStream> streams;
  size_t numLoops = 0;
  size_t firstLoop = 0;
  size_t scratchSize = 0;
  size_t tablesOffset = 0;
  size_t slotsOffset = 0;
  const IndexKernels *indexKernels = nullptr;
};

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_STRIPLOOP_H
