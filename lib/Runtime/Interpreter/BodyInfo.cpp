//===- BodyInfo.cpp - What a kernel's body computes -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyInfo.h"

#include <algorithm>

using namespace anneal;
using namespace anneal::runtime::interpreter;
using plan::DType;
using plan::Instr;
using plan::Opcode;
using plan::Reg;

namespace {

/// Calls `fn` on every register that `instr` reads.
template <class Fn> void forEachSource(const plan::Body &body, const Instr &instr, Fn fn) {
  const Reg sources[] = {instr.a, instr.b, instr.c};
  for (unsigned k = 0; k < plan::numSources(instr.op); ++k)
    fn(sources[k]);
  for (uint32_t k = 0; k < instr.numExtra; ++k)
    fn(body.extra[instr.extraBegin + k]);
}

/// `reg` is made by a chain of instructions that reads an accumulator.
bool dependsOnOutputs(const plan::Kernel &kernel, const BodyInfo &info, Reg reg) {
  const plan::Body &body = kernel.body;
  absl::InlinedVector<bool, 32> tainted(body.regTypes.size(), false);
  for (uint32_t k = kernel.numInputs; k < body.numOperands; ++k)
    tainted[k] = true;
  for (size_t i = 0; i < body.instrs.size(); ++i) {
    const Instr &instr = body.instrs[i];
    bool any = false;
    forEachSource(body, instr, [&](Reg source) { any |= tainted[source]; });
    if (instr.dst != plan::kNoReg)
      tainted[instr.dst] = any;
    if (instr.dst2 != plan::kNoReg)
      tainted[instr.dst2] = any;
  }
  return tainted[reg];
}

bool isCombiner(Opcode op) {
  switch (op) {
  case Opcode::AddF:
  case Opcode::MulF:
  case Opcode::MaximumF:
  case Opcode::MinimumF:
  case Opcode::MaxNumF:
  case Opcode::MinNumF:
  case Opcode::AddI:
  case Opcode::MulI:
  case Opcode::MaxSI:
  case Opcode::MaxUI:
  case Opcode::MinSI:
  case Opcode::MinUI:
  case Opcode::AndI:
  case Opcode::OrI:
  case Opcode::XOrI:
    return true;
  default:
    return false;
  }
}

/// Conversions that a contraction does on the fly.
bool isFactorConversion(Opcode op) {
  switch (op) {
  case Opcode::ExtF:
  case Opcode::TruncF:
  case Opcode::ExtSI:
  case Opcode::ExtUI:
  case Opcode::TruncI:
  case Opcode::SIToFP:
  case Opcode::UIToFP:
    return true;
  default:
    return false;
  }
}

/// The input operand that `reg` is, through at most one conversion; false otherwise.
bool matchFactor(const plan::Kernel &kernel, const BodyInfo &info, Reg reg, uint32_t &operand,
                 Opcode &convert) {
  const plan::Body &body = kernel.body;
  reg = throughMoves(body, info, reg);
  convert = Opcode::Move;
  if (info.def[reg] >= 0) {
    const Instr &instr = body.instrs[info.def[reg]];
    if (!isFactorConversion(instr.op))
      return false;
    convert = instr.op;
    reg = throughMoves(body, info, instr.a);
  }
  operand = reg;
  return info.def[reg] < 0 && reg < kernel.numInputs;
}

} // namespace

namespace anneal::runtime::interpreter {

bool isLive(const Instr &instr, const absl::InlinedVector<bool, 32> &read) {
  return instr.op == Opcode::Assert || (instr.dst != plan::kNoReg && read[instr.dst]) ||
         (instr.dst2 != plan::kNoReg && read[instr.dst2]);
}

absl::InlinedVector<bool, 32> registersRead(const plan::Body &body, absl::Span<const Reg> results) {
  absl::InlinedVector<bool, 32> read(body.regTypes.size(), false);
  for (Reg reg : results)
    read[reg] = true;
  for (size_t i = body.instrs.size(); i-- > 0;)
    if (isLive(body.instrs[i], read))
      forEachSource(body, body.instrs[i], [&](Reg source) { read[source] = true; });
  return read;
}

BodyInfo::BodyInfo(const plan::Body &body)
    : def(body.regTypes.size(), -1), uses(body.regTypes.size(), 0) {
  for (size_t i = 0; i < body.instrs.size(); ++i) {
    if (body.instrs[i].dst != plan::kNoReg)
      def[body.instrs[i].dst] = static_cast<int32_t>(i);
    if (body.instrs[i].dst2 != plan::kNoReg)
      def[body.instrs[i].dst2] = static_cast<int32_t>(i);
  }
  absl::InlinedVector<bool, 32> read = registersRead(body, body.yields);
  for (Reg reg : body.yields)
    ++uses[reg];
  for (const Instr &instr : body.instrs)
    if (isLive(instr, read))
      forEachSource(body, instr, [&](Reg source) { ++uses[source]; });
}

bool dependsOn(const plan::Operand &operand, size_t iterDim) {
  for (const plan::IndexExpr &index : operand.indices) {
    if (index.isLinear() && index.coefficients[iterDim] != 0)
      return true;
    for (const plan::IndexExpr::Token &token : index.postfix)
      if (token.kind == plan::IndexExpr::Token::Kind::Dim &&
          token.value == static_cast<int64_t>(iterDim))
        return true;
  }
  return false;
}

int plainDimension(const plan::IndexExpr &index) {
  if (!index.isLinear() || index.constant != 0)
    return -1;
  int dim = -1;
  for (size_t d = 0; d < index.coefficients.size(); ++d) {
    if (index.coefficients[d] == 0)
      continue;
    if (index.coefficients[d] != 1 || dim >= 0)
      return -1;
    dim = static_cast<int>(d);
  }
  return dim;
}

Reg throughMoves(const plan::Body &body, const BodyInfo &info, Reg reg) {
  while (info.def[reg] >= 0 && body.instrs[info.def[reg]].op == Opcode::Move)
    reg = body.instrs[info.def[reg]].a;
  return reg;
}

bool matchCombiner(const plan::Kernel &kernel, const BodyInfo &info, uint32_t output,
                   Combiner &combiner) {
  const plan::Body &body = kernel.body;
  if (body.hasBranches)
    return false;
  Reg accumulator = kernel.numInputs + output;
  Reg yield = throughMoves(body, info, body.yields[output]);
  if (info.def[yield] < 0 || info.uses[accumulator] != 1 || info.uses[yield] != 1)
    return false;
  const Instr &instr = body.instrs[info.def[yield]];
  if (!isCombiner(instr.op))
    return false;
  Reg a = throughMoves(body, info, instr.a), b = throughMoves(body, info, instr.b);
  if (a != accumulator && b != accumulator)
    return false;
  combiner.op = instr.op;
  combiner.type = instr.type;
  combiner.instr = static_cast<uint32_t>(info.def[yield]);
  combiner.accumulator = accumulator;
  combiner.value = a == accumulator ? b : a;
  return !dependsOnOutputs(kernel, info, combiner.value);
}

bool isOrderFree(Opcode combiner) {
  return isCombiner(combiner) && combiner != Opcode::AddF && combiner != Opcode::MulF;
}

bool matchContraction(const plan::Kernel &kernel, const BodyInfo &info,
                      ContractionBody &contraction) {
  const plan::Body &body = kernel.body;
  Combiner sum;
  if (kernel.numOutputs() != 1 || kernel.numInputs == 0 || kernel.numInputs > 2 ||
      !matchCombiner(kernel, info, 0, sum))
    return false;
  bool isInteger = sum.op == Opcode::AddI;
  if ((sum.op != Opcode::AddF && !isInteger) || info.def[sum.value] < 0 ||
      info.uses[sum.value] != 1)
    return false;
  const Instr &product = body.instrs[info.def[sum.value]];
  if (product.op != (isInteger ? Opcode::MulI : Opcode::MulF) ||
      !matchFactor(kernel, info, product.a, contraction.x, contraction.convertX) ||
      !matchFactor(kernel, info, product.b, contraction.y, contraction.convertY))
    return false;
  // A sum of squares is a row reduction: product and sum are each rounded.
  if (contraction.x == contraction.y)
    return false;
  contraction.type = sum.type;

  for (const plan::Operand &operand : kernel.operands)
    for (const plan::IndexExpr &index : operand.indices)
      if (!index.isLinear())
        return false;
  bool hasReduction = false;
  const plan::Operand &output = kernel.operands[kernel.numInputs];
  for (size_t d = 0; d < kernel.iterators.size(); ++d) {
    bool isReduction = kernel.iterators[d] == plan::IterKind::Reduction;
    if (dependsOn(output, d) == isReduction)
      return false;
    hasReduction |= isReduction;
  }
  return hasReduction;
}

} // namespace anneal::runtime::interpreter
