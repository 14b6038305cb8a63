//===- UnitMaker.cpp - From a region to a unit and its call ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitMaker.h"

#include "BufferSizes.h"
#include "UnitGrouping.h"
#include "UnitRules.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace anneal {

UnitMaker::UnitMaker(jit::RegionOp region) : region(region), host(region) {}

FailureOr<jit::UnitOp> UnitMaker::make() {
  if (failed(collectOps()))
    return failure();
  chooseDestinations();
  collectInputs();
  SmallVector<Type> types(ValueRange(inputs.getArrayRef()).getTypes());
  SmallVector<Type> results(ValueRange(destinations).getTypes());
  llvm::append_range(types, results);
  OpBuilder free(region.getContext());
  unit = jit::UnitOp::create(free, region.getLoc(), "unit",
                             FunctionType::get(region.getContext(), types, results));
  SymbolTable::setSymbolVisibility(unit, SymbolTable::Visibility::Private);
  for (auto [input, argument] : llvm::zip(inputs, unit.getInputs()))
    mapping.map(input, argument);
  for (auto [index, isOnlyWritten] : llvm::enumerate(writeOnly))
    if (isOnlyWritten)
      unit.setWriteOnly(index);
  fillBody();
  return unit;
}

void UnitMaker::replaceRegion(jit::UnitOp callee) {
  auto invoke =
      jit::InvokeOp::create(host, region.getLoc(), callee, inputs.getArrayRef(), destinations);
  region.replaceAllUsesWith(invoke.getResults());
  region.erase();
}

/// Whether the operation computes on scalars, or makes memory, and follows from what is outside of
/// the region alone.
static bool belongsOutside(Operation *op, Region &region) {
  return op->getNumRegions() == 0 && isPure(op) && !isa<linalg::LinalgOp, tensor::PadOp>(op) &&
         llvm::none_of(op->getOperands(),
                       [&](Value value) { return region.isAncestor(value.getParentRegion()); });
}

void moveOutOf(jit::RegionOp region) {
  for (Operation &op : llvm::make_early_inc_range(region.getBody().front().without_terminator()))
    if (belongsOutside(&op, region.getBody()))
      op.moveBefore(region);
}

LogicalResult UnitMaker::collectOps() {
  for (Operation &op : region.getBody().front().without_terminator()) {
    if (!canBeInUnit(&op))
      return op.emitError() << "'" << op.getName()
                            << "' can't be in a unit: a region holds structured operations on "
                               "tensors and pads by one value; take it out of the jit.region";
    if (auto structured = dyn_cast<linalg::LinalgOp>(op)) {
      for (OpOperand &init : structured.getDpsInitsMutable())
        if (linalg::LinalgOp producer = initialiser(init))
          ops.insert(producer);
      for (OpOperand *input : structured.getDpsInputOperands())
        if (linalg::LinalgOp producer = tableOf(*input))
          ops.insert(producer);
    }
    ops.insert(&op);
    group.push_back(&op);
  }
  return success();
}

bool UnitMaker::isInside(Value value) const {
  return value.getDefiningOp() && ops.contains(value.getDefiningOp());
}

//===----------------------------------------------------------------------===//
// Destinations
//===----------------------------------------------------------------------===//

/// The sizes of a tensor, by what is outside of the region.
SmallVector<OpFoldResult> UnitMaker::sizesOf(Value value) {
  Location location = region.getLoc();
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return empty.getMixedSizes();
  if (isInside(value)) {
    if (auto structured = value.getDefiningOp<linalg::LinalgOp>())
      return sizesOf(structured.getTiedOpOperand(cast<OpResult>(value))->get());
    auto pad = value.getDefiningOp<tensor::PadOp>();
    SmallVector<OpFoldResult> source = sizesOf(pad.getSource());
    for (auto [dim, size] : llvm::enumerate(source)) {
      if (!pad.getResultType().isDynamicDim(dim)) {
        size = host.getIndexAttr(pad.getResultType().getDimSize(dim));
        continue;
      }
      Value sum = getValueOrCreateConstantIndexOp(host, location, size);
      for (OpFoldResult amount : {pad.getMixedLowPad()[dim], pad.getMixedHighPad()[dim]})
        sum = host.createOrFold<arith::AddIOp>(
            location, sum, getValueOrCreateConstantIndexOp(host, location, amount));
      size = sum;
    }
    return source;
  }
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<OpFoldResult> result;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    result.push_back(type.isDynamicDim(dim)
                         ? host.createOrFold<tensor::DimOp>(location, value, dim)
                         : OpFoldResult(host.getIndexAttr(type.getDimSize(dim))));
  return result;
}

/// An empty tensor of the type and sizes of `like`, made before the call.
Value UnitMaker::makeEmpty(Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  return tensor::EmptyOp::create(host, region.getLoc(), sizesOf(like), type.getElementType(),
                                 type.getEncoding());
}

void UnitMaker::chooseDestinations() {
  for (Value yielded : region.getYield().getOperands()) {
    auto structured = yielded.getDefiningOp<linalg::LinalgOp>();
    if (!structured) {
      destinations.push_back(makeEmpty(yielded));
      writeOnly.push_back(true);
      continue;
    }
    OpOperand &init = *structured.getTiedOpOperand(cast<OpResult>(yielded));
    Value old = init.get();
    linalg::LinalgOp producer = initialiser(init);
    bool isFresh = producer || isInside(old) || old.getDefiningOp<tensor::EmptyOp>() ||
                   overwrites(structured, init);
    bool readsOld = !overwrites(structured, init) && !isInside(old);
    destinations.push_back(isFresh ? makeEmpty(producer ? producer.getDpsInits()[0] : old) : old);
    writeOnly.push_back(isFresh && !readsOld);
  }
}

/// The number of the destination that an output operand is replaced by: its own if what it becomes
/// is a result of the region, else that of the operand which it initialises there.
std::optional<unsigned> UnitMaker::destinationOf(OpOperand &operand) {
  auto structured = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  if (!structured || !structured.isDpsInit(&operand))
    return std::nullopt;
  OpResult result = structured.getTiedOpResult(&operand);
  for (auto [index, yielded] : llvm::enumerate(region.getYield().getOperands())) {
    if (yielded == result)
      return isInside(operand.get()) ? std::nullopt : std::optional<unsigned>(index);
    // One initialiser may be that of several outputs: only the first is filled in place.
    auto end = yielded.getDefiningOp<linalg::LinalgOp>();
    if (end && isFillOrBroadcast(structured) &&
        end.getTiedOpOperand(cast<OpResult>(yielded))->get() == result)
      return index;
  }
  return std::nullopt;
}

/// The destination that has size `dim` of `value`, if one surely has.
std::optional<unsigned> UnitMaker::destinationWithSize(Value value, int64_t dim) const {
  SizeOrigin origin = sizeOrigin(value, dim);
  for (auto [index, destination] : llvm::enumerate(destinations)) {
    auto type = cast<RankedTensorType>(destination.getType());
    if (dim < type.getRank() && sizeOrigin(destination, dim) == origin)
      return index;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Calls `visit(value, user)` for what an operation reads from outside of itself.
static void forEachOperand(Operation *op, llvm::function_ref<void(Value, Operation *)> visit) {
  for (Region &region : op->getRegions())
    region.walk([&](Operation *nested) {
      for (Value value : nested->getOperands())
        if (!op->isAncestor(value.getParentBlock()->getParentOp()))
          visit(value, nested);
    });
}

void UnitMaker::collectInputs() {
  for (Operation *op : ops) {
    for (OpOperand &operand : op->getOpOperands())
      if (!isReplacedInit(operand))
        addInput(operand.get(), op);
    forEachOperand(op, [&](Value value, Operation *user) { addInput(value, user); });
  }
  for (Operation *op : ops)
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      for (OpOperand &init : structured.getDpsInitsMutable())
        if (isReplacedInit(init) && !destinationOf(init))
          addSizeInputs(init.get());
}

/// Constants that are part of the unit: scalars, and tensors of one value that a structured
/// operation reads.
static bool staysConstant(Value value, Operation *user) {
  DenseElementsAttr elements;
  if (!isa<RankedTensorType>(value.getType()))
    return matchPattern(value, m_Constant());
  return isa<linalg::GenericOp, tensor::ExtractOp>(user) &&
         matchPattern(value, m_Constant(&elements)) && elements.isSplat();
}

void UnitMaker::addInput(Value value, Operation *user) {
  if (!isInside(value) && !staysConstant(value, user))
    inputs.insert(value);
}

/// Whether an output operand's old value doesn't come in, but memory in its place.
bool UnitMaker::isReplacedInit(OpOperand &operand) {
  auto structured = dyn_cast<linalg::LinalgOp>(operand.getOwner());
  if (!structured || !structured.isDpsInit(&operand) || isInside(operand.get()))
    return false;
  return operand.get().getDefiningOp<tensor::EmptyOp>() || destinationOf(operand) ||
         overwrites(structured, operand);
}

/// The scalar that is size `dim` of `value`.
Value UnitMaker::sizeOf(Value value, int64_t dim) {
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return empty.getDynamicSize(dim);
  Value &size = sizes[{value, dim}];
  if (!size)
    size = host.createOrFold<tensor::DimOp>(region.getLoc(), value, dim);
  return size;
}

void UnitMaker::addSizeInputs(Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim) && !destinationWithSize(like, dim))
      if (Value size = sizeOf(like, dim); !matchPattern(size, m_Constant()))
        inputs.insert(size);
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

Value UnitMaker::makeTemporary(OpBuilder &inside, Value like) {
  Location location = region.getLoc();
  auto type = cast<RankedTensorType>(like.getType());
  SmallVector<Value> dynamic;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    if (std::optional<unsigned> destination = destinationWithSize(like, dim))
      dynamic.push_back(
          tensor::DimOp::create(inside, location, unit.getDestinations()[*destination], dim));
    else
      dynamic.push_back(lookUp(inside, sizeOf(like, dim)));
  }
  return tensor::EmptyOp::create(inside, location, type, dynamic);
}

/// The value inside of the unit; constants are cloned when they are first met.
Value UnitMaker::lookUp(OpBuilder &inside, Value value) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  Operation *constant = inside.clone(*value.getDefiningOp());
  mapping.map(value, constant->getResult(0));
  return constant->getResult(0);
}

void UnitMaker::copyOp(OpBuilder &inside, Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (!isReplacedInit(operand))
      lookUp(inside, operand.get());
  forEachOperand(op, [&](Value value, Operation *) { lookUp(inside, value); });
  // The memory of outputs, for this operation alone.
  IRMapping local(mapping);
  SmallVector<std::pair<unsigned, Value>> replaced;
  for (OpOperand &operand : op->getOpOperands())
    if (isReplacedInit(operand)) {
      std::optional<unsigned> destination = destinationOf(operand);
      replaced.emplace_back(operand.getOperandNumber(),
                            destination ? Value(unit.getDestinations()[*destination])
                                        : makeTemporary(inside, operand.get()));
    }
  Operation *copy = op->cloneWithoutRegions(local);
  for (auto [number, value] : replaced)
    copy->setOperand(number, value);
  for (auto [from, to] : llvm::zip(op->getRegions(), copy->getRegions()))
    from.cloneInto(&to, local);
  inside.insert(copy);
  for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
    mapping.map(from, to);
}

void UnitMaker::fillBody() {
  OpBuilder inside = OpBuilder::atBlockBegin(&unit.getBody().front());
  for (Operation *op : ops)
    copyOp(inside, op);
  SmallVector<Value> results;
  for (Value result : region.getYield().getOperands())
    results.push_back(mapping.lookup(result));
  jit::ReturnOp::create(inside, region.getLoc(), results);
}

} // namespace anneal
