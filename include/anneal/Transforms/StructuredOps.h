//===- StructuredOps.h - What kind a structured op is -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TRANSFORMS_STRUCTUREDOPS_H
#define ANNEAL_TRANSFORMS_STRUCTUREDOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace anneal {

/// Every loop is parallel, every element of every output is written once and none is read, and
/// nothing in the body has an effect but `cf.assert`. Fills are excluded: they are values, not
/// computation.
bool isElementwise(mlir::linalg::LinalgOp op);

/// A reduction of the elements of one tensor (others may be broadcast along): at least one loop is
/// a reduction, an input covers all loops, and it is no contraction or convolution.
bool isPlainReduction(mlir::linalg::LinalgOp op);

/// A contraction or convolution: a reduction that adds the product of two different operands, or of
/// what is computed of them, to its output. What other ops form up around in a unit.
bool isAnchor(mlir::linalg::LinalgOp op);

/// Whether the op writes every element of output `init`, whatever its sizes, and reads none: what
/// was in it does not matter.
bool overwrites(mlir::linalg::LinalgOp op, mlir::OpOperand &init);

/// Whether the body has a `cf.assert`.
bool hasAssert(mlir::linalg::LinalgOp op);

/// Operations in the body, without the yield and loop counters.
unsigned countBodyOps(mlir::linalg::LinalgOp op);

/// Whether `map`, from the loops of `op`, goes through them point by point: every loop of more than
/// one iteration is a result by itself.
bool visitsEachPointOnce(mlir::AffineMap map, mlir::linalg::LinalgOp op);

} // namespace anneal

#endif // ANNEAL_TRANSFORMS_STRUCTUREDOPS_H
