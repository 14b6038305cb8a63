//===- Phases.cpp - When the scalars of a function are known --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Plan/Phases.h"

#include <algorithm>

namespace anneal::plan {

namespace {

class PhaseFinder {
public:
  explicit PhaseFinder(const Function &function)
      : function(function), phases(function.scalarTypes.size(), Phase::Fixed),
        isWritten(function.scalarTypes.size(), false) {}

  std::vector<Phase> find() {
    for (const Param &argument : function.arguments)
      markArgument(argument);
    markShapeCode();
    for (size_t i = function.shapeCodeEnd; i < function.code.size(); ++i) {
      mark(function.code[i].dst, Phase::Run);
      mark(function.code[i].dst2, Phase::Run);
    }
    forEachStep(function.body, [&](const Step &step) { markStep(step); });
    // Sizes that only a hand-over gives: registers that nothing else writes.
    forEachStep(function.body, [&](const Step &step) {
      for (uint32_t memref : step.resultMemRefs)
        markSizes(function.memrefs[memref]);
      for (uint32_t memref : step.afterMemRefs)
        markSizes(function.memrefs[memref]);
    });
    return phases;
  }

private:
  void mark(Reg reg, Phase phase) {
    if (reg == kNoReg)
      return;
    phases[reg] = std::max(phases[reg], phase);
    isWritten[reg] = true;
  }

  void markArgument(const Param &argument) {
    for (Reg reg : argument.dimRegs)
      mark(reg, Phase::Shape);
    if (!argument.isScalar)
      return;
    bool isKey = std::find(function.keyScalars.begin(), function.keyScalars.end(),
                           argument.scalar) != function.keyScalars.end();
    mark(argument.scalar, isKey ? Phase::Shape : Phase::Run);
  }

  /// Straight-line code on fixed values gives fixed values.
  void markShapeCode() {
    auto begin = function.code.begin(), end = begin + function.shapeCodeEnd;
    bool hasBranches = std::any_of(begin, end, [](const Instr &instr) {
      return instr.op == Opcode::Jump || instr.op == Opcode::JumpIfFalse;
    });
    for (auto it = begin; it != end; ++it) {
      Phase phase = hasBranches ? Phase::Shape : Phase::Fixed;
      for (Reg source : {it->a, it->b, it->c})
        if (source != kNoReg)
          phase = std::max(phase, phases[source]);
      mark(it->dst, phase);
      mark(it->dst2, phase);
    }
  }

  void markStep(const Step &step) {
    mark(step.ivReg, Phase::Run);
    for (Reg reg : step.resultScalars)
      mark(reg, Phase::Run);
    for (Reg reg : step.afterScalars)
      mark(reg, Phase::Run);
    if (step.kind == StepKind::LoadScalar)
      mark(step.scalars[0], Phase::Run);
  }

  void markSizes(const MemRef &memref) {
    for (const std::vector<Reg> *regs : {&memref.sizes, &memref.strides})
      for (Reg reg : *regs)
        if (!isWritten[reg] && function.scalarInit[reg] == static_cast<uint64_t>(kDynamic))
          phases[reg] = Phase::Run;
  }

  const Function &function;
  std::vector<Phase> phases;
  std::vector<bool> isWritten;
};

} // namespace

std::vector<Phase> registerPhases(const Function &function) { return PhaseFinder(function).find(); }

} // namespace anneal::plan
