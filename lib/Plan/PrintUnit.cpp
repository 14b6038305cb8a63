//===- PrintUnit.cpp - Units as text --------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrintCode.h"

#include "anneal/Plan/Print.h"

#include <iomanip>

namespace anneal::plan {

namespace {

class UnitPrinter {
public:
  UnitPrinter(const Unit &unit, const Module &module, std::ostream &os)
      : unit(unit), module(module), os(os) {}

  void print() {
    os << "unit " << std::quoted(unit.name) << " (";
    size_t numParams = unit.numInputs + unit.numOutputs;
    for (size_t t = 0; t < numParams; ++t) {
      os << (t == 0 ? "" : ", ") << (t < unit.numInputs ? "in " : "out ");
      if (t >= unit.numInputs && unit.outputIsRead[t - unit.numInputs])
        os << "read ";
      printTensor(t);
    }
    os << ")";
    if (!unit.scalars.empty()) {
      os << " scalars(";
      printList(unit.scalars, os, [&](const UnitScalar &scalar) {
        os << name(scalar.dtype) << (scalar.isShape ? " shape" : "");
      });
      os << ")";
    }
    os << " {\n";
    for (size_t t = numParams; t < unit.tensors.size(); ++t) {
      os << "  temporary ";
      printTensor(t);
      os << "\n";
    }
    for (size_t k = 0; k < unit.kernels.size(); ++k)
      printKernel(unit.kernels[k], static_cast<int64_t>(k) == unit.anchor);
    os << "}\n";
  }

private:
  void printSize(const SizeExpr &size, size_t tensor, size_t dim) {
    switch (size.kind) {
    case SizeExpr::Kind::Constant:
      os << size.value;
      return;
    case SizeExpr::Kind::Scalar:
      os << "scalar " << size.index;
      return;
    case SizeExpr::Kind::Dim:
      if (size.index == tensor && size.value == static_cast<int64_t>(dim))
        os << '?';
      else
        os << "dim(t" << size.index << ", " << size.value << ')';
      return;
    }
  }

  /// "t2: [?, 4] f32".
  void printTensor(size_t index) {
    const UnitTensor &tensor = unit.tensors[index];
    os << 't' << index << ": [";
    for (size_t d = 0; d < tensor.sizes.size(); ++d) {
      os << (d == 0 ? "" : ", ");
      printSize(tensor.sizes[d], index, d);
    }
    os << "] " << name(tensor.dtype);
  }

  void printIndex(const IndexExpr &index) {
    if (!index.isLinear()) {
      printPostfix(index);
      return;
    }
    bool isFirst = true;
    for (size_t d = 0; d < index.coefficients.size(); ++d) {
      int64_t factor = index.coefficients[d];
      if (factor == 0)
        continue;
      os << (isFirst ? "" : " + ");
      if (factor != 1)
        os << factor << "*";
      os << 'd' << d;
      isFirst = false;
    }
    if (isFirst || index.constant != 0)
      os << (isFirst ? "" : " + ") << index.constant;
  }

  void printPostfix(const IndexExpr &index) {
    static constexpr const char *kNames[] = {"", "", "+", "*", "mod", "floordiv", "ceildiv"};
    const char *separator = "";
    for (const IndexExpr::Token &token : index.postfix) {
      os << separator;
      separator = " ";
      if (token.kind == IndexExpr::Token::Kind::Dim)
        os << 'd' << token.value;
      else if (token.kind == IndexExpr::Token::Kind::Constant)
        os << token.value;
      else
        os << kNames[static_cast<size_t>(token.kind)];
    }
  }

  void printKernel(const Kernel &kernel, bool isAnchor) {
    os << "  kernel " << kernel.opName << (isAnchor ? " anchor" : "") << " (";
    for (size_t d = 0; d < kernel.iterators.size(); ++d) {
      const DomainSource &source = kernel.domain[d];
      os << (d == 0 ? "" : ", ") << 'd' << d
         << (kernel.iterators[d] == IterKind::Parallel ? " parallel " : " reduction ");
      if (source.operand < 0)
        os << source.dim;
      else
        os << "dim(t" << kernel.operands[static_cast<size_t>(source.operand)].tensor << ", "
           << source.dim << ')';
    }
    os << ")";
    printLocation(kernel.location, module, os);
    os << "\n";
    for (size_t o = 0; o < kernel.operands.size(); ++o) {
      os << "    %" << o << (o < kernel.numInputs ? " = in t" : " = out t")
         << kernel.operands[o].tensor << " [";
      printList(kernel.operands[o].indices, os, [&](const IndexExpr &index) { printIndex(index); });
      os << "]\n";
    }
    for (size_t g = 0; g < kernel.gathers.size(); ++g)
      os << "    gather " << g << " = t" << kernel.gathers[g] << "\n";
    if (kernel.kind == KernelKind::Pad) {
      os << "    low [";
      printList(kernel.padLow, os, [&](const SizeExpr &size) { printSize(size, SIZE_MAX, 0); });
      os << "]\n";
    }
    printBody(kernel.body);
  }

  void printBody(const Body &body) {
    for (size_t c = 0; c < body.captured.size(); ++c)
      os << "    %" << body.numOperands + c << " = scalar " << body.captured[c] << "\n";
    for (const Instr &instr : body.instrs) {
      os << "    ";
      printInstr(instr, body.extra, module, registerText, os);
      os << "\n";
    }
    os << "    yield ";
    printList(body.yields, os, [&](Reg reg) { os << registerText(reg); });
    os << "\n";
  }

  const Unit &unit;
  const Module &module;
  std::ostream &os;
};

} // namespace

void print(const Unit &unit, const Module &module, std::ostream &os) {
  UnitPrinter(unit, module, os).print();
}

} // namespace anneal::plan
