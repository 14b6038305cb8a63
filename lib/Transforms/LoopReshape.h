//===- LoopReshape.h - Structured ops over other loops ----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The same structured op over loops that are merged or split, with reshapes around it.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TRANSFORMS_LOOPRESHAPE_H
#define ANNEAL_LIB_TRANSFORMS_LOOPRESHAPE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace anneal {

/// Loops of a structured op that are to be merged into one, or split into several. Only parallel
/// loops whose counters the body does not read are.
class LoopReshape {
public:
  /// Merging the loops that go over the groups of the `tensor.expand_shape` that made `operand`.
  /// Nothing if some operand is not accessed by whole groups, in order.
  static std::optional<LoopReshape> merging(mlir::linalg::LinalgOp op, mlir::OpOperand *operand);

  /// Splitting the loops that go over the groups of the `tensor.collapse_shape` that made
  /// `operand`.
  static std::optional<LoopReshape> splitting(mlir::linalg::LinalgOp op, mlir::OpOperand *operand);

  /// Inputs of which dimensions are merged or split.
  llvm::SmallVector<mlir::OpOperand *> affectedInputs() const;

  /// Whether `input` was made by the very reshape that is now taken away from it.
  bool undoes(mlir::OpOperand &input) const;

  /// Whether every reader of the results takes back, by a reshape, what the loops will not do any
  /// more.
  bool isUndoneAfter() const;

  /// Replaces the op by one over the new loops, its results reshaped back. Returns that op.
  mlir::linalg::LinalgOp apply(mlir::RewriterBase &rewriter) const;

private:
  using Groups = llvm::SmallVector<mlir::ReassociationIndices>;

  LoopReshape(mlir::linalg::LinalgOp op, bool isMerge);

  bool mayTake(unsigned loop) const;
  /// The dimensions of an operand, merged: groups of its old ones; split: groups of its new ones.
  std::optional<Groups> groupsOf(mlir::AffineMap map) const;
  std::optional<Groups> mergedGroups(mlir::AffineMap map) const;
  std::optional<Groups> splitGroups(mlir::AffineMap map) const;
  bool isAffected(mlir::AffineMap map) const;
  bool suitsAllOperands() const;
  mlir::AffineMap newMap(mlir::AffineMap map) const;
  llvm::SmallVector<mlir::utils::IteratorType> newIterators() const;
  llvm::SmallVector<mlir::OpFoldResult> newSizes(mlir::RewriterBase &rewriter,
                                                 mlir::OpOperand &operand) const;
  mlir::Value newOperand(mlir::RewriterBase &rewriter, mlir::OpOperand &operand) const;
  mlir::Value reshapeBack(mlir::RewriterBase &rewriter, mlir::Value result,
                          mlir::OpOperand &init) const;

  /// Mutable since handles of operations have no const methods.
  mutable mlir::linalg::LinalgOp op;
  bool isMerge;
  /// For each old loop the first of the new loops that it is, or is part of.
  llvm::SmallVector<unsigned> firstNewLoop;
  unsigned numNewLoops = 0;
  /// Merging: for each old loop those that are merged, it being the first; empty for the others of
  /// them.
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>> merged;
  /// Splitting: for each old loop the number of new ones, and the first of the dimensions of
  /// `fineTensor` whose sizes they have.
  llvm::SmallVector<unsigned> numParts;
  llvm::SmallVector<int64_t> firstFineDim;
  mlir::Value fineTensor;
};

/// Lets `op` read the source of the `expand_shape` or `collapse_shape` that made `operand`, where
/// that adds or takes away dimensions of size one alone: their indices go, or are zero. Returns the
/// op that `op` became, or null.
mlir::linalg::LinalgOp readWithoutUnitDims(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                                           mlir::OpOperand *operand);

/// Makes `op` a generic with other inputs and maps, one for each operand in order; the body stays.
/// Null, with nothing changed, if these would not determine every loop's size.
mlir::linalg::LinalgOp replaceAccesses(mlir::RewriterBase &rewriter, mlir::linalg::LinalgOp op,
                                       mlir::ValueRange inputs,
                                       llvm::ArrayRef<mlir::AffineMap> maps);

} // namespace anneal

#endif // ANNEAL_LIB_TRANSFORMS_LOOPRESHAPE_H
