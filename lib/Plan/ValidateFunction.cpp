//===- ValidateFunction.cpp - Checks of functions -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValidateSteps.h"

#include <algorithm>

namespace anneal::plan {

namespace {

/// What surrounds the steps: registers, parameters, tensors, memory.
class FunctionChecker {
public:
  FunctionChecker(const Function &function, const Module &module)
      : function(function), module(module),
        code{function.scalarTypes, function.code, function.extra, module} {}

  Problem check() {
    if (function.scalarTypes.size() != function.scalarInit.size())
      return "types and initial values of registers differ in number";
    if (!std::all_of(function.scalarTypes.begin(), function.scalarTypes.end(), isValid))
      return "a register of a type that does not exist";
    for (size_t m = 0; m < function.memrefs.size(); ++m)
      if (Problem problem = checkMemRef(function.memrefs[m]))
        return textOf("memref #", m, ": ", *problem);
    for (size_t i = 0; i < function.arguments.size(); ++i)
      if (Problem problem = checkArgument(i))
        return textOf("argument #", i, ": ", *problem);
    for (size_t i = 0; i < function.results.size(); ++i)
      if (Problem problem = checkResult(i))
        return textOf("result #", i, ": ", *problem);
    for (Reg key : function.keyScalars)
      if (!isScalarArgument(key))
        return "a key that is no scalar argument";
    for (size_t a = 0; a < function.allocs.size(); ++a)
      if (Problem problem = checkAlloc(a))
        return textOf("alloc #", a, ": ", *problem);
    if (Problem problem = checkCode())
      return problem;
    if (Problem problem = validateSteps(function, module))
      return problem;
    return checkPhases();
  }

private:
  Problem checkMemRef(const MemRef &memref) {
    const size_t counts[] = {function.arguments.size(), function.results.size(),
                             module.constants.size(), function.allocs.size(), function.numSlots};
    if (memref.base.kind > Base::Kind::Slot ||
        memref.base.index >= counts[static_cast<size_t>(memref.base.kind)])
      return "a base that does not exist";
    if (!isValid(memref.dtype))
      return "a type that does not exist";
    if (memref.sizes.size() != memref.strides.size())
      return "sizes and strides differ in number";
    if (memref.base.kind == Base::Kind::Argument && function.arguments[memref.base.index].isScalar)
      return "a base that is a scalar argument";
    if (memref.base.kind == Base::Kind::Result && function.results[memref.base.index].isScalar)
      return "a base that is a scalar result";
    if (memref.offset != kNoReg && !isIndex(memref.offset))
      return "an offset that is no index";
    for (const std::vector<Reg> *regs : {&memref.sizes, &memref.strides})
      if (!std::all_of(regs->begin(), regs->end(), [&](Reg reg) { return isIndex(reg); }))
        return "a size or stride that is no index";
    return std::nullopt;
  }

  bool isIndex(Reg reg) const {
    return code.isReg(reg) && areCompatible(function.scalarTypes[reg], DType::Index);
  }

  bool isScalarArgument(Reg reg) const {
    return std::any_of(function.arguments.begin(), function.arguments.end(),
                       [&](const Param &param) { return param.isScalar && param.scalar == reg; });
  }

  Problem checkParam(const Param &param) {
    if (!isValid(param.dtype))
      return "a type that does not exist";
    if (param.isScalar)
      return code.isReg(param.scalar) &&
                     areCompatible(function.scalarTypes[param.scalar], param.dtype)
                 ? std::nullopt
                 : Problem("a register that does not fit");
    if (param.memref >= function.memrefs.size())
      return "a memref that does not exist";
    const MemRef &memref = function.memrefs[param.memref];
    if (memref.dtype != param.dtype || memref.sizes.size() != param.dims.size())
      return "a memref of another type or rank";
    if (std::any_of(param.dims.begin(), param.dims.end(),
                    [](int64_t size) { return size < 0 && size != kDynamic; }))
      return "a negative size";
    return std::nullopt;
  }

  Problem checkArgument(size_t index) {
    const Param &param = function.arguments[index];
    if (Problem problem = checkParam(param); problem || param.isScalar)
      return problem;
    const MemRef &memref = function.memrefs[param.memref];
    if (memref.base.kind != Base::Kind::Argument || memref.base.index != index ||
        memref.offset != kNoReg)
      return "a memref that is not the argument's";
    if (param.dimRegs != memref.sizes)
      return "sizes that are not the memref's";
    return std::nullopt;
  }

  Problem checkResult(size_t index) {
    const Param &param = function.results[index];
    if (Problem problem = checkParam(param); problem || param.isScalar)
      return problem;
    return std::nullopt;
  }

  Problem checkAlloc(size_t index) {
    const Alloc &alloc = function.allocs[index];
    if (alloc.memref >= function.memrefs.size())
      return "a memref that does not exist";
    if (function.memrefs[alloc.memref].base != Base{Base::Kind::Alloc, uint32_t(index)})
      return "a memref that is not the alloc's";
    if (alloc.firstStep > alloc.lastStep || alloc.lastStep >= std::max(1u, function.numSteps))
      return "a life that is no range of steps";
    return std::nullopt;
  }

  /// The shape program, and what all instructions of the run phase have in common; where those may
  /// jump follows from the steps.
  Problem checkCode() {
    if (function.shapeCodeEnd > function.code.size() ||
        function.codeLocations.size() != function.code.size())
      return "the code's parts differ in number";
    for (uint32_t location : function.codeLocations)
      if (location >= std::max<size_t>(1, module.locations.size()))
        return "a location out of range";
    for (size_t i = 0; i < function.code.size(); ++i) {
      bool isShape = i < function.shapeCodeEnd;
      if (Problem problem = validateInstr(code, i, isShape ? 0 : function.shapeCodeEnd,
                                          isShape ? function.shapeCodeEnd : function.code.size()))
        return problem;
    }
    return std::nullopt;
  }

  /// Nothing of the shape phase depends on the run phase.
  Problem checkPhases() {
    std::vector<Phase> phases = registerPhases(function);
    auto isRun = [&](Reg reg) { return reg != kNoReg && phases[reg] == Phase::Run; };
    for (size_t i = 0; i < function.shapeCodeEnd; ++i) {
      const Instr &instr = function.code[i];
      bool reads = isRun(instr.a) || isRun(instr.b) || isRun(instr.c);
      for (uint32_t e = 0; e < instr.numExtra; ++e)
        reads |= isRun(function.extra[instr.extraBegin + e]);
      if (reads || isRun(instr.dst) || isRun(instr.dst2))
        return textOf("instruction ", i, " mixes the phases");
    }
    auto hasRunSizes = [&](const MemRef &memref) {
      return std::any_of(memref.sizes.begin(), memref.sizes.end(), isRun) ||
             std::any_of(memref.strides.begin(), memref.strides.end(), isRun);
    };
    for (size_t m = 0; m < function.memrefs.size(); ++m) {
      const MemRef &memref = function.memrefs[m];
      if (memref.isStatic && (hasRunSizes(memref) || isRun(memref.offset)))
        return textOf("memref #", m, " is said to be static and is not");
    }
    for (size_t a = 0; a < function.allocs.size(); ++a)
      if (hasRunSizes(function.memrefs[function.allocs[a].memref]))
        return textOf("alloc #", a, " has sizes of the run phase");
    for (size_t i = 0; i < function.results.size(); ++i)
      if (!function.results[i].isScalar)
        if (Problem problem = checkResultMemory(i, hasRunSizes))
          return textOf("result #", i, ": ", *problem);
    return std::nullopt;
  }

  /// The memory of a result is made before the steps run, so its sizes must be known by then.
  template <typename HasRunSizes>
  Problem checkResultMemory(size_t index, const HasRunSizes &hasRunSizes) {
    Base own{Base::Kind::Result, uint32_t(index)};
    const MemRef &memref = function.memrefs[function.results[index].memref];
    bool isUsed = std::any_of(function.memrefs.begin(), function.memrefs.end(),
                              [&](const MemRef &other) { return other.base == own; });
    if (!isUsed)
      return std::nullopt;
    if (memref.base != own || memref.offset != kNoReg || hasRunSizes(memref))
      return "its memory is used, but is not the result";
    return std::nullopt;
  }

  const Function &function;
  const Module &module;
  CodeView code;
};

} // namespace

Problem validateFunction(const Function &function, const Module &module) {
  Problem problem = FunctionChecker(function, module).check();
  if (problem)
    problem = textOf("function '", function.name, "': ", *problem);
  return problem;
}

} // namespace anneal::plan
