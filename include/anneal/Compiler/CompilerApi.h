//===- CompilerApi.h - How the engine calls the compiler half ---*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler half is the shared library libAnnealCompiler.so. It exports one symbol,
// `annealGetCompilerApi`, and is opened when it is first needed. This header is all that the engine
// sees of it: plain data, no MLIR and no LLVM. Both are built together, so C++ types may cross.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_COMPILER_COMPILERAPI_H
#define ANNEAL_COMPILER_COMPILERAPI_H

#include "anneal/Plan/Plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace anneal::compiler {

/// Changes whenever a struct below or a plan struct changes.
inline constexpr uint32_t kCompilerApiVersion = 1;

/// A module to plan: a file, or text or bytecode in memory.
struct Source {
  /// File name; also what messages call the source. With `bytes`, only the latter.
  std::string name;
  const std::string *bytes = nullptr;
};

struct PlanOptions {
  /// Folder that gets the module after each stage (`1-normalize.mlir`, ...); empty: none.
  std::string dumpDirectory;
};

/// Milliseconds spent in each stage.
struct PlanTimes {
  double parse = 0;
  double normalize = 0;
  double form = 0;
  double bufferize = 0;
  double build = 0;
};

/// What became of a source.
struct PlanResult {
  bool ok = false;
  /// The source could not be opened (the message says why), as opposed to being wrong.
  bool notFound = false;
  plan::Module module;
  PlanTimes times;
  /// "file:line:col: error: ..." and warnings, in order; without a place: "error: ...".
  std::vector<std::string> diagnostics;
};

struct CompilerApi {
  uint32_t version;
  /// "22.1.8".
  const char *llvmVersion;
  /// Reads, normalises, forms units and plans. Thread-safe; nothing of it outlives the call but
  /// what the result owns.
  void (*planModule)(const Source &source, const PlanOptions &options, PlanResult &result);
};

using GetCompilerApiFn = const CompilerApi *(*)(uint32_t version);

} // namespace anneal::compiler

/// The table, or null if the library is of another version.
extern "C" const anneal::compiler::CompilerApi *annealGetCompilerApi(uint32_t version);

#endif // ANNEAL_COMPILER_COMPILERAPI_H
