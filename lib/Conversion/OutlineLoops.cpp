//===- OutlineLoops.cpp - From loops over units to units ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferSizes.h"
#include "UnitTable.h"

#include "anneal/Conversion/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace anneal {
#define GEN_PASS_DEF_OUTLINELOOPS
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;
using namespace anneal;

namespace {

/// Makes a unit of one loop.
class LoopOutliner {
public:
  LoopOutliner(scf::ForOp loop, UnitTable &units) : loop(loop), units(units), host(loop) {}

  /// Whether a unit can hold the loop: it calls units and does nothing else that could be seen, its
  /// results are tensors whose sizes are known before it, and so are the kinds of what it reads.
  bool canBeUnit() {
    bool callsUnits = false;
    WalkResult walk = loop.walk([&](Operation *op) {
      callsUnits |= isa<jit::InvokeOp>(op);
      return isa<CallOpInterface>(op) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walk.wasInterrupted() || !callsUnits || !isMemoryEffectFree(loop))
      return false;
    collectInputs();
    return llvm::all_of(inputs, [](Value input) { return isArgumentType(input.getType()); }) &&
           llvm::all_of(llvm::seq(loop.getNumResults()),
                        [&](unsigned index) { return isFixedTensor(index); });
  }

  void run(StringRef baseName) {
    Location loc = loop.getLoc();
    SmallVector<Value> destinations;
    for (Value init : loop.getInitArgs())
      destinations.push_back(makeDestination(init));
    jit::UnitOp unit = units.addOrFind(makeUnit(destinations), baseName);
    auto invoke =
        jit::InvokeOp::create(host, loc, unit, inputs.getArrayRef(), ValueRange(destinations));
    loop.replaceAllUsesWith(invoke.getResults());
    loop.erase();
    for (Value constant : constants)
      if (constant.use_empty())
        constant.getDefiningOp()->erase();
  }

private:
  static bool isArgumentType(Type type) {
    return isa<RankedTensorType, IndexType, FloatType, ComplexType>(type) ||
           type.isSignlessInteger();
  }

  static bool isScalarConstant(Value value) {
    return !isa<RankedTensorType>(value.getType()) && matchPattern(value, m_Constant());
  }

  void collectInputs() {
    llvm::SetVector<Value> read(loop->operand_begin(), loop->operand_end());
    getUsedValuesDefinedAbove(loop->getRegions(), read);
    for (Value value : read)
      (isScalarConstant(value) ? constants : inputs).insert(value);
  }

  /// Whether a loop-carried value is a tensor of the same sizes in all iterations.
  bool isFixedTensor(unsigned index) {
    auto type = dyn_cast<RankedTensorType>(loop.getResult(index).getType());
    return type && llvm::all_of(llvm::seq(type.getRank()), [&](int64_t dim) {
             return keepsSize(loop.getRegionIterArg(index), loop.getInitArgs()[index],
                              loop.getYieldedValues()[index], dim);
           });
  }

  Value makeDestination(Value init) {
    auto type = cast<RankedTensorType>(init.getType());
    SmallVector<Value> dynamic;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim))
        dynamic.push_back(host.createOrFold<tensor::DimOp>(loop.getLoc(), init, dim));
    return tensor::EmptyOp::create(host, loop.getLoc(), type, dynamic);
  }

  jit::UnitOp makeUnit(ValueRange destinations) {
    SmallVector<Type> types(ValueRange(inputs.getArrayRef()).getTypes());
    SmallVector<Type> results(destinations.getTypes());
    llvm::append_range(types, results);
    OpBuilder inside(loop.getContext());
    auto unit = jit::UnitOp::create(inside, loop.getLoc(), "unit",
                                    FunctionType::get(loop.getContext(), types, results));
    SymbolTable::setSymbolVisibility(unit, SymbolTable::Visibility::Private);
    for (unsigned index = 0; index < results.size(); ++index)
      unit.setWriteOnly(index);
    inside.setInsertionPointToStart(&unit.getBody().front());
    IRMapping mapping;
    mapping.map(inputs.getArrayRef(), unit.getInputs());
    for (Value constant : constants)
      mapping.map(constant, inside.clone(*constant.getDefiningOp())->getResult(0));
    Operation *copy = inside.clone(*loop, mapping);
    jit::ReturnOp::create(inside, loop.getLoc(), copy->getResults());
    return unit;
  }

  scf::ForOp loop;
  UnitTable &units;
  OpBuilder host;
  llvm::SetVector<Value> inputs;
  llvm::SetVector<Value> constants;
};

class OutlineLoops : public anneal::impl::OutlineLoopsBase<OutlineLoops> {
public:
  void runOnOperation() override {
    UnitTable units(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      std::string baseName = (function.getSymName() + ".loop").str();
      // Outer loops first: what is in a unit stays in it.
      function.walk<WalkOrder::PreOrder>([&](scf::ForOp loop) {
        LoopOutliner outliner(loop, units);
        if (!outliner.canBeUnit())
          return WalkResult::advance();
        outliner.run(baseName);
        return WalkResult::skip();
      });
    }
  }
};

} // namespace
