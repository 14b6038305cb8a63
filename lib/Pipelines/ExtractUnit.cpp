//===- ExtractUnit.cpp - One unit in a module of its own ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolOption.h"

#include "anneal/Pipelines/Passes.h"

using namespace mlir;

namespace anneal {
#define GEN_PASS_DEF_EXTRACTUNIT
#include "anneal/Pipelines/Passes.h.inc"

OwningOpRef<ModuleOp> copyAlone(jit::UnitOp unit) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(unit.getLoc());
  module->getBody()->push_back(unit->clone());
  // Its caller is not there, and passes are to keep it nevertheless.
  SymbolTable::setSymbolVisibility(&module->getBody()->front(), SymbolTable::Visibility::Public);
  return module;
}

namespace {
struct ExtractUnit : impl::ExtractUnitBase<ExtractUnit> {
  using ExtractUnitBase::ExtractUnitBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto wanted = lookUpNamed<jit::UnitOp>(module, unit);
    if (!wanted) {
      InFlightDiagnostic error = emitError(module.getLoc())
                                 << "there is no unit '" << unit << "'; there is";
      StringRef separator = " ";
      for (auto other : module.getOps<jit::UnitOp>()) {
        error << separator << "'" << other.getSymName() << "'";
        separator = ", ";
      }
      if (module.getOps<jit::UnitOp>().empty())
        error << " none, which --jit-form-units would make";
      return signalPassFailure();
    }
    llvm::SmallPtrSet<Operation *, 8> kept{wanted};
    wanted.walk([&](jit::InvokeOp invoke) { kept.insert(invoke.getUnit()); });
    for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
      if (!kept.contains(&op))
        op.erase();
    SymbolTable::setSymbolVisibility(wanted, SymbolTable::Visibility::Public);
  }
};
} // namespace

} // namespace anneal
