//===- CostModels.cpp - Costs of operations that are not structured -------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors are moved as a good implementation would: views and allocations are free, an insertion
// writes what is inserted, not the rest of its destination.
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/OpCost.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace anneal {
namespace {

/// JitCostOpInterface for `OpTy` by a function.
template <typename OpTy, OpCost (*function)(OpTy, OpCostAnalysis &)>
struct Model : JitCostOpInterface::ExternalModel<Model<OpTy, function>, OpTy> {
  OpCost getCost(Operation *op, OpCostAnalysis &analysis) const {
    return function(cast<OpTy>(op), analysis);
  }
};

template <typename OpTy> OpCost isFree(OpTy, OpCostAnalysis &) { return {}; }

/// Bytes of one element of a tensor or memref.
CostExpr elementBytes(Value shaped) {
  Type element = cast<ShapedType>(shaped.getType()).getElementType();
  return CostExpr(OpCostAnalysis::getElementBytes(element).value_or(0));
}

/// Reads all operands that are tensors and writes all results.
template <typename OpTy> OpCost moveAll(OpTy op, OpCostAnalysis &analysis) {
  OpCost cost;
  for (Value operand : op->getOperands())
    cost.bytesRead += analysis.getBytes(operand);
  for (Value result : op->getResults())
    cost.bytesWritten += analysis.getBytes(result);
  return cost;
}

/// Writes all of its result, each element as its body computes it.
template <typename OpTy> OpCost generate(OpTy op, OpCostAnalysis &analysis) {
  OpCost point = analysis.getRegionCost(op->getRegion(0));
  if (point.numUnknownOps > 0)
    return OpCost::unknown("in its body, " + point.reason);
  OpCost cost;
  cost.domain = analysis.getScope(op).getNumElements(op.getResult());
  cost.add(point, *cost.domain);
  cost.bytesWritten += analysis.getBytes(op.getResult());
  return cost;
}

OpCost pad(tensor::PadOp op, OpCostAnalysis &analysis) {
  OpCost cost = generate(op, analysis);
  if (!cost.isUnknown)
    cost.bytesRead += analysis.getBytes(op.getSource());
  return cost;
}

/// Writes its source to a part of its destination.
template <typename OpTy> OpCost insertSlice(OpTy op, OpCostAnalysis &analysis) {
  CostExpr bytes = analysis.getBytes(op.getSource());
  return OpCost::movement(bytes, bytes);
}

OpCost gather(tensor::GatherOp op, OpCostAnalysis &analysis) {
  CostExpr bytes = analysis.getBytes(op.getResult());
  return OpCost::movement(bytes + analysis.getBytes(op.getIndices()), bytes);
}

OpCost scatter(tensor::ScatterOp op, OpCostAnalysis &analysis) {
  CostExpr bytes = analysis.getBytes(op.getSource());
  return OpCost::movement(bytes + analysis.getBytes(op.getIndices()), bytes);
}

OpCost extract(tensor::ExtractOp op, OpCostAnalysis &) {
  return OpCost::movement(elementBytes(op.getTensor()), 0);
}

OpCost insert(tensor::InsertOp op, OpCostAnalysis &) {
  return OpCost::movement(0, elementBytes(op.getDest()));
}

template <typename OpTy> OpCost load(OpTy op, OpCostAnalysis &) {
  return OpCost::movement(elementBytes(op.getMemRef()), 0);
}

template <typename OpTy> OpCost store(OpTy op, OpCostAnalysis &) {
  return OpCost::movement(0, elementBytes(op.getMemRef()));
}

OpCost copy(memref::CopyOp op, OpCostAnalysis &analysis) {
  return OpCost::movement(analysis.getBytes(op.getSource()), analysis.getBytes(op.getTarget()));
}

/// Moves elements of the source to their places in the result.
template <typename OpTy> OpCost relayout(OpTy op, OpCostAnalysis &analysis) {
  return OpCost::movement(analysis.getBytes(op.getSource()), analysis.getBytes(op.getDest()));
}

/// For each element the maximum, the subtraction, the exponential, the sum and the division.
OpCost softmax(linalg::SoftmaxOp op, OpCostAnalysis &analysis) {
  auto weight = [&](StringRef name) {
    return analysis.getWeights().get(OperationName(name, op.getContext()));
  };
  OpCost cost;
  cost.domain = analysis.getScope(op).getNumElements(op.getInput());
  cost.bytesRead = *cost.domain * elementBytes(op.getInput());
  cost.bytesWritten = *cost.domain * elementBytes(op.getOutput());
  cost.flops = *cost.domain * CostExpr(3 + weight("math.exp") + weight("arith.divf"));
  return cost;
}

template <typename OpTy, OpCost (*function)(OpTy, OpCostAnalysis &)>
void attach(MLIRContext *context) {
  OpTy::template attachInterface<Model<OpTy, function>>(*context);
}

template <typename... OpTys> void attachFree(MLIRContext *context) {
  (attach<OpTys, isFree<OpTys>>(context), ...);
}

void attachTensorModels(MLIRContext *context, tensor::TensorDialect *) {
  attachFree<tensor::CastOp, tensor::CollapseShapeOp, tensor::DimOp, tensor::EmptyOp,
             tensor::ExpandShapeOp, tensor::ExtractSliceOp, tensor::RankOp, tensor::ReshapeOp,
             tensor::BitcastOp>(context);
  attach<tensor::ConcatOp, moveAll<tensor::ConcatOp>>(context);
  attach<tensor::ExtractOp, extract>(context);
  attach<tensor::FromElementsOp, moveAll<tensor::FromElementsOp>>(context);
  attach<tensor::GatherOp, gather>(context);
  attach<tensor::GenerateOp, generate<tensor::GenerateOp>>(context);
  attach<tensor::InsertOp, insert>(context);
  attach<tensor::InsertSliceOp, insertSlice<tensor::InsertSliceOp>>(context);
  attach<tensor::PadOp, pad>(context);
  attach<tensor::ParallelInsertSliceOp, insertSlice<tensor::ParallelInsertSliceOp>>(context);
  attach<tensor::ScatterOp, scatter>(context);
  attach<tensor::SplatOp, moveAll<tensor::SplatOp>>(context);
}

void attachMemRefModels(MLIRContext *context, memref::MemRefDialect *) {
  attachFree<memref::AllocOp, memref::AllocaOp, memref::DeallocOp, memref::DimOp,
             memref::GetGlobalOp>(context);
  attach<memref::CopyOp, copy>(context);
  attach<memref::LoadOp, load<memref::LoadOp>>(context);
  attach<memref::StoreOp, store<memref::StoreOp>>(context);
}

void attachAffineModels(MLIRContext *context, affine::AffineDialect *) {
  attach<affine::AffineLoadOp, load<affine::AffineLoadOp>>(context);
  attach<affine::AffineStoreOp, store<affine::AffineStoreOp>>(context);
}

void attachLinalgModels(MLIRContext *context, linalg::LinalgDialect *) {
  attachFree<linalg::IndexOp>(context);
  attach<linalg::PackOp, relayout<linalg::PackOp>>(context);
  attach<linalg::SoftmaxOp, softmax>(context);
  attach<linalg::UnPackOp, relayout<linalg::UnPackOp>>(context);
}

void attachControlFlowModels(MLIRContext *context, cf::ControlFlowDialect *) {
  attachFree<cf::AssertOp>(context);
}

} // namespace

void registerCostModels(DialectRegistry &registry) {
  registry.addExtension(+attachAffineModels);
  registry.addExtension(+attachTensorModels);
  registry.addExtension(+attachMemRefModels);
  registry.addExtension(+attachLinalgModels);
  registry.addExtension(+attachControlFlowModels);
}

} // namespace anneal
