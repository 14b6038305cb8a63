//===- StripOps.cpp - Choice of the instruction set -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Kernels/StripOps.h"

#include "Entry.h"

namespace anneal::runtime {

using plan::DType;

namespace {
struct IsaEntries {
  StripFn (*findOp)(const plan::Instr &, unsigned);
  StripFn (*findCompareSelect)(plan::Opcode, DType, bool, unsigned);
  bool (*findReduce)(plan::Opcode, DType, RowReduceFns &);
  StripMoves (*findMoves)(size_t);
};

constexpr IsaEntries kEntries[kNumIsas] = {
    {strip::portable::findOp, strip::portable::findCompareSelect, strip::portable::findReduce,
     strip::portable::findMoves},
    {strip::avx2::findOp, strip::avx2::findCompareSelect, strip::avx2::findReduce,
     strip::avx2::findMoves},
    {strip::avx512::findOp, strip::avx512::findCompareSelect, strip::avx512::findReduce,
     strip::avx512::findMoves},
};

const IsaEntries &entriesOf(Isa isa) { return kEntries[static_cast<unsigned>(isa)]; }

DType withoutIndex(DType type) { return type == DType::Index ? DType::I64 : type; }
} // namespace

StripFn findStripOp(const plan::Instr &instr, unsigned uniformMask, Isa isa) {
  plan::Instr key = instr;
  key.type = withoutIndex(instr.type);
  key.srcType = withoutIndex(instr.srcType);
  unsigned all = (1u << plan::numSources(instr.op)) - 1;
  unsigned mask = uniformMask & all;
  // With every source uniform n is 1, for which the code for strips is as good.
  if (mask == all && instr.op != plan::Opcode::Move)
    mask = 0;
  return entriesOf(isa).findOp(key, mask);
}

StripFn findCompareSelect(const plan::Instr &compare, bool first, unsigned uniformMask, Isa isa) {
  if (plan::classOf(compare.op) != plan::OpClass::FloatCompare)
    return nullptr;
  unsigned mask = uniformMask & 3;
  return entriesOf(isa).findCompareSelect(compare.op, compare.type, first, mask == 3 ? 0 : mask);
}

DType rowLaneType(DType type) {
  return type == DType::F16 || type == DType::BF16 ? DType::F32 : type;
}

bool findRowReduce(plan::Opcode combiner, DType type, Isa isa, RowReduceFns &fns) {
  return entriesOf(isa).findReduce(combiner, withoutIndex(type), fns);
}

StripMoves findStripMoves(size_t elementSize, Isa isa) {
  return entriesOf(isa).findMoves(elementSize);
}

} // namespace anneal::runtime
