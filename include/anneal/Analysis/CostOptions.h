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

/// Reads options that several passes have. Errors begin with the pass's name, and are at the
/// module or the function.
class CostOptions {
public:
  /// `passName` outlives it.
  CostOptions(mlir::ModuleOp module, llvm::StringRef passName)
      : module(module), passName(passName) {}

  /// The function that options are about: the one of that name, or, where `name` is empty, the only
  /// public function of the module that has a body and is no unit. An error otherwise, and for a
  /// function without a body.
  mlir::FailureOr<mlir::FunctionOpInterface> findEntry(llvm::StringRef name);

  /// Reads `arg0:1x32` and the like. An error for what isn't written so, an argument that isn't
  /// there, sizes that its type doesn't have, and sizes that contradict each other: an operation of
  /// the function, or of a unit that it calls, takes them to be equal.
  mlir::FailureOr<ArgumentSizes> parseArgumentSizes(mlir::FunctionOpInterface function,
                                                    llvm::ArrayRef<std::string> texts);

  /// Reads `math.exp:10` and the like into `weights`. An error for what isn't written so.
  mlir::LogicalResult parseFlopWeights(llvm::ArrayRef<std::string> texts, FlopWeights &weights);

private:
  mlir::InFlightDiagnostic fail(mlir::Location location);
  mlir::LogicalResult checkSizes(mlir::FunctionOpInterface function, llvm::StringRef text,
                                 mlir::Type type, llvm::ArrayRef<int64_t> sizes);
  mlir::LogicalResult checkTies(mlir::FunctionOpInterface function, const ArgumentSizes &sizes);

  mlir::ModuleOp module;
  llvm::StringRef passName;
};

} // namespace anneal

#endif // ANNEAL_ANALYSIS_COSTOPTIONS_H
