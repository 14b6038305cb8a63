//===- StripCompiler.cpp - From a body to strip operations ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripCode.h"

#include <algorithm>
#include <bit>
#include <utility>

using namespace anneal;
using plan::Instr;
using plan::Opcode;
using plan::Reg;

namespace anneal::runtime::interpreter {

/// Compiles one body. Registers become values (a move is another name of its source), each computed
/// in the list of its spread; then values of the strip list get slots by liveness.
class StripCompiler {
public:
  StripCompiler(const StripSpec &spec, StripCode &code) : spec(spec), body(spec.body), code(code) {}

  bool compile();

private:
  using Step = StripCode::Step;
  using Kind = StripCode::StepKind;
  using Initial = StripCode::Initial;

  ValueId newValue(Spread spread, size_t elementSize, Initial initial = {});
  void addOperands();
  bool addInstr(const Instr &instr);
  bool addCall(const Instr &instr, Spread spread);
  bool addChoice(const Instr &select, Spread spread);
  void addConst(const Instr &instr);
  void dropUnusedCompares();
  void addIterIndex(const Instr &instr);
  void addGather(const Instr &instr);
  void addStep(const Step &step, Spread spread);
  Spread spreadOf(const Instr &instr) const;
  void addResults();
  void placeSmall();
  void placeStrips();
  void noteUses();
  uint64_t takeSlot(std::vector<uint64_t> &free);
  void placeDst(ValueId value, const Step &step, int32_t position, std::vector<uint64_t> &free);
  void releaseDead(const Step &step, int32_t position, std::vector<uint64_t> &free);

  template <class Fn> void forEachSource(const Step &step, Fn fn) const {
    for (ValueId source : {step.a, step.b, step.c})
      if (source != 0)
        fn(source);
    if (step.kind == Kind::GatherIndexed)
      for (size_t d = 0; d < spec.gathers[step.source].sizes.size(); ++d)
        fn(code.indices[step.indexBegin + d].value);
  }

  const StripSpec &spec;
  const plan::Body &body;
  StripCode &code;
  /// Value of each register, 0 where there is none.
  std::vector<ValueId> valueOf;
  absl::InlinedVector<bool, 32> read;
  /// Float comparison that makes each value, or null.
  std::vector<const Instr *> compares;
  /// Of each value: element size; last strip step that reads it; whether its slot may be shared.
  std::vector<uint8_t> elementSizes;
  std::vector<int32_t> lastUse;
  std::vector<bool> shared;
  size_t slotEnd = 0;
};

bool StripCompiler::compile() {
  code.location = spec.location;
  for (const GatherSource &source : spec.gathers)
    code.moves.push_back(findStripMoves(source.elementSize, spec.isa));
  code.indexKernels = &findIndexKernels(spec.isa);
  valueOf.assign(body.regTypes.size(), 0);
  code.operandValues.assign(body.numOperands, 0);
  code.iteratorValues.assign(spec.iterators.size(), 0);
  newValue(Spread::Constant, 0);
  read = registersRead(body, spec.results);
  addOperands();
  for (const Instr &instr : body.instrs)
    if (isLive(instr, read) && !addInstr(instr))
      return false;
  if (code.initial.size() > UINT16_MAX)
    return false;
  addResults();
  code.tableBytes = alignUp(code.initial.size() * sizeof(void *));
  placeSmall();
  placeStrips();
  code.slotBytes = alignUp(slotEnd);
  return true;
}

ValueId StripCompiler::newValue(Spread spread, size_t elementSize, Initial initial) {
  code.initial.push_back(initial);
  code.spreads.push_back(spread);
  elementSizes.push_back(static_cast<uint8_t>(elementSize));
  compares.push_back(nullptr);
  return static_cast<ValueId>(code.initial.size() - 1);
}

void StripCompiler::addOperands() {
  for (size_t reg = 0; reg < body.numOperands; ++reg) {
    if (!read[reg])
      continue;
    valueOf[reg] = newValue(spec.operands[reg], plan::sizeOf(body.regTypes[reg]));
    code.operandValues[reg] = valueOf[reg];
  }
  for (size_t k = 0; k < body.captured.size(); ++k) {
    size_t reg = body.numOperands + k;
    valueOf[reg] = newValue(Spread::Constant, plan::sizeOf(body.regTypes[reg]),
                            {Initial::Kind::Scalar, body.captured[k]});
  }
}

Spread StripCompiler::spreadOf(const Instr &instr) const {
  Spread spread = Spread::Constant;
  const Reg sources[] = {instr.a, instr.b, instr.c};
  for (unsigned k = 0; k < plan::numSources(instr.op); ++k)
    spread = std::max(spread, code.spreads[valueOf[sources[k]]]);
  for (uint32_t k = 0; k < instr.numExtra; ++k)
    spread = std::max(spread, code.spreads[valueOf[body.extra[instr.extraBegin + k]]]);
  return spread;
}

bool StripCompiler::addInstr(const Instr &instr) {
  switch (instr.op) {
  case Opcode::Move:
    valueOf[instr.dst] = valueOf[instr.a];
    return true;
  case Opcode::Const:
    addConst(instr);
    return true;
  case Opcode::IterIndex:
    addIterIndex(instr);
    return true;
  case Opcode::Gather:
    addGather(instr);
    return true;
  case Opcode::Assert: {
    Step step;
    step.kind = Kind::Assert;
    step.a = valueOf[instr.a];
    step.imm = instr.imm;
    addStep(step, code.spreads[step.a]);
    return true;
  }
  case Opcode::Select:
    if (addChoice(instr, spreadOf(instr)))
      return true;
    return addCall(instr, spreadOf(instr));
  default:
    return addCall(instr, spreadOf(instr));
  }
}

/// Equal constants are one value.
void StripCompiler::addConst(const Instr &instr) {
  size_t size = plan::sizeOf(instr.type);
  for (ValueId value = 1; value < code.initial.size(); ++value)
    if (code.initial[value].kind == Initial::Kind::Pool && elementSizes[value] == size &&
        code.pool[code.initial[value].index] == instr.imm) {
      valueOf[instr.dst] = value;
      return;
    }
  valueOf[instr.dst] = newValue(Spread::Constant, size, {Initial::Kind::Pool, code.pool.size()});
  code.pool.push_back(instr.imm);
}

/// A choice between the two values that a comparison compared is one step with it. False if
/// `select` is no such choice.
bool StripCompiler::addChoice(const Instr &select, Spread spread) {
  const Instr *compare = compares[valueOf[select.a]];
  if (!compare)
    return false;
  Step step;
  step.a = valueOf[compare->a];
  step.b = valueOf[compare->b];
  bool first = valueOf[select.b] == step.a && valueOf[select.c] == step.b;
  if (!first && (valueOf[select.b] != step.b || valueOf[select.c] != step.a))
    return false;
  unsigned uniformMask = (code.spreads[step.a] != Spread::Varying ? 1u : 0u) |
                         (code.spreads[step.b] != Spread::Varying ? 2u : 0u);
  step.fn = findCompareSelect(*compare, first, uniformMask, spec.isa);
  if (!step.fn)
    return false;
  step.dst = valueOf[select.dst] = newValue(spread, plan::sizeOf(body.regTypes[select.dst]));
  addStep(step, spread);
  return true;
}

/// Drops comparisons of which only choices were left that compare for themselves.
void StripCompiler::dropUnusedCompares() {
  std::vector<bool> used(code.initial.size(), false);
  for (ValueId value : code.resultValues)
    used[value] = true;
  for (const std::vector<Step> *steps : {&code.constantSteps, &code.uniformSteps, &code.stripSteps})
    for (const Step &step : *steps)
      forEachSource(step, [&](ValueId source) { used[source] = true; });
  for (std::vector<Step> *steps : {&code.constantSteps, &code.uniformSteps, &code.stripSteps})
    std::erase_if(*steps, [&](const Step &step) { return compares[step.dst] && !used[step.dst]; });
}

bool StripCompiler::addCall(const Instr &instr, Spread spread) {
  Step step;
  ValueId *slots[] = {&step.a, &step.b, &step.c};
  const Reg sources[] = {instr.a, instr.b, instr.c};
  unsigned uniformMask = 0;
  for (unsigned k = 0; k < plan::numSources(instr.op); ++k) {
    *slots[k] = valueOf[sources[k]];
    if (code.spreads[*slots[k]] != Spread::Varying)
      uniformMask |= 1u << k;
  }
  step.fn = findStripOp(instr, uniformMask, spec.isa);
  if (!step.fn)
    return false;
  step.imm = instr.imm;
  step.dst = valueOf[instr.dst] = newValue(spread, plan::sizeOf(body.regTypes[instr.dst]));
  if (plan::classOf(instr.op) == plan::OpClass::IntExtended) {
    step.dst2 = newValue(spread, plan::sizeOf(body.regTypes[instr.dst2]));
    valueOf[instr.dst2] = step.dst2;
  }
  if (plan::classOf(instr.op) == plan::OpClass::FloatCompare)
    compares[step.dst] = &instr;
  addStep(step, spread);
  return true;
}

void StripCompiler::addIterIndex(const Instr &instr) {
  ValueId &value = code.iteratorValues[instr.imm];
  if (value == 0)
    value = newValue(spec.iterators[instr.imm], sizeof(int64_t));
  valueOf[instr.dst] = value;
}

void StripCompiler::addGather(const Instr &instr) {
  Step step;
  step.source = static_cast<uint32_t>(instr.imm);
  step.indexBegin = static_cast<uint32_t>(code.indices.size());
  unsigned numVarying = 0;
  bool lineVaries = false;
  for (uint32_t k = 0; k < instr.numExtra; ++k) {
    ValueId value = valueOf[body.extra[instr.extraBegin + k]];
    bool varying = code.spreads[value] == Spread::Varying;
    code.indices.push_back({value, varying});
    if (!varying)
      continue;
    ++numVarying;
    step.lineIndex = k;
    lineVaries = spec.lineDim >= 0 && value == code.iteratorValues[spec.lineDim];
  }
  const GatherSource &source = spec.gathers[step.source];
  Spread spread = numVarying ? Spread::Varying : Spread::Uniform;
  step.kind = numVarying == 0                 ? Kind::GatherOne
              : numVarying == 1 && lineVaries ? Kind::GatherLine
                                              : Kind::GatherIndexed;
  step.dst = valueOf[instr.dst] = newValue(spread, source.elementSize);
  // A contiguous line is read where it stands: the value needs no slot.
  step.isView = step.kind == Kind::GatherLine && source.strides[step.lineIndex] == 1;
  code.indexedGathers |= step.kind == Kind::GatherIndexed;
  addStep(step, spread);
}

void StripCompiler::addStep(const Step &step, Spread spread) {
  switch (spread) {
  case Spread::Constant:
    return code.constantSteps.push_back(step);
  case Spread::Uniform:
    return code.uniformSteps.push_back(step);
  case Spread::Varying:
    return code.stripSteps.push_back(step);
  }
}

void StripCompiler::addResults() {
  for (Reg reg : spec.results)
    code.resultValues.push_back(valueOf[reg]);
  dropUnusedCompares();
  noteUses();
  // An operand must not be read after a result was written: it may stand in the same memory.
  int32_t lastOperandRead = -1;
  for (ValueId value : code.operandValues)
    if (value != 0 && code.spreads[value] == Spread::Varying)
      lastOperandRead = std::max(lastOperandRead, lastUse[value]);
  for (size_t i = 0; i < code.stripSteps.size(); ++i) {
    const Step &step = code.stripSteps[i];
    if (step.dst == 0 || step.isView || static_cast<int32_t>(i) < lastOperandRead)
      continue;
    for (size_t r = 0; r < std::min<size_t>(code.resultValues.size(), 64); ++r)
      if (code.resultValues[r] == step.dst && (spec.directResults >> r & 1)) {
        code.direct |= uint64_t(1) << r;
        break;
      }
  }
}

/// Positions of last reads among the strip steps; results are read after all of them.
void StripCompiler::noteUses() {
  lastUse.assign(code.initial.size(), -1);
  for (size_t i = 0; i < code.stripSteps.size(); ++i)
    forEachSource(code.stripSteps[i],
                  [&](ValueId source) { lastUse[source] = static_cast<int32_t>(i); });
  for (ValueId value : code.resultValues)
    lastUse[value] = INT32_MAX;
}

/// Places of values that are constant or uniform: 64 bytes each, so that none shares a line with a
/// strip.
void StripCompiler::placeSmall() {
  for (const std::vector<Step> *steps : {&code.constantSteps, &code.uniformSteps})
    for (const Step &step : *steps)
      for (ValueId value : {step.dst, step.dst2})
        if (value != 0) {
          code.initial[value] = {Initial::Kind::Slot, slotEnd};
          slotEnd += 64;
        }
}

uint64_t StripCompiler::takeSlot(std::vector<uint64_t> &free) {
  if (!free.empty()) {
    uint64_t slot = free.back();
    free.pop_back();
    return slot;
  }
  size_t widest = 1;
  for (const Step &step : code.stripSteps)
    widest = std::max<size_t>({widest, elementSizes[step.dst], elementSizes[step.dst2]});
  uint64_t slot = slotEnd;
  slotEnd += alignUp(widest * spec.maxStrip);
  return slot;
}

void StripCompiler::placeDst(ValueId value, const Step &step, int32_t position,
                             std::vector<uint64_t> &free) {
  // An operation may write over a source of the same element size that dies with it.
  if (value == step.dst && step.dst2 == 0 && step.kind == Kind::Call)
    for (ValueId source : {step.a, step.b, step.c})
      if (source != 0 && shared[source] && lastUse[source] == position &&
          elementSizes[source] == elementSizes[value]) {
        code.initial[value] = code.initial[source];
        shared[value] = true;
        shared[source] = false;
        return;
      }
  code.initial[value] = {Initial::Kind::Slot, takeSlot(free)};
  shared[value] = true;
}

void StripCompiler::releaseDead(const Step &step, int32_t position, std::vector<uint64_t> &free) {
  auto release = [&](ValueId value) {
    if (!shared[value] || lastUse[value] > position)
      return;
    free.push_back(code.initial[value].index);
    shared[value] = false;
  };
  forEachSource(step, release);
  release(step.dst);
  release(step.dst2);
}

void StripCompiler::placeStrips() {
  shared.assign(code.initial.size(), false);
  if (code.indexedGathers) {
    code.offsetsSlot = slotEnd;
    slotEnd += alignUp(spec.maxStrip * sizeof(int64_t));
  }
  std::vector<uint64_t> free;
  std::vector<bool> isDirect(code.initial.size(), false);
  for (size_t r = 0; r < code.resultValues.size(); ++r)
    if (code.isDirect(r))
      isDirect[code.resultValues[r]] = true;
  for (size_t i = 0; i < code.stripSteps.size(); ++i) {
    const Step &step = code.stripSteps[i];
    int32_t position = static_cast<int32_t>(i);
    if (!step.isView)
      for (ValueId value : {step.dst, step.dst2})
        if (value != 0 && !isDirect[value])
          placeDst(value, step, position, free);
    releaseDead(step, position, free);
  }
}

bool StripCode::compile(const StripSpec &spec) { return StripCompiler(spec, *this).compile(); }

} // namespace anneal::runtime::interpreter
