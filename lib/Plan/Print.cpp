//===- Print.cpp - Plans as text ------------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Plan/Print.h"

#include "PrintCode.h"

#include "anneal/Plan/Phases.h"

#include <iomanip>

namespace anneal::plan {

namespace {

void printType(DType dtype, const std::vector<int64_t> &dims, std::ostream &os) {
  os << "tensor<";
  for (int64_t size : dims)
    size == kDynamic ? os << "?x" : os << size << 'x';
  os << name(dtype) << '>';
}

class FunctionPrinter {
public:
  FunctionPrinter(const Function &function, const Module &module, std::ostream &os)
      : function(function), module(module), os(os), phases(registerPhases(function)),
        isComputed(function.scalarTypes.size(), false) {
    for (const Instr &instr : function.code)
      for (Reg reg : {instr.dst, instr.dst2})
        if (reg != kNoReg)
          isComputed[reg] = true;
  }

  void print() {
    os << (function.isPublic ? "function " : "private function ") << std::quoted(function.name)
       << " (";
    printList(function.arguments, os, [&](const Param &param) { printParam(param); });
    os << ") -> (";
    printList(function.results, os, [&](const Param &param) { printParam(param); });
    os << ") {\n";
    if (!function.keyScalars.empty()) {
      os << "  keys ";
      printRegs(function.keyScalars);
      os << "\n";
    }
    for (size_t m = 0; m < function.memrefs.size(); ++m)
      printMemRef(m);
    for (size_t a = 0; a < function.allocs.size(); ++a)
      os << "  alloc" << a << " holds m" << function.allocs[a].memref << ", steps "
         << function.allocs[a].firstStep << " to " << function.allocs[a].lastStep << "\n";
    os << "  shape {\n";
    printCode(0, function.shapeCodeEnd, 4);
    os << "  }\n";
    printBlock(function.body, 2);
    os << "}\n";
  }

private:
  /// A register that nothing writes prints as its value.
  std::string text(Reg reg) const {
    if (reg == kNoReg || isComputed[reg] || phases[reg] != Phase::Fixed)
      return registerText(reg);
    return valueText(function.scalarTypes[reg], function.scalarInit[reg]);
  }

  void printRegs(const std::vector<Reg> &regs) {
    printList(regs, os, [&](Reg reg) { os << text(reg); });
  }

  void printMemRefs(const std::vector<uint32_t> &memrefs) {
    printList(memrefs, os, [&](uint32_t memref) { os << 'm' << memref; });
  }

  void printParam(const Param &param) {
    if (!param.name.empty())
      os << std::quoted(param.name) << ' ';
    if (param.isScalar) {
      os << text(param.scalar) << ": " << name(param.dtype);
      return;
    }
    os << 'm' << param.memref << ": ";
    printType(param.dtype, param.dims, os);
  }

  void printMemRef(size_t index) {
    static constexpr const char *kBases[] = {"argument", "result", "constant", "alloc", "slot"};
    const MemRef &memref = function.memrefs[index];
    os << "  m" << index << ": " << name(memref.dtype) << " [";
    printRegs(memref.sizes);
    os << "] strides [";
    printRegs(memref.strides);
    os << "] in " << kBases[static_cast<size_t>(memref.base.kind)] << memref.base.index;
    if (memref.offset != kNoReg)
      os << " offset " << text(memref.offset);
    os << (memref.isStatic ? "\n" : " dynamic\n");
  }

  void indent(unsigned columns) { os << std::string(columns, ' '); }

  void printCode(uint32_t begin, uint32_t end, unsigned columns) {
    for (uint32_t i = begin; i < end; ++i) {
      indent(columns);
      printInstr(
          function.code[i], function.extra, module, [this](Reg reg) { return text(reg); }, os);
      printLocation(function.codeLocations[i], module, os);
      os << "\n";
    }
  }

  void printBlock(const Block &block, unsigned columns) {
    for (const Step &step : block.steps)
      printStep(step, columns);
    if (block.yieldScalars.empty() && block.yieldMemRefs.empty())
      return;
    indent(columns);
    os << "yield ";
    printValues(block.yieldScalars, block.yieldMemRefs);
    os << "\n";
  }

  /// "(%1, 2; m3, m4)".
  void printValues(const std::vector<Reg> &scalars, const std::vector<uint32_t> &memrefs) {
    os << "(";
    printRegs(scalars);
    os << (scalars.empty() || memrefs.empty() ? "" : "; ");
    printMemRefs(memrefs);
    os << ")";
  }

  void printStep(const Step &step, unsigned columns) {
    static constexpr const char *kNames[] = {"scalars", "invoke", "copy", "load",  "store",
                                             "alloc",   "if",     "for",  "while", "switch"};
    indent(columns);
    os << step.number << ": " << kNames[static_cast<size_t>(step.kind)];
    switch (step.kind) {
    case StepKind::Scalars:
      os << " {\n";
      printCode(step.codeBegin, step.codeEnd, columns + 2);
      indent(columns);
      os << "}\n";
      return;
    case StepKind::Invoke:
      os << ' ' << std::quoted(module.units[step.unit].name) << ' ';
      printValues(step.scalars, step.memrefs);
      break;
    case StepKind::Copy:
      os << " m" << step.memrefs[0] << " to m" << step.memrefs[1];
      break;
    case StepKind::LoadScalar:
    case StepKind::StoreScalar:
      os << ' ' << text(step.scalars[0]) << ", m" << step.memrefs[0] << '[';
      printRegs({step.scalars.begin() + 1, step.scalars.end()});
      os << ']';
      break;
    case StepKind::Alloc:
      os << " m" << step.memrefs[0];
      break;
    default:
      printControl(step);
      break;
    }
    printLocation(step.location, module, os);
    os << "\n";
    for (size_t b = 0; b < step.blocks.size(); ++b)
      printNested(step, b, columns);
  }

  void printNested(const Step &step, size_t block, unsigned columns) {
    indent(columns);
    if (step.kind == StepKind::Switch && block < step.cases.size())
      os << "case " << step.cases[block] << ' ';
    else if (step.kind == StepKind::Switch)
      os << "default ";
    os << "{\n";
    printBlock(step.blocks[block], columns + 2);
    indent(columns);
    os << "}\n";
  }

  void printControl(const Step &step) {
    if (step.kind == StepKind::For)
      os << ' ' << text(step.ivReg) << " = " << text(step.scalars[0]) << " to "
         << text(step.scalars[1]) << " step " << text(step.scalars[2])
         << (step.unsignedCompare ? " unsigned" : "");
    else if (!step.scalars.empty())
      os << ' ' << text(step.scalars[0]);
    if (step.loopUnit != kNoUnit)
      os << " unit " << module.units[step.loopUnit].name;
    bool isLoop = step.kind == StepKind::For || step.kind == StepKind::While;
    if (!step.resultScalars.empty() || !step.resultMemRefs.empty()) {
      os << (isLoop ? " carries " : " gives ");
      printValues(step.resultScalars, step.resultMemRefs);
    }
    if (isLoop && (!step.initScalars.empty() || !step.initMemRefs.empty())) {
      os << " from ";
      printValues(step.initScalars, step.initMemRefs);
    }
    if (!step.afterScalars.empty() || !step.afterMemRefs.empty()) {
      os << " gives ";
      printValues(step.afterScalars, step.afterMemRefs);
    }
  }

  const Function &function;
  const Module &module;
  std::ostream &os;
  std::vector<Phase> phases;
  std::vector<bool> isComputed;
};

} // namespace

void print(const Function &function, const Module &module, std::ostream &os) {
  FunctionPrinter(function, module, os).print();
}

void print(const Module &module, std::ostream &os) {
  os << "module " << std::quoted(module.name) << "\n";
  for (size_t c = 0; c < module.constants.size(); ++c) {
    const Constant &constant = module.constants[c];
    os << "constant" << c << ": ";
    printType(constant.dtype, constant.dims, os);
    if (constant.initResult >= 0)
      os << " = result " << constant.initResult << " of "
         << std::quoted(module.functions[static_cast<size_t>(module.initFunction)].name);
    os << "\n";
  }
  for (const Unit &unit : module.units)
    print(unit, module, os);
  for (const Function &function : module.functions)
    print(function, module, os);
}

} // namespace anneal::plan
