//===- UnknownUnits.cpp - Profiles of another program ---------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnknownUnits.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

void anneal::warnOfUnknownUnits(ModuleOp module, StringRef path, const ProfiledUnits &units) {
  llvm::SetVector<StringRef> known;
  for (auto function : module.getOps<FunctionOpInterface>())
    known.insert(function.getName());
  SmallVector<StringRef> unknown;
  for (StringRef name : units.keys())
    if (!known.contains(name))
      unknown.push_back(name);
  llvm::sort(unknown);
  // At the module's place, without the module.
  if (!unknown.empty() && unknown.size() == units.size()) {
    emitWarning(module.getLoc())
        << path << ": none of its " << units.size() << " units, such as '" << unknown.front()
        << "', is in this module: it is of another program, or units aren't formed yet";
    return;
  }
  for (StringRef name : unknown) {
    StringRef nearest = *llvm::min_element(known, [&](StringRef one, StringRef other) {
      return name.edit_distance(one) < name.edit_distance(other);
    });
    emitWarning(module.getLoc()) << path << ": unit '" << name
                                 << "' is not in this module; its numbers are not used (nearest: '"
                                 << nearest << "')";
  }
}
