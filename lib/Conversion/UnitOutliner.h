//===- UnitOutliner.h - Groups of operations to units -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CONVERSION_UNITOUTLINER_H
#define ANNEAL_LIB_CONVERSION_UNITOUTLINER_H

#include "UnitGrouping.h"

#include "anneal/IR/JitOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/StringMap.h"

namespace anneal {

/// Replaces groups of operations by calls of units, which it adds to the module. A unit that is
/// equal to one made before, but for its name and locations, is that one.
class UnitOutliner {
public:
  explicit UnitOutliner(mlir::ModuleOp module) : symbols(module) {}

  /// `function`: first part of the unit's name.
  void outline(const UnitGroup &group, llvm::StringRef function);

private:
  jit::UnitOp addOrFind(jit::UnitOp unit, llvm::StringRef baseName);

  mlir::SymbolTable symbols;
  llvm::StringMap<unsigned> numbers;
  llvm::DenseMap<size_t, llvm::SmallVector<jit::UnitOp, 1>> units;
};

} // namespace anneal

#endif // ANNEAL_LIB_CONVERSION_UNITOUTLINER_H
