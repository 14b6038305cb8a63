//===- Engines.cpp - Engines and programs of the C interface --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handles.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>

using namespace anneal;
using namespace anneal::capi;

static constexpr char kForked[] =
    "the engine was made before fork(), and its threads are not in this process; make another here";

/// Checks version and size before anything else is read.
static AnnealFailure *checkOptions(const AnnealEngineOptions &options) {
  if (options.apiVersion != ANNEAL_API_VERSION)
    return failureOf(absl::FailedPreconditionError(
        absl::StrCat("this program was built for version ", options.apiVersion,
                     " of Anneal's C interface, and the library has version ", ANNEAL_API_VERSION,
                     "; build the program with the library's own headers")));
  // Programs that were built before `forceTier` came do not have it.
  if (options.structSize < offsetof(AnnealEngineOptions, forceTier) ||
      options.structSize > sizeof(AnnealEngineOptions))
    return invalid("AnnealEngineOptions::structSize is not that of this version; begin with "
                   "ANNEAL_ENGINE_OPTIONS_INIT");
  return nullptr;
}

AnnealFailure *annealEngineCreate(const AnnealEngineOptions *options, AnnealEngine **engine) {
  return guarded([&]() -> AnnealFailure * {
    if (!engine)
      return invalid("null was given for the place of the new engine");
    AnnealEngineOptions complete = ANNEAL_ENGINE_OPTIONS_INIT;
    if (options) {
      if (AnnealFailure *failure = checkOptions(*options))
        return failure;
      std::memcpy(&complete, options, options->structSize);
    }
    watchForks();
    auto backend = makeBackend(complete);
    if (!backend.ok())
      return failureOf(backend.status());
    auto made = std::make_unique<AnnealEngine>();
    made->state = std::make_shared<EngineState>();
    made->state->backend = *std::move(backend);
    *engine = made.release();
    return nullptr;
  });
}

void annealEngineDestroy(AnnealEngine *engine) {
  if (!isAlive(engine))
    return;
  std::shared_ptr<EngineState> state = engine->state;
  if (state->generation != forkGeneration()) {
    // Nobody is there to join; what it holds may be in the middle of a change.
    new std::shared_ptr<EngineState>(std::move(state));
    return;
  }
  state->gate.closeAndWait();
  for (const std::weak_ptr<ProgramState> &weak : state->programs)
    if (std::shared_ptr<ProgramState> program = weak.lock())
      program->close();
  state->backend.reset();
  destroyHandle(engine);
}

uint32_t annealEngineNumThreads(const AnnealEngine *engine) {
  return isAlive(engine) ? engine->state->backend->numThreads() : 0;
}

/// Without the "error: " by which the compiler's messages begin where they have no place: callers
/// have one of their own.
static absl::Status withoutPrefix(const absl::Status &status) {
  absl::string_view message = status.message();
  if (!absl::ConsumePrefix(&message, "error: "))
    return status;
  absl::Status plain(status.code(), message);
  status.ForEachPayload(
      [&](absl::string_view key, const absl::Cord &payload) { plain.SetPayload(key, payload); });
  return plain;
}

/// `load(backend)` gives a model.
template <typename Load>
static AnnealFailure *loadInto(AnnealEngine *engine, const std::string &name,
                               AnnealProgram **program, const Load &load) {
  if (!isAlive(engine))
    return badHandle(engine, "the engine");
  if (!program)
    return invalid("null was given for the place of the new program");
  EngineState &state = *engine->state;
  if (state.generation != forkGeneration())
    return failureOf(absl::FailedPreconditionError(kForked));
  GatePass pass(state.gate);
  if (!pass)
    return failureOf(absl::FailedPreconditionError("the engine is being destroyed"));
  absl::StatusOr<std::unique_ptr<ModelBackend>> model = load(*state.backend);
  if (!model.ok())
    return failureOf(withoutPrefix(model.status()));
  auto made = std::make_unique<AnnealProgram>();
  made->state = std::make_shared<ProgramState>();
  made->state->model = *std::move(model);
  made->name = name;
  for (const auto &function : made->state->model->program().functions())
    made->functions.emplace_back(new AnnealFunction(made->state, *function));
  std::lock_guard<std::mutex> lock(state.mutex);
  std::erase_if(state.programs, [](const auto &weak) { return weak.expired(); });
  state.programs.push_back(made->state);
  *program = made.release();
  return nullptr;
}

AnnealFailure *annealEngineLoad(AnnealEngine *engine, const char *path, AnnealProgram **program) {
  return guarded([&]() -> AnnealFailure * {
    if (!path)
      return invalid("null was given for the path of a model");
    return loadInto(engine, path, program,
                    [&](EngineBackend &backend) { return backend.load(path); });
  });
}

AnnealFailure *annealEngineLoadBytes(AnnealEngine *engine, const void *bytes, size_t size,
                                     const char *name, AnnealProgram **program) {
  return guarded([&]() -> AnnealFailure * {
    if (!bytes)
      return invalid("null was given for the bytes of a model");
    std::string text(static_cast<const char *>(bytes), size);
    std::string source = name ? name : "<memory>";
    return loadInto(engine, source, program,
                    [&](EngineBackend &backend) { return backend.loadBytes(text, source); });
  });
}

void annealProgramDestroy(AnnealProgram *program) {
  if (!isAlive(program))
    return;
  if (program->state->generation != forkGeneration()) {
    new std::shared_ptr<ProgramState>(program->state);
    return;
  }
  program->state->close();
  destroyHandle(program);
}

/// Runs `use(model)` while the model is kept from going.
template <typename Use> static AnnealFailure *withModel(const AnnealProgram *program, Use &&use) {
  return guarded([&]() -> AnnealFailure * {
    if (!isAlive(program))
      return badHandle(program, "the program");
    if (program->state->generation != forkGeneration())
      return failureOf(absl::FailedPreconditionError(kForked));
    GatePass pass(program->state->gate);
    if (!pass)
      return failureOf(
          absl::FailedPreconditionError("the program was used after its engine was destroyed"));
    return use(*program->state->model);
  });
}

AnnealFailure *annealProgramSave(AnnealProgram *program, const char *path) {
  return withModel(program, [&](ModelBackend &model) -> AnnealFailure * {
    if (!path)
      return invalid("null was given for the path of a plan");
    return failureOf(model.save(path));
  });
}

AnnealFailure *annealProgramWaitForCompiles(AnnealProgram *program) {
  return withModel(program, [](ModelBackend &model) -> AnnealFailure * {
    model.waitForCompiles();
    return nullptr;
  });
}

AnnealFailure *annealProgramReport(AnnealProgram *program, char **json) {
  return withModel(program, [&](ModelBackend &model) -> AnnealFailure * {
    if (!json)
      return invalid("null was given for the place of the report");
    char *copy = ::strdup(model.report(program->name).c_str());
    if (!copy)
      throw std::bad_alloc();
    *json = copy;
    return nullptr;
  });
}

void annealStringDestroy(char *string) { std::free(string); }

size_t annealProgramNumFunctions(const AnnealProgram *program) {
  return isAlive(program) ? program->functions.size() : 0;
}
AnnealFunction *annealProgramFunctionAt(const AnnealProgram *program, size_t index) {
  return isAlive(program) && index < program->functions.size() ? program->functions[index].get()
                                                               : nullptr;
}

AnnealFailure *annealProgramFunction(const AnnealProgram *program, const char *name,
                                     AnnealFunction **function) {
  return withModel(program, [&](ModelBackend &model) -> AnnealFailure * {
    if (!function)
      return invalid("null was given for the place of the function");
    absl::StatusOr<std::string> wanted = name ? std::string(name) : model.defaultEntry();
    if (!wanted.ok())
      return failureOf(wanted.status());
    auto found = model.program().function(*wanted);
    if (!found.ok())
      return failureOf(found.status());
    for (const auto &one : program->functions)
      if (one->function == *found)
        *function = one.get();
    return nullptr;
  });
}
