//===- Engine.cpp - Load models and call their functions ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Engine/Engine.h"

#include "CompilerLibrary.h"
#include "ForeignCode.h"
#include "TieringManager.h"
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
  /// Compiles end before the program does.
  ~Impl() {
    if (tiering)
      tiering->stop();
  }

  /// Outlives the program, which calls it.
  std::unique_ptr<TieringManager> tiering;
  std::shared_ptr<ForeignCodes> foreign;
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

std::vector<UnitFailure> Model::forceTier(Tier tier) { return impl->tiering->forceTier(tier); }
void Model::waitForCompiles() { impl->tiering->waitForCompiles(); }
TieringReport Model::tiering() const { return impl->tiering->report(); }
std::vector<ForeignReport> Model::foreign() const { return impl->foreign->report(); }

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
  std::shared_ptr<CodeSpace> code;
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

  /// A plan on its way to becoming a model.
  struct Planned {
    std::unique_ptr<Model::Impl> model = std::make_unique<Model::Impl>();
    plan::Module module;
    /// Empty for a saved plan, which has no IR.
    MakeUnitCompiler makeCompiler;
  };
  absl::StatusOr<Planned> plan(const compiler::Source &source, const LoadOptions &loadOptions);
  absl::StatusOr<std::unique_ptr<Model::Impl>> prepare(Planned planned);
};

/// Makes compilers of the units with this IR, which is perhaps still being written.
static MakeUnitCompiler makerOf(const compiler::CompilerApi &api,
                                std::shared_ptr<compiler::UnitIr> unitIr) {
  return [&api, unitIr]() -> absl::StatusOr<std::unique_ptr<compiler::UnitCompiler>> {
    std::string error;
    auto made = api.makeUnitCompiler(unitIr->bytecode(), {}, error);
    if (!made)
      return absl::FailedPreconditionError(error);
    return made;
  };
}

absl::StatusOr<Engine::Impl::Planned> Engine::Impl::plan(const compiler::Source &source,
                                                         const LoadOptions &loadOptions) {
  Stopwatch watch;
  auto compilerTable = compilerApi();
  if (!compilerTable.ok())
    return compilerTable.status();
  Planned planned;
  LoadTimes &times = planned.model->times;
  times.open = watch.lap();
  compiler::PlanOptions planOptions;
  planOptions.dumpDirectory = loadOptions.dumpDirectory;
  compiler::PlanResult result;
  (*compilerTable)->planModule(source, planOptions, result);
  if (result.hasUnknownDialects)
    planWithAllDialects(**compilerTable, source, planOptions, options.compilerLibrary, result);
  if (!result.ok)
    return compilerError(result);
  times.parse = result.times.parse;
  times.plan = watch.lap() - result.times.parse;
  planned.model->warnings = std::move(result.diagnostics);
  planned.module = std::move(result.module);
  if (result.unitIr)
    planned.makeCompiler = makerOf(**compilerTable, std::move(result.unitIr));
  return planned;
}

absl::StatusOr<std::unique_ptr<Model::Impl>> Engine::Impl::prepare(Planned planned) {
  Stopwatch watch;
  std::unique_ptr<Model::Impl> model = std::move(planned.model);
  auto tiering =
      TieringManager::create({options.tiering, std::move(planned.makeCompiler), code, nullptr});
  if (!tiering.ok())
    return tiering.status();
  model->tiering = *std::move(tiering);
  runtime::ProgramOptions programOptions;
  programOptions.pool = pool;
  model->tiering->configure(programOptions);
  model->foreign = std::make_shared<ForeignCodes>(options.compilerLibrary);
  programOptions.foreign = [codes = model->foreign](const plan::Module &module, uint32_t index) {
    return codes->make(module, index);
  };
  auto program = runtime::Program::create(std::move(planned.module), programOptions);
  if (!program.ok())
    return program.status();
  model->program = *std::move(program);
  model->tiering->attach(*model->program);
  model->times.prepare = watch.lap();
  return model;
}

Engine::Engine(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
Engine::~Engine() = default;

/// Those of profilers and debuggers that are to be told of compiled code.
static absl::StatusOr<std::vector<std::shared_ptr<runtime::CodeObserver>>>
observersOf(const TieringOptions &options) {
  std::vector<std::shared_ptr<runtime::CodeObserver>> observers;
  if (options.perfMap) {
    auto map = runtime::openPerfMap();
    if (!map.ok())
      return map.status();
    observers.push_back(*std::move(map));
  }
  if (options.gdb)
    observers.push_back(runtime::makeGdbObserver());
  return observers;
}

absl::StatusOr<std::unique_ptr<Engine>> Engine::create(const EngineOptions &options) {
  auto impl = std::make_unique<Impl>();
  impl->options = options;
  unsigned threads = options.threads;
  if (threads == 0)
    threads = (runtime::usableCores() * 4 + 4) / 5;
  impl->pool = std::make_shared<runtime::ThreadPool>(threads);
  if (auto policy = runtime::makePolicy(options.tiering.policy); !policy.ok())
    return policy.status();
  auto observers = observersOf(options.tiering);
  if (!observers.ok())
    return observers.status();
  impl->code = std::make_shared<CodeSpace>(options.tiering.codeLimitBytes, *std::move(observers));
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
  absl::StatusOr<Impl::Planned> planned = Impl::Planned();
  if (plan::isSavedModule(path)) {
    Stopwatch watch;
    auto loaded = plan::loadModule(path);
    if (auto *error = std::get_if<std::string>(&loaded))
      return absl::DataLossError(*error);
    planned->module = std::move(std::get<plan::Module>(loaded));
    planned->model->times.open = watch.lap();
  } else {
    planned = impl->plan({path, nullptr}, options);
  }
  if (!planned.ok())
    return planned.status();
  auto model = impl->prepare(*std::move(planned));
  if (!model.ok())
    return model.status();
  return std::unique_ptr<Model>(new Model(*std::move(model)));
}

absl::StatusOr<std::unique_ptr<Model>>
Engine::loadBytes(const std::string &bytes, const std::string &name, const LoadOptions &options) {
  auto planned = impl->plan({name, &bytes}, options);
  if (!planned.ok())
    return planned.status();
  auto model = impl->prepare(*std::move(planned));
  if (!model.ok())
    return model.status();
  return std::unique_ptr<Model>(new Model(*std::move(model)));
}

} // namespace anneal::engine
