//===- CompileRunner.cpp - Compiles one unit after the other --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileRunner.h"

#include "absl/strings/match.h"

#include <utility>

namespace anneal::engine {

namespace {

/// The first error among the diagnostics.
std::string firstError(const std::vector<std::string> &diagnostics) {
  for (const std::string &diagnostic : diagnostics)
    if (absl::StrContains(diagnostic, "error: "))
      return diagnostic;
  return diagnostics.empty() ? "the compiler gave no reason" : diagnostics.front();
}

} // namespace

void CompileRunner::open() {
  if (compiler.ok() && !*compiler)
    compiler = makeCompiler();
}

CompileOutcome CompileRunner::run(const CompileJob &job) {
  open();
  CompileOutcome outcome;
  if (!compiler.ok()) {
    outcome.isCompilerBroken = true;
    outcome.detail = std::string(compiler.status().message());
    return outcome;
  }
  const std::string &unit = module.units[job.unit].name;
  compiler::UnitCompileResult result;
  auto start = time.now();
  (*compiler)->compile(unit, job.tier, result);
  time.compiled(job.tier);
  outcome.compileMs = toMs(time.now() - start);
  for (compiler::PassTime &pass : result.passes)
    outcome.passes.push_back({std::move(pass.name), pass.ms});
  if (!result.ok) {
    outcome.detail = firstError(result.diagnostics);
    return outcome;
  }
  if (result.numBodies == 0) {
    outcome.attempt = runtime::Attempt::NothingToCompile;
    return outcome;
  }
  outcome.isFirst = !std::exchange(hasCompiled, true);
  outcome.codeBytes = result.image.bytes.size();
  start = time.now();
  auto loaded = code.load(std::move(result.image), unit, job.tier);
  outcome.loadMs = toMs(time.now() - start);
  if (loaded.ok()) {
    outcome.attempt = runtime::Attempt::Installed;
    outcome.code = *std::move(loaded);
    return outcome;
  }
  bool isFull = loaded.status().code() == absl::StatusCode::kResourceExhausted;
  outcome.attempt = isFull ? runtime::Attempt::NoCodeMemory : runtime::Attempt::Failed;
  outcome.detail = std::string(loaded.status().message());
  return outcome;
}

} // namespace anneal::engine
