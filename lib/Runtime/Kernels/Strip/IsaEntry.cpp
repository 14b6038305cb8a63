//===- IsaEntry.cpp - Finding operations for one instruction set ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entry.h"
#include "Loops.h"

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {
namespace {

/// plan::sizeOf, but compiled here for this instruction set alone.
size_t elementSize(DType type) {
  static constexpr uint8_t sizes[plan::kNumDTypes] = {1, 1, 2, 4, 8, 8, 2, 2, 4, 8};
  return sizes[static_cast<unsigned>(type)];
}

bool isFloatType(DType type) { return type >= DType::F16; }
bool isHalf(DType type) { return type == DType::F16 || type == DType::BF16; }

/// Spreads one element of `size` bytes over a chunk.
void spread(char *buffer, const void *value, size_t size) {
  findMoves(size).splat(buffer, value, kChunk);
}

StripFn findFloat(Opcode op, DType type, unsigned mask) {
  if (isHalf(type))
    return findHalfOp(op, type, mask);
  StripFn fn = findFloatOp(op, type, mask);
  return fn                   ? fn
         : type == DType::F32 ? findMathF32(op, mask)
         : type == DType::F64 ? findMathF64(op, mask)
                              : nullptr;
}

StripFn findSpecial(Opcode op, DType type, unsigned mask) {
  switch (op) {
  case Opcode::Select:
    return findSelect(elementSize(type), mask);
  case Opcode::Const:
    return findConst(elementSize(type));
  case Opcode::Move:
    return findMove(elementSize(type), mask);
  default:
    return nullptr;
  }
}

/// Conversions that copy: a bitcast, and an integer or float type to itself.
bool isCopy(Opcode op, DType to, DType from) {
  bool isIntOp = op == Opcode::ExtSI || op == Opcode::ExtUI || op == Opcode::TruncI;
  bool isFloatOp = op == Opcode::ExtF || op == Opcode::TruncF;
  if (op == Opcode::Bitcast)
    return elementSize(to) == elementSize(from) && (to == DType::I1) == (from == DType::I1);
  return to == from && (isFloatType(to) ? isFloatOp : isIntOp);
}

StripFn findConvert(const plan::Instr &instr) {
  if (isCopy(instr.op, instr.type, instr.srcType))
    return findMove(elementSize(instr.type), 0);
  return findConversion(instr.op, instr.type, instr.srcType);
}

} // namespace

void runExpanded(const StripArgs &s, StripFn strips, unsigned mask, const OperandSizes &sizes) {
  alignas(64) char buffers[3][kChunk * 8];
  const void *sources[] = {s.a, s.b, s.c};
  const size_t sourceSizes[] = {sizes.a, sizes.b, sizes.c};
  const char *at[3];
  size_t steps[3];
  for (unsigned k = 0; k < 3; ++k) {
    bool uniform = (mask >> k & 1) != 0;
    if (uniform)
      spread(buffers[k], sources[k], sourceSizes[k]);
    at[k] = uniform ? buffers[k] : static_cast<const char *>(sources[k]);
    steps[k] = uniform ? 0 : sourceSizes[k];
  }
  for (size_t done = 0; done < s.n; done += kChunk) {
    StripArgs t;
    t.n = s.n - done < kChunk ? s.n - done : kChunk;
    t.dst = static_cast<char *>(s.dst) + done * sizes.dst;
    t.dst2 = static_cast<char *>(s.dst2) + done * sizes.dst2;
    t.a = at[0] + done * steps[0];
    t.b = at[1] + done * steps[1];
    t.c = at[2] + done * steps[2];
    strips(t);
  }
}

StripFn findOp(const plan::Instr &instr, unsigned mask) {
  switch (plan::classOf(instr.op)) {
  case plan::OpClass::IntBinary:
  case plan::OpClass::IntUnary:
  case plan::OpClass::IntExtended:
    return findIntOp(instr.op, instr.type, mask);
  case plan::OpClass::IntCompare:
    return findIntCompare(instr.op, instr.type, mask);
  case plan::OpClass::FloatBinary:
  case plan::OpClass::FloatUnary:
  case plan::OpClass::FloatTernary:
  case plan::OpClass::FloatTest:
    return findFloat(instr.op, instr.type, mask);
  case plan::OpClass::FloatCompare:
    return isHalf(instr.type) ? findHalfOp(instr.op, instr.type, mask)
                              : findFloatCompare(instr.op, instr.type, mask);
  case plan::OpClass::FloatInt:
    return isHalf(instr.type) ? findHalfPowI(instr.type, instr.srcType, mask)
                              : findFPowI(instr.type, instr.srcType, mask);
  case plan::OpClass::Convert:
    return findConvert(instr);
  case plan::OpClass::Special:
    return findSpecial(instr.op, instr.type, mask);
  }
  return nullptr;
}

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE
