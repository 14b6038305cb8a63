//===- WriteSlicesInPlace.cpp - Compute parts of a tensor in their place --===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Conversion/Passes.h"
#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"

#define DEBUG_TYPE "jit-write-slices-in-place"

namespace anneal {
#define GEN_PASS_DEF_WRITESLICESINPLACE
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace {

/// Moves an operation up in its block to right after the last of its operands.
void moveUp(Operation *op) {
  Operation *after = nullptr;
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (producer && producer->getBlock() == op->getBlock() &&
        (!after || after->isBeforeInBlock(producer)))
      after = producer;
  }
  if (after)
    op->moveAfter(after);
  else
    op->moveBefore(&op->getBlock()->front());
}

/// The call whose only use is to be inserted, computing into memory of its own.
anneal::jit::InvokeOp freshProducer(tensor::InsertSliceOp insert) {
  auto invoke = insert.getSource().getDefiningOp<anneal::jit::InvokeOp>();
  if (!invoke || invoke->getBlock() != insert->getBlock() || !insert.getSource().hasOneUse())
    return nullptr;
  Value output = invoke.getOutputs()[cast<OpResult>(insert.getSource()).getResultNumber()];
  return output.getDefiningOp<tensor::EmptyOp>() && output.hasOneUse() ? invoke : nullptr;
}

/// Lets the call compute into a slice of what its result is inserted into.
void computeInPlace(tensor::InsertSliceOp insert, const DominanceInfo &dominance) {
  anneal::jit::InvokeOp invoke = freshProducer(insert);
  if (!invoke)
    return;
  bool isReady = llvm::all_of(insert->getOperands().drop_front(), [&](Value operand) {
    return dominance.properlyDominates(operand, invoke);
  });
  if (!isReady)
    return;
  OpBuilder builder(invoke);
  Value slice = tensor::ExtractSliceOp::create(builder, insert.getLoc(), insert.getSourceType(),
                                               insert.getDest(), insert.getMixedOffsets(),
                                               insert.getMixedSizes(), insert.getMixedStrides());
  invoke.getOutputsMutable()[cast<OpResult>(insert.getSource()).getResultNumber()].assign(slice);
}

class WriteSlicesInPlace : public anneal::impl::WriteSlicesInPlaceBase<WriteSlicesInPlace> {
public:
  void runOnOperation() override {
    SmallVector<tensor::InsertSliceOp> inserts;
    getOperation().walk([&](tensor::InsertSliceOp insert) { inserts.push_back(insert); });
    // Nothing else sees what is inserted into, so it may be made as early as can be.
    for (tensor::InsertSliceOp insert : inserts) {
      if (!insert.getDest().hasOneUse())
        continue;
      Operation *dest = insert.getDest().getDefiningOp();
      if (isa_and_nonnull<tensor::EmptyOp>(dest))
        moveUp(dest);
      moveUp(insert);
    }
    DominanceInfo dominance(getOperation());
    for (tensor::InsertSliceOp insert : inserts)
      computeInPlace(insert, dominance);
  }
};

} // namespace
