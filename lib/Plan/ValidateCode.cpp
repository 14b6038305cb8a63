//===- ValidateCode.cpp - Checks of byte code -----------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValidateCode.h"

namespace anneal::plan {

namespace {

class InstrChecker {
public:
  InstrChecker(const CodeView &code, size_t index, size_t begin, size_t end)
      : code(code), instr(code.instrs[index]), index(index), begin(begin), end(end) {}

  Problem check() {
    if (static_cast<unsigned>(instr.op) >= numOpcodes())
      return "an operation that does not exist";
    if (!isValid(instr.type) || !isValid(instr.srcType))
      return "a type that does not exist";
    for (Reg reg : {instr.dst, instr.dst2, instr.a, instr.b, instr.c})
      if (reg != kNoReg && !code.isReg(reg))
        return textOf("a register of ", name(instr.op), " out of range");
    if (uint64_t(instr.extraBegin) + instr.numExtra > code.extra.size())
      return "further sources out of range";
    for (uint32_t i = 0; i < instr.numExtra; ++i)
      if (!code.isReg(code.extra[instr.extraBegin + i]))
        return "a further source out of range";
    return checkByClass();
  }

private:
  Problem checkByClass() {
    DType type = instr.type;
    switch (classOf(instr.op)) {
    case OpClass::IntBinary:
    case OpClass::IntUnary:
      return all(isInteger(type), "integer type", sources(type), result(type));
    case OpClass::IntCompare:
      return all(isInteger(type), "integer type", sources(type), result(DType::I1));
    case OpClass::IntExtended:
      return checkExtended();
    case OpClass::FloatBinary:
    case OpClass::FloatUnary:
    case OpClass::FloatTernary:
      return all(isFloat(type), "float type", sources(type), result(type));
    case OpClass::FloatCompare:
    case OpClass::FloatTest:
      return all(isFloat(type), "float type", sources(type), result(DType::I1));
    case OpClass::FloatInt:
      if (Problem problem = source(instr.b, instr.srcType))
        return problem;
      return all(isFloat(type) && isInteger(instr.srcType), "float and integer type",
                 source(instr.a, type), result(type));
    case OpClass::Convert:
      return all(instr.op != Opcode::Bitcast || bitWidth(type) == bitWidth(instr.srcType),
                 "equal widths", source(instr.a, instr.srcType), result(type));
    case OpClass::Special:
      return checkSpecial();
    }
    return std::nullopt;
  }

  Problem checkExtended() {
    bool isSum = instr.op == Opcode::AddUIExtended || instr.op == Opcode::SubUIExtended;
    if (Problem problem = place(instr.dst2, isSum ? DType::I1 : instr.type, "second result"))
      return problem;
    return all(isInteger(instr.type), "integer type", sources(instr.type), result(instr.type));
  }

  Problem checkSpecial() {
    switch (instr.op) {
    case Opcode::Select:
      if (Problem problem = source(instr.a, DType::I1))
        return problem;
      if (Problem problem = source(instr.b, instr.type))
        return problem;
      return all(true, "", source(instr.c, instr.type), result(instr.type));
    case Opcode::Const:
      return result(instr.type);
    case Opcode::Move:
      return all(true, "", source(instr.a, instr.type), result(instr.type));
    case Opcode::IterIndex:
      return all(code.kernel && instr.imm < code.kernel->iterators.size(), "an iteration dimension",
                 std::nullopt, result(DType::Index));
    case Opcode::Gather:
      return checkGather();
    case Opcode::Assert:
      return all(instr.imm < code.module.messages.size(), "a message", source(instr.a, DType::I1));
    case Opcode::Jump:
      return checkTarget();
    case Opcode::JumpIfFalse:
      return all(true, "", source(instr.a, DType::I1), checkTarget());
    default:
      return checkHostCheck();
    }
  }

  Problem checkGather() {
    if (!code.kernel || instr.imm >= code.kernel->gathers.size())
      return "a gather without its tensor";
    const UnitTensor &tensor = code.unit->tensors[code.kernel->gathers[instr.imm]];
    if (instr.numExtra != tensor.sizes.size())
      return "a gather with a wrong number of indices";
    for (uint32_t i = 0; i < instr.numExtra; ++i)
      if (Problem problem = source(code.extra[instr.extraBegin + i], DType::Index))
        return problem;
    return result(tensor.dtype);
  }

  Problem checkHostCheck() {
    if (code.kernel)
      return textOf(name(instr.op), " in a body");
    if (Problem problem = sources(DType::Index))
      return problem;
    if (instr.op == Opcode::CheckSlice)
      return all(instr.numExtra == 1, "one further source",
                 instr.numExtra == 1 ? source(code.extra[instr.extraBegin], DType::Index)
                                     : std::nullopt);
    return all(instr.imm < code.module.messages.size(), "a message");
  }

  Problem checkTarget() {
    if (instr.imm < begin || instr.imm > end)
      return textOf("a jump to ", instr.imm, " out of its code");
    // Loops of host scalars are steps, so that a call can be stopped in them.
    if (!code.kernel && instr.imm <= index)
      return "a jump back in host code";
    return std::nullopt;
  }

  Problem all(bool holds, const char *what, Problem first = std::nullopt,
              Problem second = std::nullopt) {
    if (!holds)
      return textOf(name(instr.op), " needs ", what);
    return first ? first : second;
  }

  Problem sources(DType type) {
    const Reg regs[] = {instr.a, instr.b, instr.c};
    for (unsigned i = 0; i < numSources(instr.op); ++i)
      if (Problem problem = source(regs[i], type))
        return problem;
    return std::nullopt;
  }
  Problem source(Reg reg, DType type) { return place(reg, type, "source"); }
  Problem result(DType type) { return place(instr.dst, type, "result"); }

  Problem place(Reg reg, DType type, const char *role) {
    if (!code.isReg(reg))
      return textOf(role, " of ", name(instr.op), " out of range");
    if (!areCompatible(code.regTypes[reg], type))
      return textOf(role, " %", reg, " of ", name(instr.op), " is ", name(code.regTypes[reg]),
                    ", not ", name(type));
    return std::nullopt;
  }

  const CodeView &code;
  const Instr &instr;
  size_t index, begin, end;
};

} // namespace

Problem validateInstr(const CodeView &code, size_t index, size_t begin, size_t end) {
  Problem problem = InstrChecker(code, index, begin, end).check();
  if (problem)
    problem = textOf("instruction ", index, ": ", *problem);
  return problem;
}

} // namespace anneal::plan
