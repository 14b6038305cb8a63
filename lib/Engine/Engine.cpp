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

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <functional>
#include <mutex>
#include <unistd.h>
#include <variant>

namespace anneal::engine {
namespace {

constexpr unsigned kMostCompileThreads = 64;

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
  /// Of the units, for saving; may wait until it is written. Empty: they have none.
  std::function<const std::string &()> unitIr;
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
  plan::SaveOptions options;
  if (impl->unitIr)
    options.unitIr = impl->unitIr();
  if (auto error = plan::saveModule(impl->program->module(), path, options))
    return absl::UnavailableError(*error);
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Engine
//===----------------------------------------------------------------------===//

namespace {

/// The compiler half, opened when it is first needed. Thread-safe; shared by an engine and those of
/// its models that may compile.
class CompilerHalf {
public:
  CompilerHalf(std::string path, CompilerVariant variant)
      : path(std::move(path)), variant(variant) {}

  absl::StatusOr<const compiler::CompilerApi *> open() {
    std::lock_guard<std::mutex> lock(mutex);
    if (!api) {
      auto opened = openCompilerLibrary(path, variant);
      if (!opened.ok())
        return opened.status();
      api = *opened;
    }
    return api;
  }
  std::string llvmVersion() const {
    std::lock_guard<std::mutex> lock(mutex);
    return api ? api->llvmVersion : "";
  }

private:
  const std::string path;
  const CompilerVariant variant;
  /// Guards `api`.
  mutable std::mutex mutex;
  const compiler::CompilerApi *api = nullptr;
};

} // namespace

struct Engine::Impl {
  EngineOptions options;
  std::shared_ptr<runtime::ThreadPool> pool;
  std::shared_ptr<CodeSpace> code;
  std::shared_ptr<CompilerHalf> compiler;

  /// A plan on its way to becoming a model.
  struct Planned {
    std::unique_ptr<Model::Impl> model = std::make_unique<Model::Impl>();
    plan::Module module;
    /// How units and foreign functions are compiled.
    compiler::UnitCompileOptions compileOptions;
    /// Empty if the units have no IR.
    MakeUnitCompiler makeCompiler;
    std::vector<std::shared_ptr<TieringObserver>> observers;
  };
  bool replacesTiers() const {
    return !options.tiering.tierOverrides.empty() || !options.tiering.passPlugins.empty();
  }
  absl::Status checkTiers() const;
  compiler::UnitCompileOptions compileOptions(const std::string &model,
                                              const LoadOptions &loadOptions) const;
  absl::StatusOr<Planned> takeSaved(std::variant<plan::Module, std::string> loaded,
                                    compiler::UnitCompileOptions compileOptions);
  absl::StatusOr<Planned> plan(const compiler::Source &source, const LoadOptions &loadOptions);
  absl::StatusOr<std::unique_ptr<Model::Impl>> prepare(Planned planned);
  absl::StatusOr<std::unique_ptr<Model>> finish(absl::StatusOr<Planned> planned,
                                                const LoadOptions &loadOptions);
};

/// Makes compilers of the units with this IR, which is perhaps still being written; opens the
/// compiler half for the first of them.
static MakeUnitCompiler makerOf(std::shared_ptr<CompilerHalf> half,
                                std::function<const std::string &()> unitIr,
                                const compiler::UnitCompileOptions &options) {
  return [half, unitIr, options]() -> absl::StatusOr<std::unique_ptr<compiler::UnitCompiler>> {
    auto api = half->open();
    if (!api.ok())
      return api.status();
    std::string error;
    auto made = (*api)->makeUnitCompiler(unitIr(), options, error);
    if (!made)
      return absl::FailedPreconditionError(error);
    return made;
  };
}

/// The model is named in what is dumped where it is a file; a saved plan is none that jit-opt
/// reads.
compiler::UnitCompileOptions Engine::Impl::compileOptions(const std::string &model,
                                                          const LoadOptions &loadOptions) const {
  compiler::UnitCompileOptions result;
  result.tiers = options.tiering.tierOverrides;
  result.passPlugins = options.tiering.passPlugins;
  if (!loadOptions.dumpDirectory.empty())
    result.dumpDirectory = loadOptions.dumpDirectory + "/units";
  result.model = model;
  return result;
}

/// Illegal pipelines are found before anything is loaded.
absl::Status Engine::Impl::checkTiers() const {
  if (!replacesTiers())
    return absl::OkStatus();
  auto api = compiler->open();
  if (!api.ok())
    return api.status();
  std::string error;
  if ((*api)->checkTiers(compileOptions("", {}), error))
    return absl::OkStatus();
  return absl::InvalidArgumentError(error);
}

absl::StatusOr<Engine::Impl::Planned>
Engine::Impl::takeSaved(std::variant<plan::Module, std::string> loaded,
                        compiler::UnitCompileOptions compileOptions) {
  if (auto *error = std::get_if<std::string>(&loaded))
    return absl::DataLossError(*error);
  Planned planned;
  planned.module = std::move(std::get<plan::Module>(loaded));
  planned.compileOptions = std::move(compileOptions);
  if (planned.module.unitIr.empty())
    return planned;
  auto ir = std::make_shared<const std::string>(std::move(planned.module.unitIr));
  planned.module.unitIr.clear();
  planned.model->unitIr = [ir]() -> const std::string & { return *ir; };
  planned.makeCompiler = makerOf(compiler, planned.model->unitIr, planned.compileOptions);
  return planned;
}

absl::StatusOr<Engine::Impl::Planned> Engine::Impl::plan(const compiler::Source &source,
                                                         const LoadOptions &loadOptions) {
  Stopwatch watch;
  auto compilerTable = compiler->open();
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
  planned.compileOptions = compileOptions(source.bytes ? "" : source.name, loadOptions);
  if (result.unitIr) {
    planned.model->unitIr = [ir = std::move(result.unitIr)]() -> const std::string & {
      return ir->bytecode();
    };
    planned.makeCompiler = makerOf(compiler, planned.model->unitIr, planned.compileOptions);
  }
  return planned;
}

absl::StatusOr<std::unique_ptr<Model::Impl>> Engine::Impl::prepare(Planned planned) {
  Stopwatch watch;
  std::unique_ptr<Model::Impl> model = std::move(planned.model);
  auto tiering = TieringManager::create({options.tiering, std::move(planned.makeCompiler), code,
                                         nullptr, std::move(planned.observers)});
  if (!tiering.ok())
    return tiering.status();
  model->tiering = *std::move(tiering);
  runtime::ProgramOptions programOptions;
  programOptions.pool = pool;
  model->tiering->configure(programOptions);
  model->foreign = std::make_shared<ForeignCodes>(
      options.compilerLibrary, std::move(planned.compileOptions), *model->tiering);
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

absl::StatusOr<std::unique_ptr<Model>> Engine::Impl::finish(absl::StatusOr<Planned> planned,
                                                            const LoadOptions &loadOptions) {
  if (!planned.ok())
    return planned.status();
  planned->observers = loadOptions.observers;
  auto model = prepare(*std::move(planned));
  if (!model.ok())
    return model.status();
  return std::unique_ptr<Model>(new Model(*std::move(model)));
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
  impl->compiler = std::make_shared<CompilerHalf>(options.compilerLibrary,
                                                  impl->replacesTiers() ? CompilerVariant::Workbench
                                                                        : CompilerVariant::Compact);
  unsigned threads = options.threads;
  if (threads == 0)
    threads = (runtime::usableCores() * 4 + 4) / 5;
  auto pool = runtime::ThreadPool::create(threads);
  if (!pool.ok())
    return pool.status();
  impl->pool = *std::move(pool);
  if (options.tiering.compileThreads > kMostCompileThreads)
    return absl::InvalidArgumentError(absl::StrCat("option 'compileThreads' is ",
                                                   options.tiering.compileThreads,
                                                   "; it goes from 1 to ", kMostCompileThreads));
  for (const std::string &plugin : options.tiering.policyPlugins)
    if (absl::Status status = runtime::loadPolicyPlugin(plugin); !status.ok())
      return status;
  if (auto policy = runtime::makePolicy(options.tiering.policy); !policy.ok())
    return policy.status();
  if (absl::Status status = impl->checkTiers(); !status.ok())
    return status;
  auto observers = observersOf(options.tiering);
  if (!observers.ok())
    return observers.status();
  impl->code = std::make_shared<CodeSpace>(options.tiering.codeLimitBytes, *std::move(observers));
  return std::unique_ptr<Engine>(new Engine(std::move(impl)));
}

unsigned Engine::numThreads() const { return impl->pool->numThreads(); }

absl::Status Engine::openCompiler() { return impl->compiler->open().status(); }
std::string Engine::llvmVersion() const { return impl->compiler->llvmVersion(); }

/// The folders of LoadOptions::dumpDirectory.
static absl::Status makeDumpFolders(const LoadOptions &options) {
  if (options.dumpDirectory.empty())
    return absl::OkStatus();
  std::string inner = options.dumpDirectory + "/units";
  std::error_code error;
  std::filesystem::create_directories(inner, error);
  for (const std::string &folder : {options.dumpDirectory, inner})
    if (!error && ::access(folder.c_str(), W_OK | X_OK) < 0)
      error = std::error_code(errno, std::generic_category());
  if (!error)
    return absl::OkStatus();
  return absl::UnavailableError(
      absl::StrCat("cannot write into folder '", options.dumpDirectory, "': ", error.message()));
}

absl::StatusOr<std::unique_ptr<Model>> Engine::load(const std::string &path,
                                                    const LoadOptions &options) {
  if (absl::Status made = makeDumpFolders(options); !made.ok())
    return made;
  Stopwatch watch;
  bool isSaved = plan::isSavedModule(path);
  auto planned = isSaved
                     ? impl->takeSaved(plan::loadModule(path), impl->compileOptions("", options))
                     : impl->plan({path, nullptr}, options);
  if (isSaved && planned.ok())
    planned->model->times.open = watch.lap();
  return impl->finish(std::move(planned), options);
}

absl::StatusOr<std::unique_ptr<Model>>
Engine::loadBytes(const std::string &bytes, const std::string &name, const LoadOptions &options) {
  if (absl::Status made = makeDumpFolders(options); !made.ok())
    return made;
  if (plan::isSavedModuleBytes(bytes))
    return impl->finish(
        impl->takeSaved(plan::loadModuleBytes(bytes, name), impl->compileOptions("", options)),
        options);
  return impl->finish(impl->plan({name, &bytes}, options), options);
}

} // namespace anneal::engine
