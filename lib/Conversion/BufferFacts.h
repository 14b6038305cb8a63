//===- BufferFacts.h - What is to be known of buffers first -----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_BUFFERFACTS_H
#define ANNEAL_LIB_CONVERSION_BUFFERFACTS_H

#include "UnitBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace anneal {

/// The value that a memref is only another view of (cast, reshape, slice, transposition), or null.
mlir::Value viewSource(mlir::Operation *op);

/// Questions about a bufferised function that must be answered before its steps are made.
class BufferFacts {
public:
  /// `units`: what is known of the callee of each jit.invoke.
  BufferFacts(mlir::func::FuncOp function, const llvm::StringMap<BuiltUnit> &units,
              llvm::ArrayRef<plan::Unit> planUnits);

  /// Whether an allocation inside a loop may still be in use when the same place allocates again.
  bool outlivesIteration(mlir::Operation *alloc) const { return outliving.contains(alloc); }
  /// The result whose memory an allocation is, if it is returned whole.
  std::optional<unsigned> resultOf(mlir::Operation *alloc) const;
  /// Scalar arguments that a size, stride or offset depends on and, but for constants and sizes, on
  /// nothing else.
  bool isKey(mlir::Value argument) const { return keys.contains(argument); }

private:
  void findOutliving(mlir::func::FuncOp function);
  void findResults(mlir::func::FuncOp function);
  void findKeys(mlir::func::FuncOp function, const llvm::StringMap<BuiltUnit> &units,
                llvm::ArrayRef<plan::Unit> planUnits);

  llvm::DenseSet<mlir::Operation *> outliving;
  llvm::DenseMap<mlir::Operation *, unsigned> results;
  llvm::DenseSet<mlir::Value> keys;
};

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_BUFFERFACTS_H
