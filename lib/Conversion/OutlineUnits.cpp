//===- OutlineUnits.cpp - From regions to units and calls -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostBlocks.h"
#include "UnitMaker.h"
#include "UnitTable.h"

#include "anneal/Conversion/Passes.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace anneal {
#define GEN_PASS_DEF_OUTLINEUNITS
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;
using namespace anneal;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// "matmul", "reduce_addf", "map_tanh": the operation that says most about what a unit does.
static std::string describe(ArrayRef<Operation *> group) {
  for (Operation *op : group) {
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured || (group.size() > 1 && structured.getNumReductionLoops() == 0))
      continue;
    if (!isa<linalg::GenericOp>(op))
      return op->getName().stripDialect().str();
    if (isAnchor(structured))
      return "contract";
    Value yielded = structured.getBlock()->getTerminator()->getNumOperands() > 0
                        ? structured.getBlock()->getTerminator()->getOperand(0)
                        : Value();
    Operation *last = yielded ? yielded.getDefiningOp() : nullptr;
    std::string kind = structured.getNumReductionLoops() > 0 ? "reduce" : "map";
    return last && last->getBlock() == structured.getBlock()
               ? kind + "_" + last->getName().stripDialect().str()
               : kind + "_copy";
  }
  return group.back()->getName().stripDialect().str();
}

namespace {
class OutlineUnits : public anneal::impl::OutlineUnitsBase<OutlineUnits> {
public:
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet owned(context);
    jit::RegionOp::getCanonicalizationPatterns(owned, context);
    patterns = std::move(owned);
    return success();
  }

  void runOnOperation() override {
    UnitTable units(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>())) {
      if (failed(outlineAll(function, units)))
        return signalPassFailure();
      SmallVector<Block *> blocks;
      anneal::collectHostBlocks(function.getBody(), blocks);
      // Fills, broadcasts and empty tensors that now stand in units only. Inner blocks come last.
      for (Block *block : llvm::reverse(blocks))
        eraseUnused(block);
    }
  }

private:
  LogicalResult outlineAll(func::FuncOp function, UnitTable &units) {
    SmallVector<Operation *> regions;
    function.walk([&](jit::RegionOp region) {
      moveOutOf(region);
      regions.push_back(region);
    });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(regions, patterns, config)))
      return failure();
    regions.clear();
    function.walk([&](jit::RegionOp region) { regions.push_back(region); });
    for (Operation *op : regions) {
      auto region = cast<jit::RegionOp>(op);
      eraseUnused(&region.getBody().front());
      if (region.getBody().front().without_terminator().empty()) {
        region.erase();
        continue;
      }
      UnitMaker maker(region);
      FailureOr<jit::UnitOp> unit = maker.make();
      if (failed(unit))
        return failure();
      std::string baseName = (function.getSymName() + "." + describe(maker.members())).str();
      maker.replaceRegion(units.addOrFind(*unit, baseName));
    }
    return success();
  }

  static void eraseUnused(Block *block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
