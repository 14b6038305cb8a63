//===- FunctionInvoke.cpp - Calls of units --------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionBuilder.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace anneal {

using plan::Reg;

namespace {
/// Computes, in the caller, scalars and sizes that the body of a unit computes outside of its
/// structured operations.
class UnitScalars {
public:
  /// `argument`: register of a scalar argument; `size`: of a size of a tensor argument.
  UnitScalars(HostCode &code, llvm::function_ref<Reg(BlockArgument)> argument,
              llvm::function_ref<Reg(BlockArgument, int64_t)> size)
      : code(code), argument(argument), size(size) {}

  FailureOr<Reg> get(const ScalarSource &source) {
    return source.dim ? sizeOf(source.value, *source.dim) : valueOf(source.value);
  }

private:
  FailureOr<Reg> valueOf(Value value) {
    auto known = values.find(value);
    if (known != values.end())
      return known->second;
    if (auto blockArgument = dyn_cast<BlockArgument>(value))
      return argument(blockArgument);
    Operation *op = value.getDefiningOp();
    if (auto dim = dyn_cast<tensor::DimOp>(op))
      if (std::optional<int64_t> index = dim.getConstantIndex())
        return sizeOf(dim.getSource(), *index);
    if (!isScalarOp(op))
      return op->emitError() << "'" << op->getName()
                             << "' computes a scalar of a unit, which only arith, math and "
                                "tensor.dim can";
    llvm::SmallVector<Reg, 2> results;
    auto find = [&](Value operand) { return valueOf(operand); };
    if (failed(translateScalarOp(op, find, code, results)))
      return failure();
    for (auto [result, reg] : llvm::zip(op->getResults(), results))
      values[result] = reg;
    return values[value];
  }

  FailureOr<Reg> sizeOf(Value tensor, int64_t dim) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(dim))
      return code.indexConstant(type.getDimSize(dim));
    if (auto blockArgument = dyn_cast<BlockArgument>(tensor))
      return size(blockArgument, dim);
    Operation *op = tensor.getDefiningOp();
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return foldResult(empty.getMixedSizes()[dim]);
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      return sizeOf(structured.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
    if (auto pad = dyn_cast<tensor::PadOp>(op)) {
      FailureOr<Reg> inner = sizeOf(pad.getSource(), dim);
      FailureOr<Reg> low = foldResult(pad.getMixedLowPad()[dim]);
      FailureOr<Reg> high = foldResult(pad.getMixedHighPad()[dim]);
      if (failed(inner) || failed(low) || failed(high))
        return failure();
      return code.add(*inner, code.add(*low, *high, op->getLoc()), op->getLoc());
    }
    return op->emitError() << "'" << op->getName() << "' can't stand in a unit";
  }

  FailureOr<Reg> foldResult(OpFoldResult value) {
    if (auto attr = dyn_cast<Attribute>(value))
      return code.indexConstant(cast<IntegerAttr>(attr).getInt());
    return valueOf(cast<Value>(value));
  }

  HostCode &code;
  llvm::function_ref<Reg(BlockArgument)> argument;
  llvm::function_ref<Reg(BlockArgument, int64_t)> size;
  llvm::DenseMap<Value, Reg> values;
};
} // namespace

LogicalResult FunctionBuilder::buildInvoke(jit::InvokeOp op) {
  const BuiltUnit &unit = module.units.at(op.getCallee());
  // By number of operand, which is the number of the unit's argument: memrefs and scalars.
  llvm::SmallVector<uint32_t> buffers(op.getNumOperands(), 0);
  llvm::SmallVector<Reg> regs(op.getNumOperands(), plan::kNoReg);
  Indices passed;
  for (auto [index, operand] : llvm::enumerate(op.getOperands())) {
    if (isa<MemRefType>(operand.getType())) {
      FailureOr<uint32_t> buffer = memref(op, operand);
      if (failed(buffer))
        return failure();
      buffers[index] = *buffer;
      passed.push_back(*buffer);
      continue;
    }
    FailureOr<Reg> reg = scalar(op, operand);
    if (failed(reg))
      return failure();
    regs[index] = *reg;
  }
  auto argument = [&](BlockArgument value) { return regs[value.getArgNumber()]; };
  auto size = [&](BlockArgument value, int64_t dim) {
    return memrefAt(buffers[value.getArgNumber()]).sizes[dim];
  };
  UnitScalars unitScalars(code, argument, size);
  Regs scalarOperands;
  for (const ScalarSource &source : unit.scalars) {
    FailureOr<Reg> reg = unitScalars.get(source);
    if (failed(reg))
      return failure();
    scalarOperands.push_back(*reg);
  }
  appendStep(plan::StepKind::Invoke, op.getLoc(), passed, scalarOperands, unit.index);
  return success();
}

} // namespace anneal
