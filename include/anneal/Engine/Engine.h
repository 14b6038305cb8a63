//===- Engine.h - Load models and call their functions -----------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C++ interface of Anneal:
//
//   auto engine = anneal::engine::Engine::create({});
//   auto model = (*engine)->load("model.mlirbc");
//   auto entry = (*model)->function((*model)->defaultEntry().value());
//   auto results = (*entry)->call({runtime::Tensor::view(...)});
//
// Errors are absl::Status with canonical codes: NotFound (file, function; what exists is named),
// InvalidArgument (a model that does not parse or verify, inputs that do not fit), Unimplemented
// (an operation that cannot be planned), FailedPrecondition (an assert of the program fired),
// OutOfRange (an index outside a tensor), ResourceExhausted, Cancelled, DeadlineExceeded, Internal.
//
// Threads. Engine and Model are thread-safe, and so are the functions of a model: many threads may
// call one function at once, each call with memory of its own, all sharing the engine's thread
// pool. A model keeps what it needs of the engine; both may be destroyed in any order once no call
// runs. No signal handlers, no global state. Units are compiled by threads of the model's own, in
// the background (anneal/Engine/Tiering.h); destroying a model waits for a compile that is running.
//
// Lock order, from what is taken first to what is taken last. No lock is taken on the path of a
// call, but for deterministic mode, where a call that ended takes TieringManager's.
//
//   CompilerHalf::mutex (Engine.cpp)  alone; opening the compiler half
//   once of a foreign function       its compile, in its first call
//   TieringManager::mutex            what is known of the units, the queue; held for a tick, while
//                                    code is installed, and for all of forceTier, but not for other
//                                    compiles
//     locks of observers             storing or counting an event
//     CompileThreads::mutex          which thread runs which job
//     locks of the program's counters and instances (ProgramStats)
//     Epochs, CodeSlabs, observers   when code is installed or retired
//   CodeSpace::mutex                 alone; making the slabs
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_ENGINE_ENGINE_H
#define ANNEAL_ENGINE_ENGINE_H

#include "anneal/Engine/Tiering.h"
#include "anneal/Engine/TieringEvents.h"
#include "anneal/Runtime/Program.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

#include <memory>
#include <string>
#include <vector>

namespace anneal::engine {

struct EngineOptions {
  /// Threads that execute, the callers included; 0: ceil(0.8 * usable cores).
  unsigned threads = 0;
  /// Path of libAnnealCompiler.so; empty: beside the library or program that holds the engine, else
  /// where the system finds it.
  std::string compilerLibrary;
  /// How units come to be compiled. Where it replaces tiers' pipelines or has pass plugins,
  /// libAnnealWorkbench.so, beside the compiler library, is opened in that one's place.
  TieringOptions tiering;
};

struct LoadOptions {
  /// Folder that gets the module's IR after each stage, and in its folder `units` files on each
  /// compile (compiler::UnitCompileOptions::dumpDirectory); empty: none. It is made; where that
  /// can't be, or a stage can't be written, loading fails.
  std::string dumpDirectory;
  /// Are told what is decided and compiled, from the load on.
  std::vector<std::shared_ptr<TieringObserver>> observers;
};

/// Milliseconds that loading took.
struct LoadTimes {
  /// Opening the compiler library (0 if it was open, or for a saved plan) and reading the model.
  double open = 0;
  double parse = 0;
  /// Normalising, forming units, bufferising, building the plan.
  double plan = 0;
  /// Making the program: checking the plan, evaluating its constant part.
  double prepare = 0;
};

/// What became of a function that the interpreter can't express and MLIR's own lowering compiles.
struct ForeignReport {
  std::string name;
  /// Why it has no plan.
  std::string reason;
  uint64_t calls = 0;
  std::chrono::nanoseconds time{0};
  /// Of the first call; 0 before it.
  double compileMs = 0;
  /// When that compile ended, in ms after loading.
  double compiledAtMs = 0;
  bool failed = false;
};

/// A loaded model.
class Model {
public:
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;

  const runtime::Program &program() const;
  /// The public function of that name; error: NotFound, naming those that exist.
  absl::StatusOr<const runtime::Function *> function(absl::string_view name) const;
  /// Name of the only public function, or "main" if there are several; errors: NotFound.
  absl::StatusOr<std::string> defaultEntry() const;

  const LoadTimes &times() const;
  /// What the compiler half had to say besides errors.
  const std::vector<std::string> &warnings() const;

  /// Brings every unit to `tier`, and leaves it there; what is not there now, and why. Compiles on
  /// the calling thread. REQUIRES: no call has been made.
  std::vector<UnitFailure> forceTier(Tier tier);
  /// Returns when nothing is being compiled or waits for it, and the policy, asked after that,
  /// wants no unit compiled. Calls may go on; what they give reason for later is not waited for.
  /// Thread-safe.
  void waitForCompiles();
  /// What was compiled so far, and why. Thread-safe.
  TieringReport tiering() const;
  /// One for each function that was not planned. Thread-safe.
  std::vector<ForeignReport> foreign() const;

  /// Writes the plan, with its constants and the IR of its units, to a file that Engine::load reads
  /// without the compiler half; that is opened only where a unit is worth compiling.
  absl::Status save(const std::string &path) const;

private:
  friend class Engine;
  struct Impl;
  explicit Model(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

class Engine {
public:
  /// Errors: InvalidArgument for a policy that does not exist (naming those that do), for an
  /// illegal pipeline or option of a tier (showing where) or a pass plugin that is none; NotFound
  /// if libAnnealWorkbench.so is not there, which replaced pipelines need; Unavailable if perf's
  /// map can't be written.
  static absl::StatusOr<std::unique_ptr<Engine>> create(const EngineOptions &options = {});
  ~Engine();
  Engine(const Engine &) = delete;
  Engine &operator=(const Engine &) = delete;

  unsigned numThreads() const;

  /// Opens the compiler half now, so that a later load does not wait for it. Thread-safe.
  absl::Status openCompiler();
  /// LLVM's version, "" while the compiler half is not open.
  std::string llvmVersion() const;

  /// Loads a model from a file: MLIR text or bytecode, or a saved plan. Messages are the compiler's
  /// "file:line:col: error: ...", one a line.
  absl::StatusOr<std::unique_ptr<Model>> load(const std::string &path,
                                              const LoadOptions &options = {});
  /// Loads MLIR text or bytecode, or a saved plan, from memory; `name` stands for the file in
  /// messages.
  absl::StatusOr<std::unique_ptr<Model>>
  loadBytes(const std::string &bytes, const std::string &name, const LoadOptions &options = {});

private:
  struct Impl;
  explicit Engine(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace anneal::engine

#endif // ANNEAL_ENGINE_ENGINE_H
