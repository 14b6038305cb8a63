//===- ValidateUnit.cpp - Checks of units ---------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValidateCode.h"

#include <algorithm>

namespace anneal::plan {

namespace {

class UnitChecker {
public:
  UnitChecker(const Unit &unit, const Module &module) : unit(unit), module(module) {}

  Problem check() {
    uint64_t numParams = uint64_t(unit.numInputs) + unit.numOutputs;
    if (numParams > unit.tensors.size() || unit.outputIsRead.size() != unit.numOutputs)
      return "numbers of inputs, outputs and tensors do not fit";
    if (unit.anchor >= static_cast<int64_t>(unit.kernels.size()))
      return "the anchor does not exist";
    for (const UnitScalar &scalar : unit.scalars)
      if (!isValid(scalar.dtype))
        return "a scalar of a type that does not exist";
    for (size_t t = 0; t < unit.tensors.size(); ++t)
      if (Problem problem = checkTensor(t, t < numParams))
        return textOf("tensor ", t, ": ", *problem);
    for (size_t k = 0; k < unit.kernels.size(); ++k)
      if (Problem problem = checkKernel(unit.kernels[k]))
        return textOf("kernel ", k, " (", unit.kernels[k].opName, "): ", *problem);
    return std::nullopt;
  }

private:
  Problem checkTensor(size_t index, bool isParam) {
    if (!isValid(unit.tensors[index].dtype))
      return "a type that does not exist";
    for (const SizeExpr &size : unit.tensors[index].sizes) {
      if (Problem problem = checkSize(size))
        return problem;
      // A temporary's sizes are computed in order, from those of parameters and temporaries before
      // it.
      if (!isParam && size.kind == SizeExpr::Kind::Dim && size.index >= index)
        return "a size that refers to a later tensor";
    }
    return std::nullopt;
  }

  Problem checkSize(const SizeExpr &size) {
    switch (size.kind) {
    case SizeExpr::Kind::Constant:
      return size.value < 0 ? Problem("a negative size") : std::nullopt;
    case SizeExpr::Kind::Scalar:
      if (size.index >= unit.scalars.size() || !unit.scalars[size.index].isShape)
        return "a size that is no shape scalar";
      return std::nullopt;
    case SizeExpr::Kind::Dim:
      if (size.index >= unit.tensors.size() || size.value < 0 ||
          static_cast<uint64_t>(size.value) >= unit.tensors[size.index].sizes.size())
        return "a size that refers to a dimension that does not exist";
      return std::nullopt;
    }
    return "a size of a kind that does not exist";
  }

  Problem checkKernel(const Kernel &kernel) {
    if (kernel.kind > KernelKind::Pad)
      return "a kind that does not exist";
    if (kernel.location >= std::max<size_t>(1, module.locations.size()))
      return "a location out of range";
    if (kernel.numInputs > kernel.operands.size())
      return "more inputs than operands";
    if (kernel.iterators.size() != kernel.domain.size())
      return "iterators and domain differ in number";
    for (const Operand &operand : kernel.operands)
      if (Problem problem = checkOperand(operand, kernel))
        return problem;
    for (const DomainSource &source : kernel.domain)
      if (!isDomain(source, kernel))
        return "the size of an iteration dimension refers to what does not exist";
    for (uint32_t tensor : kernel.gathers)
      if (tensor >= unit.tensors.size())
        return "a gathered tensor out of range";
    if (kernel.kind == KernelKind::Pad)
      if (Problem problem = checkPad(kernel))
        return problem;
    return checkBody(kernel);
  }

  bool isDomain(const DomainSource &source, const Kernel &kernel) {
    if (source.dim < 0)
      return false;
    if (source.operand < 0)
      return true;
    if (static_cast<size_t>(source.operand) >= kernel.operands.size())
      return false;
    const Operand &operand = kernel.operands[static_cast<size_t>(source.operand)];
    return static_cast<size_t>(source.dim) < unit.tensors[operand.tensor].sizes.size();
  }

  Problem checkOperand(const Operand &operand, const Kernel &kernel) {
    if (operand.tensor >= unit.tensors.size())
      return "an operand's tensor out of range";
    bool isPad = kernel.kind == KernelKind::Pad;
    if (operand.indices.size() != unit.tensors[operand.tensor].sizes.size() &&
        !(isPad && operand.indices.empty()))
      return "an operand with a wrong number of indices";
    for (const IndexExpr &index : operand.indices)
      if (!isIndex(index, kernel.iterators.size()))
        return "a malformed index expression";
    return std::nullopt;
  }

  static bool isIndex(const IndexExpr &index, size_t numDims) {
    if (index.isLinear())
      return index.coefficients.size() == numDims;
    size_t depth = 0;
    for (const IndexExpr::Token &token : index.postfix) {
      using Kind = IndexExpr::Token::Kind;
      if (token.kind > Kind::CeilDiv)
        return false;
      if (token.kind == Kind::Dim &&
          (token.value < 0 || static_cast<uint64_t>(token.value) >= numDims))
        return false;
      if (token.kind == Kind::Dim || token.kind == Kind::Constant) {
        ++depth;
        continue;
      }
      if (depth < 2)
        return false;
      --depth;
    }
    return depth == 1;
  }

  Problem checkPad(const Kernel &kernel) {
    if (kernel.operands.size() != 2 || kernel.numInputs != 1)
      return "a pad has one input and one output";
    size_t rank = unit.tensors[kernel.operands[0].tensor].sizes.size();
    if (kernel.padLow.size() != rank ||
        unit.tensors[kernel.operands[1].tensor].sizes.size() != rank)
      return "a pad whose ranks differ";
    for (const SizeExpr &size : kernel.padLow)
      if (Problem problem = checkSize(size))
        return problem;
    return std::nullopt;
  }

  Problem checkBody(const Kernel &kernel) {
    const Body &body = kernel.body;
    bool isPad = kernel.kind == KernelKind::Pad;
    if (body.numOperands != (isPad ? 0 : kernel.operands.size()))
      return "a body with a wrong number of operands";
    if (body.regTypes.size() < body.numOperands + body.captured.size())
      return "a body with too few registers";
    for (size_t r = 0; r < body.regTypes.size(); ++r)
      if (!isValid(body.regTypes[r]) ||
          (r < body.numOperands &&
           !areCompatible(body.regTypes[r], unit.tensors[kernel.operands[r].tensor].dtype)))
        return textOf("body register %", r, " is of a wrong type");
    for (size_t c = 0; c < body.captured.size(); ++c)
      if (body.captured[c] >= unit.scalars.size() ||
          !areCompatible(unit.scalars[body.captured[c]].dtype, body.regTypes[body.numOperands + c]))
        return "a captured scalar that does not fit";
    return checkBodyCode(kernel);
  }

  Problem checkBodyCode(const Kernel &kernel) {
    const Body &body = kernel.body;
    CodeView code{body.regTypes, body.instrs, body.extra, module, &kernel, &unit};
    for (size_t i = 0; i < body.instrs.size(); ++i) {
      if (Problem problem = validateInstr(code, i, 0, body.instrs.size()))
        return problem;
      Opcode op = body.instrs[i].op;
      if ((op == Opcode::Jump || op == Opcode::JumpIfFalse) && !body.hasBranches)
        return "branches in a body that is said to have none";
    }
    bool isPad = kernel.kind == KernelKind::Pad;
    if (body.yields.size() != (isPad ? 1 : kernel.numOutputs()))
      return "a body that yields a wrong number of values";
    for (size_t y = 0; y < body.yields.size(); ++y) {
      DType type = unit.tensors[kernel.operands[kernel.numInputs + y].tensor].dtype;
      if (!code.isReg(body.yields[y]) || !areCompatible(body.regTypes[body.yields[y]], type))
        return "a yielded value that does not fit its output";
    }
    return std::nullopt;
  }

  const Unit &unit;
  const Module &module;
};

} // namespace

Problem validateUnit(const Unit &unit, const Module &module) {
  Problem problem = UnitChecker(unit, module).check();
  if (problem)
    problem = textOf("unit '", unit.name, "': ", *problem);
  return problem;
}

} // namespace anneal::plan
