//===- BoundUnit.h - A unit bound to shapes, ready to interpret -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_INTERPRETER_BOUNDUNIT_H
#define ANNEAL_RUNTIME_INTERPRETER_BOUNDUNIT_H

#include "anneal-c/UnitAbi.h"
#include "anneal/Plan/Unit.h"
#include "anneal/Runtime/Kernels/Isa.h"

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace anneal::runtime {

class DerivedConstants;
class ThreadPool;

/// One tensor parameter of a unit when it is bound: sizes and strides in elements. A constant's
/// bytes are known: `constant` is a number that stands for them (equal bytes, sizes and strides
/// have the same one; ConstantStore::partIdentity) and `constantData` its first element, so that
/// packed forms can be made now. Elements are aligned to their size, no more.
struct BindTensor {
  absl::Span<const int64_t> sizes;
  absl::Span<const int64_t> strides;
  int32_t constant = -1;
  const void *constantData = nullptr;
};

/// Dimensions of a tensor of which a form takes a part only, whatever their size.
struct PartDims {
  /// As bits: those of which it takes one element.
  uint64_t single = 0;
  /// The one of which it takes UnitBinding::groupSize elements; -1: none.
  int32_t grouped = -1;
};

/// What a unit is bound to.
struct UnitBinding {
  /// Inputs, then outputs.
  absl::Span<const BindTensor> tensors;
  /// Values of all scalar parameters; only those with `isShape` are read.
  absl::Span<const uint64_t> scalars;
  DerivedConstants *derived = nullptr;
  /// For each of the unit's tensors, for a form of a part of the unit that does not reach further.
  /// Empty: all of every dimension.
  absl::Span<const PartDims> parts;
  int64_t groupSize = 1;
  /// Threads that will run the unit (grain choices); bits of results never depend on it.
  unsigned numThreads = 1;
  /// Instruction set of the kernels; none: the best there is. The bits of results don't depend on
  /// it.
  absl::optional<Isa> isa;
};

class BoundUnit;

/// What of a unit depends on no sizes: found out once, for all forms of it. Thread-safe; the unit
/// must outlive it.
class UnitFacts {
public:
  static std::unique_ptr<const UnitFacts> create(const plan::Unit &unit);
  virtual ~UnitFacts() = default;

  virtual const plan::Unit &unit() const = 0;
};

/// A unit with everything decided that depends on shapes and strides alone: merged dimensions,
/// chosen kernels, chunk sizes, layouts of packed constants. The same for all calls of the unit
/// with these shapes, whatever the constants. Immutable; keeps a reference to the unit, which must
/// outlive it.
class UnitForm {
public:
  virtual ~UnitForm() = default;

  /// Of `binding`'s constants it only matters that they are. Errors: sizes that do not fit the
  /// kernels' maps (InvalidArgument, naming operation, operand and dimension).
  static absl::StatusOr<std::shared_ptr<const UnitForm>> bind(const UnitFacts &facts,
                                                              const UnitBinding &binding);

  /// Packed constants that it wants.
  virtual size_t numDerived() const = 0;
  /// Runs it on a frame; `derived` are those constants, `bodies` compiled code as in
  /// AnnealCallbacks::runKernels. AnnealStatus.
  virtual int32_t run(const AnnealUnitFrame *frame, const void *const *derived,
                      absl::Span<const AnnealBoxFn> bodies) const = 0;
  /// The packed forms of `binding`'s constants, made if need be. ResourceExhausted.
  virtual absl::Status pack(const UnitBinding &binding, absl::Span<const void *> derived) const = 0;

  /// Memory that a frame must bring, in bytes: for temporaries, and for each worker.
  size_t workspaceBytes() const { return workspace; }
  size_t scratchBytesPerWorker() const { return scratch; }

protected:
  size_t workspace = 0;
  size_t scratch = 0;
};

/// A form with its constants: what a frame runs. Immutable, so many threads may run it at once,
/// each with a frame of its own.
class BoundUnit {
public:
  /// Errors: out of memory (ResourceExhausted).
  static absl::StatusOr<BoundUnit> make(std::shared_ptr<const UnitForm> form,
                                        const UnitBinding &binding);
  /// Form and constants at once.
  static absl::StatusOr<std::unique_ptr<BoundUnit>> bind(const plan::Unit &unit,
                                                         const UnitBinding &binding);

  size_t workspaceBytes() const { return form->workspaceBytes(); }
  size_t scratchBytesPerWorker() const { return form->scratchBytesPerWorker(); }

  /// AnnealUnitFn of every interpreted unit: `frame->code` is the BoundUnit.
  static int32_t run(const AnnealUnitFrame *frame);
  /// AnnealCallbacks::runKernels: the same with compiled bodies.
  static int32_t runKernels(const AnnealUnitFrame *frame, const AnnealBoxFn *bodies,
                            uint32_t numBodies);

private:
  std::shared_ptr<const UnitForm> form;
  absl::InlinedVector<const void *, 2> derived;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_INTERPRETER_BOUNDUNIT_H
