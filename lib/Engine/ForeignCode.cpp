//===- ForeignCode.cpp - Functions compiled whole ===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForeignCode.h"

#include "CompilerLibrary.h"
#include "ForeignValues.h"

#include "anneal/Compiler/StockApi.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <atomic>
#include <fstream>
#include <iterator>
#include <mutex>

namespace anneal::engine {
namespace {

using Clock = std::chrono::steady_clock;

/// The stock library's table; it is never closed.
absl::StatusOr<const compiler::StockApi *> openStockLibrary(const std::string &compilerLibrary) {
  auto table = openTable(findLibrary("libAnnealStock.so", compilerLibrary), "annealGetStockApi",
                         compiler::kStockApiVersion, "the library of the stock lowering");
  if (!table.ok())
    return table.status();
  return static_cast<const compiler::StockApi *>(*table);
}

} // namespace

/// One function, compiled at its first call.
class StockCall final : public runtime::ForeignCode {
public:
  StockCall(const plan::Module &module, uint32_t index, const std::string &compilerLibrary,
            const compiler::UnitCompileOptions &options, TieringManager &tiering)
      : module(module), function(module.foreign[index]), compilerLibrary(compilerLibrary),
        options(options), tiering(tiering) {}

  absl::Status call(absl::Span<const runtime::Value> inputs,
                    absl::Span<runtime::Value> outputs) override {
    std::call_once(once, [this] { compile(); });
    if (!compiled.ok())
      return compiled;
    auto begin = Clock::now();
    absl::Status status = run(inputs, outputs);
    calls.fetch_add(1, std::memory_order_relaxed);
    nanoseconds.fetch_add((Clock::now() - begin).count(), std::memory_order_relaxed);
    return status;
  }

  ForeignReport report() const {
    return {function.name,
            function.reason,
            calls.load(std::memory_order_relaxed),
            std::chrono::nanoseconds(nanoseconds.load(std::memory_order_relaxed)),
            compileMs.load(std::memory_order_relaxed),
            compiledAtMs.load(std::memory_order_relaxed),
            hasFailed.load(std::memory_order_relaxed)};
  }

private:
  void compile() {
    ForeignCompile compile = tiering.foreignCompileBegins(function);
    compiled = tryToCompile();
    tiering.foreignCompileEnds(function, compiled, compile);
    hasFailed.store(!compiled.ok(), std::memory_order_relaxed);
    compileMs.store(compile.ms, std::memory_order_relaxed);
    compiledAtMs.store(compile.endedAtMs, std::memory_order_relaxed);
  }

  absl::Status tryToCompile() {
    auto api = openStockLibrary(compilerLibrary);
    if (!api.ok())
      return api.status();
    std::vector<std::string> diagnostics;
    code = (*api)->compile(module.foreignIr, function.name, options, diagnostics);
    if (code)
      return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("function '", function.name, "' has no plan (", function.reason,
                     "), and MLIR's own lowering failed too:\n", absl::StrJoin(diagnostics, "\n")));
  }

  absl::Status run(absl::Span<const runtime::Value> inputs, absl::Span<runtime::Value> outputs) {
    ForeignValues values(function);
    if (absl::Status status = values.setInputs(inputs); !status.ok())
      return status;
    absl::Status read;
    std::string error;
    bool ok = code->run(values.pointers(), [&] { read = values.readResults(outputs); }, error);
    return ok ? read : absl::FailedPreconditionError(error);
  }

  const plan::Module &module;
  const plan::ForeignFunction &function;
  const std::string compilerLibrary;
  const compiler::UnitCompileOptions options;
  TieringManager &tiering;
  std::once_flag once;
  absl::Status compiled;
  std::unique_ptr<compiler::StockFunction> code;
  std::atomic<uint64_t> calls{0};
  std::atomic<int64_t> nanoseconds{0};
  std::atomic<double> compileMs{0};
  std::atomic<double> compiledAtMs{0};
  std::atomic<bool> hasFailed{false};
};

std::shared_ptr<runtime::ForeignCode> ForeignCodes::make(const plan::Module &module,
                                                         uint32_t index) {
  calls.push_back(std::make_shared<StockCall>(module, index, compilerLibrary, options, tiering));
  return calls.back();
}

std::vector<ForeignReport> ForeignCodes::report() const {
  std::vector<ForeignReport> reports;
  for (const std::shared_ptr<StockCall> &call : calls)
    reports.push_back(call->report());
  return reports;
}

void planWithAllDialects(const compiler::CompilerApi &api, const compiler::Source &source,
                         const compiler::PlanOptions &options, const std::string &compilerLibrary,
                         compiler::PlanResult &result) {
  auto stock = openStockLibrary(compilerLibrary);
  if (!stock.ok())
    return;
  std::string bytes;
  if (source.bytes) {
    bytes = *source.bytes;
  } else {
    std::ifstream file(source.name, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::string text;
  std::vector<std::string> notes;
  if (!(*stock)->read(bytes, source.name, text, notes))
    return;
  compiler::PlanOptions accepting = options;
  accepting.acceptUnknownDialects = true;
  compiler::PlanResult again;
  api.planModule({source.name, &text}, accepting, again);
  again.diagnostics.insert(again.diagnostics.begin(), notes.begin(), notes.end());
  result = std::move(again);
}

} // namespace anneal::engine
