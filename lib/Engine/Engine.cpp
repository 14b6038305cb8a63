//===- Engine.cpp - Load models and call their functions ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Engine/Engine.h"

#include "CompilerLibrary.h"
#include "anneal/Compiler/CompilerApi.h"
#include "anneal/Plan/Serialize.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <chrono>
#include <mutex>

namespace anneal::engine {
namespace {

/// Milliseconds since it was made or last read.
class Stopwatch {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    double ms = std::chrono::duration<double, std::milli>(now - last).count();
    last = now;
    return ms;
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// Text of a compiler failure: its diagnostics, one a line.
absl::Status compilerError(const compiler::PlanResult &result) {
  std::string text = absl::StrJoin(result.diagnostics, "\n");
  return result.notFound ? absl::NotFoundError(text) : absl::InvalidArgumentError(text);
}

} // namespace

//===----------------------------------------------------------------------===//
// Model
//===----------------------------------------------------------------------===//

struct Model::Impl {
  std::unique_ptr<runtime::Program> program;
  LoadTimes times;
  std::vector<std::string> warnings;
};

Model::Model(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Model::~Model() = default;

const runtime::Program &Model::program() const { return *impl->program; }
const LoadTimes &Model::times() const { return impl->times; }
const std::vector<std::string> &Model::warnings() const { return impl->warnings; }

absl::StatusOr<const runtime::Function *> Model::function(absl::string_view name) const {
  return impl->program->function(name);
}

absl::StatusOr<std::string> Model::defaultEntry() const {
  auto functions = impl->program->functions();
  if (functions.empty())
    return absl::NotFoundError("the module has no public function");
  if (functions.size() == 1)
    return std::string(functions.front()->name());
  for (const auto &function : functions)
    if (function->name() == "main")
      return std::string("main");
  auto quoted = [](std::string *out, const auto &function) {
    absl::StrAppend(out, "'", function->name(), "'");
  };
  return absl::NotFoundError(absl::StrCat("the module has several public functions and none is "
                                          "called 'main'; choose one with --entry: ",
                                          absl::StrJoin(functions, ", ", quoted)));
}

absl::Status Model::save(const std::string &path) const {
  if (std::optional<std::string> error = plan::saveModule(impl->program->module(), path))
    return absl::UnavailableError(*error);
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Engine
//===----------------------------------------------------------------------===//

struct Engine::Impl {
  EngineOptions options;
  std::shared_ptr<runtime::ThreadPool> pool;
  /// Guards `api`.
  mutable std::mutex libraryMutex;
  const compiler::CompilerApi *api = nullptr;

  absl::StatusOr<const compiler::CompilerApi *> compilerApi() {
    std::lock_guard<std::mutex> lock(libraryMutex);
    if (!api) {
      auto opened = openCompilerLibrary(options.compilerLibrary);
      if (!opened.ok())
        return opened.status();
      api = *opened;
    }
    return api;
  }

  absl::StatusOr<std::unique_ptr<Model::Impl>>
  plan(const compiler::Source &source, const LoadOptions &loadOptions, plan::Module &module);
  absl::Status prepare(Model::Impl &model, plan::Module module);
};

absl::StatusOr<std::unique_ptr<Model::Impl>> Engine::Impl::plan(const compiler::Source &source,
                                                                const LoadOptions &loadOptions,
                                                                plan::Module &module) {
  Stopwatch watch;
  auto compilerTable = compilerApi();
  if (!compilerTable.ok())
    return compilerTable.status();
  auto model = std::make_unique<Model::Impl>();
  model->times.open = watch.lap();
  compiler::PlanOptions planOptions;
  planOptions.dumpDirectory = loadOptions.dumpDirectory;
  compiler::PlanResult result;
  (*compilerTable)->planModule(source, planOptions, result);
  if (!result.ok)
    return compilerError(result);
  model->times.parse = result.times.parse;
  model->times.plan = watch.lap() - result.times.parse;
  model->warnings = std::move(result.diagnostics);
  module = std::move(result.module);
  return model;
}

absl::Status Engine::Impl::prepare(Model::Impl &model, plan::Module module) {
  Stopwatch watch;
  runtime::ProgramOptions programOptions;
  programOptions.pool = pool;
  auto program = runtime::Program::create(std::move(module), programOptions);
  if (!program.ok())
    return program.status();
  model.program = *std::move(program);
  model.times.prepare = watch.lap();
  return absl::OkStatus();
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Engine::~Engine() = default;

absl::StatusOr<std::unique_ptr<Engine>> Engine::create(const EngineOptions &options) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  unsigned threads = options.threads;
  if (threads == 0)
    threads = (runtime::usableCores() * 4 + 4) / 5;
  impl->pool = std::make_shared<runtime::ThreadPool>(threads);
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

unsigned Engine::numThreads() const { return impl->pool->numThreads(); }

absl::Status Engine::openCompiler() { return impl->compilerApi().status(); }

std::string Engine::llvmVersion() const {
  std::lock_guard<std::mutex> lock(impl->libraryMutex);
  return impl->api ? impl->api->llvmVersion : "";
}

absl::StatusOr<std::unique_ptr<Model>> Engine::load(const std::string &path,
                                                    const LoadOptions &options) {
  plan::Module module;
  std::unique_ptr<Model::Impl> model;
  if (plan::isSavedModule(path)) {
    Stopwatch watch;
    auto loaded = plan::loadModule(path);
    if (auto *error = std::get_if<std::string>(&loaded))
      return absl::DataLossError(*error);
    module = std::move(std::get<plan::Module>(loaded));
    model = std::make_unique<Model::Impl>();
    model->times.open = watch.lap();
  } else {
    auto planned = impl->plan({path, nullptr}, options, module);
    if (!planned.ok())
      return planned.status();
    model = *std::move(planned);
  }
  if (absl::Status status = impl->prepare(*model, std::move(module)); !status.ok())
    return status;
  return std::unique_ptr<Model>(new Model(std::move(model)));
}

absl::StatusOr<std::unique_ptr<Model>>
Engine::loadBytes(const std::string &bytes, const std::string &name, const LoadOptions &options) {
  plan::Module module;
  auto model = impl->plan({name, &bytes}, options, module);
  if (!model.ok())
    return model.status();
  if (absl::Status status = impl->prepare(**model, std::move(module)); !status.ok())
    return status;
  return std::unique_ptr<Model>(new Model(*std::move(model)));
}

} // namespace anneal::engine
