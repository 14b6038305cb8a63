//===- CheckHost.cpp - Can a function be planned? -------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckHost.h"

#include "ScalarCode.h"

#include "anneal/Conversion/PlanBuilder.h"
#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace anneal {

namespace {
constexpr llvm::StringLiteral kTypes =
    "i1, i8, i16, i32, i64, index, f16, bf16, f32, f64 and ranked tensors of them";
} // namespace

/// Why a value of this type can't be planned; empty if it can.
static std::string problemOf(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isa<BaseMemRefType, VectorType>(type)) {
    os << "programs that work on " << type
       << " can't be planned: write them on tensors, one level up";
  } else if (isa<UnrankedTensorType>(type)) {
    os << "tensors of unknown rank (" << type << ") can't be planned";
  } else if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!toDType(tensor.getElementType()))
      os << "tensors of " << tensor.getElementType() << " can't be planned; there are " << kTypes;
  } else if (!toDType(type)) {
    os << "values of type " << type << " can't be planned; there are " << kTypes;
  }
  return text;
}

static bool isPlannedTensorOp(Operation *op) {
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ConcatOp, tensor::DimOp,
             tensor::EmptyOp, tensor::ExpandShapeOp, tensor::ExtractOp, tensor::ExtractSliceOp,
             tensor::FromElementsOp, tensor::InsertOp, tensor::InsertSliceOp, tensor::ReshapeOp>(
      op);
}

static bool isPlannedControl(Operation *op) {
  return isa<scf::ConditionOp, scf::ExecuteRegionOp, scf::ForOp, scf::IfOp, scf::IndexSwitchOp,
             scf::WhileOp, scf::YieldOp, cf::AssertOp, func::ReturnOp>(op);
}

/// Operations that passes before this one leave among tensors.
static bool isPlannedBufferOp(Operation *op) {
  return isa<bufferization::AllocTensorOp, bufferization::MaterializeInDestinationOp,
             bufferization::ToTensorOp, memref::GetGlobalOp>(op);
}

static LogicalResult checkOp(Operation *op) {
  if (auto call = dyn_cast<func::CallOp>(op)) {
    if (call.getCallee() == kInitFunctionName)
      return success();
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(op, call.getCalleeAttr());
    if (callee && callee.isExternal())
      return op->emitError() << "calls '" << call.getCallee() << "', which has no body";
    return op->emitError() << "calls function '" << call.getCallee()
                           << "', which can't be made part of its caller: it calls itself or "
                              "branches between blocks";
  }
  bool isKnown = isScalarOp(op) || isa<jit::InvokeOp, arith::ConstantOp, arith::SelectOp>(op) ||
                 isPlannedTensorOp(op) || isPlannedControl(op) || isPlannedBufferOp(op);
  if (!isKnown)
    return op->emitError() << "'" << op->getName()
                           << "' can't be planned: functions may hold linalg, tensor, arith, math, "
                              "scf and cf.assert on tensors and scalars, and calls of private "
                              "functions that hold the same";
  if (isPlannedBufferOp(op))
    return success();
  for (Type type : op->getResultTypes())
    if (std::string problem = problemOf(type); !problem.empty())
      return op->emitError() << "'" << op->getName() << "': " << problem;
  return success();
}

LogicalResult checkHost(func::FuncOp function) {
  if (function.isExternal())
    return success();
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (std::string problem = problemOf(type); !problem.empty())
      return function.emitError() << "argument #" << index << " of function '"
                                  << function.getSymName() << "': " << problem;
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "function '" << function.getSymName()
                                << "' branches between blocks in a way that has no structured form";
  // The whole before its parts: those in a body have no place in the source of their own.
  WalkResult walk = function.getBody().walk<WalkOrder::PreOrder>([](Operation *op) {
    return failed(checkOp(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

} // namespace anneal
