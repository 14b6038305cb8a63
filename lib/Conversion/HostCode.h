//===- HostCode.h - Scalar code and steps of a host function ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_HOSTCODE_H
#define ANNEAL_LIB_CONVERSION_HOSTCODE_H

#include "ModuleTables.h"
#include "ScalarCode.h"

#include "anneal/Plan/Plan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <tuple>

namespace anneal {

/// Collects the registers, the scalar code and the steps of one function. An instruction whose
/// sources are all of the shape phase goes to the shape program, wherever it stands in the program
/// (it can't fail), each computation once. Others go to a `Scalars` step of the block that is being
/// built.
class HostCode final : public CodeSink {
public:
  HostCode(plan::Function &function, ModuleTables &tables)
      : function(function), tables(tables), block(&function.body) {}

  // Registers.

  /// A register whose value the runtime sets: before the shape program, or during the call.
  plan::Reg newReg(plan::DType type, bool isShape);
  /// A register for a size or stride that a tensor which is handed over gives.
  plan::Reg newHandedSize();
  plan::DType typeOf(plan::Reg reg) const { return function.scalarTypes[reg]; }
  bool isShape(plan::Reg reg) const { return shapePhase[reg]; }
  bool allShape(llvm::ArrayRef<plan::Reg> regs) const;
  /// Value of an integer register that is a constant, sign-extended.
  std::optional<int64_t> constantValue(plan::Reg reg) const;
  /// Whether the value is known never to be negative.
  bool isNonNegative(plan::Reg reg) const;
  void markNonNegative(plan::Reg reg) { nonNegative[reg] = true; }

  plan::Reg constant(plan::DType type, uint64_t bits) override;
  plan::Reg emit(const InstrSpec &spec, mlir::Location location) override;

  // Index arithmetic, folded where values are known.

  plan::Reg add(plan::Reg a, plan::Reg b, mlir::Location location);
  plan::Reg sub(plan::Reg a, plan::Reg b, mlir::Location location);
  plan::Reg mul(plan::Reg a, plan::Reg b, mlir::Location location);

  // Checks. They hold where control reaches the place that is being built, and are made in the
  // shape program where both that and their operands are known there.

  void checkAssert(plan::Reg condition, llvm::StringRef message, mlir::Location location);
  void checkEqual(plan::Reg a, plan::Reg b, llvm::StringRef message, mlir::Location location);
  void checkNonNegative(plan::Reg value, llvm::StringRef message, mlir::Location location);
  /// Slice [offset, offset + (size - 1) * stride] of a dimension of size `extent`.
  void checkSlice(plan::Reg offset, plan::Reg size, plan::Reg stride, plan::Reg extent,
                  mlir::Location location);

  // Steps.

  /// Number of the next step; structured steps take theirs before their blocks are built.
  uint32_t takeStepNumber() { return function.numSteps++; }
  /// Appends a step that has its number to the block that is being built.
  void append(plan::Step step);
  /// Appends a step without blocks; returns its number.
  uint32_t append(plan::StepKind kind, mlir::Location location, llvm::ArrayRef<uint32_t> memrefs,
                  llvm::ArrayRef<plan::Reg> scalars, uint32_t unit = 0);

  /// While it lives, steps go to `block`. `condition`: register that says whether the block runs,
  /// if the shape phase knows it; else kNoReg.
  class BlockScope {
  public:
    BlockScope(HostCode &code, plan::Block &block, plan::Reg condition, mlir::Location location);
    ~BlockScope();

  private:
    HostCode &code;
    plan::Block *savedBlock;
    plan::Reg savedGuard;
    bool savedHasGuard;
  };

  /// Joins the two programs. Nothing may be added after.
  void finish();

private:
  plan::Instr makeInstr(const InstrSpec &spec, std::vector<plan::Reg> &extra);
  void appendRun(const plan::Instr &instr, mlir::Location location);
  void emitCheck(InstrSpec spec, llvm::ArrayRef<plan::Reg> neutral, mlir::Location location);
  bool givesNonNegative(const InstrSpec &spec) const;
  std::optional<plan::Reg> foldKnown(const InstrSpec &spec);
  std::optional<plan::Reg> foldBinary(plan::Opcode op, plan::Reg a, plan::Reg b);

  plan::Function &function;
  ModuleTables &tables;
  plan::Block *block;
  /// Whether the block being built runs is known in the shape phase, and the register that says so
  /// (kNoReg: it always does).
  bool hasGuard = true;
  plan::Reg guard = plan::kNoReg;

  std::vector<bool> shapePhase, nonNegative, isConstant;
  llvm::DenseMap<std::pair<unsigned, uint64_t>, plan::Reg> constants;
  std::vector<plan::Instr> shapeCode, runCode;
  std::vector<plan::Reg> shapeExtra, runExtra;
  std::vector<uint32_t> shapeLocations, runLocations;
  using ValueKey = std::tuple<unsigned, unsigned, unsigned, plan::Reg, plan::Reg, plan::Reg>;
  llvm::DenseMap<ValueKey, plan::Reg> known;
  /// Checks in the shape program, each made once: operation, further source, sources.
  using CheckKey = std::tuple<unsigned, plan::Reg, plan::Reg, plan::Reg, plan::Reg>;
  llvm::DenseSet<CheckKey> checked;
};

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_HOSTCODE_H
