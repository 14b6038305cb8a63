//===- JitOptPlugin.cpp - A pass plugin that uses the jit dialect ---------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user's plugin does: it brings passes and works on the dialect's operations, with nothing
// linked in but the copy of the dialect that loads it: the tool's, or that of the engine's compiler
// library.
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

#include <cstdlib>

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

/// Doubles the floating-point constants of units, so that code that it was part of gives other
/// results.
struct DoubleConstants : PassWrapper<DoubleConstants, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DoubleConstants)

  StringRef getArgument() const override { return "test-double-constants"; }
  StringRef getDescription() const override { return "Doubles floating-point constants"; }

  void runOnOperation() override {
    getOperation().walk([](anneal::jit::UnitOp unit) {
      unit.walk([](arith::ConstantOp op) {
        if (auto value = dyn_cast<FloatAttr>(op.getValue()))
          op.setValueAttr(FloatAttr::get(value.getType(), 2 * value.getValueAsDouble()));
      });
    });
  }
};

/// Refuses every unit, or one.
struct Refuse : PassWrapper<Refuse, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Refuse)
  Refuse() = default;
  Refuse(const Refuse &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "test-refuse"; }
  StringRef getDescription() const override { return "Fails on every unit, or on one"; }

  void runOnOperation() override {
    getOperation().walk([&](anneal::jit::UnitOp unit) {
      if (!only.empty() && unit.getSymName() != only)
        return;
      unit.emitError() << "refused on purpose";
      signalPassFailure();
    });
  }

  Option<std::string> only{*this, "only", llvm::cl::desc("Name of the one unit to fail on")};
};

/// Ends as a pass with a bug does.
struct Crash : PassWrapper<Crash, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Crash)

  StringRef getArgument() const override { return "test-crash"; }
  StringRef getDescription() const override { return "Crashes"; }

  void runOnOperation() override { std::abort(); }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "JitOptPlugin", "1.0", [] {
            PassRegistration<RaiseTier>();
            PassRegistration<DoubleConstants>();
            PassRegistration<Refuse>();
            PassRegistration<Crash>();
          }};
}
