//===- LowerInputs.cpp - Dialects that imports may still hold -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One scan finds out what a module holds; the upstream conversions run as nested pipelines only
// where it holds what they convert.
//
//===----------------------------------------------------------------------===//

#include "anneal/Transforms/Passes.h"
#include "anneal/Transforms/ReshapeTypes.h"

#include "mlir/Conversion/ControlFlowToSCF/ControlFlowToSCF.h"
#include "mlir/Conversion/ShapeToStandard/ShapeToStandard.h"
#include "mlir/Conversion/TosaToArith/TosaToArith.h"
#include "mlir/Conversion/TosaToLinalg/TosaToLinalg.h"
#include "mlir/Conversion/TosaToSCF/TosaToSCF.h"
#include "mlir/Conversion/TosaToTensor/TosaToTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Index/IR/IndexDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MLProgram/IR/MLProgram.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Shape/IR/Shape.h"
#include "mlir/Dialect/Shape/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Transforms/Passes.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/DialectConversion.h"
#include "mlir/Transforms/Passes.h"
#include "mlir/Transforms/RegionUtils.h"

namespace anneal {
#define GEN_PASS_DEF_LOWERINPUTS
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// What a module holds that needs a conversion.
struct Contents {
  bool hasTosa = false;
  bool hasShape = false;
  bool hasGlobals = false;
  bool hasBranches = false;
  bool hasTensorArithmetic = false;
};

/// An op on scalars, applied to each element of tensors. A choice between whole tensors by one
/// condition is none: it reads one of them only.
bool isTensorArithmetic(Operation *op) {
  if (auto select = dyn_cast<arith::SelectOp>(op))
    if (!isa<RankedTensorType>(select.getCondition().getType()))
      return false;
  return op->getNumResults() > 0 && isa<RankedTensorType>(op->getResult(0).getType()) &&
         OpTrait::hasElementwiseMappableTraits(op);
}

Contents scan(ModuleOp module) {
  Contents contents;
  module.walk([&](Operation *op) {
    Dialect *dialect = op->getDialect();
    contents.hasTosa |= isa_and_nonnull<tosa::TosaDialect>(dialect);
    contents.hasShape |= isa_and_nonnull<shape::ShapeDialect>(dialect);
    contents.hasGlobals |= isa_and_nonnull<ml_program::MLProgramDialect>(dialect);
    contents.hasTensorArithmetic |= isTensorArithmetic(op);
    for (Region &region : op->getRegions())
      contents.hasBranches |= !region.empty() && !region.hasOneBlock();
  });
  return contents;
}

/// Replaces loads of globals that never change by their values, and erases globals without a use.
void resolveGlobals(ModuleOp module) {
  SymbolTableCollection symbols;
  SmallVector<Operation *> loads;
  module.walk([&](Operation *op) {
    if (isa<ml_program::GlobalLoadOp, ml_program::GlobalLoadConstOp>(op))
      loads.push_back(op);
  });
  for (Operation *load : loads) {
    auto reference = load->getAttrOfType<SymbolRefAttr>("global");
    auto global = symbols.lookupNearestSymbolFrom<ml_program::GlobalOp>(load, reference);
    if (!global || global.getIsMutable() || !global.getValueAttr())
      continue;
    auto value = dyn_cast<TypedAttr>(*global.getValue());
    if (!value || value.getType() != load->getResult(0).getType())
      continue;
    OpBuilder builder(load);
    load->replaceAllUsesWith(arith::ConstantOp::create(builder, load->getLoc(), value));
    load->erase();
  }
  for (auto global : llvm::make_early_inc_range(module.getOps<ml_program::GlobalOp>()))
    if (!global.isPublic() && SymbolTable::symbolKnownUseEmpty(global, module))
      global.erase();
}

/// Gives values that nothing may depend on, which come of branches that do not set them, some
/// value.
void definePoison(ModuleOp module) {
  SmallVector<ub::PoisonOp> poisons;
  module.walk([&](ub::PoisonOp op) { poisons.push_back(op); });
  for (ub::PoisonOp op : poisons) {
    OpBuilder builder(op);
    Type type = op.getType();
    auto tensorType = dyn_cast<RankedTensorType>(type);
    Value value;
    if (tensorType) {
      SmallVector<OpFoldResult> sizes;
      for (int64_t size : tensorType.getShape())
        sizes.push_back(builder.getIndexAttr(ShapedType::isDynamic(size) ? 0 : size));
      value = tensor::EmptyOp::create(builder, op.getLoc(), sizes, tensorType.getElementType());
      if (value.getType() != type)
        value = tensor::CastOp::create(builder, op.getLoc(), type, value);
    } else if (TypedAttr zero = builder.getZeroAttr(type)) {
      value = arith::ConstantOp::create(builder, op.getLoc(), zero);
    } else {
      continue;
    }
    op.replaceAllUsesWith(value);
    op.erase();
  }
}

/// Errors for branches from which the end of their region can't be reached: lifted, they would be
/// loops without an effect, which are erased, and the code after them would run.
LogicalResult refuseEndlessLoops(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    for (Region &region : op->getRegions()) {
      if (region.empty() || region.hasOneBlock())
        continue;
      llvm::SmallPtrSet<Block *, 16> ending;
      SmallVector<Block *> work;
      for (Block &block : region)
        if (block.hasNoSuccessors() && ending.insert(&block).second)
          work.push_back(&block);
      while (!work.empty())
        for (Block *before : work.pop_back_val()->getPredecessors())
          if (ending.insert(before).second)
            work.push_back(before);
      for (Block &block : region)
        if (!ending.contains(&block)) {
          StringRef loop = ending.contains(&region.front()) ? "can run into a loop without an end"
                                                            : "never comes to an end";
          block.getTerminator()->emitOpError()
              << "leads nowhere: '" << op->getName() << "' " << loop;
          return WalkResult::interrupt();
        }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Whether something reads, after the loop, the last value of a variable that the loop's condition
/// compares. scf.for does not give it, and what upliftWhileToForLoop computes for it is one step
/// short.
bool leavesCounter(scf::WhileOp loop) {
  scf::ConditionOp condition = loop.getConditionOp();
  Operation *compare = condition.getCondition().getDefiningOp();
  if (!compare)
    return true;
  for (auto [value, result] : llvm::zip_equal(condition.getArgs(), loop.getResults()))
    if (!result.use_empty() && llvm::is_contained(compare->getOperands(), value))
      return true;
  return false;
}

/// scf.while that counts becomes scf.for.
void raiseCountingLoops(ModuleOp module) {
  SmallVector<scf::WhileOp> loops;
  module.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  IRRewriter rewriter(module.getContext());
  for (scf::WhileOp loop : loops) {
    rewriter.setInsertionPoint(loop);
    if (!leavesCounter(loop))
      (void)scf::upliftWhileToForLoop(rewriter, loop);
  }
}

struct LowerInputsPass : impl::LowerInputsBase<LowerInputsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    refineExpandShapes(module);
    Contents contents = scan(module);
    if (contents.hasTosa && failed(lowerTosa(module)))
      return signalPassFailure();
    if (contents.hasShape && failed(lowerShape(module)))
      return signalPassFailure();
    if (contents.hasGlobals)
      resolveGlobals(module);
    if (contents.hasBranches && failed(structureControlFlow(module)))
      return signalPassFailure();
    if (contents.hasTensorArithmetic && failed(lowerTensorArithmetic(module)))
      return signalPassFailure();
  }

  LogicalResult lowerTosa(ModuleOp module) {
    OpPassManager pm(ModuleOp::getOperationName());
    // Regions first: their terminators are illegal to the conversions after this one.
    pm.nest<func::FuncOp>().addPass(createTosaToSCFPass());
    tosa::addTosaToLinalgPasses(pm, TosaToLinalgOptions{}, TosaToLinalgNamedOptions{},
                                std::nullopt);
    OpPassManager &function = pm.nest<func::FuncOp>();
    TosaToArithPassOptions arithOptions;
    arithOptions.includeApplyRescale = true;
    function.addPass(createTosaToArithPass(arithOptions));
    function.addPass(createTosaToTensorPass());
    if (failed(runPipeline(pm, module)))
      return failure();
    WalkResult rest = module.walk([](Operation *op) {
      if (!isa_and_nonnull<tosa::TosaDialect>(op->getDialect()))
        return WalkResult::advance();
      if (isOpTriviallyDead(op)) {
        op->erase();
        return WalkResult::skip();
      }
      op->emitOpError("has no lowering to linalg");
      return WalkResult::interrupt();
    });
    return failure(rest.wasInterrupted());
  }

  LogicalResult lowerTensorArithmetic(ModuleOp module) {
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *op) { return !isTensorArithmetic(op); });
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    return applyPartialConversion(module, target, std::move(patterns));
  }

  LogicalResult lowerShape(ModuleOp module) {
    OpPassManager pm(ModuleOp::getOperationName());
    pm.nest<func::FuncOp>().addPass(createShapeToShapeLoweringPass());
    pm.nest<func::FuncOp>().addPass(createConvertShapeConstraintsPass());
    pm.nest<func::FuncOp>().addPass(createCanonicalizerPass());
    pm.addPass(createConvertShapeToStandardPass());
    return runPipeline(pm, module);
  }

  LogicalResult structureControlFlow(ModuleOp module) {
    IRRewriter rewriter(&getContext());
    (void)eraseUnreachableBlocks(rewriter, module->getRegions());
    if (failed(refuseEndlessLoops(module)))
      return failure();
    OpPassManager pm(ModuleOp::getOperationName());
    pm.nest<func::FuncOp>().addPass(createLiftControlFlowToSCFPass());
    pm.nest<func::FuncOp>().addPass(createCanonicalizerPass());
    if (failed(runPipeline(pm, module)))
      return failure();
    raiseCountingLoops(module);
    definePoison(module);
    return success();
  }
};

} // namespace
} // namespace anneal
