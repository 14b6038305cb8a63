//===- UnitGrouping.h - What goes into one unit -----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_UNITGROUPING_H
#define ANNEAL_LIB_CONVERSION_UNITGROUPING_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <vector>

namespace anneal {

/// Operations of one block, in its order, that become a unit. Only the last one's results are used
/// outside of the group.
struct UnitGroup {
  llvm::SmallVector<mlir::Operation *, 4> ops;
};

/// Cuts the structured operations of a block into groups by the rule of pass `jit-form-regions`, in
/// the order of their last operations. Operations in nested regions are left to a call for their
/// block.
std::vector<UnitGroup> groupUnits(mlir::Block &block);

/// The fill or broadcast that initialises output operand `init`, and which becomes part of the unit
/// of the operation that reads it; null if there is none.
mlir::linalg::LinalgOp initialiser(mlir::OpOperand &init);

/// The operation that makes the table which input operand `input` reads, and which becomes part of
/// the unit of its reader: one loop, no tensor read, so that to compute it is no more than to read
/// it. Null if there is none.
mlir::linalg::LinalgOp tableOf(mlir::OpOperand &input);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_UNITGROUPING_H
