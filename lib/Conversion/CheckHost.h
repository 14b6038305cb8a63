//===- CheckHost.h - Can a function be planned? -----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_CHECKHOST_H
#define ANNEAL_LIB_CONVERSION_CHECKHOST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace anneal {

/// Reports, at its place, the first thing in a function whose units have been formed that a plan
/// can't hold: a type, an operation, a call, control flow between blocks.
mlir::LogicalResult checkHost(mlir::func::FuncOp function);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_CHECKHOST_H
