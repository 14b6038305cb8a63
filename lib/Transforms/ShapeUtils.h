//===- ShapeUtils.h - Sizes of tensors as values ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading sizes off the operations that make tensors, and comparing them. All proofs here are by
// SSA value: two sizes are known to be equal if they are the same constant or the same value, which
// is why `jit-simplify-shapes` runs first.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TRANSFORMS_SHAPEUTILS_H
#define ANNEAL_LIB_TRANSFORMS_SHAPEUTILS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace anneal {

/// Where a size comes from: a constant or value, or else a dimension of a tensor of which nothing
/// more is known (an argument, say).
struct SizeSource {
  /// Null where `tensor` and `dim` say it.
  mlir::OpFoldResult size;
  mlir::Value tensor;
  int64_t dim = 0;
};

/// Whether both are known to be the same size.
bool isSameSize(const SizeSource &a, const SizeSource &b);

/// A product of sizes: a constant times values, or sizes of tensors, in a fixed order. Two are
/// equal if they look the same.
struct SizeProduct {
  int64_t constant = 1;
  llvm::SmallVector<std::pair<void *, int64_t>> factors;

  /// Multiplies by a size; products, also those of collapsed dimensions, are taken apart.
  void multiply(const SizeSource &size);
  bool operator==(const SizeProduct &other) const {
    return constant == other.constant && factors == other.factors;
  }
};

/// The product of `sizes`.
SizeProduct sizeProductOf(llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// The dimension that `op` asks for, if it is a constant and the tensor has it. The verifier admits
/// constants that it has not.
std::optional<int64_t> constantDim(mlir::tensor::DimOp op);

/// Follows a size through casts, destinations, slices and reshapes as far as it goes without a new
/// operation. A size that is a `tensor.dim` is given as the tensor and dimension that it reads.
SizeSource traceSize(mlir::Value tensor, int64_t dim);

/// The same for a size that is given as a value or constant.
SizeSource traceSize(mlir::OpFoldResult size);

/// Size of dimension `dim` of `tensor` if it is a constant or a value that exists already: an
/// operand of the op that made the tensor, found through casts, destinations, slices and reshapes.
/// Creates nothing.
std::optional<mlir::OpFoldResult> knownSizeOf(mlir::Value tensor, int64_t dim);

/// Like `knownSizeOf`, but makes the ops that are missing at the insertion point of `builder`
/// (products for collapsed dimensions, sums for padded ones, `tensor.dim` as the last resort).
mlir::OpFoldResult sizeOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
                          int64_t dim);

/// `sizeOf` for every dimension.
llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::OpBuilder &builder, mlir::Location loc,
                                              mlir::Value tensor);

/// Whether both are the same constant or the same value.
bool isSameSize(mlir::OpFoldResult a, mlir::OpFoldResult b);

/// Whether both tensors are known to have equal sizes in the given dimensions.
bool haveSameSize(mlir::Value a, int64_t dimA, mlir::Value b, int64_t dimB);

/// Where the size of loop `loop` of a structured op comes from: an operand's dimension that it
/// indexes alone. Nothing if there is none.
std::optional<SizeSource> traceLoopSize(mlir::linalg::LinalgOp op, unsigned loop);

/// Product of sizes, in index arithmetic; constants are multiplied at once.
mlir::OpFoldResult productOf(mlir::OpBuilder &builder, mlir::Location loc,
                             llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// `tensor` with each group of dimensions made one. The tensor itself where every group is single;
/// reshapes that made `tensor` are composed with this one or undone by it.
mlir::Value collapse(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
                     llvm::ArrayRef<mlir::ReassociationIndices> groups);

/// `tensor` with each dimension split into the group of `sizes` that `groups` gives for it. The
/// tensor itself where every group is single; composed and undone as in `collapse`.
mlir::Value expand(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor,
                   llvm::ArrayRef<mlir::ReassociationIndices> groups,
                   llvm::ArrayRef<mlir::OpFoldResult> sizes);

/// `tensor.empty` of these sizes.
mlir::Value makeEmpty(mlir::OpBuilder &builder, mlir::Location loc,
                      llvm::ArrayRef<mlir::OpFoldResult> sizes, mlir::Type elementType);

} // namespace anneal

#endif // ANNEAL_LIB_TRANSFORMS_SHAPEUTILS_H
