//===- Instance.h - A function for one set of input sizes -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_INSTANCE_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_INSTANCE_H

#include "FunctionCode.h"
#include "ProgramShared.h"

#include "anneal/Runtime/Tensor.h"

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

#include <array>
#include <atomic>
#include <memory>
#include <vector>

namespace anneal::runtime {

class Context;

/// Sizes, strides and reach of a tensor.
struct TensorLayout {
  absl::Span<const int64_t> sizes;
  absl::Span<const int64_t> strides;
  /// Of the first element in its base; only where the place is known.
  int64_t offset = 0;
  /// Elements that it reaches, counted from its first: [low, high]; high < low if it is empty.
  int64_t low = 0;
  int64_t high = 0;

  bool isEmpty() const { return high < low; }
};

/// Fills `low` and `high`. Errors: a negative size; a reach that overflows.
absl::Status computeReach(TensorLayout &layout, plan::DType dtype);

/// Where a view points once its base is placed.
struct Relocation {
  uint32_t view;
  /// Argument or result; unused for the workspace.
  uint32_t index;
  size_t byteOffset;
};

/// A plan instance (DESIGN.md D2): all that follows from the sizes of the inputs and the key
/// scalars. Immutable but for its pool of execution contexts; used by many threads at once.
class Instance {
public:
  /// Runs the shape program, lays the workspace out, binds units. `inputs` fit the arguments.
  /// Errors: as Function::call says. What is wrong with a step inside a block is only reported if
  /// it is reached.
  static absl::StatusOr<std::unique_ptr<Instance>>
  build(const FunctionCode &code, ProgramShared &shared, absl::Span<const Value> inputs);
  ~Instance();

  /// Whether it is the one for these inputs.
  bool matches(absl::Span<const Value> inputs) const;
  /// Hash of what matches() compares.
  static uint64_t hashOf(const FunctionCode &code, absl::Span<const Value> inputs);

  /// An idle context, or a new one; no lock. It comes back with giveBack.
  Context *takeContext() const;
  void giveBack(Context *context) const;

  const FunctionCode &code;
  ProgramShared &shared;

  /// Sizes of the tensor arguments, then the values of the key scalars.
  std::vector<int64_t> key;
  /// After the shape program.
  std::vector<uint64_t> registers;
  /// Of each memref; without sizes where its shape is not known.
  std::vector<TensorLayout> layouts;
  /// What the calls of each class run.
  std::vector<BoundEntry> classes;
  /// Of each invoke, one of `classes`; null where it is bound in the call, or broken.
  std::vector<const BoundEntry *> bound;
  /// Bytes behind each of FunctionCode::bases but slots.
  std::vector<size_t> baseBytes;
  /// Steps that cannot run with these sizes, and why.
  absl::flat_hash_map<const plan::Step *, absl::Status> brokenSteps;

  size_t workspaceBytes = 0;
  /// At the start of the workspace.
  size_t scratchPerWorker = 0;
  std::vector<size_t> allocOffsets;
  std::vector<size_t> unitWorkspaceOffsets;
  std::vector<Relocation> workspaceViews, argumentViews, resultViews;
  /// Views of constants and their bytes.
  std::vector<std::pair<uint32_t, const void *>> constantViews;

private:
  friend class InstanceBuilder;
  Instance(const FunctionCode &code, ProgramShared &shared) : code(code), shared(shared) {}

  std::vector<int64_t> dims;
  static constexpr size_t kMaxIdleContexts = 32;
  mutable std::array<std::atomic<Context *>, kMaxIdleContexts> idle{};
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_INSTANCE_H
