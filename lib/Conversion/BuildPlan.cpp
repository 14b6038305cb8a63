//===- BuildPlan.cpp - Bufferised modules to plans ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Conversion/PlanBuilder.h"

#include "FunctionBuilder.h"
#include "ModuleTables.h"
#include "UnitBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace anneal {

/// Adds the loop units of the function, and translates the units that it calls, that aren't there
/// yet.
static LogicalResult addUnits(func::FuncOp function, SymbolTable &symbols, ModuleTables &tables,
                              plan::Module &plan, llvm::StringMap<BuiltUnit> &units) {
  function.walk([&](scf::ForOp loop) {
    auto name = loop->getAttrOfType<FlatSymbolRefAttr>(jit::JitDialect::kLoopUnitAttrName);
    if (!name || !units.try_emplace(name.getValue()).second)
      return;
    units[name.getValue()].index = static_cast<uint32_t>(plan.units.size());
    plan::Unit &unit = plan.units.emplace_back();
    unit.name = name.getValue().str();
    unit.isLoop = true;
  });
  WalkResult walk = function.walk([&](jit::InvokeOp invoke) {
    if (llvm::any_of(invoke->getOperandTypes(), llvm::IsaPred<TensorType>)) {
      invoke.emitError() << "works on tensors; a plan is made of what jit-bufferize-host leaves";
      return WalkResult::interrupt();
    }
    auto [it, isNew] = units.try_emplace(invoke.getCallee());
    if (!isNew)
      return WalkResult::advance();
    auto op = symbols.lookup<jit::UnitOp>(invoke.getCallee());
    if (!op) {
      invoke.emitError() << "calls '" << invoke.getCallee() << "', which is no jit.unit";
      return WalkResult::interrupt();
    }
    UnitBuilder builder(op, tables);
    FailureOr<plan::Unit> unit = builder.build();
    if (failed(unit))
      return WalkResult::interrupt();
    it->second.index = static_cast<uint32_t>(plan.units.size());
    it->second.scalars = builder.takeScalars();
    plan.units.push_back(std::move(*unit));
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

FailureOr<plan::Module> buildPlan(ModuleOp module, const ConstantSource &source) {
  plan::Module plan;
  plan.name = module.getSymName().value_or("").str();
  ModuleTables tables(plan, source);
  SymbolTable symbols(module);
  llvm::StringMap<BuiltUnit> units;
  for (auto function : module.getOps<func::FuncOp>()) {
    bool isInit = function.getSymName() == kInitFunctionName;
    if (function.isExternal() || !(isInit || function.isPublic()))
      continue;
    if (failed(addUnits(function, symbols, tables, plan, units)))
      return failure();
    ModuleContext context{tables, symbols, units, plan.units};
    FailureOr<plan::Function> built = FunctionBuilder(function, context).build();
    if (failed(built))
      return failure();
    if (isInit)
      plan.initFunction = static_cast<int32_t>(plan.functions.size());
    plan.functions.push_back(std::move(*built));
  }
  return plan;
}

} // namespace anneal
