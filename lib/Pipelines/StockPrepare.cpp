//===- StockPrepare.cpp - What the stock lowering needs first ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Pipelines/StockPrepare.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace anneal {

static void prepareBoundary(func::FuncOp function) {
  OpBuilder builder(function.getContext());
  // Nobody writes to a value.
  if (function.isExternal())
    for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
      if (isa<TensorType>(type))
        function.setArgAttr(index, "bufferization.access", builder.getStringAttr("read"));
  if (!function.isPublic() || function.isExternal())
    return;
  function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(), builder.getUnitAttr());
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (isa<TensorType>(type))
      function.setArgAttr(index, "bufferization.writable", builder.getBoolAttr(false));
}

static void namePlace(cf::AssertOp op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op.getLoc()->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    os << file.getFilename().strref() << ":" << file.getLine() << ":" << file.getColumn() << ": ";
    return WalkResult::interrupt();
  });
  os << "assert failed: " << op.getMsg();
  op.setMsg(text);
}

void StockPreparePass::getDependentDialects(DialectRegistry &registry) const {
  registry.insert<arith::ArithDialect, linalg::LinalgDialect, tensor::TensorDialect>();
}

void StockPreparePass::runOnOperation() {
  ModuleOp module = getOperation();
  SmallVector<Operation *> packs;
  module.walk([&](Operation *op) {
    if (auto function = dyn_cast<func::FuncOp>(op))
      prepareBoundary(function);
    else if (auto assertOp = dyn_cast<cf::AssertOp>(op))
      namePlace(assertOp);
    else if (isa<linalg::PackOp, linalg::UnPackOp>(op))
      packs.push_back(op);
  });
  IRRewriter rewriter(&getContext());
  for (Operation *op : packs) {
    rewriter.setInsertionPoint(op);
    auto pack = dyn_cast<linalg::PackOp>(op);
    bool lowered = pack ? succeeded(linalg::lowerPack(rewriter, pack))
                        : succeeded(linalg::lowerUnPack(rewriter, cast<linalg::UnPackOp>(op)));
    if (lowered)
      continue;
    op->emitError() << "'" << op->getName() << "' with these tiles has no lowering";
    return signalPassFailure();
  }
}

} // namespace anneal
