//===- DeadOps.cpp - Dead code elimination in one sweep -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeadOps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

void anneal::eraseDeadOps(Operation *root) {
  for (Region &region : root->getRegions()) {
    for (Block &block : region) {
      Operation *before = nullptr;
      for (Operation *op = block.empty() ? nullptr : &block.back(); op; op = before) {
        before = op->getPrevNode();
        if (isOpTriviallyDead(op))
          op->erase();
        else
          eraseDeadOps(op);
      }
    }
  }
}
