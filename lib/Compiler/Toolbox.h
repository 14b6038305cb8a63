//===- Toolbox.h - Which passes a compiler library has ----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_TOOLBOX_H
#define ANNEAL_LIB_COMPILER_TOOLBOX_H

#include "mlir/IR/DialectRegistry.h"

#include <string>
#include <vector>

namespace anneal::compiler {

/// In what libAnnealCompiler.so and libAnnealWorkbench.so differ. Functions are thread-safe.
struct Toolbox {
  /// Makes passes known by name.
  void (*registerPasses)();
  /// Adds dialects and interfaces beyond those of units and of what tiers make of them.
  void (*registerDialects)(mlir::DialectRegistry &registry);
  /// Has plugins make their passes known; false, with a message, if one of them can't be used.
  bool (*loadPlugins)(const std::vector<std::string> &paths, std::string &error);
};

/// That of libAnnealCompiler.so: the passes of this project, and no plugins.
extern const Toolbox kOwnPasses;

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_TOOLBOX_H
