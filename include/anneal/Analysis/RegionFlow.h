//===- RegionFlow.h - Values that control flow hands on ---------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_REGIONFLOW_H
#define ANNEAL_ANALYSIS_REGIONFLOW_H

#include "mlir/Interfaces/ControlFlowInterfaces.h"

namespace anneal {

/// Calls `visit(source, from, to)` for each value that control flow within `op` hands on, through
/// its interfaces: `source` (the op itself on entry, else a terminator in one of its regions)
/// passes its operand `from` to `to`, an argument of a region or a result of `op`. In the order of
/// the IR; a value that is handed on twice is visited twice.
void forEachForwardedValue(
    mlir::RegionBranchOpInterface op,
    llvm::function_ref<void(mlir::Operation *source, mlir::Value from, mlir::Value to)> visit);

} // namespace anneal

#endif // ANNEAL_ANALYSIS_REGIONFLOW_H
