//===- UpdateLoopsInPlace.cpp - Let loops write into one buffer -----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferSizes.h"

#include "anneal/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

#define DEBUG_TYPE "jit-update-loops-in-place"

namespace anneal {
#define GEN_PASS_DEF_UPDATELOOPSINPLACE
#include "anneal/Conversion/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace {

/// Whether the value is `argument` itself with elements replaced: then it is in place already.
bool isUpdateOf(Value value, BlockArgument argument) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
      value = insert.getDest();
    else if (auto insert = dyn_cast<tensor::InsertOp>(op))
      value = insert.getDest();
    else if (isa<tensor::CastOp>(op))
      value = op->getOperand(0);
    else if (auto destination = dyn_cast<DestinationStyleOpInterface>(op))
      value = destination.getTiedOpOperand(cast<OpResult>(value))->get();
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      value = loop.getInitArgs()[cast<OpResult>(value).getResultNumber()];
    else
      break;
  }
  return value == argument;
}

/// Yields `yielded` (operand `index` of the yield) by way of the loop-carried tensor, if their
/// sizes are the same in all iterations.
void updateInPlace(scf::ForOp loop, unsigned index) {
  BlockArgument argument = loop.getRegionIterArg(index);
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  OpOperand &yielded = loop.getBody()->getTerminator()->getOpOperand(index);
  // A value from outside of the loop, or another loop-carried one, needs no allocation.
  Operation *producer = yielded.get().getDefiningOp();
  if (!type || llvm::is_contained(type.getShape(), 0) || !producer ||
      producer->getBlock() != loop.getBody() || isUpdateOf(yielded.get(), argument))
    return;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (!anneal::keepsSize(argument, loop.getInitArgs()[index], yielded.get(), dim))
      return;
  OpBuilder builder(loop.getBody()->getTerminator());
  Location location = producer->getLoc();
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    sizes.push_back(type.isDynamicDim(dim)
                        ? builder.createOrFold<tensor::DimOp>(location, argument, dim)
                        : OpFoldResult(builder.getIndexAttr(type.getDimSize(dim))));
  SmallVector<OpFoldResult> zeros(type.getRank(), builder.getIndexAttr(0));
  SmallVector<OpFoldResult> ones(type.getRank(), builder.getIndexAttr(1));
  yielded.set(tensor::InsertSliceOp::create(builder, location, yielded.get(), argument, zeros,
                                            sizes, ones));
}

class UpdateLoopsInPlace : public anneal::impl::UpdateLoopsInPlaceBase<UpdateLoopsInPlace> {
public:
  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      for (unsigned index = 0; index < loop.getNumRegionIterArgs(); ++index)
        updateInPlace(loop, index);
    });
  }
};

} // namespace
