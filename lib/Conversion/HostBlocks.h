//===- HostBlocks.h - Blocks of host code -----------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_HOSTBLOCKS_H
#define ANNEAL_LIB_CONVERSION_HOSTBLOCKS_H

#include "mlir/IR/Region.h"

namespace anneal {

/// Adds the blocks of host code in `region` to `blocks`, outermost first: those of a function and
/// of the control flow in it, without what becomes units.
void collectHostBlocks(mlir::Region &region, llvm::SmallVectorImpl<mlir::Block *> &blocks);

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_HOSTBLOCKS_H
