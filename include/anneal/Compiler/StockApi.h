//===- StockApi.h - How the engine calls the stock lowering -*- C++ -*- ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Functions that the ordinary route has no way to express (plan::Module::foreign) are compiled
// whole by MLIR's own passes. What that takes is a shared library of its own, libAnnealStock.so,
// which is opened when such a function is first called or a module names a dialect that only it
// knows. It exports one symbol, `annealGetStockApi`.

#ifndef ANNEAL_COMPILER_STOCKAPI_H
#define ANNEAL_COMPILER_STOCKAPI_H

#include "anneal/Compiler/CompilerApi.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace anneal::compiler {

/// Changes whenever something below does.
inline constexpr uint32_t kStockApiVersion = 3;

/// A compiled function. Thread-safe.
class StockFunction {
public:
  virtual ~StockFunction() = default;
  /// Runs it. `arguments`: pointers to the arguments as the C interface of MLIR's func-to-llvm has
  /// them, behind a pointer to the results' struct if that is how they are returned, before a
  /// pointer to the result if it is returned by value. Calls `readResults` after it has run and
  /// before the memory that it allocated is freed, all of it. False, with a message, if a check of
  /// the program failed or memory ran out.
  virtual bool run(std::vector<void *> arguments, const std::function<void()> &readResults,
                   std::string &error) = 0;
};

struct StockApi {
  uint32_t version;
  /// Parses text or bytecode with every dialect of MLIR, takes transform scripts out, and gives the
  /// module as generic text, with places. `diagnostics`: errors, and notes on what was taken out.
  /// False after errors. Thread-safe.
  bool (*read)(const std::string &bytes, const std::string &name, std::string &text,
               std::vector<std::string> &diagnostics);
  /// Lowers and compiles function `entry` of the module, by what `options` have for tier `stock`;
  /// null after errors. `options` were checked by CompilerApi::checkTiers, and their plugins are
  /// loaded. Thread-safe.
  std::unique_ptr<StockFunction> (*compile)(const std::string &ir, const std::string &entry,
                                            const UnitCompileOptions &options,
                                            std::vector<std::string> &diagnostics);
};

using GetStockApiFn = const StockApi *(*)();

} // namespace anneal::compiler

/// The table. Of a library of another version only `version` may be read, which comes first in all.
extern "C" const anneal::compiler::StockApi *annealGetStockApi();

#endif // ANNEAL_COMPILER_STOCKAPI_H
