//===- ValidateSteps.cpp - Checks of the steps of a function --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValidateSteps.h"

#include <algorithm>

namespace anneal::plan {

namespace {

class StepChecker {
public:
  StepChecker(const Function &function, const Module &module)
      : function(function), module(module),
        code{function.scalarTypes, function.code, function.extra, module} {}

  Problem checkBlock(const Block &block, unsigned depth) {
    if (depth > kMaxNesting)
      return "blocks are nested too deeply";
    for (const Step &step : block.steps) {
      if (step.number < nextNumber || step.number >= function.numSteps)
        return textOf("step ", step.number, " is out of order");
      nextNumber = step.number + 1;
      Problem problem = checkStep(step);
      for (size_t b = 0; b < step.blocks.size() && !problem; ++b)
        problem = checkBlock(step.blocks[b], depth + 1);
      if (!problem)
        problem = checkHandOvers(step);
      if (problem)
        return textOf("step ", step.number, ": ", *problem);
    }
    return std::nullopt;
  }

private:
  bool isReg(Reg reg) const { return code.isReg(reg); }
  bool isMemRef(uint32_t memref) const { return memref < function.memrefs.size(); }
  DType typeOf(Reg reg) const { return function.scalarTypes[reg]; }
  const MemRef &memref(uint32_t index) const { return function.memrefs[index]; }

  Problem checkStep(const Step &step) {
    if (step.kind > StepKind::Switch)
      return "a kind that does not exist";
    if (step.location >= std::max<size_t>(1, module.locations.size()))
      return "a location out of range";
    if (step.ivReg != kNoReg && !isReg(step.ivReg))
      return "a counter out of range";
    for (const std::vector<Reg> *regs :
         {&step.scalars, &step.initScalars, &step.resultScalars, &step.afterScalars})
      if (!std::all_of(regs->begin(), regs->end(), [&](Reg reg) { return isReg(reg); }))
        return "a register out of range";
    for (const std::vector<uint32_t> *memrefs :
         {&step.memrefs, &step.initMemRefs, &step.resultMemRefs, &step.afterMemRefs})
      if (!std::all_of(memrefs->begin(), memrefs->end(),
                       [&](uint32_t index) { return isMemRef(index); }))
        return "a memref out of range";
    for (uint32_t index : step.memrefs)
      if (!isAlive(memref(index), step.number))
        return textOf("memref #", index, " is used outside the life of its alloc");
    return checkByKind(step);
  }

  bool isAlive(const MemRef &memref, uint32_t number) const {
    if (memref.base.kind != Base::Kind::Alloc)
      return true;
    const Alloc &alloc = function.allocs[memref.base.index];
    return alloc.firstStep <= number && number <= alloc.lastStep;
  }

  Problem checkByKind(const Step &step) {
    switch (step.kind) {
    case StepKind::Scalars:
      return checkScalars(step);
    case StepKind::Invoke:
      return checkInvoke(step);
    case StepKind::Copy:
      if (step.memrefs.size() != 2 ||
          memref(step.memrefs[0]).dtype != memref(step.memrefs[1]).dtype ||
          memref(step.memrefs[0]).sizes.size() != memref(step.memrefs[1]).sizes.size())
        return "a copy between tensors of different types";
      return std::nullopt;
    case StepKind::LoadScalar:
    case StepKind::StoreScalar:
      return checkElement(step);
    case StepKind::Alloc:
      if (step.memrefs.size() != 1 || !isAssignable(memref(step.memrefs[0])))
        return "an allocation of what is no slot";
      return std::nullopt;
    case StepKind::If:
      return step.scalars.size() == 1 && typeOf(step.scalars[0]) == DType::I1 &&
                     (step.blocks.size() == 2 || (step.blocks.size() == 1 && handsNothing(step)))
                 ? std::nullopt
                 : Problem("a malformed if");
    case StepKind::For:
      return checkFor(step);
    case StepKind::While:
      return step.blocks.size() == 2 ? std::nullopt : Problem("a malformed while");
    case StepKind::Switch:
      return step.scalars.size() == 1 && isInteger(typeOf(step.scalars[0])) &&
                     step.blocks.size() == step.cases.size() + 1
                 ? std::nullopt
                 : Problem("a malformed switch");
    }
    return std::nullopt;
  }

  static bool handsNothing(const Step &step) {
    return step.resultScalars.empty() && step.resultMemRefs.empty();
  }

  static bool isAssignable(const MemRef &memref) {
    return memref.base.kind == Base::Kind::Slot && memref.offset == kNoReg;
  }

  Problem checkScalars(const Step &step) {
    if (step.codeBegin < function.shapeCodeEnd || step.codeEnd < step.codeBegin ||
        step.codeEnd > function.code.size())
      return "code out of range";
    for (size_t i = step.codeBegin; i < step.codeEnd; ++i)
      if (Problem problem = validateInstr(code, i, step.codeBegin, step.codeEnd))
        return problem;
    return std::nullopt;
  }

  Problem checkInvoke(const Step &step) {
    if (step.unit >= module.units.size())
      return "a unit that does not exist";
    const Unit &unit = module.units[step.unit];
    if (unit.isLoop)
      return textOf("a call of the loop unit '", unit.name, "'");
    if (step.memrefs.size() != unit.numInputs + unit.numOutputs ||
        step.scalars.size() != unit.scalars.size())
      return textOf("unit '", unit.name, "' with a wrong number of operands");
    for (size_t i = 0; i < step.memrefs.size(); ++i)
      if (memref(step.memrefs[i]).dtype != unit.tensors[i].dtype ||
          memref(step.memrefs[i]).sizes.size() != unit.tensors[i].sizes.size())
        return textOf("operand ", i, " of unit '", unit.name, "' is of another type");
    for (size_t i = 0; i < step.scalars.size(); ++i)
      if (!areCompatible(typeOf(step.scalars[i]), unit.scalars[i].dtype))
        return textOf("scalar ", i, " of unit '", unit.name, "' is of another type");
    return std::nullopt;
  }

  Problem checkElement(const Step &step) {
    if (step.memrefs.size() != 1)
      return "an element of no tensor";
    const MemRef &tensor = memref(step.memrefs[0]);
    if (step.scalars.size() != tensor.sizes.size() + 1 ||
        !areCompatible(typeOf(step.scalars[0]), tensor.dtype))
      return "an element that does not fit its tensor";
    for (size_t i = 1; i < step.scalars.size(); ++i)
      if (!areCompatible(typeOf(step.scalars[i]), DType::Index))
        return "an index of another type";
    return std::nullopt;
  }

  Problem checkFor(const Step &step) {
    if (step.scalars.size() != 3 || step.blocks.size() != 1 || step.ivReg == kNoReg ||
        !isInteger(typeOf(step.ivReg)))
      return "a malformed for";
    if (step.loopUnit != kNoUnit &&
        (step.loopUnit >= module.units.size() || !module.units[step.loopUnit].isLoop))
      return "a loop that is no loop unit";
    for (Reg bound : step.scalars)
      if (!areCompatible(typeOf(bound), typeOf(step.ivReg)))
        return "bounds of another type than the counter";
    return std::nullopt;
  }

  /// What blocks yield, and initial values, fit what they are assigned to.
  Problem checkHandOvers(const Step &step) {
    for (const std::vector<uint32_t> *targets : {&step.resultMemRefs, &step.afterMemRefs})
      for (uint32_t target : *targets)
        if (!isAssignable(memref(target)))
          return "a value is handed to what is no slot";
    bool isLoop = step.kind == StepKind::For || step.kind == StepKind::While;
    if (isLoop)
      if (Problem problem = checkHandOver(step.initScalars, step.initMemRefs, 0, step.resultScalars,
                                          step.resultMemRefs))
        return problem;
    for (size_t b = 0; b < step.blocks.size(); ++b) {
      const Block &block = step.blocks[b];
      for (uint32_t yielded : block.yieldMemRefs)
        if (!isMemRef(yielded))
          return "a yielded memref out of range";
      for (Reg yielded : block.yieldScalars)
        if (!isReg(yielded))
          return "a yielded register out of range";
      bool isBefore = step.kind == StepKind::While && b == 0;
      if (isBefore && (block.yieldScalars.empty() || typeOf(block.yieldScalars[0]) != DType::I1))
        return "a while without condition";
      Problem problem = isBefore ? checkHandOver(block.yieldScalars, block.yieldMemRefs, 1,
                                                 step.afterScalars, step.afterMemRefs)
                                 : checkHandOver(block.yieldScalars, block.yieldMemRefs, 0,
                                                 step.resultScalars, step.resultMemRefs);
      if (problem)
        return problem;
    }
    return std::nullopt;
  }

  /// The first `skip` source scalars are not handed over.
  Problem checkHandOver(const std::vector<Reg> &scalars, const std::vector<uint32_t> &memrefs,
                        size_t skip, const std::vector<Reg> &toScalars,
                        const std::vector<uint32_t> &toMemRefs) {
    if (scalars.size() != toScalars.size() + skip || memrefs.size() != toMemRefs.size())
      return "a wrong number of values is handed over";
    for (size_t i = 0; i < toScalars.size(); ++i)
      if (!areCompatible(typeOf(scalars[i + skip]), typeOf(toScalars[i])))
        return "a scalar of another type is handed over";
    for (size_t i = 0; i < toMemRefs.size(); ++i)
      if (memref(memrefs[i]).dtype != memref(toMemRefs[i]).dtype ||
          memref(memrefs[i]).sizes.size() != memref(toMemRefs[i]).sizes.size())
        return "a tensor of another type is handed over";
    return std::nullopt;
  }

  const Function &function;
  const Module &module;
  CodeView code;
  uint32_t nextNumber = 0;
};

} // namespace

Problem validateSteps(const Function &function, const Module &module) {
  return StepChecker(function, module).checkBlock(function.body, 0);
}

} // namespace anneal::plan
