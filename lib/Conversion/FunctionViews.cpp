//===- FunctionViews.cpp - Buffers and views of them ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionBuilder.h"

#include "BufferSizes.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace anneal {

using plan::DType;
using plan::Reg;
using plan::StepKind;

LogicalResult FunctionBuilder::buildBuffer(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](memref::AllocOp alloc) { return buildAlloc(alloc); })
      .Case([&](memref::GetGlobalOp global) { return buildGlobal(global); })
      .Case([&](memref::DimOp dim) { return buildDim(dim); })
      .Case([&](memref::SubViewOp view) { return buildSubView(view); })
      .Case([&](memref::CastOp cast) { return buildCast(cast); })
      .Case([&](memref::CollapseShapeOp collapse) { return buildCollapse(collapse); })
      .Case([&](memref::ExpandShapeOp expand) { return buildExpand(expand); })
      .Case([&](memref::TransposeOp transpose) { return buildTranspose(transpose); })
      .Case([&](memref::ReinterpretCastOp view) { return buildReinterpret(view); })
      .Case([&](memref::ReshapeOp reshape) { return buildReshape(reshape); })
      .Case(
          [&](memref::CopyOp copy) { return buildCopy(copy, copy.getSource(), copy.getTarget()); })
      .Case([&](memref::LoadOp load) {
        return buildElementAccess(load, StepKind::LoadScalar, load.getMemRef(), load.getResult(),
                                  load.getIndices());
      })
      .Case([&](memref::StoreOp store) {
        return buildElementAccess(store, StepKind::StoreScalar, store.getMemRef(),
                                  store.getValueToStore(), store.getIndices());
      })
      .Case<memref::MemorySpaceCastOp, memref::AssumeAlignmentOp>(
          [&](Operation *same) -> LogicalResult {
            FailureOr<uint32_t> source = memref(same, same->getOperand(0));
            if (failed(source))
              return failure();
            memrefs[same->getResult(0)] = *source;
            return success();
          })
      .Case([&](memref::DeallocOp) { return success(); })
      .Default([&](Operation *other) { return unsupported(other); });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

FunctionBuilder::Regs FunctionBuilder::rowMajorStrides(ArrayRef<Reg> sizes, Location location) {
  Regs strides(sizes.size());
  Reg stride = code.indexConstant(1);
  for (size_t dim = sizes.size(); dim-- > 0;) {
    strides[dim] = stride;
    if (dim > 0)
      stride = code.mul(stride, sizes[dim], location);
  }
  return strides;
}

Reg FunctionBuilder::productOf(ArrayRef<Reg> sizes, Location location) {
  Reg product = code.indexConstant(1);
  for (Reg size : sizes)
    product = code.mul(product, size, location);
  return product;
}

plan::MemRef FunctionBuilder::denseMemRef(DType type, ArrayRef<Reg> sizes, Location location) {
  plan::MemRef memref;
  memref.dtype = type;
  memref.sizes.assign(sizes.begin(), sizes.end());
  Regs strides = rowMajorStrides(sizes, location);
  memref.strides.assign(strides.begin(), strides.end());
  return memref;
}

LogicalResult FunctionBuilder::buildAlloc(memref::AllocOp op) {
  Location location = op.getLoc();
  FailureOr<DType> dtype = requireDType(op, op.getType().getElementType());
  if (failed(dtype))
    return failure();
  Regs sizes;
  for (OpFoldResult size : op.getMixedSizes()) {
    FailureOr<Reg> reg = scalar(op, size);
    if (failed(reg))
      return failure();
    code.checkNonNegative(*reg, "a tensor of negative size is made", location);
    sizes.push_back(*reg);
  }
  plan::MemRef memref = denseMemRef(*dtype, sizes, location);
  if (std::optional<unsigned> result = facts.resultOf(op); result && code.allShape(sizes)) {
    memref.base = {plan::Base::Kind::Result, *result};
    memrefs[op.getResult()] = addMemRef(std::move(memref), {});
    return success();
  }
  if (code.allShape(sizes) && !facts.outlivesIteration(op)) {
    auto alloc = static_cast<uint32_t>(function.allocs.size());
    memref.base = {plan::Base::Kind::Alloc, alloc};
    uint32_t index = memrefs[op.getResult()] = addMemRef(std::move(memref), {});
    roots[index].push_back(alloc);
    function.allocs.push_back({index, UINT32_MAX, 0});
    allocDepths.push_back(static_cast<unsigned>(loops.size()));
    return success();
  }
  memref.base = {plan::Base::Kind::Slot, function.numSlots++};
  uint32_t index = memrefs[op.getResult()] = addMemRef(std::move(memref), {});
  appendStep(StepKind::Alloc, location, index, {});
  return success();
}

LogicalResult FunctionBuilder::buildGlobal(memref::GetGlobalOp op) {
  auto global = module.symbols.lookup<memref::GlobalOp>(op.getName());
  if (!global)
    return op.emitError() << "'" << op.getName() << "' isn't a memref.global of this module";
  FailureOr<uint32_t> constant = failure();
  if (auto result = global->getAttrOfType<IntegerAttr>(kInitResultAttrName))
    constant = module.tables.computedConstant(op, result.getInt(), global.getType());
  else if (auto elements = dyn_cast_or_null<ElementsAttr>(global.getConstantInitValue()))
    constant = module.tables.constant(op, elements);
  else
    return op.emitError() << "'" << op.getName()
                          << "' is memory that keeps its contents between "
                             "calls, which functions can't have";
  if (failed(constant))
    return failure();
  Regs sizes;
  for (int64_t size : op.getType().getShape())
    sizes.push_back(code.indexConstant(size));
  plan::MemRef memref = denseMemRef(*toDType(op.getType().getElementType()), sizes, op.getLoc());
  memref.base = {plan::Base::Kind::Constant, *constant};
  memrefs[op.getResult()] = addMemRef(std::move(memref), {});
  return success();
}

FailureOr<uint32_t> FunctionBuilder::addSlot(Operation *op, MemRefType type, ArrayRef<Reg> sizes) {
  FailureOr<DType> dtype = requireDType(op, type.getElementType());
  if (failed(dtype))
    return failure();
  plan::MemRef memref;
  memref.dtype = *dtype;
  memref.base = {plan::Base::Kind::Slot, function.numSlots++};
  bool knowsSizes = true;
  for (auto [size, known] : llvm::zip(type.getShape(), sizes)) {
    Reg reg = known;
    if (!ShapedType::isDynamic(size))
      reg = code.indexConstant(size);
    knowsSizes &= reg != plan::kNoReg;
    memref.sizes.push_back(reg != plan::kNoReg ? reg : code.newHandedSize());
  }
  if (knowsSizes && type.getLayout().isIdentity()) {
    Regs strides = rowMajorStrides(memref.sizes, op->getLoc());
    memref.strides.assign(strides.begin(), strides.end());
    return addMemRef(std::move(memref), {});
  }
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return op->emitError() << "a buffer of type " << type << " has no strides";
  for (int64_t stride : strides)
    memref.strides.push_back(ShapedType::isDynamic(stride) ? code.newHandedSize()
                                                           : code.indexConstant(stride));
  return addMemRef(std::move(memref), {});
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

void FunctionBuilder::bindView(Value value, uint32_t source, plan::MemRef view) {
  view.dtype = memrefAt(source).dtype;
  view.base = memrefAt(source).base;
  memrefs[value] = addMemRef(std::move(view), source);
}

LogicalResult FunctionBuilder::buildDim(memref::DimOp op) {
  FailureOr<uint32_t> source = memref(op, op.getSource());
  std::optional<int64_t> dim = op.getConstantIndex();
  if (failed(source))
    return failure();
  if (!dim)
    return op.emitError() << "the dimension whose size is asked for must be a constant";
  scalars[op.getResult()] = memrefAt(*source).sizes[*dim];
  return success();
}

LogicalResult FunctionBuilder::buildSubView(memref::SubViewOp op) {
  FailureOr<uint32_t> source = memref(op, op.getSource());
  if (failed(source))
    return failure();
  Location location = op.getLoc();
  plan::MemRef from = memrefAt(*source), view;
  Reg offset = from.offset == plan::kNoReg ? code.indexConstant(0) : from.offset;
  llvm::SmallBitVector dropped = droppedDims(op);
  for (auto [dim, first, count, step] :
       llvm::enumerate(op.getMixedOffsets(), op.getMixedSizes(), op.getMixedStrides())) {
    FailureOr<Reg> firstReg = scalar(op, first), size = scalar(op, count),
                   stride = scalar(op, step);
    if (failed(firstReg) || failed(size) || failed(stride))
      return failure();
    code.checkSlice(*firstReg, *size, *stride, from.sizes[dim], location);
    offset = code.add(offset, code.mul(*firstReg, from.strides[dim], location), location);
    if (dropped[dim])
      continue;
    // After the check it is no longer negative.
    if (code.isShape(*size) && op->getParentOp() == this->op)
      code.markNonNegative(*size);
    view.sizes.push_back(*size);
    view.strides.push_back(code.mul(*stride, from.strides[dim], location));
  }
  view.offset = code.constantValue(offset) == 0 ? plan::kNoReg : offset;
  bindView(op.getResult(), *source, std::move(view));
  return success();
}

LogicalResult FunctionBuilder::buildCast(memref::CastOp op) {
  FailureOr<uint32_t> source = memref(op, op.getSource());
  if (failed(source))
    return failure();
  plan::MemRef view = memrefAt(*source);
  auto type = dyn_cast<MemRefType>(op.getType());
  if (!type)
    return op.emitError() << "tensors of unknown rank can't be planned";
  for (auto [size, expected] : llvm::zip(view.sizes, type.getShape())) {
    if (ShapedType::isDynamic(expected))
      continue;
    Reg constant = code.indexConstant(expected);
    code.checkEqual(size, constant, "a tensor is cast to a type of another size", op.getLoc());
    size = constant;
  }
  bindView(op.getResult(), *source, std::move(view));
  return success();
}

LogicalResult FunctionBuilder::buildCollapse(memref::CollapseShapeOp op) {
  FailureOr<uint32_t> source = memref(op, op.getSrc());
  if (failed(source))
    return failure();
  plan::MemRef from = memrefAt(*source), view;
  view.offset = from.offset;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    Reg size = code.indexConstant(1), stride = code.indexConstant(1);
    bool hasStride = false;
    // The innermost dimension that has more than one element gives the stride.
    for (int64_t dim : llvm::reverse(group)) {
      size = code.mul(from.sizes[dim], size, op.getLoc());
      if (hasStride || code.constantValue(from.sizes[dim]) == 1)
        continue;
      stride = from.strides[dim];
      hasStride = true;
    }
    if (!hasStride && !group.empty())
      stride = from.strides[group.back()];
    view.sizes.push_back(size);
    view.strides.push_back(stride);
  }
  bindView(op.getResult(), *source, std::move(view));
  return success();
}

LogicalResult FunctionBuilder::buildExpand(memref::ExpandShapeOp op) {
  FailureOr<uint32_t> source = memref(op, op.getSrc());
  if (failed(source))
    return failure();
  Location location = op.getLoc();
  plan::MemRef from = memrefAt(*source), view;
  view.offset = from.offset;
  for (OpFoldResult size :
       getMixedValues(op.getStaticOutputShape(), op.getOutputShape(), op.getContext())) {
    FailureOr<Reg> reg = scalar(op, size);
    if (failed(reg))
      return failure();
    view.sizes.push_back(*reg);
  }
  view.strides.assign(view.sizes.size(), code.indexConstant(1));
  for (auto [dim, group] : llvm::enumerate(op.getReassociationIndices())) {
    Reg stride = from.strides[dim], size = code.indexConstant(1);
    for (int64_t expanded : llvm::reverse(group)) {
      view.strides[expanded] = stride;
      stride = code.mul(stride, view.sizes[expanded], location);
      size = code.mul(size, view.sizes[expanded], location);
      code.checkNonNegative(view.sizes[expanded], "a tensor is expanded to a negative size",
                            location);
    }
    code.checkEqual(from.sizes[dim], size,
                    "a dimension is expanded to sizes that don't multiply to "
                    "its own",
                    location);
  }
  bindView(op.getResult(), *source, std::move(view));
  return success();
}

LogicalResult FunctionBuilder::buildTranspose(memref::TransposeOp op) {
  FailureOr<uint32_t> source = memref(op, op.getIn());
  if (failed(source))
    return failure();
  plan::MemRef from = memrefAt(*source), view;
  view.offset = from.offset;
  for (AffineExpr expr : op.getPermutation().getResults()) {
    unsigned dim = cast<AffineDimExpr>(expr).getPosition();
    view.sizes.push_back(from.sizes[dim]);
    view.strides.push_back(from.strides[dim]);
  }
  bindView(op.getResult(), *source, std::move(view));
  return success();
}

LogicalResult FunctionBuilder::buildReinterpret(memref::ReinterpretCastOp op) {
  FailureOr<uint32_t> source = memref(op, op.getSource());
  if (failed(source))
    return failure();
  if (memrefAt(*source).base.kind == plan::Base::Kind::Slot)
    return op.emitError() << "memory that is chosen during the call can't be reinterpreted";
  plan::MemRef view;
  FailureOr<Reg> offset = scalar(op, op.getMixedOffsets()[0]);
  if (failed(offset))
    return failure();
  view.offset = code.constantValue(*offset) == 0 ? plan::kNoReg : *offset;
  for (auto [size, stride] : llvm::zip(op.getMixedSizes(), op.getMixedStrides())) {
    FailureOr<Reg> sizeReg = scalar(op, size), strideReg = scalar(op, stride);
    if (failed(sizeReg) || failed(strideReg))
      return failure();
    view.sizes.push_back(*sizeReg);
    view.strides.push_back(*strideReg);
  }
  bindView(op.getResult(), *source, std::move(view));
  return success();
}

/// The sizes stand in memory: they are loaded, so they are of the run phase.
LogicalResult FunctionBuilder::buildReshape(memref::ReshapeOp op) {
  FailureOr<uint32_t> source = memref(op, op.getSource()), shape = memref(op, op.getShape());
  auto type = dyn_cast<MemRefType>(op.getType());
  if (failed(source) || failed(shape))
    return failure();
  if (!type)
    return op.emitError() << "tensors of unknown rank can't be planned";
  Location location = op.getLoc();
  Regs sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim)) {
      sizes.push_back(code.indexConstant(type.getDimSize(dim)));
      continue;
    }
    DType stored = memrefAt(*shape).dtype;
    Reg size = code.newReg(stored, /*isShape=*/false);
    appendStep(StepKind::LoadScalar, location, *shape, {size, code.indexConstant(dim)});
    if (plan::bitWidth(stored) < 64) {
      InstrSpec extend;
      extend.op = plan::Opcode::ExtSI;
      extend.type = extend.resultType = DType::Index;
      extend.srcType = stored;
      extend.sources = {size};
      size = code.emit(extend, location);
    }
    code.checkNonNegative(size, "a tensor is reshaped to a negative size", location);
    sizes.push_back(size);
  }
  code.checkEqual(productOf(memrefAt(*source).sizes, location), productOf(sizes, location),
                  "a tensor is reshaped to another number of elements", location);
  plan::MemRef view = denseMemRef(memrefAt(*source).dtype, sizes, location);
  view.offset = memrefAt(*source).offset;
  bindView(op.getResult(), *source, std::move(view));
  return success();
}

} // namespace anneal
