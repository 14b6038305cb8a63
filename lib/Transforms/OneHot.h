//===- OneHot.h - Tensors that are one-hot by how they are made -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TRANSFORMS_ONEHOT_H
#define ANNEAL_LIB_TRANSFORMS_ONEHOT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace anneal {

/// A scalar of an element-wise body: a value there, and the op whose body it is in. `loops` maps
/// the loops of the op that the search began at to those of this one.
struct BodyValue {
  mlir::linalg::LinalgOp op;
  mlir::Value value;
  mlir::AffineMap loops;
};

/// A tensor and how its elements are reached.
struct Access {
  mlir::Value tensor;
  mlir::AffineMap map;
};

/// What a one-hot tensor is made from: its last dimension counts the classes, and an element is one
/// where the class is the value at `labels`, else zero.
struct OneHot {
  mlir::linalg::LinalgOp op;
  Access labels;
  int64_t numClasses;
};

/// Goes from a block argument to what the element-wise op that made the operand yields.
BodyValue enterProducer(BodyValue at);

/// Whether `tensor` is one-hot along its last dimension, by element-wise ops that compare a label
/// with the number of the class.
std::optional<OneHot> matchOneHot(mlir::Value tensor);

} // namespace anneal

#endif // ANNEAL_LIB_TRANSFORMS_ONEHOT_H
