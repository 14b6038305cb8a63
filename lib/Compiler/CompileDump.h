//===- CompileDump.h - Files that show a compile ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_COMPILEDUMP_H
#define ANNEAL_LIB_COMPILER_COMPILEDUMP_H

#include "anneal/Compiler/CompilerApi.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace anneal::compiler {

/// Where MLIR writes a reproducer of a pass that fails or crashes; null, with a message, if the
/// file can't be written.
std::unique_ptr<mlir::ReproducerStream> openReproducer(const std::string &path, std::string &error);

/// Writes what UnitCompileOptions::dumpDirectory promises. Each compiler has its own. Files that
/// can't be written are warnings among the diagnostics; the compile goes on.
class CompileDump {
public:
  /// A unit, or a function that is compiled whole.
  enum class Subject { Unit, Function };

  CompileDump(Subject subject, const UnitCompileOptions &options, const TierSpec &tier)
      : subject(subject), options(options), tier(tier) {}

  /// A compile begins: writes the IR and the line that reproduces it.
  void begin(mlir::ModuleOp module, llvm::StringRef name, std::vector<std::string> &diagnostics);
  /// Writes what has come out.
  void end(mlir::ModuleOp module, std::vector<std::string> &diagnostics);

  /// Where MLIR writes a reproducer of the compile that was begun last.
  mlir::ReproducerStreamFactory reproducer();

private:
  std::string path(llvm::StringRef kind) const;
  std::string fromModel(llvm::StringRef name, llvm::StringRef lastStep) const;
  std::string script(llvm::StringRef name) const;
  void write(llvm::StringRef kind, llvm::StringRef text, std::vector<std::string> &diagnostics);

  const Subject subject;
  const UnitCompileOptions options;
  const TierSpec tier;
  /// "main.matmul_0.baseline".
  std::string stem;
};

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_COMPILEDUMP_H
