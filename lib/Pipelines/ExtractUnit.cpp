//===- ExtractUnit.cpp - One unit in a module of its own ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

/// A name in which "%20" stands for a blank, and so on.
static std::string unescaped(StringRef text) {
  std::string name;
  for (size_t i = 0; i < text.size(); ++i) {
    bool isEscape = text[i] == '%' && i + 2 < text.size() && llvm::isHexDigit(text[i + 1]) &&
                    llvm::isHexDigit(text[i + 2]);
    name += isEscape ? static_cast<char>(llvm::hexFromNibbles(text[i + 1], text[i + 2])) : text[i];
    i += isEscape ? 2 : 0;
  }
  return name;
}

namespace {
struct ExtractUnit : impl::ExtractUnitBase<ExtractUnit> {
  using ExtractUnitBase::ExtractUnitBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto wanted = module.lookupSymbol<jit::UnitOp>(unit);
    if (!wanted)
      wanted = module.lookupSymbol<jit::UnitOp>(unescaped(unit));
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
