//===- IntegerFacts.h - What is known of integers at a point ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Facts about scalar integers that hold from a point of the program on, scoped by block: values
// that an assert makes equal, ranges, expressions computed already. Used by one walk in program
// order at a time.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TRANSFORMS_INTEGERFACTS_H
#define ANNEAL_LIB_TRANSFORMS_INTEGERFACTS_H

#include "ShapeUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Operation.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "llvm/ADT/ScopedHashTable.h"

#include <optional>

namespace anneal {

/// Compares operations by what they compute.
struct EqualOperation : llvm::DenseMapInfo<mlir::Operation *> {
  static unsigned getHashValue(const mlir::Operation *op);
  static bool isEqual(const mlir::Operation *a, const mlir::Operation *b);
};

/// The tables. Not thread-safe; one walk owns it.
class IntegerFacts {
public:
  /// What is learned while a scope lives is forgotten at its end.
  class Scope {
  public:
    explicit Scope(IntegerFacts &facts)
        : equal(facts.equal), ranges(facts.ranges), computed(facts.computed) {}

  private:
    llvm::ScopedHashTableScope<mlir::Value, mlir::Value> equal;
    llvm::ScopedHashTableScope<mlir::Value, std::optional<mlir::ConstantIntRanges>> ranges;
    llvm::ScopedHashTableScope<mlir::Operation *, mlir::Operation *, EqualOperation> computed;
  };

  /// The value that stands for all those equal to `value`.
  mlir::Value representative(mlir::Value value);

  /// From here on `condition` is true; `trueValue` is the constant that says so.
  void learnTrue(mlir::Value condition, mlir::Value trueValue);

  /// The counter of `loop` lies between its bounds, and some sizes are the same in all iterations.
  void learnLoop(mlir::scf::ForOp loop);

  /// Ranges of the results of `op` from those of its operands.
  void learnResultRanges(mlir::Operation *op);

  /// The only value that `value` can have.
  std::optional<llvm::APInt> constantValue(mlir::Value value);

  /// For a minimum or maximum whose operands' ranges decide it: the operand that it equals.
  mlir::Value decidedExtremum(mlir::Operation *op);

  /// Whether `value * factor` may leave the signed range of its type.
  bool mayOverflow(mlir::Value value, const llvm::APInt &factor);

  /// An operation equal to `op` seen before where it dominates `op`; else null, and `op` is
  /// remembered.
  mlir::Operation *findOrRemember(mlir::Operation *op);

  /// For a value carried by an `scf.for`, or a result of one, whose size in `dim` no iteration
  /// changes: where that size comes from outside the loop.
  std::optional<SizeSource> loopInvariantSize(mlir::Value tensor, int64_t dim);

private:
  mlir::ConstantIntRanges rangeOf(mlir::Value value);
  void learnEqual(mlir::Value a, mlir::Value b);
  void learnBound(mlir::arith::CmpIOp compare);
  void refine(mlir::Value value, const mlir::ConstantIntRanges &range);

  llvm::ScopedHashTable<mlir::Value, mlir::Value> equal;
  llvm::ScopedHashTable<mlir::Value, std::optional<mlir::ConstantIntRanges>> ranges;
  llvm::ScopedHashTable<mlir::Operation *, mlir::Operation *, EqualOperation> computed;
  /// Sizes of loop-carried tensors that no iteration changes, by region argument and dimension.
  llvm::DenseMap<std::pair<mlir::Value, int64_t>, SizeSource> invariantSizes;
};

} // namespace anneal

#endif // ANNEAL_LIB_TRANSFORMS_INTEGERFACTS_H
