//===- PrintCode.cpp - Byte code as text ----------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrintCode.h"

#include <bit>
#include <charconv>
#include <iomanip>

namespace anneal::plan {

namespace {

template <typename T> std::string shortest(T value) {
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), value).ptr;
  return std::string(buffer, end);
}

std::string hex(uint64_t bits) {
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof(buffer), bits, 16).ptr;
  return "0x" + std::string(buffer, end);
}

/// Registers that an instruction reads.
std::vector<Reg> sourcesOf(const Instr &instr, const std::vector<Reg> &extra) {
  const Reg regs[] = {instr.a, instr.b, instr.c};
  std::vector<Reg> sources(regs, regs + numSources(instr.op));
  for (uint32_t i = 0; i < instr.numExtra; ++i)
    sources.push_back(extra[instr.extraBegin + i]);
  return sources;
}

/// What `imm` means to the operations that use it.
void printImmediate(const Instr &instr, const Module &module, std::ostream &os) {
  switch (instr.op) {
  case Opcode::Const:
    os << ' ' << valueText(instr.type, instr.imm);
    return;
  case Opcode::IterIndex:
    os << " d" << instr.imm;
    return;
  case Opcode::Gather:
    os << " gather " << instr.imm;
    return;
  case Opcode::Jump:
  case Opcode::JumpIfFalse:
    os << " to " << instr.imm;
    return;
  case Opcode::Assert:
  case Opcode::CheckEqual:
  case Opcode::CheckNonNegative:
    os << ' ' << std::quoted(module.messages[instr.imm]);
    return;
  default:
    return;
  }
}

} // namespace

std::string registerText(Reg reg) { return reg == kNoReg ? "none" : "%" + std::to_string(reg); }

std::string valueText(DType type, uint64_t bits) {
  switch (type) {
  case DType::I1:
    return bits & 1 ? "true" : "false";
  case DType::F32:
    return shortest(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  case DType::F64:
    return shortest(std::bit_cast<double>(bits));
  case DType::F16:
  case DType::BF16:
    return hex(bits);
  default: {
    unsigned unused = 64 - bitWidth(type);
    return std::to_string(static_cast<int64_t>(bits << unused) >> unused);
  }
  }
}

void printInstr(const Instr &instr, const std::vector<Reg> &extra, const Module &module,
                const RegText &text, std::ostream &os) {
  if (instr.dst != kNoReg) {
    os << registerText(instr.dst);
    if (instr.dst2 != kNoReg)
      os << ", " << registerText(instr.dst2);
    os << " = ";
  }
  os << name(instr.op);
  bool hasSourceType =
      classOf(instr.op) == OpClass::Convert || classOf(instr.op) == OpClass::FloatInt;
  if (hasSourceType)
    os << ' ' << name(instr.srcType) << " to";
  if (instr.op != Opcode::Jump)
    os << ' ' << name(instr.type);
  std::vector<Reg> sources = sourcesOf(instr, extra);
  if (!sources.empty())
    os << ' ';
  printList(sources, os, [&](Reg reg) { os << text(reg); });
  printImmediate(instr, module, os);
}

void printLocation(uint32_t location, const Module &module, std::ostream &os) {
  if (location > 0 && location < module.locations.size())
    os << " at " << std::quoted(module.locations[location]);
}

} // namespace anneal::plan
