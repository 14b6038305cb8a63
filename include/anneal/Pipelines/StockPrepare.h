//===- StockPrepare.h - What the stock lowering needs first -*- C++ -*- ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_PIPELINES_STOCKPREPARE_H
#define ANNEAL_PIPELINES_STOCKPREPARE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace anneal {

/// Gives public functions a C interface, keeps their tensor arguments from being written, names the
/// place in the message of each assert, and expands linalg.pack and linalg.unpack.
class StockPreparePass
    : public mlir::PassWrapper<StockPreparePass, mlir::OperationPass<mlir::ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StockPreparePass)
  mlir::StringRef getArgument() const override { return "jit-stock-prepare"; }
  mlir::StringRef getDescription() const override {
    return "Prepare whole functions for MLIR's own lowerings";
  }
  void getDependentDialects(mlir::DialectRegistry &registry) const override;
  void runOnOperation() override;
};

} // namespace anneal

#endif // ANNEAL_PIPELINES_STOCKPREPARE_H
