//===- CompileRunner.h - Compiles one unit after the other ------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ENGINE_COMPILERUNNER_H
#define ANNEAL_LIB_ENGINE_COMPILERUNNER_H

#include "CodeSpace.h"
#include "CompileQueue.h"
#include "TimeSource.h"

#include "anneal/Compiler/CompilerApi.h"
#include "anneal/Plan/Plan.h"
#include "anneal/Runtime/Policy/UnitState.h"

#include "absl/status/statusor.h"

#include <functional>
#include <memory>
#include <string>

namespace anneal::engine {

/// Makes a compiler of a model's units; may wait for their IR. Thread-safe.
using MakeUnitCompiler = std::function<absl::StatusOr<std::unique_ptr<compiler::UnitCompiler>>()>;

/// What came out of a compile.
struct CompileOutcome {
  /// Installed: there is code, which nobody calls yet.
  runtime::Attempt attempt = runtime::Attempt::Failed;
  std::unique_ptr<runtime::UnitCode> code;
  /// Why there is none.
  std::string detail;
  /// There will never be any: the compiler itself cannot be used.
  bool isCompilerBroken = false;
  double compileMs = 0;
  /// Of the image.
  uint64_t codeBytes = 0;
  /// The compiler's first, which takes much longer than those that follow.
  bool isFirst = false;
  /// Placing the code in memory.
  double loadMs = 0;
  /// What the passes of the compile took.
  std::vector<compiler::PassTime> passes;
};

/// Runs jobs with a compiler of its own, which is made for the first one. Not thread-safe: each
/// thread has its own. Everything it refers to outlives it.
class CompileRunner {
public:
  CompileRunner(const plan::Module &module, const MakeUnitCompiler &makeCompiler, CodeSpace &code,
                TimeSource &time)
      : module(module), makeCompiler(makeCompiler), code(code), time(time) {}

  /// Makes the compiler, unless that has been tried.
  void open();
  CompileOutcome run(const CompileJob &job);

private:
  const plan::Module &module;
  const MakeUnitCompiler &makeCompiler;
  CodeSpace &code;
  TimeSource &time;
  absl::StatusOr<std::unique_ptr<compiler::UnitCompiler>> compiler{nullptr};
  bool hasCompiled = false;
};

} // namespace anneal::engine

#endif // ANNEAL_LIB_ENGINE_COMPILERUNNER_H
