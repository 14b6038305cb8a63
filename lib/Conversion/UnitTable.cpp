//===- UnitTable.cpp - The units of a module ------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnitTable.h"

#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace anneal {

static size_t hashUnit(jit::UnitOp unit) {
  llvm::hash_code hash = hash_value(Type(unit.getFunctionType()));
  unit.getBody().walk([&](Operation *op) {
    hash = llvm::hash_combine(
        hash, OperationEquivalence::computeHash(op, OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::ignoreHashValue,
                                                OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

static bool areEqual(jit::UnitOp a, jit::UnitOp b) {
  return a.getFunctionType() == b.getFunctionType() && a.getArgAttrsAttr() == b.getArgAttrsAttr() &&
         OperationEquivalence::isRegionEquivalentTo(&a.getBody(), &b.getBody(),
                                                    OperationEquivalence::IgnoreLocations);
}

UnitTable::UnitTable(ModuleOp module) : symbols(module) {
  for (auto unit : module.getOps<jit::UnitOp>())
    units[hashUnit(unit)].push_back(unit);
}

jit::UnitOp UnitTable::addOrFind(jit::UnitOp unit, StringRef baseName) {
  SmallVector<jit::UnitOp, 1> &sameHash = units[hashUnit(unit)];
  for (jit::UnitOp known : sameHash)
    if (areEqual(known, unit)) {
      unit.erase();
      return known;
    }
  std::string name;
  do {
    name = (baseName + "_" + Twine(numbers[baseName]++)).str();
  } while (symbols.lookup(name));
  unit.setSymName(name);
  symbols.insert(unit);
  sameHash.push_back(unit);
  return unit;
}

} // namespace anneal
