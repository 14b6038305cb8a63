//===- PrintSparsity.cpp - Show which operands are mostly zero ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitDialect.h"
#include "anneal/Transforms/Passes.h"
#include "anneal/Transforms/Sparsity.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/Format.h"

#define DEBUG_TYPE "jit-print-sparsity"

namespace anneal {
#define GEN_PASS_DEF_PRINTSPARSITY
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// As "one-hot along dim 1, density 0.004 (compares …)".
std::string describe(const Sparsity &sparsity) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << toString(sparsity.kind);
  if (sparsity.dim >= 0)
    os << " along dim " << sparsity.dim;
  if (sparsity.density)
    os << ", density " << llvm::format("%.4g", *sparsity.density);
  os << " (" << sparsity.why << ")";
  return text;
}

Attribute toAttribute(Builder &builder, unsigned result, const Sparsity &sparsity) {
  SmallVector<NamedAttribute> fields;
  auto add = [&](StringRef name, Attribute value) {
    fields.push_back(builder.getNamedAttr(name, value));
  };
  add("result", builder.getI64IntegerAttr(result));
  add("kind", builder.getStringAttr(toString(sparsity.kind)));
  if (sparsity.dim >= 0)
    add("dim", builder.getI64IntegerAttr(sparsity.dim));
  if (sparsity.density)
    add("density", builder.getF64FloatAttr(*sparsity.density));
  add("why", builder.getStringAttr(sparsity.why));
  return builder.getDictionaryAttr(fields);
}

class PrintSparsity : public impl::PrintSparsityBase<PrintSparsity> {
public:
  using PrintSparsityBase::PrintSparsityBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!(maxDensity >= 0 && maxDensity <= 1)) {
      emitError(module.getLoc()) << DEBUG_TYPE << ": max-density is " << std::to_string(maxDensity)
                                 << ", but must be from 0 to 1";
      return signalPassFailure();
    }
    AsmState state(module);
    std::string text;
    llvm::raw_string_ostream os(text);
    for (auto function : module.getOps<FunctionOpInterface>()) {
      if (function.isExternal())
        continue;
      if (!annotate)
        os << function->getName() << " @" << function.getName() << "\n";
      function->walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (op != function)
          visit(op, os, state);
      });
    }
    llvm::outs() << text;
    if (!annotate)
      markAllAnalysesPreserved();
  }

private:
  void visit(Operation *op, raw_ostream &os, AsmState &state) {
    // What is only of another type has been said where it was made.
    if (isa<tensor::CastOp>(op))
      return;
    Builder builder(&getContext());
    SmallVector<Attribute> attributes;
    for (OpResult result : op->getResults()) {
      std::optional<Sparsity> sparsity = getSparsity(result, maxDensity);
      if (!sparsity)
        continue;
      attributes.push_back(toAttribute(builder, result.getResultNumber(), *sparsity));
      if (annotate)
        continue;
      os << "  ";
      result.printAsOperand(os, state);
      os << " = " << op->getName() << ": " << describe(*sparsity) << "\n";
      printReaders(result, os);
    }
    if (annotate && !attributes.empty())
      op->setAttr(jit::JitDialect::kSparsityAttrName, builder.getArrayAttr(attributes));
  }

  /// The operands that have the value, casts of it too, in the order of the IR.
  static void printReaders(Value value, raw_ostream &os) {
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : value.getUses())
      uses.push_back(&use);
    for (OpOperand *use : llvm::reverse(uses))
      if (auto cast = dyn_cast<tensor::CastOp>(use->getOwner()))
        printReaders(cast.getResult(), os);
      else
        os << "    operand #" << use->getOperandNumber() << " of '" << use->getOwner()->getName()
           << "'\n";
  }
};

} // namespace
} // namespace anneal
