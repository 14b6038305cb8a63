//===- UnitRules.h - Which operations make a unit ---------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about structured operations, answered by their structure (indexing maps, iterators,
// body), never by their names.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_UNITRULES_H
#define ANNEAL_LIB_CONVERSION_UNITRULES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace anneal {

/// Whether the operation only fills its one output with a scalar, or with the elements of an
/// operand of fewer dimensions: an initialisation that the user of its result can do on the way.
bool isFillOrBroadcast(mlir::linalg::LinalgOp op);

/// All iterators are parallel and every result is computed element by element through the identity.
bool isUnitElementwise(mlir::linalg::LinalgOp op);

/// Whether a unit can hold the operation: a structured one on tensors, or a pad by one value.
bool canBeInUnit(mlir::Operation *op);

/// Whether `writer` changes in place, and so reads, a tensor that `reader` reads at places other
/// than those that `writer` writes by then.
bool writesWhatOtherReads(mlir::linalg::LinalgOp writer, mlir::linalg::LinalgOp reader);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_UNITRULES_H
