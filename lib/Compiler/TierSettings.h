//===- TierSettings.h - A tier with what replaces its own -------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options of code generation, by name:
//
//   frame-pointer        none (the default), non-leaf, all: functions that keep a frame pointer,
//                        for profilers that walk the stack by it
//   prefer-vector-width  128, 256, 512: widest vector, in bits, that LLVM uses where it chooses
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_TIERSETTINGS_H
#define ANNEAL_LIB_COMPILER_TIERSETTINGS_H

#include "RunningPass.h"
#include "Toolbox.h"

#include "anneal/Compiler/CompilerApi.h"
#include "anneal/Support/CpuFeatures.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm
namespace mlir {
class PassManager;
} // namespace mlir

namespace anneal::compiler {

/// A tier as it is to be run.
struct TierSettings {
  TierSpec spec;
  /// The pipeline is not the tier's own: what it leaves is not known to be right.
  bool isReplaced = false;
};

/// The tier of that name, with what `overrides` have for it.
TierSettings settingsOf(llvm::StringRef tier, CpuLevel level,
                        const std::vector<TierOverride> &overrides);

/// Runs a tier's pipeline. That of a user and MLIR's own lowerings may crash, which then is a
/// failure of this compile only. `running` watches it, so that the first of the diagnostics names
/// the pass.
llvm::LogicalResult runPipeline(mlir::PassManager &pipeline, mlir::ModuleOp module,
                                const TierSettings &settings, RunningPass &running,
                                std::vector<std::string> &diagnostics);

/// CompilerApi::checkTiers, with the passes of `toolbox`.
bool checkTiers(const UnitCompileOptions &options, const Toolbox &toolbox, std::string &error);

/// Has the functions of a module carry the options of code generation, which have been checked.
void applyCodegenOptions(const CodegenOptions &options, llvm::Module &module);

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_TIERSETTINGS_H
