//===- StripCode.h - A body compiled to operations on strips ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inner part of the interpreter (DESIGN.md §5): the body of a structured operation as a list of
// strip operations over values in a near cache. What is the same for a whole run of the kernel or
// for a whole strip is computed once; values share memory where their lives do not overlap.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_INTERPRETER_STRIPCODE_H
#define ANNEAL_LIB_RUNTIME_INTERPRETER_STRIPCODE_H

#include "BodyInfo.h"
#include "IndexKernels.h"
#include "Kernel.h"

#include "anneal/Runtime/Kernels/StripOps.h"

#include "absl/types/span.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace anneal::runtime::interpreter {

/// How a value spreads over the strip: the same in the whole run, the same in one strip, or one
/// value for each element.
enum class Spread : uint8_t { Constant, Uniform, Varying };

/// A tensor that a body gathers from.
struct GatherSource {
  TensorPlace place;
  DimVec sizes;
  DimVec strides;
  size_t elementSize = 4;
};

/// What a body is compiled for.
struct StripSpec {
  const plan::Body &body;
  /// Registers whose values are wanted.
  absl::Span<const plan::Reg> results = {};
  /// Spread of each operand register, as the caller will provide it.
  absl::Span<const Spread> operands = {};
  /// Spread of the position in each iteration dimension.
  absl::Span<const Spread> iterators = {};
  /// Iteration dimension whose position grows by one from element to element; -1: none.
  int lineDim = -1;
  /// The code holds for all sources of these element sizes, ranks and unit strides.
  absl::Span<const GatherSource> gathers = {};
  /// Bit r: the caller has memory for result r (below 64) where the code may write it directly.
  uint64_t directResults = 0;
  /// Largest number of elements of a strip.
  size_t maxStrip = 512;
  /// Of the kernel, for errors.
  uint32_t location = 0;
  Isa isa = Isa::Portable;
};

/// Index into the table of pointers to values.
using ValueId = uint16_t;

/// The memory of one worker in which strip code runs: a table of pointers to values, then the
/// values.
struct StripFrame {
  void **values = nullptr;
  char *slots = nullptr;
  /// What the body gathers from, as in StripSpec.
  const GatherSource *gathers = nullptr;
};

/// Compiled body. Immutable; thread-safe, each thread with a StripFrame of its own.
///
/// Use: for each chunk of work, `layOut`, then point the values of constant operands at their data,
/// then `begin`; for each strip, point the values of the other operands and of direct results, then
/// `run`, then take the results.
class StripCode {
public:
  StripCode() = default;
  /// `body` must have no branches. False where an operation is not known for its types.
  bool compile(const StripSpec &spec);

  /// Value of an operand register or of the position in an iteration dimension; 0 where it isn't
  /// read.
  ValueId operandValue(size_t operand) const { return operandValues[operand]; }
  ValueId iteratorValue(size_t dim) const { return iteratorValues[dim]; }
  ValueId resultValue(size_t result) const { return resultValues[result]; }
  Spread resultSpread(size_t result) const { return spreads[resultValues[result]]; }
  /// The code writes the result where the caller points its value to.
  bool isDirect(size_t result) const { return result < 64 && (direct >> result & 1) != 0; }
  /// Number of strip operations of a strip.
  size_t numSteps() const { return uniformSteps.size() + stripSteps.size(); }
  /// Values gathered from tables by a vector of indices.
  bool hasIndexedGather() const { return indexedGathers; }

  /// Memory of a StripFrame.
  size_t frameBytes() const { return tableBytes + slotBytes; }
  /// Lays a frame out in `memory` (aligned to 64). `gathers` must outlive it.
  void layOut(const RunState &state, void *memory, absl::Span<const GatherSource> gathers,
              StripFrame &frame) const;
  /// Computes what is the same for the whole run. False if that failed.
  bool begin(RunState &state, const StripFrame &frame) const {
    return constantSteps.empty() || runSteps(state, frame, constantSteps, 1);
  }
  /// Runs a strip of `n` elements. False if an assert fired or an index was outside.
  bool run(RunState &state, const StripFrame &frame, size_t n) const;

private:
  friend class StripCompiler;

  enum class StepKind : uint8_t { Call, GatherOne, GatherLine, GatherIndexed, Assert };
  struct Step {
    StripFn fn = nullptr;
    StepKind kind = StepKind::Call;
    ValueId dst = 0, dst2 = 0, a = 0, b = 0, c = 0;
    uint64_t imm = 0;
    /// Gathers: source, and values of the indices in `indices`.
    uint32_t source = 0;
    uint32_t indexBegin = 0;
    /// GatherLine: the index that advances, and whether the line is used where it stands.
    uint32_t lineIndex = 0;
    bool isView = false;
  };
  struct Initial {
    enum class Kind : uint8_t { None, Pool, Scalar, Slot } kind = Kind::None;
    uint64_t index = 0;
  };
  struct IndexValue {
    ValueId value;
    bool varying;
  };

  bool runSteps(RunState &state, const StripFrame &frame, const std::vector<Step> &steps,
                size_t n) const;
  bool gather(RunState &state, const StripFrame &frame, const Step &step, size_t n) const;
  bool gatherIndexed(RunState &state, const StripFrame &frame, const Step &step, size_t n,
                     const char *base) const;
  bool failIndex(RunState &state, int64_t index, size_t dim, int64_t size) const;
  bool checkAssert(RunState &state, const StripFrame &frame, const Step &step, size_t n) const;

  std::vector<Step> constantSteps, uniformSteps, stripSteps;
  std::vector<Initial> initial;
  std::vector<Spread> spreads;
  std::vector<uint64_t> pool;
  std::vector<IndexValue> indices;
  absl::InlinedVector<ValueId, 6> operandValues, iteratorValues, resultValues;
  uint64_t direct = 0;
  size_t offsetsSlot = 0;
  size_t tableBytes = 0, slotBytes = 0;
  uint32_t location = 0;
  bool indexedGathers = false;
  const IndexKernels *indexKernels = nullptr;
  std::vector<StripMoves> moves;
};

/// The codes of one body, one for each way in which its operands spread over the strips: sizes do
/// not matter. Thread-safe; its lock is the last one taken.
class StripCodes {
public:
  /// Compiled now or before. Null where an operation is not known for its types. REQUIRES:
  /// `spec.body` and `spec.location` are always the same.
  std::shared_ptr<const StripCode> get(const StripSpec &spec) const;

private:
  using Key = absl::InlinedVector<uint64_t, 16>;
  static Key keyOf(const StripSpec &spec);

  /// Beyond that many a code is compiled for whoever asks and not kept.
  static constexpr size_t kMostKept = 64;

  mutable std::mutex mutex;
  mutable std::vector<std::pair<Key, std::shared_ptr<const StripCode>>> kept;
};

} // namespace anneal::runtime::interpreter

#endif // ANNEAL_LIB_RUNTIME_INTERPRETER_STRIPCODE_H
