//===- BufferSizes.h - Which buffers have equal sizes? ----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_BUFFERSIZES_H
#define ANNEAL_LIB_CONVERSION_BUFFERSIZES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallBitVector.h"

namespace anneal {

/// A size, by what it was made from: a constant (`value` null), a scalar (`dim` < 0), or size `dim`
/// of a tensor or buffer of which nothing more is known. Two that are equal are the same number.
struct SizeOrigin {
  mlir::Value value;
  int64_t dim = -1;
  bool operator==(const SizeOrigin &other) const {
    return value == other.value && dim == other.dim;
  }
};

/// The dimensions that a view drops, found from the sizes alone: of a row of dimensions of size 1
/// the first. Upstream's method compares strides, and finds none where the view has its own.
llvm::SmallBitVector droppedDims(mlir::memref::SubViewOp op);

/// Follows size `dim` of a ranked tensor or memref through allocations, views, destinations, and
/// loops and conditionals that don't change it.
SizeOrigin sizeOrigin(mlir::Value shaped, int64_t dim);

/// Whether a loop-carried tensor or buffer, `init` before the loop and `yielded` by its body, which
/// sees it as `argument`, has the same size `dim` in all iterations.
bool keepsSize(mlir::Value argument, mlir::Value init, mlir::Value yielded, int64_t dim);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_BUFFERSIZES_H
