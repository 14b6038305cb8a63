//===- ReshapeTypes.h - Types of reshapes -----------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TRANSFORMS_RESHAPETYPES_H
#define ANNEAL_TRANSFORMS_RESHAPETYPES_H

#include "mlir/IR/Operation.h"

namespace anneal {

/// Gives each `tensor.expand_shape` within `root` a type that has the constants of its
/// `output_shape`, with casts around it. The verifier admits such a constant beside an unknown size
/// in the type, and MLIR's own patterns read past the operands there.
void refineExpandShapes(mlir::Operation *root);

/// Makes each `tensor.collapse_shape` within `root` whose source has a size of 0 in its type a
/// `tensor.empty`. MLIR gives the collapse of an unknown size and 0 the size 0 on buffers, where it
/// asks for an unknown one.
void replaceEmptyCollapses(mlir::Operation *root);

} // namespace anneal

#endif // ANNEAL_TRANSFORMS_RESHAPETYPES_H
