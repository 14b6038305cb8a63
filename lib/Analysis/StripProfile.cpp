//===- StripProfile.cpp - Take a profile off the IR -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/HeatPropagation.h"
#include "anneal/Analysis/Passes.h"
#include "anneal/IR/JitOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

#define DEBUG_TYPE "jit-strip-profile"

namespace anneal {
#define GEN_PASS_DEF_STRIPPROFILE
#include "anneal/Analysis/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// What `also` may name: attributes that passes derive from a profile.
constexpr StringLiteral kDerived[] = {"tier", "mode", "schedule", "critical_path_us"};

class StripProfile : public impl::StripProfileBase<StripProfile> {
public:
  using StripProfileBase::StripProfileBase;

  void runOnOperation() override {
    for (StringRef name : also)
      if (!llvm::is_contained(kDerived, name)) {
        emitError(getOperation().getLoc())
            << DEBUG_TYPE << ": also names '" << name << "', but must be of "
            << llvm::join(ArrayRef(kDerived), ", ");
        return signalPassFailure();
      }
    getOperation().walk([&](Operation *op) {
      op->removeDiscardableAttr(jit::JitDialect::kProfileAttrName);
      setHotnessAttr(op, {});
      for (StringRef name : also)
        strip(op, name);
    });
  }

private:
  /// An attribute of the dialect: bare on units that have it as their own, else with the prefix.
  static void strip(Operation *op, StringRef name) {
    if (isa<jit::UnitOp>(op) && llvm::is_contained(jit::UnitOp::getAttributeNames(), name))
      op->removeAttr(name);
    else
      op->removeAttr((jit::JitDialect::getDialectNamespace() + "." + name).str());
  }
};

} // namespace
} // namespace anneal
