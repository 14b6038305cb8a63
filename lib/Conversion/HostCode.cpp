//===- HostCode.cpp - Scalar code and steps of a host function ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostCode.h"

#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace anneal {

using plan::DType;
using plan::Opcode;
using plan::Reg;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Reg HostCode::newReg(DType type, bool isShape) {
  function.scalarTypes.push_back(type);
  function.scalarInit.push_back(0);
  shapePhase.push_back(isShape);
  nonNegative.push_back(false);
  isConstant.push_back(false);
  return static_cast<Reg>(function.scalarTypes.size() - 1);
}

Reg HostCode::newHandedSize() {
  Reg reg = newReg(DType::Index, /*isShape=*/false);
  function.scalarInit[reg] = static_cast<uint64_t>(plan::kDynamic);
  return reg;
}

bool HostCode::allShape(ArrayRef<Reg> regs) const {
  return llvm::all_of(regs, [&](Reg reg) { return reg == plan::kNoReg || isShape(reg); });
}

Reg HostCode::constant(DType type, uint64_t bits) {
  auto [it, isNew] = constants.try_emplace({static_cast<unsigned>(type), bits}, plan::kNoReg);
  if (!isNew)
    return it->second;
  Reg reg = newReg(type, /*isShape=*/true);
  function.scalarInit[reg] = bits;
  isConstant[reg] = true;
  it->second = reg;
  return reg;
}

std::optional<int64_t> HostCode::constantValue(Reg reg) const {
  if (!isConstant[reg] || !plan::isInteger(typeOf(reg)))
    return std::nullopt;
  return llvm::SignExtend64(function.scalarInit[reg], plan::bitWidth(typeOf(reg)));
}

bool HostCode::isNonNegative(Reg reg) const {
  if (std::optional<int64_t> value = constantValue(reg))
    return *value >= 0;
  return nonNegative[reg];
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

plan::Instr HostCode::makeInstr(const InstrSpec &spec, std::vector<Reg> &extra) {
  plan::Instr instr;
  instr.op = spec.op;
  instr.type = spec.type;
  instr.srcType = spec.srcType;
  Reg *slots[] = {&instr.a, &instr.b, &instr.c};
  for (auto [slot, source] : llvm::zip(slots, spec.sources))
    *slot = source;
  instr.extraBegin = static_cast<uint32_t>(extra.size());
  instr.numExtra = static_cast<uint32_t>(spec.extra.size());
  extra.insert(extra.end(), spec.extra.begin(), spec.extra.end());
  instr.imm = spec.imm;
  return instr;
}

void HostCode::appendRun(const plan::Instr &instr, Location location) {
  auto at = static_cast<uint32_t>(runCode.size());
  bool isOpen = !block->steps.empty() && block->steps.back().kind == plan::StepKind::Scalars &&
                block->steps.back().codeEnd == at;
  if (!isOpen) {
    plan::Step step;
    step.kind = plan::StepKind::Scalars;
    step.number = takeStepNumber();
    step.location = tables.location(location);
    step.codeBegin = at;
    block->steps.push_back(std::move(step));
  }
  runCode.push_back(instr);
  runLocations.push_back(tables.location(location));
  block->steps.back().codeEnd = at + 1;
}

/// Of operations on integers that are known, and of those whose operands are the same.
std::optional<Reg> HostCode::foldKnown(const InstrSpec &spec) {
  if (spec.op == Opcode::Select) {
    if (std::optional<int64_t> condition = constantValue(spec.sources[0]))
      return spec.sources[*condition ? 1 : 2];
    return spec.sources[1] == spec.sources[2] ? std::optional<Reg>(spec.sources[1]) : std::nullopt;
  }
  if (plan::classOf(spec.op) != plan::OpClass::IntCompare)
    return std::nullopt;
  std::optional<int64_t> a = constantValue(spec.sources[0]), b = constantValue(spec.sources[1]);
  if (spec.sources[0] == spec.sources[1])
    a = b = 0;
  if (!a || !b)
    return std::nullopt;
  switch (spec.op) {
  case Opcode::CmpIEq:
    return constant(DType::I1, *a == *b);
  case Opcode::CmpINe:
    return constant(DType::I1, *a != *b);
  case Opcode::CmpISlt:
    return constant(DType::I1, *a < *b);
  case Opcode::CmpISle:
    return constant(DType::I1, *a <= *b);
  case Opcode::CmpISgt:
    return constant(DType::I1, *a > *b);
  case Opcode::CmpISge:
    return constant(DType::I1, *a >= *b);
  default:
    return std::nullopt;
  }
}

/// Whether the result can't be negative, overflow left aside.
bool HostCode::givesNonNegative(const InstrSpec &spec) const {
  auto isFine = [&](Reg reg) { return plan::isInteger(typeOf(reg)) && isNonNegative(reg); };
  switch (spec.op) {
  case Opcode::AddI:
  case Opcode::MulI:
  case Opcode::MinSI:
  case Opcode::DivSI:
  case Opcode::FloorDivSI:
  case Opcode::CeilDivSI:
  case Opcode::ExtSI:
    return llvm::all_of(spec.sources, isFine);
  case Opcode::MaxSI:
    return llvm::any_of(spec.sources, isFine);
  case Opcode::Select:
    return isFine(spec.sources[1]) && isFine(spec.sources[2]);
  default:
    return false;
  }
}

Reg HostCode::emit(const InstrSpec &spec, Location location) {
  if (std::optional<Reg> folded = foldKnown(spec))
    return *folded;
  bool isShapeCode = allShape(spec.sources) && allShape(spec.extra);
  Reg sources[] = {plan::kNoReg, plan::kNoReg, plan::kNoReg};
  llvm::copy(spec.sources, sources);
  ValueKey key(static_cast<unsigned>(spec.op), static_cast<unsigned>(spec.type),
               static_cast<unsigned>(spec.srcType), sources[0], sources[1], sources[2]);
  if (isShapeCode)
    if (auto it = known.find(key); it != known.end())
      return it->second;
  plan::Instr instr = makeInstr(spec, isShapeCode ? shapeExtra : runExtra);
  instr.dst = newReg(spec.resultType, isShapeCode);
  if (spec.secondType)
    instr.dst2 = newReg(*spec.secondType, isShapeCode);
  if (!isShapeCode) {
    appendRun(instr, location);
    return instr.dst;
  }
  shapeCode.push_back(instr);
  shapeLocations.push_back(0);
  known[key] = instr.dst;
  nonNegative[instr.dst] = givesNonNegative(spec);
  return instr.dst;
}

std::optional<Reg> HostCode::foldBinary(Opcode op, Reg a, Reg b) {
  std::optional<int64_t> x = constantValue(a), y = constantValue(b);
  std::optional<int64_t> value;
  if (x && y)
    value = op == Opcode::AddI   ? llvm::checkedAdd(*x, *y)
            : op == Opcode::SubI ? llvm::checkedSub(*x, *y)
                                 : llvm::checkedMul(*x, *y);
  else if (op == Opcode::MulI && (x == 0 || y == 0))
    value = 0;
  if (value)
    return indexConstant(*value);
  int64_t neutral = op == Opcode::MulI ? 1 : 0;
  if (y == neutral)
    return a;
  if (x == neutral && op != Opcode::SubI)
    return b;
  if (op == Opcode::SubI && a == b)
    return indexConstant(0);
  return std::nullopt;
}

Reg HostCode::add(Reg a, Reg b, Location location) {
  if (std::optional<Reg> folded = foldBinary(Opcode::AddI, a, b))
    return *folded;
  return emitBinary(Opcode::AddI, DType::Index, a, b, location);
}

Reg HostCode::sub(Reg a, Reg b, Location location) {
  if (std::optional<Reg> folded = foldBinary(Opcode::SubI, a, b))
    return *folded;
  return emitBinary(Opcode::SubI, DType::Index, a, b, location);
}

Reg HostCode::mul(Reg a, Reg b, Location location) {
  if (std::optional<Reg> folded = foldBinary(Opcode::MulI, a, b))
    return *folded;
  return emitBinary(Opcode::MulI, DType::Index, std::min(a, b), std::max(a, b), location);
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// `neutral[i]`: what source i is replaced by where the check isn't meant to run.
void HostCode::emitCheck(InstrSpec spec, ArrayRef<Reg> neutral, Location location) {
  if (!hasGuard || !allShape(spec.sources) || !allShape(spec.extra)) {
    appendRun(makeInstr(spec, runExtra), location);
    return;
  }
  if (guard != plan::kNoReg)
    for (auto [source, replacement] : llvm::zip(spec.sources, neutral))
      if (replacement != plan::kNoReg)
        source = emitSelect(typeOf(source), guard, source, replacement, location);
  Reg keys[] = {plan::kNoReg, plan::kNoReg, plan::kNoReg};
  llvm::copy(spec.sources, keys);
  Reg extent = spec.extra.empty() ? plan::kNoReg : spec.extra[0];
  if (!checked.insert({static_cast<unsigned>(spec.op), extent, keys[0], keys[1], keys[2]}).second)
    return;
  shapeCode.push_back(makeInstr(spec, shapeExtra));
  shapeLocations.push_back(tables.location(location));
}

void HostCode::checkAssert(Reg condition, StringRef message, Location location) {
  if (constantValue(condition).value_or(0) != 0)
    return;
  InstrSpec spec;
  spec.op = Opcode::Assert;
  spec.type = spec.srcType = DType::I1;
  spec.sources = {condition};
  spec.imm = tables.message(message);
  emitCheck(std::move(spec), {constant(DType::I1, 1)}, location);
}

void HostCode::checkEqual(Reg a, Reg b, StringRef message, Location location) {
  if (a == b)
    return;
  InstrSpec spec;
  spec.op = Opcode::CheckEqual;
  spec.type = spec.srcType = DType::Index;
  spec.sources = {a, b};
  spec.imm = tables.message(message);
  emitCheck(std::move(spec), {plan::kNoReg, a}, location);
}

void HostCode::checkNonNegative(Reg value, StringRef message, Location location) {
  if (isNonNegative(value))
    return;
  InstrSpec spec;
  spec.op = Opcode::CheckNonNegative;
  spec.type = spec.srcType = DType::Index;
  spec.sources = {value};
  spec.imm = tables.message(message);
  emitCheck(std::move(spec), {indexConstant(0)}, location);
}

void HostCode::checkSlice(Reg offset, Reg size, Reg stride, Reg extent, Location location) {
  std::optional<int64_t> first = constantValue(offset), count = constantValue(size),
                         step = constantValue(stride), length = constantValue(extent);
  if (first == 0 && step == 1 && size == extent && isNonNegative(size))
    return;
  if (first && count && step && length && *first >= 0 && *count >= 0 && *step > 0) {
    std::optional<int64_t> last =
        llvm::checkedMulAdd(std::max<int64_t>(*count - 1, 0), *step, *first);
    if (last && (*count == 0 || *last < *length))
      return;
  }
  InstrSpec spec;
  spec.op = Opcode::CheckSlice;
  spec.type = spec.srcType = DType::Index;
  spec.sources = {offset, size, stride};
  spec.extra = {extent};
  emitCheck(std::move(spec), {indexConstant(0), indexConstant(0), indexConstant(1)}, location);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void HostCode::append(plan::Step step) { block->steps.push_back(std::move(step)); }

uint32_t HostCode::append(plan::StepKind kind, Location location, ArrayRef<uint32_t> memrefs,
                          ArrayRef<Reg> scalars, uint32_t unit) {
  plan::Step step;
  step.kind = kind;
  step.number = takeStepNumber();
  step.location = tables.location(location);
  step.memrefs.assign(memrefs.begin(), memrefs.end());
  step.scalars.assign(scalars.begin(), scalars.end());
  step.unit = unit;
  uint32_t number = step.number;
  block->steps.push_back(std::move(step));
  return number;
}

HostCode::BlockScope::BlockScope(HostCode &code, plan::Block &block, Reg condition,
                                 Location location)
    : code(code), savedBlock(code.block), savedGuard(code.guard), savedHasGuard(code.hasGuard) {
  code.block = &block;
  if (condition == plan::kNoReg || !code.isShape(condition)) {
    code.hasGuard = false;
  } else if (code.guard == plan::kNoReg) {
    code.guard = condition;
  } else if (code.hasGuard) {
    code.guard = code.emitBinary(Opcode::AndI, DType::I1, code.guard, condition, location);
  }
}

HostCode::BlockScope::~BlockScope() {
  code.block = savedBlock;
  code.guard = savedGuard;
  code.hasGuard = savedHasGuard;
}

void HostCode::finish() {
  auto shapeEnd = static_cast<uint32_t>(shapeCode.size());
  auto extraEnd = static_cast<uint32_t>(shapeExtra.size());
  function.shapeCodeEnd = shapeEnd;
  function.code = std::move(shapeCode);
  function.extra = std::move(shapeExtra);
  function.codeLocations = std::move(shapeLocations);
  for (plan::Instr instr : runCode) {
    instr.extraBegin += extraEnd;
    function.code.push_back(instr);
  }
  function.extra.insert(function.extra.end(), runExtra.begin(), runExtra.end());
  function.codeLocations.insert(function.codeLocations.end(), runLocations.begin(),
                                runLocations.end());
  auto shift = [&](auto &&self, plan::Block &shifted) -> void {
    for (plan::Step &step : shifted.steps) {
      if (step.kind == plan::StepKind::Scalars) {
        step.codeBegin += shapeEnd;
        step.codeEnd += shapeEnd;
      }
      for (plan::Block &nested : step.blocks)
        self(self, nested);
    }
  };
  shift(shift, function.body);
}

} // namespace anneal
