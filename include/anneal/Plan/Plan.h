//===- Plan.h - A program as plain data -------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the compiler half makes and the runtime half runs (DESIGN.md §1, D1, D2): functions with
// their shape program and steps, units, constants. Plain data on the standard library alone, so
// that it can be saved and reloaded where there is no LLVM.
//
// Phases. A scalar is of the *shape phase* if it follows from the sizes of the inputs, from
// constants and from scalar inputs that sizes depend on (`Function::keyScalars`): it is computed
// once for each new combination of these and kept in the plan instance. Every other scalar is of
// the *run phase* and computed in every call, by `Scalars` steps. A tensor whose base, offset,
// sizes and strides are all known in the shape phase costs nothing in a call.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PLAN_PLAN_H
#define ANNEAL_PLAN_PLAN_H

#include "anneal/Plan/Unit.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace anneal::plan {

/// Version of the plan's data layout: a saved plan of another version is refused.
inline constexpr uint32_t kPlanVersion = 6;

/// 128-bit digest of the bytes of a constant.
using Digest = std::array<uint64_t, 2>;

/// A constant tensor, row-major and dense. Its bytes either stand at `data` (kept alive by `owner`,
/// aligned to 64 where this project made them, to the element size at least where they are mapped
/// from a file), or are result `initResult` of the module's init function (`data` null):
/// computation on constants alone, evaluated once at load.
struct Constant {
  DType dtype = DType::F32;
  std::vector<int64_t> dims;
  const void *data = nullptr;
  std::shared_ptr<const void> owner;
  int32_t initResult = -1;

  /// Number of elements.
  int64_t numElements() const {
    int64_t n = 1;
    for (int64_t d : dims)
      n *= d;
    return n;
  }
  size_t sizeInBytes() const { return static_cast<size_t>(numElements()) * sizeOf(dtype); }
};

/// Where the first element of the memory behind a tensor is found.
struct Base {
  enum class Kind : uint8_t {
    Argument, ///< tensor argument `index` of the function (counted among all arguments)
    Result,   ///< caller's or pooled memory of result `index`
    Constant, ///< constant `index` of the module
    Alloc,    ///< `Function::allocs[index]`, in the workspace
    Slot      ///< assigned during the call (loop-carried, chosen by an `if`, allocated in the call)
  };
  Kind kind = Kind::Alloc;
  uint32_t index = 0;

  bool operator==(const Base &) const = default;
};

/// A tensor in memory: element `(i...)` is at `base + (offset + sum i_d * strides_d)` elements.
///
/// Assigning a tensor S to a tensor D that is based on a slot (initial and yielded values) lets D's
/// slot point at S's first element, S's offset included, so that D's own offset counts from there.
/// Size and stride registers of D that are of the run phase get S's sizes and strides; those of the
/// shape phase must equal them. Assignments of one hand-over read all sources before the first is
/// written.
struct MemRef {
  DType dtype = DType::F32;
  Base base;
  Reg offset = kNoReg; ///< kNoReg: 0
  std::vector<Reg> sizes;
  std::vector<Reg> strides;
  /// All of it is known in the shape phase (the base being no slot).
  bool isStatic = true;
};

/// Memory in the workspace: dense, of the sizes of `memref`. It is live in the steps numbered
/// [firstStep, lastStep], both included.
struct Alloc {
  uint32_t memref = 0;
  uint32_t firstStep = 0;
  uint32_t lastStep = 0;
};

struct Step;

/// Steps, then values that the block hands to what contains it.
struct Block {
  std::vector<Step> steps;
  std::vector<Reg> yieldScalars;
  std::vector<uint32_t> yieldMemRefs;
};

enum class StepKind : uint8_t {
  Scalars,     ///< run `code[codeBegin, codeEnd)` of the function
  Invoke,      ///< call unit `unit` on `memrefs` (inputs, outputs) and `scalars`
  Copy,        ///< memrefs[1] = memrefs[0], equal sizes
  LoadScalar,  ///< scalars[0] = memrefs[0][scalars[1...]], bounds checked
  StoreScalar, ///< memrefs[0][scalars[1...]] = scalars[0], bounds checked
  Alloc,       ///< memrefs[0], based on a slot, gets dense memory of its sizes
  /// `scalars[0]`: condition. blocks: then, else. What they yield is assigned to resultScalars and
  /// resultMemRefs.
  If,
  /// scalars: lower, upper, step. `ivReg` counts (signed, or unsigned if `unsignedCompare`).
  /// resultScalars/resultMemRefs are the loop-carried values: they start as
  /// initScalars/initMemRefs, are visible in blocks[0], get what it yields, and are the results
  /// after the loop.
  For,
  /// blocks: before, after. Loop-carried values as in `For`, visible in `before`, which yields the
  /// condition as its first scalar and then the values that `after` sees (afterScalars,
  /// afterMemRefs) and that are the results when the condition is false. `after` yields the next
  /// loop-carried values.
  While,
  /// scalars[0]: selector. blocks[k] runs if it equals cases[k]; the last block is the default.
  Switch
};

/// No unit.
inline constexpr uint32_t kNoUnit = UINT32_MAX;

struct Step {
  StepKind kind = StepKind::Scalars;
  /// Position in the linear order of all steps of the function (preorder); the unit of liveness.
  uint32_t number = 0;
  /// Index into Module::locations.
  uint32_t location = 0;

  uint32_t codeBegin = 0, codeEnd = 0;
  uint32_t unit = 0;
  std::vector<uint32_t> memrefs;
  std::vector<Reg> scalars;

  std::vector<Block> blocks;
  Reg ivReg = kNoReg;
  bool unsignedCompare = false;
  /// For: the unit that the loop is; kNoUnit: none, the units that it calls stand for themselves.
  uint32_t loopUnit = kNoUnit;
  std::vector<Reg> initScalars;
  std::vector<uint32_t> initMemRefs;
  std::vector<Reg> resultScalars;
  std::vector<uint32_t> resultMemRefs;
  std::vector<Reg> afterScalars;
  std::vector<uint32_t> afterMemRefs;
  std::vector<int64_t> cases;
};

/// An argument or a result of a function.
struct Param {
  std::string name;
  DType dtype = DType::F32;
  bool isScalar = false;
  /// Tensors: kDynamic where unknown.
  std::vector<int64_t> dims;
  /// Scalars: the register that holds the value. Tensors: the memref.
  Reg scalar = kNoReg;
  uint32_t memref = 0;
  /// Tensor arguments: registers that hold the sizes on entry.
  std::vector<Reg> dimRegs;
};

struct Function {
  std::string name;
  bool isPublic = true;
  std::vector<Param> arguments;
  std::vector<Param> results;

  /// Registers: types, and values at the start of a call. Constants stand here, and kDynamic for
  /// sizes and strides that a tensor which is handed over gives; else 0.
  std::vector<DType> scalarTypes;
  std::vector<uint64_t> scalarInit;
  /// Scalar arguments on which shapes depend; part of the key of an instance.
  std::vector<Reg> keyScalars;

  /// Instructions of the shape phase (`code[0, shapeCodeEnd)`) and of the run phase, with their
  /// further sources.
  std::vector<Instr> code;
  std::vector<Reg> extra;
  uint32_t shapeCodeEnd = 0;
  /// Index into Module::locations, one for each instruction of `code` that can fail, else 0.
  std::vector<uint32_t> codeLocations;

  std::vector<MemRef> memrefs;
  std::vector<Alloc> allocs;
  uint32_t numSlots = 0;
  uint32_t numSteps = 0;
  Block body;
};

/// A function that has no plan.
struct ForeignFunction {
  std::string name;
  std::vector<Param> arguments;
  std::vector<Param> results;
  /// Why it has none.
  std::string reason;
};

struct Module {
  std::string name;
  std::vector<Constant> constants;
  std::vector<Unit> units;
  std::vector<Function> functions;
  /// Function without arguments whose results are the computed constants; -1: none.
  int32_t initFunction = -1;
  /// Functions that have no plan: compiled whole at their first call from `foreignIr`, a module of
  /// MLIR in text or bytecode. Public; of each only the name and the types are here.
  std::vector<ForeignFunction> foreign;
  std::string foreignIr;
  /// The IR of the units as MLIR bytecode, from which they can be compiled; empty: they cannot be.
  /// Only in modules that were loaded from a file.
  std::string unitIr;
  /// Texts of asserts and checks.
  std::vector<std::string> messages;
  /// "file:line:col"; entry 0 is "".
  std::vector<std::string> locations;
};

} // namespace anneal::plan

#endif // ANNEAL_PLAN_PLAN_H
