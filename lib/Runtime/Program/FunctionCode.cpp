//===- FunctionCode.cpp - A function prepared for execution ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionCode.h"

#include <algorithm>

namespace anneal::runtime {

using plan::Phase;

absl::StatusOr<std::unique_ptr<FunctionCode>>
FunctionCode::create(const plan::Function &function, const plan::Module &module, Isa isa) {
  std::unique_ptr<FunctionCode> code(new FunctionCode(function, module));
  absl::StatusOr<ScalarCode> scalars = ScalarCode::create(function, module, isa);
  if (!scalars.ok())
    return scalars.status();
  code->scalarCode = *std::move(scalars);
  code->phases = plan::registerPhases(function);
  code->classifyMemRefs();
  code->prepareBlock(function.body, code->body);
  for (const plan::Param &result : function.results)
    if (!result.isScalar)
      code->needBase(result.memref);
  return code;
}

void FunctionCode::classifyMemRefs() {
  for (const plan::MemRef &memref : function.memrefs) {
    Phase shape = Phase::Fixed;
    for (const std::vector<plan::Reg> *regs : {&memref.sizes, &memref.strides})
      for (plan::Reg reg : *regs)
        shape = std::max(shape, phases[reg]);
    Phase offset = memref.offset == plan::kNoReg ? Phase::Fixed : phases[memref.offset];
    MemRefCode code;
    code.hasKnownShape = shape != Phase::Run;
    code.hasKnownPlace =
        code.hasKnownShape && offset != Phase::Run && memref.base.kind != plan::Base::Kind::Slot;
    code.isConstant = code.hasKnownPlace && memref.base.kind == plan::Base::Kind::Constant;
    code.isFixedConstant = code.isConstant && shape == Phase::Fixed && offset == Phase::Fixed;
    memrefs.push_back(code);
  }
}

/// The memref's address is computed during calls.
void FunctionCode::needBase(uint32_t memref) {
  const plan::Base &base = function.memrefs[memref].base;
  auto it = std::find(bases.begin(), bases.end(), base);
  memrefs[memref].base = static_cast<uint32_t>(it - bases.begin());
  if (it == bases.end())
    bases.push_back(base);
}

uint32_t FunctionCode::addView(uint32_t memref) {
  ViewCode view;
  view.memref = memref;
  if (!memrefs[memref].hasKnownShape) {
    view.dynamicDims = numDynamicDims;
    numDynamicDims += 2 * static_cast<uint32_t>(function.memrefs[memref].sizes.size());
  }
  views.push_back(view);
  return static_cast<uint32_t>(views.size() - 1);
}

void FunctionCode::prepareBlock(const plan::Block &block, BlockCode &code) {
  code.block = &block;
  code.steps.resize(block.steps.size());
  for (size_t i = 0; i < block.steps.size(); ++i)
    prepareStep(block.steps[i], code.steps[i]);
  for (uint32_t memref : block.yieldMemRefs)
    needBase(memref);
  maxScalarHandOver = std::max(maxScalarHandOver, static_cast<uint32_t>(block.yieldScalars.size()));
  maxMemRefHandOver = std::max(maxMemRefHandOver, static_cast<uint32_t>(block.yieldMemRefs.size()));
}

void FunctionCode::prepareStep(const plan::Step &step, StepCode &code) {
  code.kind = step.kind;
  code.step = &step;
  code.firstView = static_cast<uint32_t>(views.size());
  for (uint32_t memref : step.memrefs) {
    // An Alloc step makes the memory that its memref is based on.
    if (step.kind == plan::StepKind::Alloc)
      break;
    uint32_t view = addView(memref);
    if (memrefs[memref].hasKnownPlace)
      continue;
    needBase(memref);
    code.patches.push_back(view);
  }
  if (step.kind == plan::StepKind::Invoke)
    prepareInvoke(step, code);
  for (const std::vector<uint32_t> *assigned :
       {&step.initMemRefs, &step.resultMemRefs, &step.afterMemRefs})
    for (uint32_t memref : *assigned)
      needBase(memref);
  if (step.kind == plan::StepKind::Alloc)
    needBase(step.memrefs[0]);
  maxScalarHandOver = std::max(maxScalarHandOver, static_cast<uint32_t>(step.initScalars.size()));
  maxMemRefHandOver = std::max(maxMemRefHandOver, static_cast<uint32_t>(step.initMemRefs.size()));
  code.blocks.resize(step.blocks.size());
  for (size_t i = 0; i < step.blocks.size(); ++i)
    prepareBlock(step.blocks[i], code.blocks[i]);
}

/// All that a BindRequest of the call is made of, by register; without which constants they are, if
/// so wanted.
FunctionCode::CallKey FunctionCode::callKeyOf(const plan::Step &step, bool withConstants) const {
  CallKey key = {step.unit};
  for (uint32_t index : step.memrefs) {
    const plan::MemRef &memref = function.memrefs[index];
    key.insert(key.end(), memref.sizes.begin(), memref.sizes.end());
    key.insert(key.end(), memref.strides.begin(), memref.strides.end());
    bool isConstant = memrefs[index].isConstant;
    if (!withConstants) {
      key.push_back(isConstant);
      continue;
    }
    key.push_back(isConstant ? memref.base.index : kNone);
    key.push_back(isConstant ? memref.offset : plan::kNoReg);
  }
  const plan::Unit &unit = module.units[step.unit];
  for (size_t i = 0; i < step.scalars.size(); ++i)
    if (unit.scalars[i].isShape)
      key.push_back(step.scalars[i]);
  return key;
}

void FunctionCode::prepareInvoke(const plan::Step &step, StepCode &code) {
  InvokeCode invoke;
  invoke.step = &step;
  invoke.unit = &module.units[step.unit];
  invoke.firstView = code.firstView;
  invoke.firstScalar = numUnitScalars;
  for (uint32_t memref : step.memrefs)
    invoke.isBoundEarly &= memrefs[memref].hasKnownShape;
  for (size_t i = 0; i < step.scalars.size(); ++i) {
    if (phases[step.scalars[i]] != Phase::Run)
      continue;
    code.scalarPatches.push_back({numUnitScalars + static_cast<uint32_t>(i), step.scalars[i]});
    if (invoke.unit->scalars[i].isShape)
      invoke.isBoundEarly = false;
  }
  numUnitScalars += static_cast<uint32_t>(step.scalars.size());
  auto classOf = [](absl::flat_hash_map<CallKey, uint32_t> &classes, CallKey key) {
    auto next = static_cast<uint32_t>(classes.size());
    return classes.try_emplace(std::move(key), next).first->second;
  };
  invoke.callClass = classOf(callClasses, callKeyOf(step, true));
  invoke.formClass = classOf(formClasses, callKeyOf(step, false));
  code.invoke = static_cast<uint32_t>(invokes.size());
  invokes.push_back(invoke);
}

} // namespace anneal::runtime
