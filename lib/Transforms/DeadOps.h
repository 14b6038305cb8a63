//===- DeadOps.h - Dead code elimination in one sweep -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TRANSFORMS_DEADOPS_H
#define ANNEAL_LIB_TRANSFORMS_DEADOPS_H

#include "mlir/IR/Operation.h"

namespace anneal {

/// Erases the operations inside `root` that nothing reads and that have no effect, last first, so
/// that one sweep removes whole dead chains.
void eraseDeadOps(mlir::Operation *root);

} // namespace anneal

#endif // ANNEAL_LIB_TRANSFORMS_DEADOPS_H
