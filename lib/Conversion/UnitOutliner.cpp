//===- UnitOutliner.cpp - Groups of operations to units -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitOutliner.h"

#include "BufferSizes.h"
#include "UnitRules.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace anneal {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// "matmul", "reduce_addf", "map_tanh": the operation that says most about what a group does.
static std::string describe(const UnitGroup &group) {
  for (Operation *op : group.ops) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured || (group.ops.size() > 1 && structured.getNumReductionLoops() == 0))
      continue;
    if (!isa<linalg::GenericOp>(op))
      return op->getName().stripDialect().str();
    if (isAnchor(structured))
      return "contract";
    Value yielded = structured.getBlock()->getTerminator()->getNumOperands() > 0
                        ? structured.getBlock()->getTerminator()->getOperand(0)
                        : Value();
    Operation *last = yielded ? yielded.getDefiningOp() : nullptr;
    std::string kind = structured.getNumReductionLoops() > 0 ? "reduce" : "map";
    return last && last->getBlock() == structured.getBlock()
               ? kind + "_" + last->getName().stripDialect().str()
               : kind + "_copy";
  }
  return group.ops.back()->getName().stripDialect().str();
}

//===----------------------------------------------------------------------===//
// One unit
//===----------------------------------------------------------------------===//

namespace {
/// Builds the unit of one group, and what its call passes.
class UnitMaker {
public:
  explicit UnitMaker(const UnitGroup &group)
      : group(group), last(group.ops.back()), host(last), context(last->getContext()) {}

  /// The unit, in no module yet.
  jit::UnitOp make() {
    collectOps();
    chooseDestinations();
    collectInputs();
    SmallVector<Type> types(ValueRange(inputs.getArrayRef()).getTypes());
    SmallVector<Type> results(ValueRange(destinations).getTypes());
    llvm::append_range(types, results);
    OpBuilder free(context);
    unit = jit::UnitOp::create(free, last->getLoc(), "unit",
                               FunctionType::get(context, types, results));
    SymbolTable::setSymbolVisibility(unit, SymbolTable::Visibility::Private);
    for (auto [input, argument] : llvm::zip(inputs, unit.getInputs()))
      mapping.map(input, argument);
    for (auto [index, isOnlyWritten] : llvm::enumerate(writeOnly))
      if (isOnlyWritten)
        unit.setWriteOnly(index);
    fillBody();
    return unit;
  }

  /// Puts a call of `callee`, which is equal to the unit made, in place of the group.
  void replaceGroup(jit::UnitOp callee) {
    auto invoke =
        jit::InvokeOp::create(host, last->getLoc(), callee, inputs.getArrayRef(), destinations);
    last->replaceAllUsesWith(invoke.getResults());
    for (Operation *op : llvm::reverse(group.ops))
      op->erase();
  }

private:
  /// The group with the initialisers that come along, each before its user.
  void collectOps() {
    for (Operation *op : group.ops) {
      if (auto structured = dyn_cast<linalg::LinalgOp>(op))
        for (OpOperand &init : structured.getDpsInitsMutable())
          if (linalg::LinalgOp producer = initialiser(init))
            ops.insert(producer);
      ops.insert(op);
    }
  }

  bool isInside(Value value) const {
    return value.getDefiningOp() && ops.contains(value.getDefiningOp());
  }

  /// An empty tensor of the sizes of `like`, made before the call.
  Value makeEmpty(Value like) {
    Location location = last->getLoc();
    auto type = cast<RankedTensorType>(like.getType());
    if (auto empty = like.getDefiningOp<tensor::EmptyOp>())
      return tensor::EmptyOp::create(host, location, empty.getMixedSizes(), type.getElementType(),
                                     type.getEncoding());
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      sizes.push_back(type.isDynamicDim(dim)
                          ? host.createOrFold<tensor::DimOp>(location, like, dim)
                          : OpFoldResult(host.getIndexAttr(type.getDimSize(dim))));
    return tensor::EmptyOp::create(host, location, sizes, type.getElementType(),
                                   type.getEncoding());
  }

  Value makePadDestination(tensor::PadOp pad) {
    Location location = pad.getLoc();
    RankedTensorType type = pad.getResultType();
    SmallVector<OpFoldResult> sizes;
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim)) {
        sizes.push_back(host.getIndexAttr(type.getDimSize(dim)));
        continue;
      }
      Value size = host.createOrFold<tensor::DimOp>(location, pad.getSource(), dim);
      for (OpFoldResult amount : {pad.getMixedLowPad()[dim], pad.getMixedHighPad()[dim]})
        size = host.createOrFold<arith::AddIOp>(
            location, size, getValueOrCreateConstantIndexOp(host, location, amount));
      sizes.push_back(size);
    }
    return tensor::EmptyOp::create(host, location, sizes, type.getElementType());
  }

  /// What each result of the last operation is computed into.
  void chooseDestinations() {
    if (auto pad = dyn_cast<tensor::PadOp>(last)) {
      destinations.push_back(makePadDestination(pad));
      writeOnly.push_back(true);
      return;
    }
    auto structured = cast<linalg::LinalgOp>(last);
    for (OpOperand &init : structured.getDpsInitsMutable()) {
      Value old = init.get();
      linalg::LinalgOp producer = initialiser(init);
      bool isFresh = producer || isInside(old) || old.getDefiningOp<tensor::EmptyOp>() ||
                     overwrites(structured, init);
      bool readsOld = !overwrites(structured, init) && !isInside(old);
      destinations.push_back(
          isFresh ? makeEmpty(producer ? producer.getDpsInits()[0] : shapeOf(old)) : old);
      writeOnly.push_back(isFresh && !readsOld);
    }
  }

  /// Something outside of the group that has the sizes of `value`, which may be inside.
  Value shapeOf(Value value) const {
    while (isInside(value)) {
      auto structured = value.getDefiningOp<linalg::LinalgOp>();
      if (!structured)
        break;
      value = structured.getTiedOpOperand(cast<OpResult>(value))->get();
    }
    return value;
  }

  //===--- Inputs ---------------------------------------------------------===//

  void collectInputs() {
    for (Operation *op : ops) {
      for (OpOperand &operand : op->getOpOperands())
        if (!isReplacedInit(operand))
          addInput(operand.get(), op);
      for (Region &region : op->getRegions())
        region.walk([&](Operation *nested) {
          for (Value value : nested->getOperands())
            if (!op->isAncestor(value.getParentBlock()->getParentOp()))
              addInput(value, nested);
        });
    }
    for (Operation *op : ops)
      if (auto structured = dyn_cast<linalg::LinalgOp>(op))
        for (OpOperand &init : structured.getDpsInitsMutable())
          if (isReplacedInit(init) && !destinationOf(init))
            addSizeInputs(init.get());
  }

  void addInput(Value value, Operation *user) {
    if (!isInside(value) && !staysConstant(value, user))
      inputs.insert(value);
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

  /// Whether an output operand's old value doesn't come in, but memory in its place.
  bool isReplacedInit(OpOperand &operand) const {
    auto structured = dyn_cast<linalg::LinalgOp>(operand.getOwner());
    if (!structured || !structured.isDpsInit(&operand) || isInside(operand.get()))
      return false;
    return operand.get().getDefiningOp<tensor::EmptyOp>() || destinationOf(operand) ||
           overwrites(structured, operand);
  }

  /// The number of the destination that an output operand is replaced by: its own if it is one of
  /// the last operation, else that of the operand which it initialises there.
  std::optional<unsigned> destinationOf(OpOperand &operand) const {
    auto structured = dyn_cast<linalg::LinalgOp>(operand.getOwner());
    if (!structured || !structured.isDpsInit(&operand))
      return std::nullopt;
    if (structured == last)
      return isInside(operand.get()) ? std::nullopt
                                     : std::optional<unsigned>(operand.getOperandNumber() -
                                                               structured.getNumDpsInputs());
    auto end = dyn_cast<linalg::LinalgOp>(last);
    if (!end || structured->getNumResults() == 0)
      return std::nullopt;
    // One initialiser may be that of several outputs: only the first is filled in place.
    for (auto [index, init] : llvm::enumerate(end.getDpsInits()))
      if (init == structured->getResult(0))
        return isFillOrBroadcast(structured) ? std::optional<unsigned>(index) : std::nullopt;
    return std::nullopt;
  }

  //===--- Temporaries ----------------------------------------------------===//

  /// The destination that has size `dim` of `value`, if one surely has.
  std::optional<unsigned> destinationWithSize(Value value, int64_t dim) const {
    SizeOrigin origin = sizeOrigin(value, dim);
    for (auto [index, destination] : llvm::enumerate(destinations)) {
      auto type = cast<RankedTensorType>(destination.getType());
      if (dim < type.getRank() && sizeOrigin(destination, dim) == origin)
        return index;
    }
    return std::nullopt;
  }

  /// The scalar that is size `dim` of `value`.
  Value sizeOf(Value value, int64_t dim) {
    if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
      return empty.getDynamicSize(dim);
    Value &size = sizes[{value, dim}];
    if (!size)
      size = host.createOrFold<tensor::DimOp>(last->getLoc(), value, dim);
    return size;
  }

  void addSizeInputs(Value like) {
    auto type = cast<RankedTensorType>(like.getType());
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && !destinationWithSize(like, dim))
        if (Value size = sizeOf(like, dim); !matchPattern(size, m_Constant()))
          inputs.insert(size);
  }

  Value makeTemporary(OpBuilder &inside, Value like) {
    Location location = last->getLoc();
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

  //===--- Body -----------------------------------------------------------===//

  /// The value inside of the unit; constants are cloned when they are first met.
  Value lookUp(OpBuilder &inside, Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *constant = inside.clone(*value.getDefiningOp());
    mapping.map(value, constant->getResult(0));
    return constant->getResult(0);
  }

  void fillBody() {
    OpBuilder inside = OpBuilder::atBlockBegin(&unit.getBody().front());
    for (Operation *op : ops) {
      for (OpOperand &operand : op->getOpOperands())
        if (!isReplacedInit(operand))
          lookUp(inside, operand.get());
      for (Region &region : op->getRegions())
        region.walk([&](Operation *nested) {
          for (Value value : nested->getOperands())
            if (!op->isAncestor(value.getParentBlock()->getParentOp()))
              lookUp(inside, value);
        });
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
    SmallVector<Value> results;
    for (Value result : last->getResults())
      results.push_back(mapping.lookup(result));
    jit::ReturnOp::create(inside, last->getLoc(), results);
  }

  const UnitGroup &group;
  Operation *last;
  OpBuilder host;
  MLIRContext *context;
  jit::UnitOp unit;
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> inputs;
  SmallVector<Value> destinations;
  SmallVector<bool> writeOnly;
  llvm::DenseMap<std::pair<Value, int64_t>, Value> sizes;
  IRMapping mapping;
};
} // namespace

//===----------------------------------------------------------------------===//
// Equal units
//===----------------------------------------------------------------------===//

static size_t hashUnit(jit::UnitOp unit) {
  llvm::hash_code hash = hash_value(Type(unit.getFunctionType()));
  unit.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(
        hash, OperationEquivalence::computeHash(op, OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

static bool areEqual(jit::UnitOp a, jit::UnitOp b) {
  return a.getFunctionType() == b.getFunctionType() && a.getArgAttrsAttr() == b.getArgAttrsAttr() &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

jit::UnitOp UnitOutliner::addOrFind(jit::UnitOp unit, StringRef baseName) {
  SmallVector<jit::UnitOp, 1> &sameHash = units[hashUnit(unit)];
  for (jit::UnitOp known : sameHash)
    if (areEqual(known, unit)) {
      unit.erase();
      return known;
    }
  std::string name;
  do {
    name = (baseName + "_" + Twine(numbers[baseName]++)).str();
  } while (symbols.lookup(name));
  unit.setSymName(name);
  symbols.insert(unit);
  sameHash.push_back(unit);
  return unit;
}

void UnitOutliner::outline(const UnitGroup &group, StringRef function) {
  std::string baseName = (function + "." + describe(group)).str();
  UnitMaker maker(group);
  maker.replaceGroup(addOrFind(maker.make(), baseName));
}

} // namespace anneal
