//===- JitOptPlugin.cpp - A pass plugin that uses the jit dialect ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user's plugin does: it brings a pass and works on the dialect's operations, with nothing
// linked in but the tool's own copy of the dialect.
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {
/// Says of each unit at which tier it is, and puts it at `peak`.
struct RaiseTier : PassWrapper<RaiseTier, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RaiseTier)

  StringRef getArgument() const override { return "test-raise-tier"; }
  StringRef getDescription() const override { return "Puts all units at the highest tier"; }

  void runOnOperation() override {
    getOperation().walk([](anneal::jit::UnitOp unit) {
      if (std::optional<anneal::jit::Tier> tier = unit.getTier())
        unit.emitRemark() << "was at " << anneal::jit::stringifyTier(*tier);
      unit.setTier(anneal::jit::Tier::Peak);
    });
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "JitOptPlugin", "1.0", [] { PassRegistration<RaiseTier>(); }};
}
