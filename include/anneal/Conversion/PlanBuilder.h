//===- PlanBuilder.h - Bufferised modules to plans --------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_CONVERSION_PLANBUILDER_H
#define ANNEAL_CONVERSION_PLANBUILDER_H

#include "anneal/Plan/Plan.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <functional>
#include <memory>

namespace anneal {

/// The text that a module was read from. Constants that point into `bytes` are not copied; `owner`
/// keeps them alive. For elements that lie unaligned in it, `alignedCopy` may know a copy that was
/// made before (else null is returned).
struct ConstantSource {
  std::shared_ptr<const void> owner;
  llvm::StringRef bytes;
  std::function<std::shared_ptr<const void>(llvm::ArrayRef<char>)> alignedCopy;
};

/// Name of the private function that computes constants from constants (DESIGN.md D1): the plan's
/// init function.
inline constexpr llvm::StringLiteral kInitFunctionName = "__jit_init";

/// Makes the plan (DESIGN.md D2) of a module whose functions have been bufferised and whose
/// computation stands in `jit.unit`s: what pipeline `jit-bufferize-host` leaves. What can't be
/// planned is an error at the operation's location that says what it is. All public functions with
/// a body are planned, and the init function.
mlir::FailureOr<plan::Module> buildPlan(mlir::ModuleOp module, const ConstantSource &source = {});

} // namespace anneal

#endif // ANNEAL_CONVERSION_PLANBUILDER_H
