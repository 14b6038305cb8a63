//===- ForeignCode.h - Functions compiled whole -*- C++ -*- ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ENGINE_FOREIGNCODE_H
#define ANNEAL_LIB_ENGINE_FOREIGNCODE_H

#include "TieringManager.h"

#include "anneal/Compiler/CompilerApi.h"
#include "anneal/Engine/Engine.h"
#include "anneal/Runtime/Foreign.h"

#include <memory>
#include <string>
#include <vector>

namespace anneal::engine {

class StockCall;

/// Plans again a source that names dialects which the compiler half doesn't know, as the stock
/// library reads it. If that doesn't know them either, `result` stays as it is.
void planWithAllDialects(const compiler::CompilerApi &api, const compiler::Source &source,
                         const compiler::PlanOptions &options, const std::string &compilerLibrary,
                         compiler::PlanResult &result);

/// The functions of one model that have no plan. Each is compiled when it is first called, by the
/// calling thread; others wait for it.
class ForeignCodes {
public:
  /// `compilerLibrary`: EngineOptions::compilerLibrary; the stock library is beside it. `tiering`
  /// is told of compiles, and outlives all calls.
  ForeignCodes(std::string compilerLibrary, compiler::UnitCompileOptions options,
               TieringManager &tiering)
      : compilerLibrary(std::move(compilerLibrary)), options(std::move(options)), tiering(tiering) {
  }

  std::shared_ptr<runtime::ForeignCode> make(const plan::Module &module, uint32_t index);
  std::vector<ForeignReport> report() const;

private:
  const std::string compilerLibrary;
  const compiler::UnitCompileOptions options;
  TieringManager &tiering;
  /// Complete before the first call.
  std::vector<std::shared_ptr<StockCall>> calls;
};

} // namespace anneal::engine

#endif // ANNEAL_LIB_ENGINE_FOREIGNCODE_H
