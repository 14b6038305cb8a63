//===- Passes.h - Passes that normalise programs ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes from linalg, tensor, arith, math, scf and tosa on tensors to the form that units are made
// of (DESIGN.md §2, §3). Each stands alone; `AnnealPipelines` puts them in order. Passes.td says of
// each what it does and what it leaves.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TRANSFORMS_PASSES_H
#define ANNEAL_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace anneal {

#define GEN_PASS_DECL
#include "anneal/Transforms/Passes.h.inc"

/// Makes every pass of Passes.td known to the global registry (`jit-opt`, textual pipelines).
void registerTransformsPasses();

} // namespace anneal

#endif // ANNEAL_TRANSFORMS_PASSES_H
