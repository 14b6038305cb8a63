//===- ShapeDemands.h - What a specialisation asks of sizes -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_SHAPEDEMANDS_H
#define ANNEAL_LIB_CONVERSION_SHAPEDEMANDS_H

#include "anneal/Analysis/DimScope.h"
#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace anneal {

/// For each argument of a unit, a set of sizes for each of its dimensions; empty for a scalar.
using ShapeDemands = llvm::SmallVector<llvm::SmallVector<jit::DimBucket>>;

/// The demands of a guard; one that has no bucket for an argument leaves it as it comes.
ShapeDemands demandsOf(jit::UnitOp unit, llvm::ArrayRef<jit::ShapeBucketAttr> guard);
/// The guard that makes these demands. An argument of which nothing is asked that its type doesn't
/// say has none.
llvm::SmallVector<jit::ShapeBucketAttr> guardOf(jit::UnitOp unit, const ShapeDemands &demands);
/// Whether both let the same sizes through.
bool areEqual(const ShapeDemands &one, const ShapeDemands &other);

/// What the body of a unit says about the sizes of its arguments: which ones are equal, because
/// loops run over both, and which ones follow from others. Changes no IR, and holds as long as the
/// unit isn't changed. Not thread-safe.
class UnitSizes {
public:
  explicit UnitSizes(jit::UnitOp unit);

  /// Narrows `demands` by the types of the arguments and by what the body ties to each other; a
  /// bucket that holds one size becomes that size. Fails if no call can fulfil them; `problem` then
  /// names the argument and the dimension.
  mlir::LogicalResult narrow(ShapeDemands &demands, std::string &problem);

private:
  /// A dimension of a tensor in the unit, and its size in terms of the arguments.
  struct Place {
    mlir::Value value;
    int64_t dim;
    CostExpr size;
  };
  /// Places of which all have the same size, because of `op`.
  struct Tie {
    mlir::Operation *op;
    llvm::SmallVector<Place> places;
  };

  void addTies(mlir::Operation *op);
  Place placeOf(mlir::Value value, int64_t dim);
  void addTie(mlir::Operation *op, llvm::SmallVector<Place> places);
  /// The argument and dimension whose size this is, if it is one's.
  std::optional<std::pair<unsigned, int64_t>> argumentOf(const CostExpr &size) const;
  /// "dimension #1 of argument #0", of an argument that the size of this place comes from.
  std::string describe(const Place &place) const;
  std::optional<jit::DimBucket> sizesAt(const Place &place, const ShapeDemands &demands,
                                        DimEvaluator &evaluator) const;
  mlir::LogicalResult narrowToTypes(ShapeDemands &demands, std::string &problem);
  /// `changed` is set where a demand became narrower.
  mlir::LogicalResult narrowByTie(const Tie &tie, ShapeDemands &demands, DimEvaluator &evaluator,
                                  bool &changed, std::string &problem) const;
  /// Whether no operand is smaller than what the loops, of known sizes, read of it.
  mlir::LogicalResult checkReads(mlir::linalg::LinalgOp op, DimEvaluator &evaluator,
                                 std::string &problem);

  jit::UnitOp unit;
  /// The block of the unit.
  mlir::Block *entry;
  DimScope scope;
  llvm::SmallVector<Tie> ties;
  llvm::SmallVector<mlir::linalg::LinalgOp> structured;
};

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_SHAPEDEMANDS_H
