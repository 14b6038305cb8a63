//===- FunctionBuilder.cpp - Bufferised functions to plans ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace anneal {

using plan::DType;
using plan::Reg;
using plan::StepKind;

FunctionBuilder::FunctionBuilder(func::FuncOp op, const ModuleContext &module)
    : op(op), module(module), facts(op, module.units, module.planUnits),
      code(function, module.tables) {}

FailureOr<plan::Function> FunctionBuilder::build() {
  function.name = op.getSymName().str();
  function.isPublic = op.isPublic();
  if (!op.getBody().hasOneBlock())
    return op.emitError() << "function '" << op.getSymName()
                          << "' branches between blocks; only structured control flow (scf) can be "
                             "planned";
  Block &body = op.getBody().front();
  function.results.resize(op.getNumResults());
  if (failed(addArguments()) || failed(buildBlock(body)) ||
      failed(addResults(body.getTerminator())))
    return failure();
  code.finish();
  for (plan::Alloc &alloc : function.allocs)
    if (alloc.firstStep > alloc.lastStep)
      alloc.firstStep = alloc.lastStep = 0;
  return std::move(function);
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The name that an argument's location gives it, else "arg<index>".
static std::string argumentName(BlockArgument argument) {
  if (auto named = dyn_cast<NameLoc>(argument.getLoc()))
    return named.getName().str();
  return ("arg" + Twine(argument.getArgNumber())).str();
}

/// Sizes for a plan::Param.
static std::vector<int64_t> paramDims(MemRefType type) {
  std::vector<int64_t> dims;
  for (int64_t size : type.getShape())
    dims.push_back(ShapedType::isDynamic(size) ? plan::kDynamic : size);
  return dims;
}

LogicalResult FunctionBuilder::addArguments() {
  for (BlockArgument argument : op.getArguments()) {
    FailureOr<DType> dtype = requireDType(op, getElementTypeOrSelf(argument.getType()));
    if (failed(dtype))
      return failure();
    plan::Param param;
    param.name = argumentName(argument);
    param.dtype = *dtype;
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type) {
      bool isKey = facts.isKey(argument);
      param.isScalar = true;
      param.scalar = scalars[argument] = code.newReg(*dtype, isKey);
      if (isKey)
        function.keyScalars.push_back(param.scalar);
      function.arguments.push_back(std::move(param));
      continue;
    }
    for (int64_t size : type.getShape()) {
      if (!ShapedType::isDynamic(size)) {
        param.dimRegs.push_back(code.indexConstant(size));
        continue;
      }
      param.dimRegs.push_back(code.newReg(DType::Index, /*isShape=*/true));
      code.markNonNegative(param.dimRegs.back());
    }
    param.dims = paramDims(type);
    plan::MemRef memref = denseMemRef(*dtype, param.dimRegs, argument.getLoc());
    memref.base = {plan::Base::Kind::Argument, argument.getArgNumber()};
    param.memref = memrefs[argument] = addMemRef(std::move(memref), {});
    function.arguments.push_back(std::move(param));
  }
  return success();
}

LogicalResult FunctionBuilder::addResults(Operation *end) {
  for (auto [index, value] : llvm::enumerate(end->getOperands())) {
    FailureOr<DType> dtype = requireDType(end, getElementTypeOrSelf(value.getType()));
    if (failed(dtype))
      return failure();
    plan::Param &param = function.results[index];
    param.name = ("result" + Twine(index)).str();
    param.dtype = *dtype;
    if (auto type = dyn_cast<MemRefType>(value.getType())) {
      param.dims = paramDims(type);
      if (failed(addTensorResult(end, index, value)))
        return failure();
      continue;
    }
    FailureOr<Reg> reg = scalar(end, value);
    if (failed(reg))
      return failure();
    param.isScalar = true;
    param.scalar = *reg;
  }
  // What is returned where it is, is needed to the end.
  for (const plan::Param &param : function.results)
    if (!param.isScalar && function.numSteps > 0)
      use(param.memref, function.numSteps - 1);
  return success();
}

/// A result that isn't in its own memory yet is copied there; one whose sizes are only known in the
/// call is what it is, and the runtime makes it the result.
LogicalResult FunctionBuilder::addTensorResult(Operation *end, unsigned index, Value value) {
  FailureOr<uint32_t> returned = memref(end, value);
  if (failed(returned))
    return failure();
  const plan::MemRef &from = memrefAt(*returned);
  plan::Base own{plan::Base::Kind::Result, index};
  plan::Param &param = function.results[index];
  param.memref = *returned;
  if (from.base == own || !code.allShape(from.sizes))
    return success();
  plan::MemRef to = denseMemRef(from.dtype, from.sizes, end->getLoc());
  to.base = own;
  param.memref = addMemRef(std::move(to), {});
  appendStep(StepKind::Copy, end->getLoc(), {*returned, param.memref}, {});
  return success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

FailureOr<Reg> FunctionBuilder::scalar(Operation *user, Value value) {
  auto it = scalars.find(value);
  if (it != scalars.end())
    return it->second;
  return user->emitError() << "uses a value that isn't planned";
}

FailureOr<Reg> FunctionBuilder::scalar(Operation *user, OpFoldResult value) {
  if (auto attr = dyn_cast<Attribute>(value))
    return code.indexConstant(cast<IntegerAttr>(attr).getInt());
  return scalar(user, cast<Value>(value));
}

LogicalResult FunctionBuilder::scalarRegs(Operation *user, ValueRange values, Regs &out) {
  for (Value value : values) {
    FailureOr<Reg> reg = scalar(user, value);
    if (failed(reg))
      return failure();
    out.push_back(*reg);
  }
  return success();
}

FailureOr<uint32_t> FunctionBuilder::memref(Operation *user, Value value) {
  auto it = memrefs.find(value);
  if (it != memrefs.end())
    return it->second;
  return user->emitError() << "uses a buffer that isn't planned";
}

uint32_t FunctionBuilder::addMemRef(plan::MemRef memref, ArrayRef<uint32_t> sharing) {
  memref.isStatic = memref.base.kind != plan::Base::Kind::Slot && code.allShape(memref.offset) &&
                    code.allShape(memref.sizes) && code.allShape(memref.strides);
  llvm::SmallVector<uint32_t, 1> &own = roots.emplace_back();
  for (uint32_t other : sharing)
    for (uint32_t root : roots[other])
      if (!llvm::is_contained(own, root))
        own.push_back(root);
  function.memrefs.push_back(std::move(memref));
  return static_cast<uint32_t>(function.memrefs.size() - 1);
}

void FunctionBuilder::use(uint32_t memref, uint32_t step) {
  for (uint32_t root : roots[memref]) {
    plan::Alloc &alloc = function.allocs[root];
    uint32_t first = step;
    // In a loop that the allocation is outside of, it lives as long as the loop.
    if (loops.size() > allocDepths[root]) {
      Loop &loop = loops[allocDepths[root]];
      loop.touched.insert(root);
      first = loop.first;
    }
    alloc.firstStep = std::min(alloc.firstStep, first);
    alloc.lastStep = std::max(alloc.lastStep, step);
  }
}

void FunctionBuilder::appendStep(StepKind kind, Location location, ArrayRef<uint32_t> memrefs,
                                 ArrayRef<Reg> scalars, uint32_t unit) {
  uint32_t number = code.append(kind, location, memrefs, scalars, unit);
  for (uint32_t memref : memrefs)
    use(memref, number);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

LogicalResult FunctionBuilder::buildBlock(Block &block) {
  for (Operation &nested : block.without_terminator())
    if (failed(buildOp(&nested)))
      return failure();
  return success();
}

LogicalResult FunctionBuilder::buildOp(Operation *op) {
  if (isScalarOp(op))
    return buildScalarOp(op);
  if (op->getName().getDialectNamespace() == memref::MemRefDialect::getDialectNamespace())
    return buildBuffer(op);
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](jit::InvokeOp invoke) { return buildInvoke(invoke); })
      .Case([&](scf::IfOp conditional) { return buildIf(conditional); })
      .Case([&](scf::ForOp loop) { return buildFor(loop); })
      .Case([&](scf::WhileOp loop) { return buildWhile(loop); })
      .Case([&](scf::IndexSwitchOp choice) { return buildSwitch(choice); })
      .Case([&](arith::SelectOp select) { return buildSelect(select); })
      .Case([&](scf::ExecuteRegionOp region) -> LogicalResult {
        if (!region.getRegion().hasOneBlock())
          return unsupported(region);
        Block &block = region.getRegion().front();
        Regs regs;
        std::vector<uint32_t> buffers;
        Operation *end = block.getTerminator();
        if (failed(buildBlock(block)) ||
            failed(splitValues(end, end->getOperands(), regs, buffers)))
          return failure();
        bindResults(region.getResults(), regs, buffers);
        return success();
      })
      .Case([&](cf::AssertOp assertion) -> LogicalResult {
        FailureOr<Reg> condition = scalar(assertion, assertion.getArg());
        if (failed(condition))
          return failure();
        code.checkAssert(*condition, assertion.getMsg(), assertion.getLoc());
        return success();
      })
      .Default([&](Operation *other) { return unsupported(other); });
}

LogicalResult FunctionBuilder::unsupported(Operation *op) {
  return op->emitError()
         << "'" << op->getName()
         << "' can't be planned: functions may hold linalg, tensor, arith, math, "
            "scf and cf.assert on tensors and scalars, and calls of private functions "
            "that hold the same";
}

LogicalResult FunctionBuilder::buildScalarOp(Operation *op) {
  llvm::SmallVector<Reg, 2> results;
  auto find = [&](Value value) { return scalar(op, value); };
  if (failed(translateScalarOp(op, find, code, results)))
    return failure();
  for (auto [result, reg] : llvm::zip(op->getResults(), results))
    scalars[result] = reg;
  return success();
}

LogicalResult FunctionBuilder::buildElementAccess(Operation *op, StepKind kind, Value memref,
                                                  Value element, ValueRange indices) {
  FailureOr<uint32_t> buffer = this->memref(op, memref);
  FailureOr<DType> dtype = requireDType(op, element.getType());
  if (failed(buffer) || failed(dtype))
    return failure();
  Regs regs;
  if (kind == StepKind::LoadScalar)
    regs.push_back(scalars[element] = code.newReg(*dtype, /*isShape=*/false));
  else if (failed(scalarRegs(op, element, regs)))
    return failure();
  if (failed(scalarRegs(op, indices, regs)))
    return failure();
  appendStep(kind, op->getLoc(), *buffer, regs);
  return success();
}

LogicalResult FunctionBuilder::buildCopy(Operation *op, Value from, Value to) {
  FailureOr<uint32_t> source = memref(op, from), target = memref(op, to);
  if (failed(source) || failed(target))
    return failure();
  if (*source == *target)
    return success();
  for (auto [a, b] : llvm::zip(memrefAt(*source).sizes, memrefAt(*target).sizes))
    code.checkEqual(a, b, "a tensor is copied to one of another size", op->getLoc());
  appendStep(StepKind::Copy, op->getLoc(), {*source, *target}, {});
  return success();
}

} // namespace anneal
