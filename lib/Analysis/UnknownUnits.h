//===- UnknownUnits.h - Profiles of another program -------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ANALYSIS_UNKNOWNUNITS_H
#define ANNEAL_LIB_ANALYSIS_UNKNOWNUNITS_H

#include "anneal/Analysis/ProfileFile.h"

#include "mlir/IR/BuiltinOps.h"

namespace anneal {

/// Warns of the names in a profile, read from `path`, that the module doesn't have: one warning for
/// each, or for all of them where it has none of the names.
void warnOfUnknownUnits(mlir::ModuleOp module, llvm::StringRef path, const ProfiledUnits &units);

} // namespace anneal

#endif // ANNEAL_LIB_ANALYSIS_UNKNOWNUNITS_H
