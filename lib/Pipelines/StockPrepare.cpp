//===- StockPrepare.cpp - What the stock lowering needs first -------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Pipelines/Passes.h"
#include "anneal/Transforms/ReshapeTypes.h"
#include "anneal/Transforms/SliceForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace anneal {
#define GEN_PASS_DEF_STOCKPREPARE
#include "anneal/Pipelines/Passes.h.inc"

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

/// A product of sizes, and whether it is too big for an index.
struct SizeProduct {
  Value low, high;
};

static SizeProduct multiply(ImplicitLocOpBuilder &builder, ArrayRef<Value> sizes) {
  SizeProduct product = {arith::ConstantIndexOp::create(builder, 1),
                         arith::ConstantIndexOp::create(builder, 0)};
  for (Value size : sizes) {
    auto next = arith::MulUIExtendedOp::create(builder, product.low, size);
    product = {next.getLow(), arith::OrIOp::create(builder, product.high, next.getHigh())};
  }
  return product;
}

/// Ends the call unless `sizes` multiply to `total`: what follows would read past memory.
static void checkProduct(ImplicitLocOpBuilder &builder, Operation *op, ArrayRef<Value> sizes,
                         Value total, const Twine &what) {
  SizeProduct product = multiply(builder, sizes);
  auto equal = arith::CmpIPredicate::eq;
  Value zero = arith::ConstantIndexOp::create(builder, 0);
  Value isSame = arith::CmpIOp::create(builder, equal, product.low, total);
  Value isSmall = arith::CmpIOp::create(builder, equal, product.high, zero);
  Value fits = arith::AndIOp::create(builder, isSame, isSmall);
  std::string text =
      ("'" + op->getName().getStringRef() + "': the sizes do not multiply to " + what).str();
  cf::AssertOp::create(builder, fits, text);
}

template <typename ExpandShapeOp, typename DimOp> static void checkExpandShape(ExpandShapeOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  SmallVector<OpFoldResult> shape = op.getMixedOutputShape();
  for (auto [from, group] : llvm::enumerate(op.getReassociationIndices())) {
    if (!op.getSrcType().isDynamicDim(from))
      continue;
    auto sizes = llvm::map_to_vector(group, [&](int64_t d) {
      return getValueOrCreateConstantIndexOp(builder, builder.getLoc(), shape[d]);
    });
    Value dim = DimOp::create(builder, op.getSrc(), from);
    checkProduct(builder, op, sizes, dim, "that of dimension " + Twine(from));
  }
}

/// A `tensor.reshape` to a shape that the call computes; not where a rank is unknown, too.
static void checkReshape(tensor::ReshapeOp op) {
  auto source = dyn_cast<RankedTensorType>(op.getSource().getType());
  auto shape = cast<RankedTensorType>(op.getShape().getType());
  if (!source || shape.isDynamicDim(0))
    return;
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  SmallVector<Value> sizes, dims;
  for (int64_t d = 0; d < shape.getDimSize(0); ++d) {
    Value at = arith::ConstantIndexOp::create(builder, d);
    Value size = tensor::ExtractOp::create(builder, op.getShape(), at);
    if (!size.getType().isIndex())
      size = arith::IndexCastOp::create(builder, builder.getIndexType(), size);
    sizes.push_back(size);
  }
  for (int64_t d = 0; d < source.getRank(); ++d)
    dims.push_back(tensor::DimOp::create(builder, op.getSource(), d));
  checkProduct(builder, op, sizes, multiply(builder, dims).low, "the number of elements");
}

static void checkSizes(Operation *op) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    checkExpandShape<tensor::ExpandShapeOp, tensor::DimOp>(expand);
  else if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
    checkExpandShape<memref::ExpandShapeOp, memref::DimOp>(expand);
  else if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
    checkReshape(reshape);
}

/// What `vector.print` calls; the stock lowering declares these as functions of the LLVM dialect.
static bool isPrintHelper(StringRef name) {
  return llvm::is_contained({"printI64", "printU64", "printF16", "printBF16", "printF32",
                             "printF64", "printString", "printOpen", "printClose", "printComma",
                             "printNewline"},
                            name);
}

/// Makes a declaration of such a helper what the lowering would make it: it would meet a function
/// of the name else.
static void declareInLlvm(func::FuncOp function, ModuleOp module) {
  if (!function.isExternal() || function.getNumResults() > 0 ||
      !isPrintHelper(function.getName()) ||
      !llvm::all_of(function.getArgumentTypes(), LLVM::isCompatibleType))
    return;
  IRRewriter rewriter(function.getContext());
  std::optional<SymbolTable::UseRange> uses = SymbolTable::getSymbolUses(function, module);
  if (!uses || !llvm::all_of(*uses, [](const SymbolTable::SymbolUse &use) {
        return isa<func::CallOp>(use.getUser());
      }))
    return;
  rewriter.setInsertionPoint(function);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(function.getContext()),
                                          function.getArgumentTypes());
  auto declared = LLVM::LLVMFuncOp::create(rewriter, function.getLoc(), function.getName(), type);
  for (const SymbolTable::SymbolUse &use : llvm::make_early_inc_range(*uses)) {
    rewriter.setInsertionPoint(use.getUser());
    rewriter.replaceOpWithNewOp<LLVM::CallOp>(use.getUser(), declared,
                                              use.getUser()->getOperands());
  }
  rewriter.eraseOp(function);
}

namespace {
struct StockPrepare : impl::StockPrepareBase<StockPrepare> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    module.walk(checkSizes);
    refineExpandShapes(module);
    replaceEmptyCollapses(module);
    makeDroppedDimsClear(module);
    module.walk(prepareBoundary);
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      declareInLlvm(function, module);
    RewritePatternSet vectors(&getContext());
    vector::populateVectorScanLoweringPatterns(vectors);
    vector::populateVectorGatherLoweringPatterns(vectors);
    walkAndApplyPatterns(module, std::move(vectors));
  }
};
} // namespace

} // namespace anneal
