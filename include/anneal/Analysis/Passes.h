//===- Passes.h - Passes that show what the analyses find -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each prints what an analysis says, or writes it into attributes; none changes what a program
// does.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ANALYSIS_PASSES_H
#define ANNEAL_ANALYSIS_PASSES_H

#include "anneal/IR/JitDialect.h"

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace anneal {

#define GEN_PASS_DECL
#include "anneal/Analysis/Passes.h.inc"

/// Makes every pass of Passes.td known to the global registry (`jit-opt`, textual pipelines).
void registerAnalysisPasses();

} // namespace anneal

#endif // ANNEAL_ANALYSIS_PASSES_H
