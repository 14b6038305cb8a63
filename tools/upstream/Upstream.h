//===- Upstream.h - Dialects and passes of MLIR that tools offer  -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TOOLS_UPSTREAM_UPSTREAM_H
#define ANNEAL_TOOLS_UPSTREAM_UPSTREAM_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace anneal {

/// Adds the dialect `jit` and MLIR's own dialects in which programs and units are written, with
/// their interfaces (bufferization, tiling, value bounds, inlining, conversion), to `registry`.
void registerToolDialects(mlir::DialectRegistry &registry);

/// Makes this project's passes and pipelines and MLIR's own known to the pass registry.
void registerToolPasses();

} // namespace anneal

#endif // ANNEAL_TOOLS_UPSTREAM_UPSTREAM_H
