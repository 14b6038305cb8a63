//===- SymbolOption.h - A symbol that an option names -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_PIPELINES_SYMBOLOPTION_H
#define ANNEAL_LIB_PIPELINES_SYMBOLOPTION_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"

#include <string>

namespace anneal {

/// A name in which "%20" stands for a blank, and so on.
std::string unescaped(llvm::StringRef text);

/// The operation that an option names, as it stands there or unescaped; null if there is none.
template <typename SymbolOp> SymbolOp lookUpNamed(mlir::ModuleOp module, llvm::StringRef name) {
  auto found = module.lookupSymbol<SymbolOp>(name);
  return found ? found : module.lookupSymbol<SymbolOp>(unescaped(name));
}

} // namespace anneal

#endif // ANNEAL_LIB_PIPELINES_SYMBOLOPTION_H
