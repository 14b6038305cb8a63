//===- FunctionControl.cpp - Structured control flow to steps -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionBuilder.h"

#include "BufferSizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace anneal {

using plan::DType;
using plan::Opcode;
using plan::Reg;
using plan::StepKind;

//===----------------------------------------------------------------------===//
// Handing values over
//===----------------------------------------------------------------------===//

LogicalResult FunctionBuilder::splitValues(Operation *op, ValueRange values, Regs &scalarRegs,
                                           std::vector<uint32_t> &memrefIndices) {
  for (Value value : values) {
    if (isa<MemRefType>(value.getType())) {
      FailureOr<uint32_t> buffer = memref(op, value);
      if (failed(buffer))
        return failure();
      memrefIndices.push_back(*buffer);
      continue;
    }
    FailureOr<Reg> reg = scalar(op, value);
    if (failed(reg))
      return failure();
    scalarRegs.push_back(*reg);
  }
  return success();
}

void FunctionBuilder::bindResults(ValueRange results, ArrayRef<Reg> scalarRegs,
                                  ArrayRef<uint32_t> memrefIndices) {
  for (Value result : results) {
    if (isa<MemRefType>(result.getType())) {
      memrefs[result] = memrefIndices.front();
      memrefIndices = memrefIndices.drop_front();
    } else {
      scalars[result] = scalarRegs.front();
      scalarRegs = scalarRegs.drop_front();
    }
  }
}

/// The last step made so far is where what is yielded is used.
LogicalResult FunctionBuilder::yield(Operation *end, ValueRange values, plan::Block &target) {
  Regs regs;
  if (failed(splitValues(end, values, regs, target.yieldMemRefs)))
    return failure();
  target.yieldScalars.insert(target.yieldScalars.end(), regs.begin(), regs.end());
  for (uint32_t buffer : target.yieldMemRefs)
    use(buffer, function.numSteps - 1);
  return success();
}

LogicalResult FunctionBuilder::buildYieldingBlock(Block &source, plan::Block &target,
                                                  Reg condition) {
  HostCode::BlockScope scope(code, target, condition, source.getParentOp()->getLoc());
  Operation *end = source.getTerminator();
  if (failed(buildBlock(source)))
    return failure();
  return yield(end, end->getOperands(), target);
}

void FunctionBuilder::popLoop() {
  Loop loop = std::move(loops.back());
  loops.pop_back();
  for (uint32_t root : loop.touched) {
    plan::Alloc &alloc = function.allocs[root];
    alloc.lastStep = std::max(alloc.lastStep, function.numSteps - 1);
  }
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

LogicalResult FunctionBuilder::addChoiceResults(Operation *op, plan::Step &step) {
  Regs scalarResults;
  size_t nextBuffer = 0;
  for (Value result : op->getResults()) {
    auto type = dyn_cast<MemRefType>(result.getType());
    if (!type) {
      FailureOr<DType> dtype = requireDType(op, result.getType());
      if (failed(dtype))
        return failure();
      step.resultScalars.push_back(code.newReg(*dtype, /*isShape=*/false));
      continue;
    }
    // A size that is one register in all blocks is known; others come with the value.
    Regs sizes;
    Indices yielded;
    for (const plan::Block &block : step.blocks)
      yielded.push_back(block.yieldMemRefs[nextBuffer]);
    ++nextBuffer;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      Reg size = memrefAt(yielded[0]).sizes[dim];
      bool isOne = code.isShape(size) && llvm::all_of(yielded, [&](uint32_t buffer) {
                     return memrefAt(buffer).sizes[dim] == size;
                   });
      sizes.push_back(isOne ? size : plan::kNoReg);
    }
    FailureOr<uint32_t> slot = addSlot(op, type, sizes);
    if (failed(slot))
      return failure();
    for (uint32_t buffer : yielded)
      for (uint32_t root : roots[buffer])
        if (!llvm::is_contained(roots[*slot], root))
          roots[*slot].push_back(root);
    step.resultMemRefs.push_back(*slot);
  }
  bindResults(op->getResults(), step.resultScalars, step.resultMemRefs);
  return success();
}

/// Whether both branches hold nothing but scalar computation, so that both can always run.
static bool canSpeculate(scf::IfOp op) {
  auto isPlain = [](Region &region) {
    return llvm::all_of(region.getOps(), [](Operation &nested) {
      return isScalarOp(&nested) || isa<scf::YieldOp>(nested);
    });
  };
  return isPlain(op.getThenRegion()) && isPlain(op.getElseRegion()) &&
         llvm::none_of(op.getResultTypes(), llvm::IsaPred<MemRefType>);
}

LogicalResult FunctionBuilder::speculateIf(scf::IfOp op, Reg condition) {
  if (op.getElseRegion().empty())
    return success();
  if (failed(buildBlock(*op.thenBlock())) || failed(buildBlock(*op.elseBlock())))
    return failure();
  for (auto [result, thenValue, elseValue] :
       llvm::zip(op.getResults(), op.thenYield().getOperands(), op.elseYield().getOperands())) {
    FailureOr<Reg> a = scalar(op, thenValue), b = scalar(op, elseValue);
    if (failed(a) || failed(b))
      return failure();
    scalars[result] = code.emitSelect(code.typeOf(*a), condition, *a, *b, op.getLoc());
  }
  return success();
}

LogicalResult FunctionBuilder::buildIf(scf::IfOp op) {
  FailureOr<Reg> condition = scalar(op, op.getCondition());
  if (failed(condition))
    return failure();
  if (canSpeculate(op))
    return speculateIf(op, *condition);
  plan::Step step;
  step.kind = StepKind::If;
  step.location = module.tables.location(op.getLoc());
  step.number = code.takeStepNumber();
  step.scalars = {*condition};
  step.blocks.resize(2);
  if (failed(buildYieldingBlock(*op.thenBlock(), step.blocks[0], *condition)))
    return failure();
  if (!op.getElseRegion().empty()) {
    Reg negated = plan::kNoReg;
    if (code.isShape(*condition))
      negated = code.emitBinary(Opcode::XOrI, DType::I1, *condition, code.constant(DType::I1, 1),
                                op.getLoc());
    if (failed(buildYieldingBlock(*op.elseBlock(), step.blocks[1], negated)))
      return failure();
  }
  if (failed(addChoiceResults(op, step)))
    return failure();
  code.append(std::move(step));
  return success();
}

/// Of two buffers: an if that does nothing but hand over one of them.
LogicalResult FunctionBuilder::buildSelect(Operation *op) {
  FailureOr<Reg> condition = scalar(op, op->getOperand(0));
  if (!isa<MemRefType>(op->getResult(0).getType()))
    return unsupported(op);
  if (failed(condition))
    return failure();
  plan::Step step;
  step.kind = StepKind::If;
  step.location = module.tables.location(op->getLoc());
  step.number = code.takeStepNumber();
  step.scalars = {*condition};
  step.blocks.resize(2);
  if (failed(yield(op, op->getOperand(1), step.blocks[0])) ||
      failed(yield(op, op->getOperand(2), step.blocks[1])) || failed(addChoiceResults(op, step)))
    return failure();
  code.append(std::move(step));
  return success();
}

LogicalResult FunctionBuilder::buildSwitch(scf::IndexSwitchOp op) {
  FailureOr<Reg> selector = scalar(op, op.getArg());
  if (failed(selector))
    return failure();
  plan::Step step;
  step.kind = StepKind::Switch;
  step.location = module.tables.location(op.getLoc());
  step.number = code.takeStepNumber();
  step.scalars = {*selector};
  step.cases.assign(op.getCases().begin(), op.getCases().end());
  step.blocks.resize(step.cases.size() + 1);
  for (size_t index = 0; index < step.cases.size(); ++index)
    if (failed(buildYieldingBlock(op.getCaseBlock(index), step.blocks[index], plan::kNoReg)))
      return failure();
  if (failed(buildYieldingBlock(op.getDefaultBlock(), step.blocks.back(), plan::kNoReg)) ||
      failed(addChoiceResults(op, step)))
    return failure();
  code.append(std::move(step));
  return success();
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

LogicalResult FunctionBuilder::addCarried(Operation *op, ValueRange arguments, ValueRange inits,
                                          ValueRange yielded, Regs &scalarRegs,
                                          std::vector<uint32_t> &memrefIndices) {
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      FailureOr<DType> dtype = requireDType(op, argument.getType());
      if (failed(dtype))
        return failure();
      scalarRegs.push_back(scalars[argument] = code.newReg(*dtype, /*isShape=*/false));
      continue;
    }
    Regs sizes(type.getRank(), plan::kNoReg);
    if (!inits.empty()) {
      FailureOr<uint32_t> init = memref(op, inits[index]);
      if (failed(init))
        return failure();
      for (int64_t dim = 0; dim < type.getRank(); ++dim) {
        Reg size = memrefAt(*init).sizes[dim];
        if (code.isShape(size) && keepsSize(argument, inits[index], yielded[index], dim))
          sizes[dim] = size;
      }
    }
    FailureOr<uint32_t> slot = addSlot(op, type, sizes);
    if (failed(slot))
      return failure();
    memrefs[argument] = *slot;
    memrefIndices.push_back(*slot);
  }
  return success();
}

/// Adds the roots of what is assigned to each slot.
static void addRoots(std::vector<llvm::SmallVector<uint32_t, 1>> &roots, ArrayRef<uint32_t> slots,
                     ArrayRef<uint32_t> assigned) {
  for (auto [slot, source] : llvm::zip(slots, assigned))
    for (uint32_t root : llvm::SmallVector<uint32_t, 1>(roots[source]))
      if (!llvm::is_contained(roots[slot], root))
        roots[slot].push_back(root);
}

LogicalResult FunctionBuilder::buildFor(scf::ForOp op) {
  plan::Step step;
  step.kind = StepKind::For;
  step.location = module.tables.location(op.getLoc());
  step.unsignedCompare = op.getUnsignedCmp();
  if (auto unit = op->getAttrOfType<FlatSymbolRefAttr>(jit::JitDialect::kLoopUnitAttrName))
    step.loopUnit = module.units.at(unit.getValue()).index;
  Regs bounds, inits, carried;
  if (failed(scalarRegs(op, {op.getLowerBound(), op.getUpperBound(), op.getStep()}, bounds)) ||
      failed(splitValues(op, op.getInitArgs(), inits, step.initMemRefs)) ||
      failed(addCarried(op, op.getRegionIterArgs(), op.getInitArgs(), op.getYieldedValues(),
                        carried, step.resultMemRefs)))
    return failure();
  DType type = code.typeOf(bounds[0]);
  step.scalars.assign(bounds.begin(), bounds.end());
  step.initScalars.assign(inits.begin(), inits.end());
  step.resultScalars.assign(carried.begin(), carried.end());
  step.ivReg = scalars[op.getInductionVar()] = code.newReg(type, /*isShape=*/false);
  Reg runs = plan::kNoReg;
  if (code.allShape({bounds[0], bounds[1]}))
    runs = code.emitBinary(op.getUnsignedCmp() ? Opcode::CmpIUlt : Opcode::CmpISlt, type, bounds[0],
                           bounds[1], op.getLoc());
  step.number = code.takeStepNumber();
  pushLoop(step.number);
  addRoots(roots, step.resultMemRefs, step.initMemRefs);
  for (uint32_t slot : step.resultMemRefs)
    use(slot, step.number);
  step.blocks.resize(1);
  if (failed(buildYieldingBlock(*op.getBody(), step.blocks[0], runs)))
    return failure();
  popLoop();
  addRoots(roots, step.resultMemRefs, step.blocks[0].yieldMemRefs);
  bindResults(op.getResults(), carried, step.resultMemRefs);
  code.append(std::move(step));
  return success();
}

LogicalResult FunctionBuilder::buildWhile(scf::WhileOp op) {
  plan::Step step;
  step.kind = StepKind::While;
  step.location = module.tables.location(op.getLoc());
  Regs inits, before, after, condition;
  scf::ConditionOp end = op.getConditionOp();
  if (failed(splitValues(op, op.getInits(), inits, step.initMemRefs)) ||
      failed(addCarried(op, op.getBeforeArguments(), op.getInits(), op.getYieldOp().getOperands(),
                        before, step.resultMemRefs)) ||
      failed(addCarried(op, op.getAfterArguments(), {}, {}, after, step.afterMemRefs)))
    return failure();
  step.initScalars.assign(inits.begin(), inits.end());
  step.resultScalars.assign(before.begin(), before.end());
  step.afterScalars.assign(after.begin(), after.end());
  step.number = code.takeStepNumber();
  pushLoop(step.number);
  addRoots(roots, step.resultMemRefs, step.initMemRefs);
  for (uint32_t slot : step.resultMemRefs)
    use(slot, step.number);
  step.blocks.resize(2);
  {
    HostCode::BlockScope scope(code, step.blocks[0], plan::kNoReg, op.getLoc());
    if (failed(buildBlock(*op.getBeforeBody())) ||
        failed(yield(end, end->getOperands(), step.blocks[0])))
      return failure();
  }
  addRoots(roots, step.afterMemRefs, step.blocks[0].yieldMemRefs);
  if (failed(buildYieldingBlock(*op.getAfterBody(), step.blocks[1], plan::kNoReg)))
    return failure();
  popLoop();
  addRoots(roots, step.resultMemRefs, step.blocks[1].yieldMemRefs);
  bindResults(op.getResults(), after, step.afterMemRefs);
  code.append(std::move(step));
  return success();
}

} // namespace anneal
