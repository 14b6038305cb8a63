//===- BoxFunction.h - The code of a body over boxes ------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An AnnealBoxFn as control flow of the LLVM dialect around vectors of columns:
//
//   for each row:
//     for each block of columns, the first one and what is left after whole vectors:
//       direct: operands are read where they stand, by whole vectors or under a mask
//       staged: they are brought into buffers first, results taken from there after
//       preamble: what is the same in the row
//       do body while it runs directly and a whole vector is left
//
// There is one copy of the body, whatever the strides are: it reads through pointers that the two
// ways set. A reduction carries its 16 lanes along and combines them at the end of the row.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_BOXFUNCTION_H
#define ANNEAL_LIB_CONVERSION_BOXFUNCTION_H

#include "BodyTranslator.h"
#include "BoxKernel.h"
#include "CodeWriter.h"

#include "mlir/IR/BuiltinOps.h"

namespace anneal {

/// Lanes of a reduction (docs/Numerics.md).
inline constexpr unsigned kReductionLanes = 16;

/// What the target is good at.
struct BoxOptions {
  /// Columns at a time of element-wise bodies.
  unsigned width = 16;
  /// Vectors can be loaded and stored under a mask at no cost, for all element sizes.
  bool maskedMemory = true;
};

/// Functions of a module that bring elements into a buffer and back, made when first needed.
class StagingFunctions {
public:
  explicit StagingFunctions(mlir::ModuleOp module) : module(module) {}
  /// `ptr (ptr buffer, ptr source, i64 stride, i64 n, i1 isWhole)`: `source` itself if its stride
  /// is 1 and a whole vector is there, else `buffer` with n elements of `bytes`.
  mlir::LLVM::LLVMFuncOp stage(unsigned bytes);
  /// `void (ptr buffer, ptr target, i64 stride, i64 n)`.
  mlir::LLVM::LLVMFuncOp unstage(unsigned bytes);

private:
  mlir::LLVM::LLVMFuncOp make(unsigned bytes, bool isStage);
  void emitLoop(mlir::LLVM::LLVMFuncOp function, unsigned bytes, bool isStage);

  mlir::ModuleOp module;
  llvm::DenseMap<std::pair<unsigned, unsigned>, mlir::LLVM::LLVMFuncOp> functions;
};

/// Writes the function of one kernel.
class BoxFunction final : BodyContext {
public:
  /// `scalars`: index of each scalar argument of the unit in AnnealBox::scalars.
  BoxFunction(BoxKernel &kernel, const BoxOptions &options,
              const llvm::DenseMap<mlir::Value, unsigned> &scalars, StagingFunctions &staging)
      : kernel(kernel), options(options), scalars(scalars), staging(staging) {}

  /// Fills `function`, which has no body yet. Failure if a value comes from where the box doesn't
  /// have it; `reason` says so, and the function is to be dropped.
  mlir::LogicalResult emit(mlir::LLVM::LLVMFuncOp function, std::string &reason);

private:
  /// An operand that the code reads or writes.
  struct Place {
    const BoxOperand *operand;
    unsigned bytes;
    /// In the setup: address of the first element, strides. In each row: address of the first
    /// element.
    mlir::Value data, rowBytes, columnStride, row;
    /// In the body: where element 0 of the row would be, to read and to write.
    mlir::Value from, to;
    mlir::Value buffer;
    bool isElement() const { return operand->spread == Spread::Element; }
    bool isVectorOutput = false;
  };
  /// An iteration dimension whose position is read.
  struct Position {
    unsigned dim;
    mlir::Value first, rowStep, columnStep, iota, row;
  };
  /// A tensor that is gathered from, in the setup.
  struct GatherView {
    mlir::Value data;
    llvm::SmallVector<mlir::Value, 4> sizes, strides;
  };

  void makeBlocks(mlir::LLVM::LLVMFuncOp function);
  void emitEntry();
  void emitSetup();
  void setUpOperands();
  void setUpPositions();
  mlir::Value setUpDirect();
  void emitRow();
  void emitBlock();
  void emitDirect();
  void emitStaged();
  mlir::Value stage(Place &place);
  void bindOperands();
  mlir::LogicalResult emitBody(std::string &reason);
  void storeResults();
  void emitLatch();
  void emitRowEnd();

  // Reductions (BoxReduction.cpp).
  mlir::Type laneType(unsigned output);
  mlir::Value identityOf(unsigned output);
  mlir::Value combine(unsigned output, mlir::Value a, mlir::Value b);
  mlir::LogicalResult accumulate();
  void finishRow();

  // BodyContext.
  mlir::Value scalar(mlir::Value value) override;
  mlir::Value position(mlir::OpBuilder &builder, unsigned dim) override;
  Spread spreadOf(unsigned dim) override;
  mlir::Value gather(mlir::OpBuilder &builder, unsigned gather, mlir::Type element,
                     mlir::ValueRange indices) override;
  void require(mlir::OpBuilder &builder, mlir::Value condition) override;

  GatherView &viewOf(unsigned gather, unsigned rank);
  /// Which elements of the vector are there.
  mlir::Value mask();
  /// Leaves the block for `next`, or fails if a condition in it was false.
  void leave(mlir::Block *next, mlir::ValueRange arguments);
  mlir::Location loc() const;
  unsigned width() const { return vectors->getWidth(); }

  BoxKernel &kernel;
  const BoxOptions &options;
  const llvm::DenseMap<mlir::Value, unsigned> &scalars;
  StagingFunctions &staging;

  std::unique_ptr<VectorValues> vectors;
  std::unique_ptr<CodeWriter> w;
  std::unique_ptr<BodyTranslator> body;
  llvm::SmallVector<Place> places;
  llvm::SmallVector<Position> positions;
  llvm::DenseMap<unsigned, GatherView> gathers;
  llvm::DenseMap<mlir::Block *, mlir::Value> failures;
  mlir::Block *entry, *setup, *row, *block, *direct, *staged, *preamble, *vector, *latch, *rowEnd,
      *done, *failure;
  mlir::Value box, rows, columns, isDirect, rowIndex, firstColumn, count, isWhole, maskBits;
  mlir::Value column, limit, preambleMask, isStaged, maskVector;
  llvm::SmallVector<mlir::Value> lanesIn, lanes, lanesOut;
};

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_BOXFUNCTION_H
