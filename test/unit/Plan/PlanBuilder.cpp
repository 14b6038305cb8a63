//===- PlanBuilder.cpp - Plans made by hand -------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace anneal::plan::test {

namespace {

/// `dims[d]` names an iteration dimension; the access is d0, d1, ... in that order.
Operand accessOf(uint32_t tensor, std::vector<unsigned> dims, size_t numDims) {
  Operand operand;
  operand.tensor = tensor;
  for (unsigned dim : dims) {
    IndexExpr index;
    index.coefficients.assign(numDims, 0);
    index.coefficients[dim] = 1;
    operand.indices.push_back(std::move(index));
  }
  return operand;
}

std::vector<unsigned> allDims(unsigned rank) {
  std::vector<unsigned> dims;
  for (unsigned d = 0; d < rank; ++d)
    dims.push_back(d);
  return dims;
}

Instr instr(Opcode op, DType type, Reg dst, Reg a = kNoReg, Reg b = kNoReg, uint64_t imm = 0) {
  Instr result;
  result.op = op;
  result.type = result.srcType = type;
  result.dst = dst;
  result.a = a;
  result.b = b;
  result.imm = imm;
  return result;
}

/// A parameter of unknown sizes.
UnitTensor anyTensor(uint32_t index, unsigned rank, DType type) {
  UnitTensor tensor;
  tensor.dtype = type;
  for (unsigned d = 0; d < rank; ++d)
    tensor.sizes.push_back({SizeExpr::Kind::Dim, index, d});
  return tensor;
}

Unit makeUnit(const std::string &name, uint32_t numInputs, unsigned rank, DType type) {
  Unit unit;
  unit.name = name;
  unit.numInputs = numInputs;
  unit.numOutputs = 1;
  unit.outputIsRead = {false};
  for (uint32_t t = 0; t <= numInputs; ++t)
    unit.tensors.push_back(anyTensor(t, rank, type));
  return unit;
}

/// A kernel over `rank` parallel dimensions with the identity on all operands.
Kernel makeMap(const std::string &name, std::vector<uint32_t> inputs, uint32_t output,
               unsigned rank, DType type) {
  Kernel kernel;
  kernel.opName = name;
  kernel.numInputs = static_cast<uint32_t>(inputs.size());
  inputs.push_back(output);
  for (uint32_t tensor : inputs)
    kernel.operands.push_back(accessOf(tensor, allDims(rank), rank));
  for (unsigned d = 0; d < rank; ++d) {
    kernel.iterators.push_back(IterKind::Parallel);
    kernel.domain.push_back({static_cast<int32_t>(inputs.size() - 1), d});
  }
  kernel.body.numOperands = static_cast<uint32_t>(inputs.size());
  kernel.body.regTypes.assign(inputs.size(), type);
  return kernel;
}

/// Appends an instruction with a new register for its result.
Reg append(Body &body, Opcode op, DType type, Reg a, Reg b = kNoReg, uint64_t imm = 0) {
  auto dst = static_cast<Reg>(body.regTypes.size());
  bool isTest = classOf(op) == OpClass::FloatCompare || classOf(op) == OpClass::IntCompare;
  body.regTypes.push_back(isTest ? DType::I1 : type);
  body.instrs.push_back(instr(op, type, dst, a, b, imm));
  return dst;
}

uint32_t addUnit(Module &module, Unit unit) {
  module.units.push_back(std::move(unit));
  return static_cast<uint32_t>(module.units.size() - 1);
}

} // namespace

uint32_t addBinaryUnit(Module &module, const std::string &name, Opcode op, unsigned rank,
                       DType type) {
  Unit unit = makeUnit(name, 2, rank, type);
  Kernel kernel = makeMap("linalg.generic", {0, 1}, 2, rank, type);
  kernel.body.yields = {append(kernel.body, op, type, 0, 1)};
  unit.kernels.push_back(std::move(kernel));
  return addUnit(module, std::move(unit));
}

uint32_t addUnaryUnit(Module &module, const std::string &name, Opcode op, unsigned rank,
                      DType type) {
  Unit unit = makeUnit(name, 1, rank, type);
  Kernel kernel = makeMap("linalg.generic", {0}, 1, rank, type);
  kernel.body.yields = {append(kernel.body, op, type, 0)};
  unit.kernels.push_back(std::move(kernel));
  return addUnit(module, std::move(unit));
}

uint32_t addScaleUnit(Module &module, const std::string &name, unsigned rank) {
  Unit unit = makeUnit(name, 1, rank, DType::F32);
  unit.scalars.push_back({DType::F32, false});
  Kernel kernel = makeMap("linalg.generic", {0}, 1, rank, DType::F32);
  kernel.body.captured = {0};
  kernel.body.regTypes.push_back(DType::F32);
  kernel.body.yields = {append(kernel.body, Opcode::MulF, DType::F32, 0, 2)};
  unit.kernels.push_back(std::move(kernel));
  return addUnit(module, std::move(unit));
}

uint32_t addMatmulUnit(Module &module, const std::string &name) {
  Unit unit = makeUnit(name, 2, 2, DType::F32);
  Kernel fill = makeMap("linalg.fill", {}, 2, 2, DType::F32);
  fill.body.yields = {append(fill.body, Opcode::Const, DType::F32, kNoReg)};
  unit.kernels.push_back(std::move(fill));
  Kernel matmul;
  matmul.opName = "linalg.matmul";
  matmul.iterators = {IterKind::Parallel, IterKind::Parallel, IterKind::Reduction};
  matmul.domain = {{0, 0}, {1, 1}, {0, 1}};
  matmul.numInputs = 2;
  matmul.operands = {accessOf(0, {0, 2}, 3), accessOf(1, {2, 1}, 3), accessOf(2, {0, 1}, 3)};
  matmul.body.numOperands = 3;
  matmul.body.regTypes.assign(3, DType::F32);
  Reg product = append(matmul.body, Opcode::MulF, DType::F32, 0, 1);
  matmul.body.yields = {append(matmul.body, Opcode::AddF, DType::F32, 2, product)};
  unit.kernels.push_back(std::move(matmul));
  unit.anchor = 1;
  return addUnit(module, std::move(unit));
}

uint32_t addGatherUnit(Module &module, const std::string &name, const std::string &location) {
  Unit unit = makeUnit(name, 2, 1, DType::F32);
  unit.tensors[1].dtype = DType::Index;
  Kernel kernel = makeMap("linalg.generic", {1}, 2, 1, DType::F32);
  kernel.location = addLocation(module, location);
  kernel.body.regTypes[0] = DType::Index;
  kernel.gathers = {0};
  Reg value = append(kernel.body, Opcode::Gather, DType::F32, kNoReg);
  kernel.body.instrs.back().numExtra = 1;
  kernel.body.extra = {0};
  kernel.body.yields = {value};
  unit.kernels.push_back(std::move(kernel));
  return addUnit(module, std::move(unit));
}

uint32_t addAssertingUnit(Module &module, const std::string &name, const std::string &message,
                          const std::string &location) {
  Unit unit = makeUnit(name, 1, 1, DType::F32);
  Kernel kernel = makeMap("linalg.generic", {0}, 1, 1, DType::F32);
  kernel.location = addLocation(module, location);
  Reg zero = append(kernel.body, Opcode::Const, DType::F32, kNoReg);
  Reg holds = append(kernel.body, Opcode::CmpFOge, DType::F32, 0, zero);
  kernel.body.instrs.push_back(
      instr(Opcode::Assert, DType::I1, kNoReg, holds, kNoReg, addMessage(module, message)));
  kernel.body.yields = {0};
  unit.kernels.push_back(std::move(kernel));
  return addUnit(module, std::move(unit));
}

uint32_t addTemporaryUnit(Module &module, const std::string &name) {
  Unit unit = makeUnit(name, 1, 1, DType::F32);
  unit.scalars.push_back({DType::Index, true});
  UnitTensor temporary;
  temporary.sizes = {{SizeExpr::Kind::Scalar, 0, 0}};
  unit.tensors.push_back(temporary);
  for (auto [from, to] : {std::pair<uint32_t, uint32_t>{0, 2}, {2, 1}}) {
    Kernel kernel = makeMap("linalg.generic", {from}, to, 1, DType::F32);
    kernel.body.yields = {from == 0 ? Reg(0) : append(kernel.body, Opcode::AddF, DType::F32, 0, 0)};
    unit.kernels.push_back(std::move(kernel));
  }
  return addUnit(module, std::move(unit));
}

uint32_t addConstant(Module &module, std::vector<int64_t> dims, std::vector<float> values) {
  auto owner = std::make_shared<std::vector<float>>(std::move(values));
  Constant constant;
  constant.dims = std::move(dims);
  constant.data = owner->data();
  constant.owner = owner;
  module.constants.push_back(std::move(constant));
  return static_cast<uint32_t>(module.constants.size() - 1);
}

uint32_t addLocation(Module &module, const std::string &text) {
  if (module.locations.empty())
    module.locations.push_back("");
  auto found = std::find(module.locations.begin(), module.locations.end(), text);
  auto index = static_cast<uint32_t>(found - module.locations.begin());
  if (found == module.locations.end())
    module.locations.push_back(text);
  return index;
}

uint32_t addMessage(Module &module, const std::string &text) {
  module.messages.push_back(text);
  return static_cast<uint32_t>(module.messages.size() - 1);
}

FunctionBuilder::FunctionBuilder(Module &module, std::string name) : module(module) {
  function.name = std::move(name);
  addLocation(module, "");
  open = &function.body;
}

Reg FunctionBuilder::reg(DType type) {
  function.scalarTypes.push_back(type);
  function.scalarInit.push_back(0);
  isShape.push_back(false);
  return static_cast<Reg>(function.scalarTypes.size() - 1);
}

Reg FunctionBuilder::handedSize() {
  Reg result = reg(DType::Index);
  function.scalarInit[result] = static_cast<uint64_t>(kDynamic);
  return result;
}

Reg FunctionBuilder::constant(int64_t value, DType type) {
  Reg result = reg(type);
  unsigned unused = 64 - bitWidth(type);
  function.scalarInit[result] = static_cast<uint64_t>(value) << unused >> unused;
  isShape[result] = true;
  return result;
}

uint32_t FunctionBuilder::argument(const std::string &name, std::vector<int64_t> dims, DType type) {
  Param param;
  param.name = name;
  param.dtype = type;
  for (size_t d = 0; d < dims.size(); ++d) {
    param.dimRegs.push_back(reg(DType::Index));
    isShape[param.dimRegs.back()] = true;
  }
  param.dims = std::move(dims);
  auto index = static_cast<uint32_t>(function.arguments.size());
  param.memref = dense({Base::Kind::Argument, index}, param.dimRegs, type);
  function.arguments.push_back(param);
  return param.memref;
}

Reg FunctionBuilder::scalarArgument(const std::string &name, DType type, bool isKey) {
  Param param;
  param.name = name;
  param.dtype = type;
  param.isScalar = true;
  param.scalar = reg(type);
  isShape[param.scalar] = isKey;
  function.arguments.push_back(param);
  if (isKey)
    function.keyScalars.push_back(param.scalar);
  return param.scalar;
}

Reg FunctionBuilder::size(uint32_t memref, unsigned dim) const {
  return function.memrefs[memref].sizes[dim];
}

Instr FunctionBuilder::makeInstr(Opcode op, Reg a, Reg b, Reg c, DType type) {
  Instr result = instr(op, type, kNoReg, a, b);
  result.c = c;
  return result;
}

Reg FunctionBuilder::shape(Opcode op, Reg a, Reg b, Reg c, DType type) {
  Instr result = makeInstr(op, a, b, c, type);
  result.dst = reg(classOf(op) == OpClass::IntCompare ? DType::I1 : type);
  isShape[result.dst] = true;
  shapeCode.push_back(result);
  shapeLocations.push_back(0);
  return result.dst;
}

void FunctionBuilder::check(Opcode op, const std::string &message, const std::string &location,
                            Reg a, Reg b, Reg c, std::vector<Reg> extra) {
  Instr result = makeInstr(op, a, b, c, op == Opcode::Assert ? DType::I1 : DType::Index);
  result.imm = addMessage(module, message);
  result.extraBegin = static_cast<uint32_t>(function.extra.size());
  result.numExtra = static_cast<uint32_t>(extra.size());
  function.extra.insert(function.extra.end(), extra.begin(), extra.end());
  shapeCode.push_back(result);
  shapeLocations.push_back(addLocation(module, location));
}

Reg FunctionBuilder::run(Opcode op, Reg a, Reg b, Reg c, DType type) {
  Instr result = makeInstr(op, a, b, c, type);
  result.dst = reg(classOf(op) == OpClass::IntCompare ? DType::I1 : type);
  Step &scalars = step(StepKind::Scalars);
  scalars.codeBegin = static_cast<uint32_t>(runCode.size());
  scalars.codeEnd = scalars.codeBegin + 1;
  runCode.push_back(result);
  runLocations.push_back(0);
  return result.dst;
}

std::vector<Reg> FunctionBuilder::rowMajor(const std::vector<Reg> &sizes) {
  bool allShape = std::all_of(sizes.begin(), sizes.end(), [&](Reg size) { return isShape[size]; });
  std::vector<Reg> strides(sizes.size());
  Reg stride = constant(1);
  for (size_t d = sizes.size(); d-- > 0;) {
    strides[d] = stride;
    if (d > 0)
      stride =
          allShape ? shape(Opcode::MulI, stride, sizes[d]) : run(Opcode::MulI, stride, sizes[d]);
  }
  return strides;
}

uint32_t FunctionBuilder::memref(Base base, std::vector<Reg> sizes, std::vector<Reg> strides,
                                 Reg offset, DType type) {
  MemRef result;
  result.dtype = type;
  result.base = base;
  result.offset = offset;
  result.isStatic = base.kind != Base::Kind::Slot;
  for (const std::vector<Reg> *regs : {&sizes, &strides})
    for (Reg reg : *regs)
      result.isStatic = result.isStatic && isShape[reg];
  result.isStatic = result.isStatic && (offset == kNoReg || isShape[offset]);
  result.sizes = std::move(sizes);
  result.strides = std::move(strides);
  function.memrefs.push_back(std::move(result));
  return static_cast<uint32_t>(function.memrefs.size() - 1);
}

uint32_t FunctionBuilder::dense(Base base, std::vector<Reg> sizes, DType type) {
  std::vector<Reg> strides = rowMajor(sizes);
  return memref(base, std::move(sizes), std::move(strides), kNoReg, type);
}

uint32_t FunctionBuilder::alloc(std::vector<Reg> sizes, DType type) {
  auto index = static_cast<uint32_t>(function.allocs.size());
  uint32_t result = dense({Base::Kind::Alloc, index}, std::move(sizes), type);
  function.allocs.push_back({result, 0, 0});
  return result;
}

uint32_t FunctionBuilder::constantTensor(uint32_t index) {
  std::vector<Reg> sizes;
  for (int64_t size : module.constants[index].dims)
    sizes.push_back(constant(size));
  return dense({Base::Kind::Constant, index}, std::move(sizes), module.constants[index].dtype);
}

uint32_t FunctionBuilder::slot(std::vector<Reg> sizes, DType type) {
  return dense({Base::Kind::Slot, function.numSlots++}, std::move(sizes), type);
}

uint32_t FunctionBuilder::result(std::vector<int64_t> dims, std::vector<Reg> sizes, DType type) {
  Param param;
  param.dtype = type;
  param.dims = std::move(dims);
  auto index = static_cast<uint32_t>(function.results.size());
  param.memref = dense({Base::Kind::Result, index}, std::move(sizes), type);
  function.results.push_back(param);
  return param.memref;
}

void FunctionBuilder::resultFrom(uint32_t memref, std::vector<int64_t> dims) {
  Param param;
  param.dtype = function.memrefs[memref].dtype;
  param.dims = std::move(dims);
  param.memref = memref;
  function.results.push_back(std::move(param));
}

void FunctionBuilder::scalarResult(Reg reg) {
  Param param;
  param.dtype = function.scalarTypes[reg];
  param.isScalar = true;
  param.scalar = reg;
  function.results.push_back(std::move(param));
}

Step &FunctionBuilder::step(StepKind kind) {
  Step result;
  result.kind = kind;
  result.number = function.numSteps++;
  open->steps.push_back(std::move(result));
  return open->steps.back();
}

void FunctionBuilder::invoke(uint32_t unit, std::vector<uint32_t> memrefs, std::vector<Reg> scalars,
                             const std::string &location) {
  Step &result = step(StepKind::Invoke);
  result.unit = unit;
  result.memrefs = std::move(memrefs);
  result.scalars = std::move(scalars);
  result.location = addLocation(module, location);
}

void FunctionBuilder::copy(uint32_t from, uint32_t to) {
  step(StepKind::Copy).memrefs = {from, to};
}

Reg FunctionBuilder::load(uint32_t memref, std::vector<Reg> indices, const std::string &location) {
  Reg value = reg(function.memrefs[memref].dtype);
  Step &result = step(StepKind::LoadScalar);
  result.memrefs = {memref};
  result.scalars = std::move(indices);
  result.scalars.insert(result.scalars.begin(), value);
  result.location = addLocation(module, location);
  return value;
}

void FunctionBuilder::store(Reg value, uint32_t memref, std::vector<Reg> indices) {
  Step &result = step(StepKind::StoreScalar);
  result.memrefs = {memref};
  result.scalars = std::move(indices);
  result.scalars.insert(result.scalars.begin(), value);
}

void FunctionBuilder::allocate(uint32_t slotMemRef) {
  step(StepKind::Alloc).memrefs = {slotMemRef};
}

void FunctionBuilder::fillBlock(Block &block, const std::function<Yield()> &fill) {
  Block *outer = std::exchange(open, &block);
  Yield yield = fill();
  block.yieldScalars = std::move(yield.scalars);
  block.yieldMemRefs = std::move(yield.memrefs);
  open = outer;
}

void FunctionBuilder::makeIf(Reg condition, const std::function<Yield()> &then,
                             const std::function<Yield()> &other, Yield results) {
  makeSwitch(condition, {1}, {then, other}, std::move(results));
  // The same shape as a switch with one case.
  open->steps.back().kind = StepKind::If;
  open->steps.back().cases.clear();
}

void FunctionBuilder::makeSwitch(Reg selector, std::vector<int64_t> cases,
                                 const std::vector<std::function<Yield()>> &blocks, Yield results) {
  size_t at = open->steps.size();
  step(StepKind::Switch);
  std::vector<Block> filled(blocks.size());
  for (size_t b = 0; b < blocks.size(); ++b)
    fillBlock(filled[b], blocks[b]);
  Step &result = open->steps[at];
  result.scalars = {selector};
  result.cases = std::move(cases);
  result.blocks = std::move(filled);
  result.resultScalars = std::move(results.scalars);
  result.resultMemRefs = std::move(results.memrefs);
}

void FunctionBuilder::makeFor(Reg lower, Reg upper, Reg stride, Yield init, Yield carried,
                              const std::function<Yield(Reg)> &body) {
  size_t at = open->steps.size();
  step(StepKind::For);
  Reg counter = reg(function.scalarTypes[lower]);
  std::vector<Block> blocks(1);
  fillBlock(blocks[0], [&] { return body(counter); });
  Step &result = open->steps[at];
  result.scalars = {lower, upper, stride};
  result.ivReg = counter;
  result.blocks = std::move(blocks);
  result.initScalars = std::move(init.scalars);
  result.initMemRefs = std::move(init.memrefs);
  result.resultScalars = std::move(carried.scalars);
  result.resultMemRefs = std::move(carried.memrefs);
}

void FunctionBuilder::makeWhile(Yield init, Yield carried, Yield after,
                                const std::function<Yield()> &before,
                                const std::function<Yield()> &body) {
  size_t at = open->steps.size();
  step(StepKind::While);
  std::vector<Block> blocks(2);
  fillBlock(blocks[0], before);
  fillBlock(blocks[1], body);
  Step &result = open->steps[at];
  result.blocks = std::move(blocks);
  result.initScalars = std::move(init.scalars);
  result.initMemRefs = std::move(init.memrefs);
  result.resultScalars = std::move(carried.scalars);
  result.resultMemRefs = std::move(carried.memrefs);
  result.afterScalars = std::move(after.scalars);
  result.afterMemRefs = std::move(after.memrefs);
}

Function &FunctionBuilder::finish() {
  auto shapeEnd = static_cast<uint32_t>(shapeCode.size());
  function.shapeCodeEnd = shapeEnd;
  function.code = shapeCode;
  function.code.insert(function.code.end(), runCode.begin(), runCode.end());
  function.codeLocations = shapeLocations;
  function.codeLocations.insert(function.codeLocations.end(), runLocations.begin(),
                                runLocations.end());
  std::function<void(Block &)> shift = [&](Block &block) {
    for (Step &step : block.steps) {
      if (step.kind == StepKind::Scalars) {
        step.codeBegin += shapeEnd;
        step.codeEnd += shapeEnd;
      }
      for (Block &nested : step.blocks)
        shift(nested);
    }
  };
  shift(function.body);
  for (Alloc &alloc : function.allocs)
    if (alloc.lastStep == 0)
      alloc.lastStep = function.numSteps ? function.numSteps - 1 : 0;
  module.functions.push_back(function);
  return module.functions.back();
}

} // namespace anneal::plan::test
