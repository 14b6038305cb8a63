//===- FunctionBuilder.h - Bufferised functions to plans --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_FUNCTIONBUILDER_H
#define ANNEAL_LIB_CONVERSION_FUNCTIONBUILDER_H

#include "BufferFacts.h"
#include "HostCode.h"
#include "UnitBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

namespace anneal {

/// What all functions of a module share.
struct ModuleContext {
  ModuleTables &tables;
  mlir::SymbolTable &symbols;
  const llvm::StringMap<BuiltUnit> &units;
  llvm::ArrayRef<plan::Unit> planUnits;
};

/// Attribute of a memref.global that stands for a result of the init function: its number.
inline constexpr llvm::StringLiteral kInitResultAttrName = "init_result";

/// Translates one bufferised function: scalars to byte code, buffers to memrefs and allocations,
/// the rest to steps.
class FunctionBuilder {
public:
  FunctionBuilder(mlir::func::FuncOp op, const ModuleContext &module);

  /// Errors are reported at the operation that can't be planned.
  mlir::FailureOr<plan::Function> build();

private:
  struct Loop {
    uint32_t first;
    llvm::SetVector<uint32_t> touched;
  };
  using Regs = llvm::SmallVector<plan::Reg, 4>;
  using Indices = llvm::SmallVector<uint32_t, 4>;

  // FunctionBuilder.cpp: parameters and single operations.
  mlir::LogicalResult addArguments();
  mlir::LogicalResult addResults(mlir::Operation *end);
  mlir::LogicalResult addTensorResult(mlir::Operation *end, unsigned index, mlir::Value value);
  mlir::LogicalResult buildBlock(mlir::Block &block);
  mlir::LogicalResult buildOp(mlir::Operation *op);
  mlir::LogicalResult buildScalarOp(mlir::Operation *op);
  mlir::LogicalResult buildElementAccess(mlir::Operation *op, plan::StepKind kind,
                                         mlir::Value memref, mlir::Value element,
                                         mlir::ValueRange indices);
  mlir::LogicalResult buildCopy(mlir::Operation *op, mlir::Value from, mlir::Value to);
  mlir::LogicalResult unsupported(mlir::Operation *op);

  // FunctionInvoke.cpp: calls of units.
  mlir::LogicalResult buildInvoke(jit::InvokeOp op);

  // FunctionViews.cpp: buffers.
  mlir::LogicalResult buildBuffer(mlir::Operation *op);
  mlir::LogicalResult buildAlloc(mlir::memref::AllocOp op);
  mlir::LogicalResult buildGlobal(mlir::memref::GetGlobalOp op);
  mlir::LogicalResult buildDim(mlir::memref::DimOp op);
  mlir::LogicalResult buildSubView(mlir::memref::SubViewOp op);
  mlir::LogicalResult buildCast(mlir::memref::CastOp op);
  mlir::LogicalResult buildCollapse(mlir::memref::CollapseShapeOp op);
  mlir::LogicalResult buildExpand(mlir::memref::ExpandShapeOp op);
  mlir::LogicalResult buildTranspose(mlir::memref::TransposeOp op);
  mlir::LogicalResult buildReinterpret(mlir::memref::ReinterpretCastOp op);
  mlir::LogicalResult buildReshape(mlir::memref::ReshapeOp op);

  // FunctionControl.cpp: structured control flow.
  mlir::LogicalResult buildIf(mlir::scf::IfOp op);
  mlir::LogicalResult speculateIf(mlir::scf::IfOp op, plan::Reg condition);
  mlir::LogicalResult buildSelect(mlir::Operation *op);
  mlir::LogicalResult buildSwitch(mlir::scf::IndexSwitchOp op);
  mlir::LogicalResult buildFor(mlir::scf::ForOp op);
  mlir::LogicalResult buildWhile(mlir::scf::WhileOp op);
  /// Builds a block that yields the operands of its terminator.
  mlir::LogicalResult buildYieldingBlock(mlir::Block &source, plan::Block &target,
                                         plan::Reg condition);
  mlir::LogicalResult yield(mlir::Operation *end, mlir::ValueRange values, plan::Block &target);
  /// Gives the results of an if or switch registers and slots that all blocks' yields fit.
  mlir::LogicalResult addChoiceResults(mlir::Operation *op, plan::Step &step);
  /// Gives loop-carried values registers and slots. `yielded`: what the loop hands on, where known.
  mlir::LogicalResult addCarried(mlir::Operation *op, mlir::ValueRange arguments,
                                 mlir::ValueRange inits, mlir::ValueRange yielded, Regs &scalars,
                                 std::vector<uint32_t> &memrefs);
  mlir::LogicalResult splitValues(mlir::Operation *op, mlir::ValueRange values, Regs &scalarRegs,
                                  std::vector<uint32_t> &memrefIndices);
  void bindResults(mlir::ValueRange results, llvm::ArrayRef<plan::Reg> scalarRegs,
                   llvm::ArrayRef<uint32_t> memrefIndices);
  void pushLoop(uint32_t first) { loops.push_back({first, {}}); }
  void popLoop();

  // Values.
  mlir::FailureOr<plan::Reg> scalar(mlir::Operation *user, mlir::Value value);
  mlir::LogicalResult scalarRegs(mlir::Operation *user, mlir::ValueRange values, Regs &out);
  mlir::FailureOr<plan::Reg> scalar(mlir::Operation *user, mlir::OpFoldResult value);
  mlir::FailureOr<uint32_t> memref(mlir::Operation *user, mlir::Value value);
  const plan::MemRef &memrefAt(uint32_t index) const { return function.memrefs[index]; }

  /// Adds a memref that shares the roots (allocations that it may be part of) of others.
  uint32_t addMemRef(plan::MemRef memref, llvm::ArrayRef<uint32_t> sharing);
  /// Adds the value of a view of `source`.
  void bindView(mlir::Value value, uint32_t source, plan::MemRef view);
  /// A dense memref with these sizes; its base is yet to be set.
  plan::MemRef denseMemRef(plan::DType type, llvm::ArrayRef<plan::Reg> sizes,
                           mlir::Location location);
  /// A memref that is assigned during the call. `sizes` are those known; kNoReg where none is.
  mlir::FailureOr<uint32_t> addSlot(mlir::Operation *op, mlir::MemRefType type,
                                    llvm::ArrayRef<plan::Reg> sizes);
  Regs rowMajorStrides(llvm::ArrayRef<plan::Reg> sizes, mlir::Location location);
  plan::Reg productOf(llvm::ArrayRef<plan::Reg> sizes, mlir::Location location);
  /// Extends the lives of the allocations that a memref may be part of to a step.
  void use(uint32_t memref, uint32_t step);
  /// Appends a step without blocks that uses `memrefs`.
  void appendStep(plan::StepKind kind, mlir::Location location, llvm::ArrayRef<uint32_t> memrefs,
                  llvm::ArrayRef<plan::Reg> scalars, uint32_t unit = 0);

  mlir::func::FuncOp op;
  const ModuleContext &module;
  BufferFacts facts;
  plan::Function function;
  HostCode code;
  llvm::DenseMap<mlir::Value, plan::Reg> scalars;
  llvm::DenseMap<mlir::Value, uint32_t> memrefs;
  /// For each memref: the allocations that it may be part of.
  std::vector<llvm::SmallVector<uint32_t, 1>> roots;
  /// For each allocation: number of loops around it.
  std::vector<unsigned> allocDepths;
  std::vector<Loop> loops;
};

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_FUNCTIONBUILDER_H
