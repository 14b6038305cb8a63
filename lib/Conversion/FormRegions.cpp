//===- FormRegions.cpp - Regions around what runs together ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostBlocks.h"
#include "UnitGrouping.h"

#include "anneal/Conversion/Passes.h"
#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace anneal {
#define GEN_PASS_DEF_FORMREGIONS
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;

void anneal::collectHostBlocks(Region &region, SmallVectorImpl<Block *> &blocks) {
  for (Block &block : region) {
    blocks.push_back(&block);
    for (Operation &op : block)
      if (!isa<linalg::LinalgOp, tensor::PadOp, jit::RegionOp>(op))
        for (Region &nested : op.getRegions())
          collectHostBlocks(nested, blocks);
  }
}

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

/// Puts a region around the operations of a group, where the last one stands.
void wrap(const anneal::UnitGroup &group) {
  Operation *last = group.ops.back();
  OpBuilder builder(last);
  auto region = anneal::jit::RegionOp::create(builder, last->getLoc(), last->getResultTypes());
  last->replaceAllUsesWith(region.getResults());
  Block &body = region.getBody().front();
  for (Operation *op : group.ops)
    op->moveBefore(&body, body.end());
  builder.setInsertionPointToEnd(&body);
  anneal::jit::YieldOp::create(builder, last->getLoc(), last->getResults());
}

class FormRegions : public anneal::impl::FormRegionsBase<FormRegions> {
public:
  void runOnOperation() override {
    getOperation().walk([](linalg::LinalgOp op) { hoistInvariants(op); });
    SmallVector<Block *> blocks;
    anneal::collectHostBlocks(getOperation().getBody(), blocks);
    for (Block *block : blocks)
      for (const anneal::UnitGroup &group : anneal::groupUnits(*block))
        wrap(group);
  }
};

} // namespace
