//===- RuntimeBackend.cpp - The runtime half behind the C interface -------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Backend.h"

#include "anneal/Plan/Serialize.h"
#include "anneal/Runtime/Report.h"

#include "absl/strings/str_cat.h"

#include <unistd.h>

namespace anneal::capi {
namespace {

class RuntimeModel final : public ModelBackend {
public:
  RuntimeModel(std::unique_ptr<runtime::Program> loaded, unsigned threads)
      : loaded(std::move(loaded)), threads(threads) {}

  const runtime::Program &program() const override { return *loaded; }
  absl::StatusOr<std::string> defaultEntry() const override {
    auto functions = loaded->functions();
    return std::string(functions.size() == 1 ? functions.front()->name() : "main");
  }
  void waitForCompiles() override {}
  absl::Status save(const std::string &path) const override {
    auto error = plan::saveModule(loaded->module(), path);
    return error ? absl::UnavailableError(*error) : absl::OkStatus();
  }
  std::string report(const std::string &model) const override {
    return runtime::reportJson(*loaded, {ANNEAL_VERSION, model, threads});
  }

private:
  const std::unique_ptr<runtime::Program> loaded;
  const unsigned threads;
};

class RuntimeEngine final : public EngineBackend {
public:
  explicit RuntimeEngine(std::shared_ptr<runtime::ThreadPool> pool) : pool(std::move(pool)) {}

  unsigned numThreads() const override { return pool->numThreads(); }

  absl::StatusOr<std::unique_ptr<ModelBackend>> load(const std::string &path) override {
    if (::access(path.c_str(), R_OK) != 0)
      return absl::NotFoundError(absl::StrCat("cannot read '", path, "'"));
    if (!plan::isSavedModule(path))
      return absl::UnimplementedError(absl::StrCat(
          "'", path, "' is no saved plan, and this is libanneal-runtime, which has no compiler; ",
          "save the plan with libanneal or jit-run --save-plan, or use libanneal"));
    return take(plan::loadModule(path));
  }

  absl::StatusOr<std::unique_ptr<ModelBackend>> loadBytes(const std::string &bytes,
                                                          const std::string &name) override {
    if (!plan::isSavedModuleBytes(bytes))
      return absl::UnimplementedError(absl::StrCat(
          name, ": this is no saved plan; MLIR is compiled by libanneal, not libanneal-runtime"));
    return take(plan::loadModuleBytes(bytes, name));
  }

private:
  absl::StatusOr<std::unique_ptr<ModelBackend>>
  take(std::variant<plan::Module, std::string> module) const {
    if (auto *error = std::get_if<std::string>(&module))
      return absl::DataLossError(*error);
    runtime::ProgramOptions options;
    options.pool = pool;
    auto program = runtime::Program::create(std::move(std::get<plan::Module>(module)), options);
    if (!program.ok())
      return program.status();
    return std::make_unique<RuntimeModel>(*std::move(program), numThreads());
  }

  const std::shared_ptr<runtime::ThreadPool> pool;
};

} // namespace

absl::StatusOr<std::unique_ptr<EngineBackend>> makeBackend(const AnnealEngineOptions &options) {
  if (options.compilerLibrary || options.tiers || options.policy || options.compileThreads ||
      options.deterministic || options.compileShare != 0 || options.compileDeadlineSeconds != 0 ||
      options.codeLimitBytes || options.perfMap || options.gdb || options.forceTier)
    return absl::InvalidArgumentError(
        "libanneal-runtime compiles nothing: of the engine's options it takes 'threads' alone");
  unsigned threads = options.threads ? options.threads : (runtime::usableCores() * 4 + 4) / 5;
  auto pool = runtime::ThreadPool::create(threads);
  if (!pool.ok())
    return pool.status();
  return std::make_unique<RuntimeEngine>(*std::move(pool));
}

} // namespace anneal::capi
