//===- BoxKernel.h - What compiled code does for a structured op -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_BOXKERNEL_H
#define ANNEAL_LIB_CONVERSION_BOXKERNEL_H

#include "anneal/IR/JitOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace anneal {

/// How a value spreads over a box (AnnealBox): the same in all of it, the same in one row, or one
/// for each element.
enum class Spread : uint8_t { Box, Row, Element };

/// An operand that the plan's kernel has too: a tensor that isn't one constant value.
struct BoxOperand {
  /// In the body.
  mlir::BlockArgument argument;
  /// Of an element.
  mlir::Type type;
  /// Element where the operand is expected to be contiguous along the columns, Row where it is
  /// expected to stand still.
  Spread spread = Spread::Element;
  bool isOutput = false;
  /// The body reads its elements; of an output, those from before.
  bool isRead = false;
};

/// How an output of a reduction is made: `yield = op(accumulator, value)`.
struct BoxCombiner {
  mlir::Operation *op = nullptr;
  mlir::Value value;
};

/// A structured operation of a unit, as compiled code runs it: element by element (all loops
/// parallel), or as a reduction of the columns in 16 lanes (docs/Numerics.md).
struct BoxKernel {
  mlir::linalg::LinalgOp op;
  bool isReduction = false;
  /// In the order of AnnealBox::data.
  llvm::SmallVector<BoxOperand> operands;
  /// The iteration dimension that columns are expected to be; -1: none.
  int columnDim = -1;
  /// One for each output of a reduction.
  llvm::SmallVector<BoxCombiner> combiners;
  /// Operations of the body that results, asserts or indices of gathers need, in order.
  llvm::SmallVector<mlir::Operation *> live;
  /// Arguments of the body that are one constant value, or a scalar from outside.
  llvm::DenseMap<mlir::Value, mlir::Value> captured;
  /// In the order of AnnealBox::gathers.
  llvm::SmallVector<mlir::Value> gathers;
};

/// Whether `op` may fail at some point: an assert or a gather.
bool mayFail(mlir::Operation *op);

/// Finds out how compiled code runs `op`. Failure if the runtime runs it without, and `reason` says
/// why.
mlir::FailureOr<BoxKernel> analyzeBoxKernel(mlir::linalg::LinalgOp op, std::string &reason);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_BOXKERNEL_H
