//===- GenericMerge.h - One generic op from several -------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TRANSFORMS_GENERICMERGE_H
#define ANNEAL_LIB_TRANSFORMS_GENERICMERGE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace anneal {

/// One op of a merge, and where it stands: a map from the loops of the merged op to its own.
struct MergePart {
  mlir::linalg::LinalgOp op;
  mlir::AffineMap loops;
};

/// `outer` of the results of `inner`, simplified.
mlir::AffineMap composeMaps(mlir::AffineMap outer, mlir::AffineMap inner);

/// The number or value that every element of `tensor` has, if `tensor` is a splat constant or a
/// fill. A constant is made at the insertion point.
mlir::Value uniformValueOf(mlir::RewriterBase &rewriter, mlir::Value tensor);

/// Whether `uniformValueOf` would return a value.
bool isUniform(mlir::Value tensor);

/// Replaces the last of `parts`, the root, by one `linalg.generic` that computes the others inside.
/// Operands that are the same, or of which every element is the same, or that the body does not
/// read, do not become operands of it. The other parts are left as they are, for the caller to
/// erase.
///
/// REQUIRES: the parts are in program order and their results, if used by another part, are used at
/// the point of the iteration space that `loops` says; all but the root are element-wise and do not
/// read their outputs; the root's loops are the identity.
///
/// Fails, having changed nothing, if the operands that remain would not determine every loop's
/// size.
mlir::FailureOr<mlir::linalg::GenericOp> mergeParts(mlir::RewriterBase &rewriter,
                                                    llvm::ArrayRef<MergePart> parts);

} // namespace anneal

#endif // ANNEAL_LIB_TRANSFORMS_GENERICMERGE_H
