//===- StockModule.cpp - What the stock lowering leaves ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StockModule.h"

using namespace mlir;

namespace anneal::compiler::stock {

LogicalResult checkIsLowered(ModuleOp module) {
  WalkResult walk = module.walk<WalkOrder::PreOrder>([](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (isa<ModuleOp>(op) || dialect == "llvm")
      return WalkResult::advance();
    bool isCast = isa<UnrealizedConversionCastOp>(op);
    if (isCast && llvm::any_of(op->getUsers(), [](Operation *user) {
          return !isa<UnrealizedConversionCastOp>(user) &&
                 user->getName().getDialectNamespace() != "llvm";
        }))
      return WalkResult::advance(); // The user is what is to be named.
    op->emitError() << "'" << op->getName() << "' has no lowering for this processor; dialect '"
                    << dialect << "' is not supported";
    return WalkResult::interrupt();
  });
  return failure(walk.wasInterrupted());
}

} // namespace anneal::compiler::stock
