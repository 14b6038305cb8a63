//===- Upstream.h - Dialects and passes of MLIR that jit-opt offers  -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TOOLS_JIT_OPT_UPSTREAM_H
#define ANNEAL_TOOLS_JIT_OPT_UPSTREAM_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace anneal {

/// Adds MLIR's own dialects in which programs and units are written, and their interfaces
/// (bufferization, tiling, value bounds, inlining), to `registry`.
void registerUpstreamDialects(mlir::DialectRegistry &registry);

/// Makes MLIR's own passes that the pipelines are built from, and those that are useful beside
/// them, known to the pass registry.
void registerUpstreamPasses();

} // namespace anneal

#endif // ANNEAL_TOOLS_JIT_OPT_UPSTREAM_H
