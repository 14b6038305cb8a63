//===- ScalarCode.cpp - Running the scalars of a function -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarCode.h"

#include "Failure.h"

#include "absl/strings/str_cat.h"

#include <algorithm>

namespace anneal::runtime {

namespace {

using plan::DType;
using plan::Instr;
using plan::Opcode;

/// True if run() does it in line whatever the types.
bool isControl(Opcode op) {
  switch (op) {
  case Opcode::Select:
  case Opcode::Const:
  case Opcode::Move:
  case Opcode::Assert:
  case Opcode::Jump:
  case Opcode::JumpIfFalse:
  case Opcode::CheckSlice:
  case Opcode::CheckEqual:
  case Opcode::CheckNonNegative:
    return true;
  default:
    return false;
  }
}

/// The 64-bit operations that run() does in line; false if `instr` is none of them.
bool runInLine(const Instr &instr, uint64_t *registers) {
  if (plan::bitWidth(instr.type) != 64 || !plan::isInteger(instr.type))
    return false;
  uint64_t a = registers[instr.a];
  uint64_t b = instr.b == plan::kNoReg ? 0 : registers[instr.b];
  auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
  uint64_t &dst = registers[instr.dst];
  switch (instr.op) {
  case Opcode::AddI:
    dst = a + b;
    return true;
  case Opcode::SubI:
    dst = a - b;
    return true;
  case Opcode::MulI:
    dst = a * b;
    return true;
  case Opcode::MaxSI:
    dst = static_cast<uint64_t>(std::max(sa, sb));
    return true;
  case Opcode::MinSI:
    dst = static_cast<uint64_t>(std::min(sa, sb));
    return true;
  case Opcode::CmpIEq:
    dst = a == b;
    return true;
  case Opcode::CmpINe:
    dst = a != b;
    return true;
  case Opcode::CmpISlt:
    dst = sa < sb;
    return true;
  case Opcode::CmpISle:
    dst = sa <= sb;
    return true;
  case Opcode::CmpISgt:
    dst = sa > sb;
    return true;
  case Opcode::CmpISge:
    dst = sa >= sb;
    return true;
  default:
    return false;
  }
}

void runStrip(StripFn strip, const Instr &instr, uint64_t *registers) {
  uint64_t result = 0, second = 0;
  StripArgs args;
  args.dst = &result;
  args.dst2 = &second;
  auto source = [&](plan::Reg reg) { return reg == plan::kNoReg ? nullptr : &registers[reg]; };
  args.a = source(instr.a);
  args.b = source(instr.b);
  args.c = source(instr.c);
  args.n = 1;
  args.imm = instr.imm;
  strip(args);
  registers[instr.dst] = result;
  if (instr.dst2 != plan::kNoReg)
    registers[instr.dst2] = second;
}

bool sliceFits(int64_t offset, int64_t size, int64_t stride, int64_t extent) {
  if (offset < 0 || size < 0 || stride <= 0)
    return false;
  using Wide = __int128;
  return size == 0 || Wide(offset) + Wide(size - 1) * stride < extent;
}

} // namespace

absl::StatusOr<ScalarCode> ScalarCode::create(const plan::Function &function,
                                              const plan::Module &module, Isa isa) {
  ScalarCode code(function, module);
  for (const Instr &instr : function.code) {
    StripFn strip = isControl(instr.op) ? nullptr : findStripOp(instr, /*uniformMask=*/0, isa);
    if (!strip && !isControl(instr.op)) {
      std::string_view op = plan::name(instr.op), type = plan::name(instr.type);
      return absl::UnimplementedError(absl::StrCat("function '", function.name, "': there is no ",
                                                   absl::string_view(op.data(), op.size()), " on ",
                                                   absl::string_view(type.data(), type.size())));
    }
    code.strips.push_back(strip);
  }
  return code;
}

absl::Status ScalarCode::run(uint32_t begin, uint32_t end, uint64_t *registers) const {
  const Instr *instrs = function->code.data();
  auto value = [&](plan::Reg reg) { return static_cast<int64_t>(registers[reg]); };
  for (uint32_t pc = begin; pc < end;) {
    const Instr &instr = instrs[pc++];
    bool holds = true;
    switch (instr.op) {
    case Opcode::Select:
      registers[instr.dst] = registers[registers[instr.a] & 1 ? instr.b : instr.c];
      break;
    case Opcode::Const:
      registers[instr.dst] = instr.imm;
      break;
    case Opcode::Move:
      registers[instr.dst] = registers[instr.a];
      break;
    case Opcode::Assert:
      holds = registers[instr.a] & 1;
      break;
    case Opcode::Jump:
      pc = static_cast<uint32_t>(instr.imm);
      break;
    case Opcode::JumpIfFalse:
      pc = registers[instr.a] & 1 ? pc : static_cast<uint32_t>(instr.imm);
      break;
    case Opcode::CheckSlice:
      holds = sliceFits(value(instr.a), value(instr.b), value(instr.c),
                        value(function->extra[instr.extraBegin]));
      break;
    case Opcode::CheckEqual:
      holds = value(instr.a) == value(instr.b);
      break;
    case Opcode::CheckNonNegative:
      holds = value(instr.a) >= 0;
      break;
    default:
      if (!runInLine(instr, registers))
        runStrip(strips[pc - 1], instr, registers);
      break;
    }
    if (!holds)
      return fail(pc - 1, registers);
  }
  return absl::OkStatus();
}

absl::Status ScalarCode::fail(uint32_t index, const uint64_t *registers) const {
  const Instr &instr = function->code[index];
  auto value = [&](plan::Reg reg) {
    return reg == plan::kNoReg ? 0 : static_cast<int64_t>(registers[reg]);
  };
  plan::Reg further = instr.numExtra ? function->extra[instr.extraBegin] : plan::kNoReg;
  int64_t values[] = {value(instr.a), value(instr.b), value(instr.c), value(further)};
  return scalarFailure(instr, values, {*module, function->codeLocations[index]});
}

} // namespace anneal::runtime
