//===- FoldOperands.cpp - Operands that need not be read ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GenericMerge.h"
#include "ShapeUtils.h"
#include "anneal/Transforms/Passes.h"
#include "anneal/Transforms/StructuredOps.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace anneal {
#define GEN_PASS_DEF_FOLDOPERANDS
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

bool isAllParallel(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op.getNumParallelLoops() == op.getNumLoops();
}

/// Whether an input can become a captured value, is read twice in the same way, or is not read.
bool hasFoldableInput(linalg::GenericOp op) {
  SmallVector<std::pair<Value, AffineMap>> seen;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    std::pair<Value, AffineMap> access{operand->get(), op.getMatchingIndexingMap(operand)};
    if (isUniform(operand->get()) || !op.payloadUsesValueFromOperand(operand) ||
        llvm::is_contained(seen, access))
      return true;
    seen.push_back(access);
  }
  return false;
}

/// Whether `tensor` is carried by a loop: it is best updated in place.
bool isLoopCarried(Value tensor) {
  auto argument = dyn_cast<BlockArgument>(tensor);
  return argument && !isa<func::FuncOp>(argument.getOwner()->getParentOp());
}

/// Outputs that an element-wise op overwrites are there for their shape alone.
void forgetOutputs(RewriterBase &rewriter, linalg::LinalgOp op) {
  for (OpOperand &init : op.getDpsInitsMutable()) {
    Value tensor = init.get();
    if (!overwrites(op, init) || tensor.getDefiningOp<tensor::EmptyOp>() || isLoopCarried(tensor))
      continue;
    rewriter.setInsertionPoint(op);
    auto type = cast<RankedTensorType>(tensor.getType());
    Value empty = makeEmpty(rewriter, op.getLoc(), sizesOf(rewriter, op.getLoc(), tensor),
                            type.getElementType());
    if (empty.getType() != type)
      empty = tensor::CastOp::create(rewriter, op.getLoc(), type, empty);
    rewriter.modifyOpInPlace(op, [&] { init.set(empty); });
  }
}

/// Whether an element-wise op reads an output that was computed here.
bool readsComputedOutput(linalg::GenericOp op) {
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return op.payloadUsesValueFromOperand(&init) &&
           isa_and_nonnull<linalg::LinalgOp, arith::ConstantOp>(init.get().getDefiningOp());
  });
}

/// Makes the outputs that an element-wise op reads inputs.
linalg::GenericOp readOutputsAsInputs(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned numInputs = inputs.size();
  SmallVector<AffineMap> outputMaps(ArrayRef<AffineMap>(maps).drop_front(numInputs));
  maps.resize(numInputs);
  llvm::append_range(inputs, op.getOutputs());
  llvm::append_range(maps, outputMaps);
  llvm::append_range(maps, outputMaps);
  rewriter.setInsertionPoint(op);
  auto newOp = linalg::GenericOp::create(rewriter, op.getLoc(), op.getResultTypes(), inputs,
                                         op.getOutputs(), maps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), newOp.getRegion(), newOp.getRegion().begin());
  for (Value output : op.getOutputs())
    newOp.getBody()->addArgument(getElementTypeOrSelf(output), op.getLoc());
  rewriter.replaceOp(op, newOp);
  return newOp;
}

/// An element-wise op that yields a value from outside its body is a fill, whatever else the body
/// computes in vain.
void replaceByFill(RewriterBase &rewriter, linalg::GenericOp op) {
  if (!isAllParallel(op) || op.getNumResults() != 1 || op.getNumDpsInputs() != 0 ||
      !llvm::all_of(op.getBody()->without_terminator(),
                    [](Operation &inner) { return isPure(&inner); }))
    return;
  Value value = op.getBody()->getTerminator()->getOperand(0);
  if (op.getRegion().isAncestor(value.getParentRegion()))
    return;
  rewriter.setInsertionPoint(op);
  rewriter.replaceOpWithNewOp<linalg::FillOp>(op, value, op.getOutputs()[0]);
}

struct FoldOperandsPass : impl::FoldOperandsBase<FoldOperandsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (op.hasPureTensorSemantics())
        ops.push_back(op);
    });
    for (linalg::LinalgOp op : ops) {
      auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
      if (generic && isAllParallel(op) && readsComputedOutput(generic)) {
        generic = readOutputsAsInputs(rewriter, generic);
        op = generic;
      }
      if (isAllParallel(op))
        forgetOutputs(rewriter, op);
      if (!generic || !hasFoldableInput(generic))
        continue;
      AffineMap identity =
          AffineMap::getMultiDimIdentityMap(generic.getNumLoops(), generic.getContext());
      FailureOr<linalg::GenericOp> merged = mergeParts(rewriter, MergePart{generic, identity});
      if (succeeded(merged))
        replaceByFill(rewriter, *merged);
    }
  }
};

} // namespace
} // namespace anneal
