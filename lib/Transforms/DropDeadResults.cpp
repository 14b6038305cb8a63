//===- DropDeadResults.cpp - Results that nobody reads --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace anneal {
#define GEN_PASS_DEF_DROPDEADRESULTS
#include "anneal/Transforms/Passes.h.inc"
} // namespace anneal

using namespace mlir;

namespace anneal {
namespace {

/// Values that the yields of `kept` results depend on: a fixed point, because the body reads the
/// previous value of an output through its block argument. Grows `kept` by every output whose
/// previous value is read for a kept one, or by an operation with an effect (`cf.assert`).
void closeOverReads(linalg::GenericOp op, llvm::SmallBitVector &kept) {
  Block *body = op.getBody();
  unsigned numInputs = op.getNumDpsInputs();
  llvm::DenseSet<Operation *> live;
  SmallVector<Value> worklist;
  for (unsigned result : kept.set_bits())
    worklist.push_back(body->getTerminator()->getOperand(result));
  for (Operation &inner : body->without_terminator())
    if (!isPure(&inner))
      inner.walk([&](Operation *nested) { llvm::append_range(worklist, nested->getOperands()); });
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != body || argument.getArgNumber() < numInputs)
        continue;
      unsigned result = argument.getArgNumber() - numInputs;
      if (!kept.test(result)) {
        kept.set(result);
        worklist.push_back(body->getTerminator()->getOperand(result));
      }
      continue;
    }
    Operation *definition = value.getDefiningOp();
    if (definition->getBlock() != body || !live.insert(definition).second)
      continue;
    definition->walk(
        [&](Operation *nested) { llvm::append_range(worklist, nested->getOperands()); });
  }
}

/// Makes `op` again with the results of `kept` alone. Its loops must still be covered by the
/// operands that remain.
LogicalResult dropResults(RewriterBase &rewriter, linalg::GenericOp op,
                          const llvm::SmallBitVector &kept) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> newMaps(ArrayRef<AffineMap>(maps).take_front(inputs.size()));
  SmallVector<Value> outputs;
  llvm::BitVector droppedArguments(op.getBody()->getNumArguments());
  for (auto [result, output] : llvm::enumerate(op.getOutputs())) {
    if (kept.test(result)) {
      outputs.push_back(output);
      newMaps.push_back(maps[inputs.size() + result]);
    } else {
      droppedArguments.set(inputs.size() + result);
    }
  }
  if (!inversePermutation(concatAffineMaps(newMaps, op.getContext())))
    return failure();

  rewriter.setInsertionPoint(op);
  auto newOp = linalg::GenericOp::create(rewriter, op.getLoc(), ValueRange(outputs).getTypes(),
                                         inputs, outputs, newMaps, op.getIteratorTypesArray());
  rewriter.inlineRegionBefore(op.getRegion(), newOp.getRegion(), newOp.getRegion().begin());
  Block *body = newOp.getBody();
  Operation *yield = body->getTerminator();
  SmallVector<Value> yielded;
  for (unsigned result : kept.set_bits())
    yielded.push_back(yield->getOperand(result));
  yield->setOperands(yielded);
  for (Operation *inner = yield->getPrevNode(), *before = nullptr; inner; inner = before) {
    before = inner->getPrevNode();
    if (isOpTriviallyDead(inner))
      rewriter.eraseOp(inner);
  }
  body->eraseArguments(droppedArguments);

  unsigned next = 0;
  for (unsigned result : kept.set_bits())
    rewriter.replaceAllUsesWith(op.getResult(result), newOp.getResult(next++));
  rewriter.eraseOp(op);
  return success();
}

struct DropDeadResultsPass : impl::DropDeadResultsBase<DropDeadResultsPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> candidates;
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.getNumResults() > 1 &&
          llvm::any_of(op.getResults(), [](Value result) { return result.use_empty(); }))
        candidates.push_back(op);
    });
    // Last first: what reads a result may go away before its turn comes.
    for (linalg::GenericOp op : llvm::reverse(candidates)) {
      llvm::SmallBitVector kept(op.getNumResults());
      for (auto [index, result] : llvm::enumerate(op.getResults()))
        if (!result.use_empty())
          kept.set(index);
      closeOverReads(op, kept);
      if (kept.none() || kept.all())
        continue; // Wholly dead: the clean-up's business, unless it asserts.
      if (failed(dropResults(rewriter, op, kept)))
        continue;
    }
  }
};

} // namespace
} // namespace anneal
