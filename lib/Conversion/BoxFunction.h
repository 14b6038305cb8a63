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
//       what is the same in the row
//       do body while a whole vector is left
//
// There is one copy of the body and no other code, since code costs compile time. With a polynomial
// in it, it works on the elements of two registers at once: the steps of a polynomial wait for each
// other, and a processor doesn't look far enough ahead to find the next iteration's. Operands that
// don't move along the columns as expected make blocks of one element, each with addresses of its
// own. What is left of a row is read and written under a mask; on targets where that isn't cheap,
// in blocks of one element too. A reduction carries its 16 lanes along and combines them at the end
// of the row.
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
  /// Elements of 32 bits in a vector register.
  unsigned width = 16;
  /// Vectors can be loaded and stored under a mask at no cost, for all element sizes.
  bool maskedMemory = true;
};

/// Writes the function of one kernel.
class BoxFunction final : BodyContext {
public:
  /// `scalars`: index of each scalar argument of the unit in AnnealBox::scalars.
  BoxFunction(BoxKernel &kernel, const BoxOptions &options,
              const llvm::DenseMap<mlir::Value, unsigned> &scalars)
      : kernel(kernel), options(options), scalars(scalars) {}

  /// Fills `function`, which has no body yet. Failure if a value comes from where the box doesn't
  /// have it; `reason` says so, and the function is to be dropped.
  mlir::LogicalResult emit(mlir::LLVM::LLVMFuncOp function, std::string &reason);

private:
  /// An operand that the code reads or writes.
  struct Place {
    const BoxOperand *operand;
    /// In memory.
    mlir::Type element;
    /// It is written element by element.
    bool isVectorOutput = false;
    /// In the entry: address of the first element, strides in elements.
    mlir::Value data, rowStride, columnStride;
    /// In each row: address of the first element.
    mlir::Value row;
    /// In each block: where element 0 of the row would be if the row were contiguous.
    mlir::Value base;

    bool isElement() const { return operand->spread == Spread::Element; }
    /// It is reached through columns, not only rows.
    bool hasColumns() const { return isElement() || !operand->isOutput; }
    unsigned bytes() const { return element.getIntOrFloatBitWidth() / 8; }
  };
  /// An iteration dimension whose position is read.
  struct Position {
    unsigned dim;
    mlir::Value first, rowStep, columnStep, iota, row;
  };
  /// A tensor that is gathered from, in the entry.
  struct GatherView {
    mlir::Value data;
    llvm::SmallVector<mlir::Value, 4> sizes, strides;
  };

  unsigned chooseWidth();
  void makeBlocks(mlir::LLVM::LLVMFuncOp function);
  void findPlaces();
  void emitEntry();
  void setUpOperands();
  void setUpPositions();
  mlir::Value setUpDirect();
  void emitRow();
  void emitBlock();
  mlir::LogicalResult emitBody(std::string &reason);
  void bindOperands();
  void loadVectors(llvm::SmallVectorImpl<mlir::Value> &raws);
  void storeResults();
  void storeVectors(mlir::ValueRange raws);
  void emitLoopEnds();
  void finishEntry();

  // Reductions (BoxReduction.cpp).
  mlir::VectorType laneType(unsigned output);
  /// Lanes [16 * part, 16 * part + 16) of a vector of columns.
  mlir::Value lanesOf(mlir::Value vector, unsigned part);
  mlir::Value identityOf(unsigned output);
  mlir::Value combine(unsigned output, mlir::Value a, mlir::Value b);
  void accumulate();
  void finishRow();

  // BodyContext (BoxContext.cpp).
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
  /// A new block after the one that is being written.
  mlir::Block *addBlock();
  mlir::Location loc() const;
  unsigned width() const { return vectors->getWidth(); }

  BoxKernel &kernel;
  const BoxOptions &options;
  const llvm::DenseMap<mlir::Value, unsigned> &scalars;

  std::unique_ptr<VectorValues> vectors;
  std::unique_ptr<CodeWriter> w;
  std::unique_ptr<BodyTranslator> body;
  llvm::SmallVector<Place> places;
  llvm::SmallVector<Position> positions;
  llvm::DenseMap<unsigned, GatherView> gathers;
  llvm::DenseMap<mlir::Block *, mlir::Value> failures;
  /// `vector` is where the loop over whole vectors begins, `compute` where the body stands: the
  /// same block where memory can be masked.
  mlir::Block *entry, *row, *block, *vector, *compute, *latch, *rowEnd, *done, *failure;
  mlir::Value box, rows, columns;
  /// In the entry: operands are as expected; columns at a time; the last column at which a whole
  /// vector is left, or -1.
  mlir::Value isDirect, step, limit;
  mlir::Value rowIndex;
  /// In the block of columns: the first one, whether whole vectors are read, which elements are
  /// there; reductions: the lane of the first element.
  mlir::Value firstColumn, isVector, maskVector, lane;
  /// The operation after which the mask is computed, or null: the block begins with it.
  mlir::Operation *maskBegin = nullptr;
  mlir::Value column;
  llvm::SmallVector<mlir::Value> lanesIn, lanes, lanesOut;
};

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_BOXFUNCTION_H
