//===- CallTargets.h - What a call calls ------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_CALLTARGETS_H
#define ANNEAL_ANALYSIS_CALLTARGETS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir {
class SymbolTableCollection;
} // namespace mlir

namespace anneal {

/// Whether `op` calls a function or a unit: by CallOpInterface, or as jit.invoke.
bool isCall(mlir::Operation *op);

/// What `call` calls; null where that isn't known, or is declared elsewhere.
mlir::FunctionOpInterface getCallTarget(mlir::Operation *call,
                                        mlir::SymbolTableCollection &symbols);

/// What `call` passes for argument `number` of what it calls; null if it doesn't.
mlir::Value getCallOperand(mlir::Operation *call, unsigned number);

/// The functions from `from` to `to`, both included, each of which calls the next, if `from` comes
/// to `to` by calls; else none. In the order of the calls in the bodies, so that it is the same
/// whenever it is asked for.
llvm::SmallVector<mlir::Operation *> findCallPath(mlir::FunctionOpInterface from,
                                                  mlir::FunctionOpInterface to,
                                                  mlir::SymbolTableCollection &symbols);

/// "'@f' calls itself", or "'@f' calls '@g', which calls '@f'": what a call of `target` closes
/// where `active` has the functions that are being looked at, `target` among them, each called by
/// the one before.
std::string describeCycle(llvm::ArrayRef<mlir::Operation *> active,
                          mlir::FunctionOpInterface target);

} // namespace anneal

#endif // ANNEAL_ANALYSIS_CALLTARGETS_H
