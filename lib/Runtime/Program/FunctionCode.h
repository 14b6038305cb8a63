//===- FunctionCode.h - A function prepared for execution -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be decided about a function once and for all sizes: which tensors are known with an
// instance and which only in the call, and what each step has to set before it runs.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_FUNCTIONCODE_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_FUNCTIONCODE_H

#include "ScalarCode.h"

#include "anneal/Plan/Phases.h"

#include "absl/container/flat_hash_map.h"

#include <memory>
#include <optional>
#include <vector>

namespace anneal::runtime {

inline constexpr uint32_t kNone = ~uint32_t(0);

/// What is known of a memref, and when.
struct MemRefCode {
  /// Sizes and strides are known with the instance.
  bool hasKnownShape = false;
  /// So are base and offset: its address follows when workspace, arguments and results are placed.
  bool hasKnownPlace = false;
  /// Part of a constant, the place of which is known with the instance.
  bool isConstant = false;
  /// One that is the same in all instances.
  bool isFixedConstant = false;
  /// Where its base is found during a call (index into FunctionCode::bases).
  uint32_t base = kNone;
};

/// An operand of a step: one AnnealView of the execution context.
struct ViewCode {
  uint32_t memref = 0;
  /// Where the context keeps sizes, then strides, of a view without known shape.
  uint32_t dynamicDims = kNone;
};

/// A scalar of a unit that is only known in the call.
struct ScalarPatch {
  uint32_t unitScalar;
  plan::Reg reg;
};

struct StepCode;

struct BlockCode {
  const plan::Block *block = nullptr;
  std::vector<StepCode> steps;
};

struct StepCode {
  plan::StepKind kind = plan::StepKind::Scalars;
  const plan::Step *step = nullptr;
  /// Invoke: index into FunctionCode::invokes.
  uint32_t invoke = kNone;
  /// The views of its memrefs, in order.
  uint32_t firstView = 0;
  /// Views that the step has to set.
  std::vector<uint32_t> patches;
  std::vector<ScalarPatch> scalarPatches;
  std::vector<BlockCode> blocks;
};

/// A call of a unit.
struct InvokeCode {
  const plan::Step *step = nullptr;
  const plan::Unit *unit = nullptr;
  uint32_t firstView = 0;
  /// Where the context keeps the values of the unit's scalars.
  uint32_t firstScalar = 0;
  /// The unit is bound with the instance: all shapes and shape scalars are known then.
  bool isBoundEarly = true;
  /// Calls of one class are bound to the same thing in every instance: same unit, and the same
  /// registers hold sizes, strides and shape scalars.
  uint32_t callClass = 0;
  /// Classes of one form class differ in the constants that they read.
  uint32_t formClass = 0;
};

/// Immutable, thread-safe. The function and module must outlive it.
class FunctionCode {
public:
  /// REQUIRES: a valid function. Errors: those of ScalarCode::create.
  static absl::StatusOr<std::unique_ptr<FunctionCode>> create(const plan::Function &function,
                                                              const plan::Module &module, Isa isa);

  const plan::Function &function;
  const plan::Module &module;
  std::vector<plan::Phase> phases;
  std::vector<MemRefCode> memrefs;
  std::vector<ViewCode> views;
  std::vector<InvokeCode> invokes;
  /// Bases that are looked up during a call.
  std::vector<plan::Base> bases;
  BlockCode body;
  uint32_t numUnitScalars = 0;
  uint32_t numDynamicDims = 0;
  /// Most scalars and most tensors that are handed over at once.
  uint32_t maxScalarHandOver = 0;
  uint32_t maxMemRefHandOver = 0;

  size_t numCallClasses() const { return callClasses.size(); }
  size_t numFormClasses() const { return formClasses.size(); }
  const ScalarCode &scalars() const { return *scalarCode; }

private:
  FunctionCode(const plan::Function &function, const plan::Module &module)
      : function(function), module(module) {}
  std::optional<ScalarCode> scalarCode;
  using CallKey = std::vector<uint32_t>;
  absl::flat_hash_map<CallKey, uint32_t> callClasses, formClasses;

  CallKey callKeyOf(const plan::Step &step, bool withConstants) const;
  void classifyMemRefs();
  void prepareBlock(const plan::Block &block, BlockCode &code);
  void prepareStep(const plan::Step &step, StepCode &code);
  void prepareInvoke(const plan::Step &step, StepCode &code);
  uint32_t addView(uint32_t memref);
  void needBase(uint32_t memref);
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_FUNCTIONCODE_H
