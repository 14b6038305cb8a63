//===- SliceForms.h - Slices that tell what they drop -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TRANSFORMS_SLICEFORMS_H
#define ANNEAL_TRANSFORMS_SLICEFORMS_H

#include "mlir/IR/Operation.h"

namespace anneal {

/// Rewrites the slices of tensors and buffers within `root` whose dropped dimensions can't be told
/// from their types. MLIR tells which dimensions of size 1 a `memref.subview` drops by comparing
/// the strides of its source and its result, and reads memory that isn't there where the view has
/// strides of its own. So
/// - dimensions of one element are taken with stride 1, which is the same elements;
/// - where other strides remain and some dimensions of size 1 are dropped and some kept, a slice of
///   a tensor drops all of them, with a reshape that adds those that are kept; a view of a buffer
///   drops none, with a `memref.reinterpret_cast` behind it.
/// Sizes count as 1 if they are constants, also by an SSA value.
void makeDroppedDimsClear(mlir::Operation *root);

} // namespace anneal

#endif // ANNEAL_TRANSFORMS_SLICEFORMS_H
