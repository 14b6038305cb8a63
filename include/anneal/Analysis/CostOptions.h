//===- CostOptions.h - Sizes and weights as text ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_COSTOPTIONS_H
#define ANNEAL_ANALYSIS_COSTOPTIONS_H

#include "anneal/Analysis/OpCost.h"

#include "mlir/IR/BuiltinOps.h"

namespace anneal {

/// The function that options are about: the one of that name, or, where `name` is empty, the only
/// public function of the module that has a body and is no unit. An error otherwise, and for a
/// function without a body.
mlir::FailureOr<mlir::FunctionOpInterface> findEntry(mlir::ModuleOp module, llvm::StringRef name);

/// Reads `arg0:1x32` and the like. An error at `function` for what isn't written so, an argument
/// that isn't there, or sizes that its type doesn't have.
mlir::FailureOr<ArgumentSizes> parseArgumentSizes(mlir::FunctionOpInterface function,
                                                  llvm::ArrayRef<std::string> texts);

/// Reads `math.exp:10` and the like into `weights`. An error at `module` for what isn't written so.
mlir::LogicalResult parseFlopWeights(mlir::ModuleOp module, llvm::ArrayRef<std::string> texts,
                                     FlopWeights &weights);

} // namespace anneal

#endif // ANNEAL_ANALYSIS_COSTOPTIONS_H
