//===- HoistContractions.cpp - Products of whole sequences ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeUtils.h"
#include "anneal/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

#define DEBUG_TYPE "jit-hoist-contractions"

namespace anneal {
#define GEN_PASS_DEF_HOISTCONTRACTIONS
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// The hoisting of one product out of the loop around it.
class Hoister {
public:
  Hoister(RewriterBase &rewriter, scf::ForOp loop, linalg::MatmulOp product, int64_t maxGrowth)
      : rewriter(rewriter), loop(loop), product(product), loc(product.getLoc()),
        maxGrowth(maxGrowth) {}

  void run() {
    start = product.getOutputs()[0].getDefiningOp<linalg::FillOp>();
    Value matrix = product.getInputs()[1];
    if (!product.hasPureTensorSemantics() || product.hasUserDefinedMaps() || !start ||
        !loop.isDefinedOutsideOfLoop(start.value()) || !loop.isDefinedOutsideOfLoop(matrix) ||
        !findStep() || !isSmallEnough())
      return;
    rewriter.setInsertionPoint(loop);
    Value all = multiplyAll(matrix);
    rewriter.setInsertionPoint(product);
    rewriter.replaceOp(product, rowsOfStep(all));
  }

private:
  /// Finds the slice of one step that the product reads, by way of reshapes that keep its last
  /// dimension.
  bool findStep() {
    Value value = product.getInputs()[0];
    while (Operation *op = value.getDefiningOp()) {
      if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
        break;
      value = op->getOperand(0);
    }
    step = value.getDefiningOp<tensor::ExtractSliceOp>();
    if (!step || !loop.isDefinedOutsideOfLoop(step.getSource()) || !step.hasUnitStride())
      return false;
    RankedTensorType type = step.getSourceType();
    auto read = cast<RankedTensorType>(product.getInputs()[0].getType());
    bool keepsColumns = type.getRank() > 1 && !read.isDynamicDim(1) && read.getDimSize(1) > 0 &&
                        type.getDimSize(type.getRank() - 1) == read.getDimSize(1);
    return keepsColumns && takesOneWhole() && coversSequence();
  }

  /// Whether the slice is one step, whole.
  bool takesOneWhole() {
    SmallVector<OpFoldResult> offsets = step.getMixedOffsets(), sizes = step.getMixedSizes();
    if (getConstantIntValue(sizes[0]) != 1)
      return false;
    for (int64_t dim = 1, rank = step.getSourceType().getRank(); dim < rank; ++dim)
      if (getConstantIntValue(offsets[dim]) != 0 ||
          !isSameSize(traceSize(sizes[dim]), traceSize(step.getSource(), dim)))
        return false;
    return true;
  }

  /// Whether the loop runs once for each step.
  bool coversSequence() {
    return getConstantIntValue(loop.getLowerBound()) == 0 &&
           getConstantIntValue(loop.getStep()) == 1 &&
           isSameSize(traceSize(OpFoldResult(loop.getUpperBound())),
                      traceSize(step.getSource(), 0));
  }

  bool isSmallEnough() {
    auto read = cast<RankedTensorType>(product.getInputs()[0].getType());
    auto made = cast<RankedTensorType>(product.getResult(0).getType());
    return !made.isDynamicDim(1) && made.getDimSize(1) / maxGrowth <= read.getDimSize(1);
  }

  /// The product of all steps, one below the other.
  Value multiplyAll(Value matrix) {
    int64_t rank = step.getSourceType().getRank();
    SmallVector<ReassociationIndices> groups(2);
    for (int64_t dim = 0; dim < rank; ++dim)
      groups[dim + 1 < rank ? 0 : 1].push_back(dim);
    Value rows = collapse(rewriter, loc, step.getSource(), groups);
    auto type = cast<RankedTensorType>(product.getResult(0).getType());
    Value init = makeEmpty(
        rewriter, loc, {sizeOf(rewriter, loc, rows, 0), rewriter.getIndexAttr(type.getDimSize(1))},
        type.getElementType());
    init = linalg::FillOp::create(rewriter, loc, start.value(), init).getResult(0);
    return clone(rewriter, product, init.getType(), {rows, matrix, init})->getResult(0);
  }

  /// What the product was of this iteration's step.
  Value rowsOfStep(Value all) {
    OpFoldResult height = sizeOf(rewriter, loc, product.getInputs()[0], 0);
    OpFoldResult first = productOf(rewriter, loc, {step.getMixedOffsets().front(), height});
    auto type = cast<RankedTensorType>(product.getResult(0).getType());
    SmallVector<OpFoldResult> offsets{first, rewriter.getIndexAttr(0)};
    SmallVector<OpFoldResult> sizes{height, rewriter.getIndexAttr(type.getDimSize(1))};
    SmallVector<OpFoldResult> ones(2, rewriter.getIndexAttr(1));
    Value slice = tensor::ExtractSliceOp::create(rewriter, loc, all, offsets, sizes, ones);
    return slice.getType() == type ? slice : tensor::CastOp::create(rewriter, loc, type, slice);
  }

  RewriterBase &rewriter;
  scf::ForOp loop;
  linalg::MatmulOp product;
  Location loc;
  int64_t maxGrowth;
  linalg::FillOp start;
  tensor::ExtractSliceOp step;
};

struct HoistContractionsPass : impl::HoistContractionsBase<HoistContractionsPass> {
  using HoistContractionsBase::HoistContractionsBase;

  void runOnOperation() override {
    if (maxGrowth <= 0) {
      emitError(getOperation().getLoc())
          << DEBUG_TYPE << ": max-growth must be positive, but is " << int64_t(maxGrowth);
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    // Inner loops first: what leaves one may leave the next.
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      for (auto product : llvm::to_vector(loop.getBody()->getOps<linalg::MatmulOp>()))
        Hoister(rewriter, loop, product, maxGrowth).run();
  }
};

} // namespace
} // namespace anneal
