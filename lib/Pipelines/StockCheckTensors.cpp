//===- StockCheckTensors.cpp - What has no form on buffers ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Pipelines/Passes.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace anneal {
#define GEN_PASS_DEF_STOCKCHECKTENSORS
#include "anneal/Pipelines/Passes.h.inc"

/// What `one-shot-bufferize` would stumble over.
static bool cannotBufferize(Operation *op) {
  if (isa<bufferization::BufferizableOpInterface, bufferization::ToTensorOp,
          bufferization::ToBufferOp>(op) ||
      !bufferization::hasTensorSemantics(op))
    return false;
  return !op->use_empty() || !isMemoryEffectFree(op);
}

namespace {
struct StockCheckTensors : impl::StockCheckTensorsBase<StockCheckTensors> {
  void runOnOperation() override {
    WalkResult walk = getOperation().walk<WalkOrder::PreOrder>([](Operation *op) {
      if (!cannotBufferize(op))
        return WalkResult::advance();
      op->emitError() << "'" << op->getName()
                      << "' has no lowering from tensors to buffers; dialect '"
                      << op->getName().getDialectNamespace() << "' is not supported here";
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace anneal
