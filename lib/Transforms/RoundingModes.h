//===- RoundingModes.h - arith.truncf by a rounding mode --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TRANSFORMS_ROUNDINGMODES_H
#define ANNEAL_LIB_TRANSFORMS_ROUNDINGMODES_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace anneal {

/// The value of an `arith.truncf` on scalars that names another rounding mode than to nearest
/// even: rounded to nearest even, then corrected by one unit in the last place where the mode asks
/// for it. Null if the mode is to nearest even, or the operation is on something else than scalars
/// of 16 to 64 bits.
mlir::Value expandRoundingMode(mlir::OpBuilder &builder, mlir::arith::TruncFOp op);

} // namespace anneal

#endif // ANNEAL_LIB_TRANSFORMS_ROUNDINGMODES_H
