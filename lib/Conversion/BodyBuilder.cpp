//===- BodyBuilder.cpp - Bodies of structured operations ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BodyBuilder.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace anneal {

using plan::DType;
using plan::Opcode;
using plan::Reg;

//===----------------------------------------------------------------------===//
// Registers and instructions
//===----------------------------------------------------------------------===//

Reg BodyBuilder::addOperand(DType type) {
  operandTypes.push_back(type);
  return static_cast<Reg>(operandTypes.size() - 1);
}

Reg BodyBuilder::newTemp(DType type) {
  tempTypes.push_back(type);
  return kTemp | static_cast<Reg>(tempTypes.size() - 1);
}

DType BodyBuilder::typeOf(Reg reg) const {
  if (reg & kTemp)
    return tempTypes[reg & ~kTemp];
  if (reg & kConstant)
    return static_cast<DType>((constants.begin() + (reg & ~kConstant))->first.first);
  if (reg & kCaptured)
    return capturedTypes[reg & ~kCaptured];
  return operandTypes[reg];
}

Reg BodyBuilder::constant(DType type, uint64_t bits) {
  auto [it, isNew] = constants.insert(
      {{static_cast<unsigned>(type), bits}, kConstant | static_cast<Reg>(constants.size())});
  return it->second;
}

Reg BodyBuilder::emit(const InstrSpec &spec, Location) {
  plan::Instr instr;
  instr.op = spec.op;
  instr.type = spec.type;
  instr.srcType = spec.srcType;
  instr.dst = newTemp(spec.resultType);
  if (spec.secondType)
    instr.dst2 = newTemp(*spec.secondType);
  Reg *slots[] = {&instr.a, &instr.b, &instr.c};
  for (auto [slot, source] : llvm::zip(slots, spec.sources))
    *slot = source;
  instr.extraBegin = static_cast<uint32_t>(extra.size());
  instr.numExtra = static_cast<uint32_t>(spec.extra.size());
  extra.insert(extra.end(), spec.extra.begin(), spec.extra.end());
  instr.imm = spec.imm;
  instrs.push_back(instr);
  return instr.dst;
}

size_t BodyBuilder::emitJump(Opcode op, Reg condition) {
  plan::Instr instr;
  instr.op = op;
  instr.a = condition;
  instrs.push_back(instr);
  hasBranches = true;
  return instrs.size() - 1;
}

void BodyBuilder::jumpBackTo(size_t target) { instrs[emitJump(Opcode::Jump)].imm = target; }

Reg BodyBuilder::renumber(Reg reg) const {
  if (reg == plan::kNoReg)
    return reg;
  Reg base = static_cast<Reg>(operandTypes.size());
  if (reg & kTemp)
    return base + static_cast<Reg>(capturedTypes.size() + constants.size()) + (reg & ~kTemp);
  if (reg & kConstant)
    return base + static_cast<Reg>(capturedTypes.size()) + (reg & ~kConstant);
  if (reg & kCaptured)
    return base + (reg & ~kCaptured);
  return reg;
}

plan::Body BodyBuilder::finish() {
  plan::Body body;
  body.numOperands = static_cast<uint32_t>(operandTypes.size());
  body.captured = captured;
  body.hasBranches = hasBranches;
  body.regTypes = operandTypes;
  body.regTypes.insert(body.regTypes.end(), capturedTypes.begin(), capturedTypes.end());
  for (auto &[key, reg] : constants) {
    plan::Instr instr;
    instr.op = Opcode::Const;
    instr.type = instr.srcType = static_cast<DType>(key.first);
    instr.dst = renumber(reg);
    instr.imm = key.second;
    body.regTypes.push_back(instr.type);
    body.instrs.push_back(instr);
  }
  body.regTypes.insert(body.regTypes.end(), tempTypes.begin(), tempTypes.end());
  for (plan::Instr instr : instrs) {
    for (Reg *reg : {&instr.dst, &instr.dst2, &instr.a, &instr.b, &instr.c})
      *reg = renumber(*reg);
    if (instr.op == Opcode::Jump || instr.op == Opcode::JumpIfFalse)
      instr.imm += constants.size();
    body.instrs.push_back(instr);
  }
  for (Reg reg : extra)
    body.extra.push_back(renumber(reg));
  for (Reg reg : yields)
    body.yields.push_back(renumber(reg));
  return body;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

FailureOr<Reg> BodyBuilder::capture(Operation *user, Value value) {
  Attribute attr;
  if (matchPattern(value, m_Constant(&attr))) {
    FailureOr<DType> type = requireDType(user, value.getType());
    if (failed(type))
      return failure();
    return constant(*type, scalarBits(attr).value_or(0));
  }
  FailureOr<uint32_t> param = unit.scalarParam(user, value);
  if (failed(param))
    return failure();
  auto it = llvm::find(captured, *param);
  if (it != captured.end())
    return kCaptured | static_cast<Reg>(it - captured.begin());
  captured.push_back(*param);
  capturedTypes.push_back(*toDType(value.getType()));
  return kCaptured | static_cast<Reg>(captured.size() - 1);
}

FailureOr<Reg> BodyBuilder::lookup(Operation *user, Value value) {
  auto it = regs.find(value);
  if (it != regs.end())
    return it->second;
  return capture(user, value);
}

LogicalResult BodyBuilder::lookupAll(Operation *user, ValueRange values,
                                     SmallVectorImpl<Reg> &out) {
  for (Value value : values) {
    FailureOr<Reg> reg = lookup(user, value);
    if (failed(reg))
      return failure();
    out.push_back(*reg);
  }
  return success();
}

LogicalResult BodyBuilder::declare(Operation *op, ValueRange values, SmallVectorImpl<Reg> &out) {
  for (Value value : values) {
    FailureOr<DType> type = requireDType(op, value.getType());
    if (failed(type))
      return failure();
    out.push_back(newTemp(*type));
    regs[value] = out.back();
  }
  return success();
}

void BodyBuilder::assign(ArrayRef<Reg> to, ArrayRef<Reg> from) {
  auto move = [&](Reg dst, Reg src) {
    plan::Instr instr;
    instr.op = Opcode::Move;
    instr.type = instr.srcType = typeOf(dst);
    instr.dst = dst;
    instr.a = src;
    instrs.push_back(instr);
  };
  SmallVector<Reg> sources(from);
  // A source that is overwritten before it is read goes through a register of its own.
  for (size_t i = 0; i < sources.size(); ++i)
    if (llvm::is_contained(to.take_front(i), sources[i])) {
      Reg temp = newTemp(typeOf(sources[i]));
      move(temp, sources[i]);
      sources[i] = temp;
    }
  for (auto [dst, src] : llvm::zip(to, sources))
    if (dst != src)
      move(dst, src);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult BodyBuilder::translateRoot(Block &block) {
  if (failed(translateBlock(block)))
    return failure();
  return lookupAll(block.getTerminator(), block.getTerminator()->getOperands(), yields);
}

LogicalResult BodyBuilder::translateBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(translateOp(&op)))
      return failure();
  return success();
}

LogicalResult BodyBuilder::translateOp(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() && isScalarOp(op))
    return success();
  if (isScalarOp(op)) {
    SmallVector<Reg, 2> results;
    auto find = [&](Value value) { return lookup(op, value); };
    if (failed(translateScalarOp(op, find, *this, results)))
      return failure();
    for (auto [result, reg] : llvm::zip(op->getResults(), results))
      regs[result] = reg;
    return success();
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    InstrSpec spec;
    spec.op = Opcode::IterIndex;
    spec.type = spec.srcType = spec.resultType = DType::Index;
    spec.imm = index.getDim();
    regs[index.getResult()] = emit(spec, op->getLoc());
    return success();
  }
  if (auto extract = dyn_cast<tensor::ExtractOp>(op))
    return translateExtract(extract);
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return translateDim(dim);
  if (auto assertion = dyn_cast<cf::AssertOp>(op))
    return translateAssert(op, assertion.getArg(), assertion.getMsg());
  if (auto conditional = dyn_cast<scf::IfOp>(op))
    return translateIf(conditional);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return translateFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return translateWhile(loop);
  if (auto choice = dyn_cast<scf::IndexSwitchOp>(op))
    return translateSwitch(choice);
  return op->emitError() << "'" << op->getName()
                         << "' can't stand in the body of a structured operation; arith, math, "
                            "linalg.index, tensor.extract, tensor.dim, cf.assert, scf.if, scf.for, "
                            "scf.while and scf.index_switch can";
}

LogicalResult BodyBuilder::translateExtract(tensor::ExtractOp op) {
  FailureOr<DType> type = requireDType(op, op.getType());
  if (failed(type))
    return failure();
  DenseElementsAttr elements;
  if (matchPattern(op.getTensor(), m_Constant(&elements)) && elements.isSplat()) {
    regs[op.getResult()] = constant(*type, *scalarBits(elements.getSplatValue<Attribute>()));
    return success();
  }
  FailureOr<uint32_t> tensor = unit.tensorIndex(op, op.getTensor());
  if (failed(tensor))
    return failure();
  InstrSpec spec;
  if (failed(lookupAll(op, op.getIndices(), spec.extra)))
    return failure();
  auto it = llvm::find(kernel.gathers, *tensor);
  spec.imm = static_cast<uint64_t>(it - kernel.gathers.begin());
  if (it == kernel.gathers.end())
    kernel.gathers.push_back(*tensor);
  spec.op = Opcode::Gather;
  spec.type = spec.srcType = spec.resultType = *type;
  regs[op.getResult()] = emit(spec, op.getLoc());
  return success();
}

LogicalResult BodyBuilder::translateDim(tensor::DimOp op) {
  std::optional<int64_t> dim = op.getConstantIndex();
  if (!dim)
    return op.emitError() << "the dimension whose size is asked for must be a constant";
  auto type = cast<RankedTensorType>(op.getSource().getType());
  if (!type.isDynamicDim(*dim)) {
    regs[op.getResult()] = indexConstant(type.getDimSize(*dim));
    return success();
  }
  FailureOr<uint32_t> param = unit.dimParam(op, op.getSource(), *dim);
  if (failed(param))
    return failure();
  auto it = llvm::find(captured, *param);
  if (it == captured.end()) {
    captured.push_back(*param);
    capturedTypes.push_back(DType::Index);
    it = captured.end() - 1;
  }
  regs[op.getResult()] = kCaptured | static_cast<Reg>(it - captured.begin());
  return success();
}

LogicalResult BodyBuilder::translateAssert(Operation *op, Value condition, StringRef message) {
  FailureOr<Reg> reg = lookup(op, condition);
  if (failed(reg))
    return failure();
  if (guard != plan::kNoReg)
    *reg = emitSelect(DType::I1, guard, *reg, constant(DType::I1, 1), op->getLoc());
  plan::Instr instr;
  instr.op = Opcode::Assert;
  instr.type = instr.srcType = DType::I1;
  instr.a = *reg;
  instr.imm = unit.getTables().message(message);
  instrs.push_back(instr);
  return success();
}

//===----------------------------------------------------------------------===//
// Conditionals and loops
//===----------------------------------------------------------------------===//

/// Whether running the region where it isn't meant to run does no harm, given that asserts are
/// guarded.
static bool canSpeculate(Region &region) {
  return llvm::all_of(region.getOps(), [](Operation &op) {
    if (auto conditional = dyn_cast<scf::IfOp>(op))
      return canSpeculate(conditional.getThenRegion()) && canSpeculate(conditional.getElseRegion());
    return isScalarOp(&op) || isa<linalg::IndexOp, tensor::DimOp, cf::AssertOp, scf::YieldOp>(op);
  });
}

LogicalResult BodyBuilder::translateIf(scf::IfOp op) {
  FailureOr<Reg> condition = lookup(op, op.getCondition());
  if (failed(condition))
    return failure();
  if (canSpeculate(op.getThenRegion()) && canSpeculate(op.getElseRegion()))
    return speculateIf(op, *condition);
  return branchIf(op, *condition);
}

LogicalResult BodyBuilder::speculateIf(scf::IfOp op, Reg condition) {
  Location location = op.getLoc();
  Reg outer = guard;
  auto translateUnder = [&](Region &region, Reg own, SmallVectorImpl<Reg> &values) {
    if (region.empty())
      return success();
    guard = outer == plan::kNoReg ? own : emitBinary(Opcode::AndI, DType::I1, outer, own, location);
    LogicalResult done = translateBlock(region.front());
    guard = outer;
    if (failed(done))
      return failure();
    Operation *yield = region.front().getTerminator();
    return lookupAll(yield, yield->getOperands(), values);
  };
  SmallVector<Reg> thenValues, elseValues;
  if (failed(translateUnder(op.getThenRegion(), condition, thenValues)))
    return failure();
  if (!op.getElseRegion().empty()) {
    Reg negated = emitBinary(Opcode::XOrI, DType::I1, condition, constant(DType::I1, 1), location);
    if (failed(translateUnder(op.getElseRegion(), negated, elseValues)))
      return failure();
  }
  for (auto [result, a, b] : llvm::zip(op.getResults(), thenValues, elseValues))
    regs[result] = emitSelect(typeOf(a), condition, a, b, location);
  return success();
}

LogicalResult BodyBuilder::branchIf(scf::IfOp op, Reg condition) {
  SmallVector<Reg> results;
  if (failed(declare(op, op.getResults(), results)))
    return failure();
  auto translateBranch = [&](Region &region) {
    if (region.empty())
      return success();
    SmallVector<Reg> values;
    Operation *yield = region.front().getTerminator();
    if (failed(translateBlock(region.front())) ||
        failed(lookupAll(yield, yield->getOperands(), values)))
      return failure();
    assign(results, values);
    return success();
  };
  size_t toElse = emitJump(Opcode::JumpIfFalse, condition);
  if (failed(translateBranch(op.getThenRegion())))
    return failure();
  size_t toEnd = emitJump(Opcode::Jump);
  setTarget(toElse);
  if (failed(translateBranch(op.getElseRegion())))
    return failure();
  setTarget(toEnd);
  return success();
}

LogicalResult BodyBuilder::translateFor(scf::ForOp op) {
  Location location = op.getLoc();
  SmallVector<Reg> bounds, inits, carried, next;
  if (failed(lookupAll(op, {op.getLowerBound(), op.getUpperBound(), op.getStep()}, bounds)) ||
      failed(lookupAll(op, op.getInitArgs(), inits)) ||
      failed(declare(op, op.getRegionIterArgs(), carried)))
    return failure();
  DType type = *toDType(op.getInductionVar().getType());
  Reg iv = newTemp(type);
  regs[op.getInductionVar()] = iv;
  assign(iv, bounds[0]);
  assign(carried, inits);
  size_t head = instrs.size();
  Opcode less = op.getUnsignedCmp() ? Opcode::CmpIUlt : Opcode::CmpISlt;
  size_t toEnd = emitJump(Opcode::JumpIfFalse, emitBinary(less, type, iv, bounds[1], location));
  Operation *yield = op.getBody()->getTerminator();
  if (failed(translateBlock(*op.getBody())) || failed(lookupAll(yield, yield->getOperands(), next)))
    return failure();
  assign(carried, next);
  assign(iv, emitBinary(Opcode::AddI, type, iv, bounds[2], location));
  jumpBackTo(head);
  setTarget(toEnd);
  for (auto [result, reg] : llvm::zip(op.getResults(), carried))
    regs[result] = reg;
  return success();
}

LogicalResult BodyBuilder::translateWhile(scf::WhileOp op) {
  SmallVector<Reg> inits, before, after, handed, next;
  if (failed(lookupAll(op, op.getInits(), inits)) ||
      failed(declare(op, op.getBeforeArguments(), before)) ||
      failed(declare(op, op.getAfterArguments(), after)))
    return failure();
  assign(before, inits);
  size_t head = instrs.size();
  scf::ConditionOp condition = op.getConditionOp();
  if (failed(translateBlock(*op.getBeforeBody())))
    return failure();
  FailureOr<Reg> goesOn = lookup(condition, condition.getCondition());
  if (failed(goesOn) || failed(lookupAll(condition, condition.getArgs(), handed)))
    return failure();
  assign(after, handed);
  size_t toEnd = emitJump(Opcode::JumpIfFalse, *goesOn);
  Operation *yield = op.getYieldOp();
  if (failed(translateBlock(*op.getAfterBody())) ||
      failed(lookupAll(yield, yield->getOperands(), next)))
    return failure();
  assign(before, next);
  jumpBackTo(head);
  setTarget(toEnd);
  for (auto [result, reg] : llvm::zip(op.getResults(), after))
    regs[result] = reg;
  return success();
}

LogicalResult BodyBuilder::translateSwitch(scf::IndexSwitchOp op) {
  SmallVector<Reg> results;
  FailureOr<Reg> selector = lookup(op, op.getArg());
  if (failed(selector) || failed(declare(op, op.getResults(), results)))
    return failure();
  SmallVector<size_t> toEnd;
  auto translateCase = [&](Block &block) {
    SmallVector<Reg> values;
    Operation *yield = block.getTerminator();
    if (failed(translateBlock(block)) || failed(lookupAll(yield, yield->getOperands(), values)))
      return failure();
    assign(results, values);
    toEnd.push_back(emitJump(Opcode::Jump));
    return success();
  };
  for (auto [index, value] : llvm::enumerate(op.getCases())) {
    Reg equal =
        emitBinary(Opcode::CmpIEq, DType::Index, *selector, indexConstant(value), op.getLoc());
    size_t toNext = emitJump(Opcode::JumpIfFalse, equal);
    if (failed(translateCase(op.getCaseBlock(index))))
      return failure();
    setTarget(toNext);
  }
  if (failed(translateCase(op.getDefaultBlock())))
    return failure();
  for (size_t jump : toEnd)
    setTarget(jump);
  return success();
}

} // namespace anneal
