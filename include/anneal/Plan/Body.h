//===- Body.h - Byte code of scalars and element-wise bodies ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One register code serves two uses: the scalars of a host function (shapes, offsets, conditions;
// DESIGN.md D2), a value at a time, and the bodies of structured operations, a strip of values at a
// time. Registers are typed and, but for code with branches, assigned once.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PLAN_BODY_H
#define ANNEAL_PLAN_BODY_H

#include "anneal/Plan/DType.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace anneal::plan {

enum class Opcode : uint16_t {
#define ANNEAL_OPCODE(Name, Class, NumSources) Name,
#include "anneal/Plan/Opcodes.def"
};

/// What `type` and `srcType` of an instruction mean; see Opcodes.def.
enum class OpClass : uint8_t {
  IntBinary,
  IntUnary,
  IntCompare,
  IntExtended,
  FloatBinary,
  FloatUnary,
  FloatTernary,
  FloatCompare,
  FloatTest,
  FloatInt,
  Convert,
  Special
};

std::string_view name(Opcode op);
OpClass classOf(Opcode op);
/// Number of register sources among a, b, c.
unsigned numSources(Opcode op);
unsigned numOpcodes();

/// Index of a register.
using Reg = uint32_t;
inline constexpr Reg kNoReg = ~Reg(0);

struct Instr {
  Opcode op = Opcode::Const;
  DType type = DType::I64;
  DType srcType = DType::I64;
  Reg dst = kNoReg;
  Reg dst2 = kNoReg;
  Reg a = kNoReg;
  Reg b = kNoReg;
  Reg c = kNoReg;
  /// Further sources: `extra[extraBegin .. extraBegin + numExtra)` of the code that holds this.
  uint32_t extraBegin = 0;
  uint32_t numExtra = 0;
  uint64_t imm = 0;

  bool operator==(const Instr &) const = default;
};

/// The body of a structured operation: what happens at one point of the iteration space. Registers
/// are, in order: one for each operand of the kernel (inputs, then outputs: the value of the output
/// before), one for each captured scalar, then the results of instructions.
struct Body {
  std::vector<DType> regTypes;
  uint32_t numOperands = 0;
  /// Scalar parameters of the unit whose values stand in the registers after the operands'.
  std::vector<uint32_t> captured;
  std::vector<Instr> instrs;
  std::vector<Reg> extra;
  /// New value of each output, in order.
  std::vector<Reg> yields;
  /// Has Jump or JumpIfFalse.
  bool hasBranches = false;

  bool operator==(const Body &) const = default;
};

} // namespace anneal::plan

#endif // ANNEAL_PLAN_BODY_H
