//===- RefineTypes.cpp - Units for sizes that are known -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RefineTypes.h"

#include "anneal/Analysis/DimScope.h"
#include "anneal/Analysis/RegionFlow.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace anneal {

namespace {

class Refiner {
public:
  explicit Refiner(jit::UnitOp unit) : unit(unit), builder(unit.getContext()) {}

  void run(ArrayRef<Type> types) {
    setArguments(types);
    findTypes();
    for (RegionBranchOpInterface branch : branches)
      agree(branch);
    for (auto [value, type] : refined)
      apply(value, type);
    for (RegionBranchOpInterface branch : branches)
      castForwarded(branch);
  }

private:
  void setArguments(ArrayRef<Type> types) {
    Block &entry = unit.getBody().front();
    builder.setInsertionPointToStart(&entry);
    for (auto [argument, type] : llvm::zip(entry.getArguments(), types))
      setTypeAndCastBack(argument, type);
    builder.setInsertionPoint(unit.getReturn());
    ArrayRef<Type> results = types.take_back(unit.getNumDestinations());
    for (auto [operand, type] : llvm::zip(unit.getReturn()->getOpOperands(), results))
      castOperand(operand, type);
    unit.setFunctionTypeAttr(TypeAttr::get(FunctionType::get(unit.getContext(), types, results)));
  }

  /// All before anything changes: the scope reads the IR as it is.
  void findTypes() {
    DimScope scope(unit);
    unit.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
        branches.push_back(branch);
        forEachForwardedValue(branch, [&](Operation *, Value, Value to) { forwarded.insert(to); });
      }
      for (Value result : op->getResults())
        if (!isa<tensor::CastOp>(op))
          findType(scope, result);
      for (Region &region : op->getRegions())
        for (BlockArgument argument : region.getArguments())
          if (forwarded.contains(argument))
            findType(scope, argument);
    });
  }

  void findType(DimScope &scope, Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.hasStaticShape())
      return;
    SmallVector<int64_t> shape(type.getShape());
    for (auto [dim, size] : llvm::enumerate(shape))
      if (std::optional<WideInt> known = scope.getDim(value, dim).getConstant();
          known && *known >= 0 && *known <= std::numeric_limits<int64_t>::max())
        size = int64_t(*known);
    if (ArrayRef(shape) != type.getShape())
      refined[value] = type.clone(shape);
  }

  /// One operand may be handed on to several places, of which all must be of its type.
  void agree(RegionBranchOpInterface branch) {
    for (bool changed = true; changed;) {
      changed = false;
      DenseMap<Value, Value> firstTarget;
      forEachForwardedValue(branch, [&](Operation *, Value from, Value to) {
        Value first = firstTarget.try_emplace(from, to).first->second;
        Type one = typeOf(first), other = typeOf(to);
        if (one == other)
          return;
        Type both = common(cast<RankedTensorType>(one), cast<RankedTensorType>(other));
        refined[first] = refined[to] = both;
        changed = true;
      });
    }
  }

  Type typeOf(Value value) const {
    auto known = refined.find(value);
    return known == refined.end() ? value.getType() : known->second;
  }

  /// The type that knows the sizes that both know.
  static Type common(RankedTensorType one, RankedTensorType other) {
    SmallVector<int64_t> shape;
    for (auto [a, b] : llvm::zip(one.getShape(), other.getShape()))
      shape.push_back(a == b ? a : ShapedType::kDynamic);
    return one.clone(shape);
  }

  void apply(Value value, Type type) {
    if (type == value.getType())
      return;
    builder.setInsertionPointAfterValue(value);
    if (forwarded.contains(value)) {
      setTypeAndCastBack(value, type);
      return;
    }
    Value known = tensor::CastOp::create(builder, value.getLoc(), type, value);
    Value back = tensor::CastOp::create(builder, value.getLoc(), value.getType(), known);
    value.replaceAllUsesExcept(back, known.getDefiningOp());
  }

  /// Users go on with the type that they know.
  void setTypeAndCastBack(Value value, Type type) {
    Type old = value.getType();
    if (type == old)
      return;
    value.setType(type);
    auto back = tensor::CastOp::create(builder, value.getLoc(), old, value);
    value.replaceAllUsesExcept(back, back);
  }

  void castOperand(OpOperand &operand, Type type) {
    if (operand.get().getType() != type)
      operand.set(
          tensor::CastOp::create(builder, operand.getOwner()->getLoc(), type, operand.get()));
  }

  void castForwarded(RegionBranchOpInterface branch) {
    SmallVector<std::tuple<Operation *, Value, Type>> wanted;
    forEachForwardedValue(branch, [&](Operation *source, Value from, Value to) {
      wanted.push_back({source, from, to.getType()});
    });
    for (auto [source, from, type] : wanted) {
      builder.setInsertionPoint(source);
      for (OpOperand &operand : source->getOpOperands())
        if (operand.get() == from)
          castOperand(operand, type);
    }
  }

  jit::UnitOp unit;
  OpBuilder builder;
  SmallVector<RegionBranchOpInterface> branches;
  /// Results and arguments of regions that take the type of what is handed on to them.
  DenseSet<Value> forwarded;
  llvm::MapVector<Value, Type> refined;
};

} // namespace

void refineTypes(jit::UnitOp unit, ArrayRef<Type> types) { Refiner(unit).run(types); }

} // namespace anneal
