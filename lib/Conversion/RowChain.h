//===- RowChain.h - Operations over the same rows ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Softmax, layer norm and the like are several structured operations over the same rows: each
// computes a row of its result from the same row of what the others gave. Such operations make one
// unit (DESIGN.md D3). They are found by their indexing maps alone, whatever they compute.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_ROWCHAIN_H
#define ANNEAL_LIB_CONVERSION_ROWCHAIN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace anneal {

/// A set of structured operations with the loops that they have in common, the *row loops*: a row
/// loop is parallel in every member, indexes every result of every member, and a member reads a
/// result of another one at the same place of it that it writes itself.
///
/// Members are added one after the other; what a new one does not share is no row loop any more.
/// The first member's parallel loops are what there is to share.
class RowChain {
public:
  explicit RowChain(mlir::linalg::LinalgOp first);

  /// Adds `op`, which reads results of members or whose results members read, if a row loop is left
  /// then. Otherwise changes nothing and returns false.
  bool join(mlir::linalg::LinalgOp op);

private:
  /// For each parallel loop of the first member: the loop of an operation that it is, or kNone.
  using Loops = llvm::SmallVector<int, 4>;
  static constexpr int kNone = -1, kUnknown = -2;

  /// Narrows `loops` by a tensor that both an operation with those loops and a member with loops
  /// `known` index, by `map` and `knownMap`. Loops not met before (kUnknown) are set.
  static void match(mlir::AffineMap knownMap, llvm::ArrayRef<int> known, mlir::AffineMap map,
                    Loops &loops);
  /// Takes away loops of `op` that are not parallel or that do not index all of its results.
  static void keepCommon(mlir::linalg::LinalgOp op, Loops &loops);

  llvm::DenseMap<mlir::Operation *, Loops> members;
};

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_ROWCHAIN_H
