//===- PackLoops.h - Packing element by element -----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_TRANSFORMS_PACKLOOPS_H
#define ANNEAL_LIB_TRANSFORMS_PACKLOOPS_H

#include "mlir/IR/PatternMatch.h"

namespace anneal {

/// Replaces a `linalg.pack` or `linalg.unpack`, at which `rewriter` stands, by a loop over the
/// destination that reads one element for each: also for tiles whose sizes are known in the call
/// only. Fails, and changes nothing, where the destination has no rank.
mlir::LogicalResult lowerPackToLoops(mlir::RewriterBase &rewriter, mlir::Operation *op);

} // namespace anneal

#endif // ANNEAL_LIB_TRANSFORMS_PACKLOOPS_H
