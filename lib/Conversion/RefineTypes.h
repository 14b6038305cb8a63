//===- RefineTypes.h - Units for sizes that are known -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_REFINETYPES_H
#define ANNEAL_LIB_CONVERSION_REFINETYPES_H

#include "anneal/IR/JitOps.h"

namespace anneal {

/// Gives the arguments of `unit` the types `types`, which know more of the sizes, and every tensor
/// of the body a type with what follows from that: through structured operations, reshapes, pads,
/// what loops and branches hand on. Where an operation's own type can't be set, a `tensor.cast`
/// behind it says so; canonicalisation folds these into the operations.
void refineTypes(jit::UnitOp unit, llvm::ArrayRef<mlir::Type> types);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_REFINETYPES_H
