//===- UnitTable.h - The units of a module ----------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_UNITTABLE_H
#define ANNEAL_LIB_CONVERSION_UNITTABLE_H

#include "anneal/IR/JitOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace anneal {

/// The units of a module. A unit that is equal to one made before, but for its name and locations,
/// is that one. Not thread-safe.
class UnitTable {
public:
  explicit UnitTable(mlir::ModuleOp module);

  /// Adds `unit` to the module under a name that begins with `baseName`, or erases it where there
  /// is an equal one, and returns that.
  jit::UnitOp addOrFind(jit::UnitOp unit, llvm::StringRef baseName);

private:
  mlir::SymbolTable symbols;
  llvm::StringMap<unsigned> numbers;
  llvm::DenseMap<size_t, llvm::SmallVector<jit::UnitOp, 1>> units;
};

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_UNITTABLE_H
