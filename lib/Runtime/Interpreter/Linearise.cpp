//===- Linearise.cpp - Maps that are not linear become gathers ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Linearise.h"

#include <algorithm>

using namespace anneal;
using plan::DType;
using plan::IndexExpr;
using plan::Instr;
using plan::Opcode;
using plan::Reg;

namespace anneal::runtime::interpreter {

namespace {

bool isLinear(const plan::Operand &operand) {
  return std::all_of(operand.indices.begin(), operand.indices.end(),
                     [](const IndexExpr &index) { return index.isLinear(); });
}

/// Appends the computation of indices to a body.
class IndexBuilder {
public:
  explicit IndexBuilder(plan::Body &body) : body(body) {}

  std::vector<Instr> instrs;

  Reg emit(const IndexExpr &index) {
    return index.isLinear() ? emitLinear(index) : emitPostfix(index);
  }
  Reg newReg(DType type) {
    body.regTypes.push_back(type);
    return static_cast<Reg>(body.regTypes.size() - 1);
  }

private:
  Reg append(Opcode op, Reg a, Reg b, uint64_t imm = 0) {
    Instr instr;
    instr.op = op;
    instr.type = instr.srcType = DType::Index;
    instr.a = a;
    instr.b = b;
    instr.imm = imm;
    instr.dst = newReg(DType::Index);
    instrs.push_back(instr);
    return instr.dst;
  }
  Reg constant(int64_t value) {
    return append(Opcode::Const, plan::kNoReg, plan::kNoReg, static_cast<uint64_t>(value));
  }
  Reg position(size_t dim) { return append(Opcode::IterIndex, plan::kNoReg, plan::kNoReg, dim); }

  Reg emitLinear(const IndexExpr &index) {
    Reg sum = plan::kNoReg;
    auto add = [&](Reg term) {
      sum = sum == plan::kNoReg ? term : append(Opcode::AddI, sum, term);
    };
    for (size_t d = 0; d < index.coefficients.size(); ++d) {
      int64_t coefficient = index.coefficients[d];
      if (coefficient == 1)
        add(position(d));
      else if (coefficient != 0)
        add(append(Opcode::MulI, position(d), constant(coefficient)));
    }
    if (index.constant != 0 || sum == plan::kNoReg)
      add(constant(index.constant));
    return sum;
  }

  Reg emitBinary(IndexExpr::Token::Kind kind, Reg a, Reg b) {
    using Kind = IndexExpr::Token::Kind;
    switch (kind) {
    case Kind::Add:
      return append(Opcode::AddI, a, b);
    case Kind::Mul:
      return append(Opcode::MulI, a, b);
    case Kind::FloorDiv:
      return append(Opcode::FloorDivSI, a, b);
    case Kind::CeilDiv:
      return append(Opcode::CeilDivSI, a, b);
    default:
      return append(Opcode::SubI, a, append(Opcode::MulI, append(Opcode::FloorDivSI, a, b), b));
    }
  }

  Reg emitPostfix(const IndexExpr &index) {
    using Kind = IndexExpr::Token::Kind;
    std::vector<Reg> stack;
    for (const IndexExpr::Token &token : index.postfix) {
      if (token.kind == Kind::Dim) {
        stack.push_back(position(static_cast<size_t>(token.value)));
      } else if (token.kind == Kind::Constant) {
        stack.push_back(constant(token.value));
      } else {
        Reg b = stack.back();
        stack.pop_back();
        stack.back() = emitBinary(token.kind, stack.back(), b);
      }
    }
    return stack.back();
  }

  plan::Body &body;
};

} // namespace

bool hasNonLinearInput(const plan::Kernel &kernel) {
  for (size_t k = 0; k < kernel.numInputs; ++k)
    if (!isLinear(kernel.operands[k]))
      return true;
  return false;
}

plan::Kernel withGatheredInputs(const plan::Kernel &kernel) {
  plan::Kernel result = kernel;
  // Compiled code of the body knows nothing of these gathers.
  result.sourceOp = -1;
  plan::Body &body = result.body;
  IndexBuilder builder(body);
  std::vector<Reg> renamed(body.regTypes.size());
  for (Reg reg = 0; reg < renamed.size(); ++reg)
    renamed[reg] = reg;
  for (size_t k = 0; k < kernel.numInputs; ++k) {
    if (isLinear(kernel.operands[k]))
      continue;
    Instr gather;
    gather.op = Opcode::Gather;
    gather.type = body.regTypes[k];
    gather.imm = result.gathers.size();
    std::vector<Reg> indices;
    for (const IndexExpr &index : kernel.operands[k].indices)
      indices.push_back(builder.emit(index));
    gather.extraBegin = static_cast<uint32_t>(body.extra.size());
    gather.numExtra = static_cast<uint32_t>(indices.size());
    body.extra.insert(body.extra.end(), indices.begin(), indices.end());
    gather.dst = renamed[k] = builder.newReg(body.regTypes[k]);
    builder.instrs.push_back(gather);
    result.gathers.push_back(kernel.operands[k].tensor);
  }
  auto rename = [&](Reg &reg) {
    if (reg != plan::kNoReg)
      reg = renamed[reg];
  };
  for (Instr &instr : body.instrs) {
    rename(instr.a);
    rename(instr.b);
    rename(instr.c);
  }
  for (uint32_t k = 0; k < kernel.body.extra.size(); ++k)
    rename(body.extra[k]);
  for (Reg &reg : body.yields)
    rename(reg);
  body.instrs.insert(body.instrs.begin(), builder.instrs.begin(), builder.instrs.end());
  return result;
}

} // namespace anneal::runtime::interpreter
