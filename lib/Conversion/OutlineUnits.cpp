//===- OutlineUnits.cpp - From regions to units and calls -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostBlocks.h"
#include "UnitMaker.h"

#include "anneal/Conversion/Passes.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringMap.h"

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

//===----------------------------------------------------------------------===//
// Equal units
//===----------------------------------------------------------------------===//

static size_t hashUnit(jit::UnitOp unit) {
  llvm::hash_code hash = hash_value(Type(unit.getFunctionType()));
  unit.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(
        hash, OperationEquivalence::computeHash(op, OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

static bool areEqual(jit::UnitOp a, jit::UnitOp b) {
  return a.getFunctionType() == b.getFunctionType() && a.getArgAttrsAttr() == b.getArgAttrsAttr() &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

namespace {
/// The units of a module. A unit that is equal to one made before, but for its name and locations,
/// is that one.
class UnitTable {
public:
  explicit UnitTable(ModuleOp module) : symbols(module) {
    for (auto unit : module.getOps<jit::UnitOp>())
      units[hashUnit(unit)].push_back(unit);
  }

  /// Adds `unit` to the module under a name that begins with `baseName`, or erases it where there
  /// is an equal one, and returns that.
  jit::UnitOp addOrFind(jit::UnitOp unit, StringRef baseName) {
    SmallVector<jit::UnitOp, 1> &sameHash = units[hashUnit(unit)];
    for (jit::UnitOp known : sameHash)
      if (areEqual(known, unit)) {
        unit.erase();
        return known;
      }
    std::string name;
    do {
      name = (baseName + "_" + Twine(numbers[baseName]++)).str();
    } while (symbols.lookup(name));
    unit.setSymName(name);
    symbols.insert(unit);
    sameHash.push_back(unit);
    return unit;
  }

private:
  SymbolTable symbols;
  llvm::StringMap<unsigned> numbers;
  llvm::DenseMap<size_t, SmallVector<jit::UnitOp, 1>> units;
};

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
    function.walk([&](jit::RegionOp region) { regions.push_back(region); });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(regions, patterns, config)))
      return failure();
    regions.clear();
    function.walk([&](jit::RegionOp region) { regions.push_back(region); });
    for (Operation *op : regions) {
      auto region = cast<jit::RegionOp>(op);
      eraseUnused(&region.getBody().front());
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
