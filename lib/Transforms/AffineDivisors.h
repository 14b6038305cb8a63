//===- AffineDivisors.h - Divisions of affine maps that can't be --*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TRANSFORMS_AFFINEDIVISORS_H
#define ANNEAL_LIB_TRANSFORMS_AFFINEDIVISORS_H

#include "mlir/IR/Operation.h"

namespace anneal {

/// Checks the affine maps and sets of all operations in `root` for divisions by a constant that is
/// not positive, which the parser lets pass, and on which MLIR's folders and lowerings crash.
/// Failure, with an error at the first operation that has one.
mlir::LogicalResult checkAffineDivisors(mlir::Operation *root);

} // namespace anneal

#endif // ANNEAL_LIB_TRANSFORMS_AFFINEDIVISORS_H
