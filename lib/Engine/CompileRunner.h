//===- CompileRunner.h - Compiles one unit after the other ------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ENGINE_COMPILERUNNER_H
#define ANNEAL_LIB_ENGINE_COMPILERUNNER_H

#include "CodeSpace.h"

#include "anneal/Compiler/CompilerApi.h"
#include "anneal/Plan/Plan.h"
#include "anneal/Runtime/Tiering/CompileOutcome.h"
#include "anneal/Runtime/Tiering/CompileQueue.h"
#include "anneal/Runtime/Tiering/TimeSource.h"

#include "absl/status/statusor.h"

#include <functional>
#include <memory>
#include <string>

namespace anneal::engine {

/// Makes a compiler of a model's units; may wait for their IR. Thread-safe.
using MakeUnitCompiler = std::function<absl::StatusOr<std::unique_ptr<compiler::UnitCompiler>>()>;

using runtime::CompileJob;
using runtime::CompileOutcome;
using runtime::MeasuredTime;
using runtime::ModelledTime;
using runtime::TimeSource;
using runtime::toMs;

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
