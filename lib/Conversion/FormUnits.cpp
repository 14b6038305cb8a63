//===- FormUnits.cpp - Cut functions into units of compilation ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitGrouping.h"
#include "UnitOutliner.h"

#include "anneal/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define DEBUG_TYPE "jit-form-units"

namespace anneal {
#define GEN_PASS_DEF_FORMUNITS
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace {

/// Moves scalar computation that is the same at every point out of a structured operation's body.
void hoistInvariants(linalg::LinalgOp op) {
  for (Operation &nested : llvm::make_early_inc_range(op.getBlock()->without_terminator())) {
    bool isInvariant = nested.getNumRegions() == 0 && nested.getNumOperands() > 0 &&
                       isPure(&nested) && !isa<tensor::ExtractOp>(nested) &&
                       llvm::all_of(nested.getOperands(), [&](Value operand) {
                         return !op->isAncestor(operand.getParentBlock()->getParentOp());
                       });
    if (isInvariant)
      nested.moveBefore(op);
  }
}

/// The blocks of host code: those of functions and of control flow in them, outermost first.
void collectHostBlocks(Region &region, SmallVectorImpl<Block *> &blocks) {
  for (Block &block : region) {
    blocks.push_back(&block);
    for (Operation &op : block)
      if (!isa<linalg::LinalgOp, tensor::PadOp>(op))
        for (Region &nested : op.getRegions())
          collectHostBlocks(nested, blocks);
  }
}

class FormUnits : public anneal::impl::FormUnitsBase<FormUnits> {
public:
  void runOnOperation() override {
    anneal::UnitOutliner outliner(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      function.walk([](linalg::LinalgOp op) { hoistInvariants(op); });
      SmallVector<Block *> blocks;
      collectHostBlocks(function.getBody(), blocks);
      for (Block *block : blocks)
        for (const anneal::UnitGroup &group : anneal::groupUnits(*block))
          outliner.outline(group, function.getSymName());
      eraseUnused(blocks);
    }
  }

private:
  /// Fills, broadcasts and empty tensors that now stand in units only. Inner blocks come last.
  static void eraseUnused(ArrayRef<Block *> blocks) {
    for (Block *block : llvm::reverse(blocks))
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
        if (isOpTriviallyDead(&op))
          op.erase();
  }
};

} // namespace
