//===- Handles.h - What the C interface's handles are ------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_CAPI_HANDLES_H
#define ANNEAL_LIB_CAPI_HANDLES_H

#include "Backend.h"

#include "anneal-c/anneal.h"
#include "anneal/Runtime/Tensor.h"

#include "absl/status/status.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace anneal::capi {

/// First of each handle: tells its kind, and whether it lives.
struct Handle {
  uint64_t magic;
};

inline constexpr uint64_t kDead = 0xdeadc0dedeadc0de;

/// Gives back the memory of a handle whose destructor has run; with handle checks it is kept for
/// some time, and marked.
void releaseHandle(void *memory);

/// Destroys a handle; null does nothing. REQUIRES: it lives.
template <typename T> void destroyHandle(T *handle) {
  handle->~T();
  releaseHandle(handle);
}

/// Whether `handle` is a live one of its kind.
template <typename T> bool isAlive(const T *handle) {
  return handle && static_cast<const Handle *>(handle)->magic == T::kMagic;
}

/// Counts what is going on, so that a destroyer can wait for it. Thread-safe.
class Gate {
public:
  /// False once it is closed. Each success is followed by a leave().
  bool enter() {
    if (!(word.fetch_add(1, std::memory_order_acquire) & kClosed))
      return true;
    leave();
    return false;
  }
  void leave() {
    if (word.fetch_sub(1, std::memory_order_release) == (kClosed | 1))
      word.notify_all();
  }
  /// Nobody enters any more; returns when all have left.
  void closeAndWait() {
    uint64_t seen = word.fetch_or(kClosed, std::memory_order_acquire) | kClosed;
    while (seen != kClosed) {
      word.wait(seen, std::memory_order_acquire);
      seen = word.load(std::memory_order_acquire);
    }
  }

private:
  static constexpr uint64_t kClosed = uint64_t(1) << 63;
  std::atomic<uint64_t> word{0};
};

/// Inside a gate for as long as it lives, if it was open.
class GatePass {
public:
  explicit GatePass(Gate &gate) : gate(gate.enter() ? &gate : nullptr) {}
  ~GatePass() {
    if (gate)
      gate->leave();
  }
  GatePass(const GatePass &) = delete;
  GatePass &operator=(const GatePass &) = delete;
  explicit operator bool() const { return gate != nullptr; }

private:
  Gate *gate;
};

/// Rises in each child of fork().
uint32_t forkGeneration();
/// From here on forks are noticed.
void watchForks();

/// A loaded program: its calls end before its model goes, whoever takes it away.
struct ProgramState {
  Gate gate;
  std::unique_ptr<ModelBackend> model;
  uint32_t generation = forkGeneration();

  /// Waits for calls, frees the model. Thread-safe.
  void close() {
    std::lock_guard<std::mutex> lock(closing);
    gate.closeAndWait();
    model.reset();
  }

private:
  std::mutex closing;
};

/// Makes a failure; null for success.
AnnealFailure *failureOf(const absl::Status &status);
AnnealFailure *invalid(const std::string &message);
/// For an exception that is being handled.
AnnealFailure *failureOfException() noexcept;

/// Runs the body of an entry of the interface; no exception leaves it.
template <typename Body> AnnealFailure *guarded(Body &&body) noexcept {
  try {
    return body();
  } catch (...) {
    return failureOfException();
  }
}

/// Why the handle of a parameter is no good.
AnnealFailure *badHandle(const void *handle, const char *kind);

} // namespace anneal::capi

struct AnnealFailure : anneal::capi::Handle {
  static constexpr uint64_t kMagic = 0x416e6e6561466169;
  AnnealCode code;
  std::string message, unit, location;
};

struct AnnealTensor : anneal::capi::Handle {
  static constexpr uint64_t kMagic = 0x416e6e6561546e73;
  explicit AnnealTensor(anneal::runtime::Tensor tensor)
      : Handle{kMagic}, tensor(std::move(tensor)) {}
  anneal::runtime::Tensor tensor;
  /// Not to be given as an output.
  bool isReadOnly = false;
};

struct AnnealCancelToken : anneal::capi::Handle {
  static constexpr uint64_t kMagic = 0x416e6e6561436e63;
  AnnealCancelToken() : Handle{kMagic} {}
  std::atomic<bool> isRequested{false};
};

struct AnnealFunction : anneal::capi::Handle {
  static constexpr uint64_t kMagic = 0x416e6e6561467563;
  AnnealFunction(std::shared_ptr<anneal::capi::ProgramState> program,
                 const anneal::runtime::Function &function);

  const std::shared_ptr<anneal::capi::ProgramState> program;
  /// Only while the program's gate is open.
  const anneal::runtime::Function *const function;
  /// Copies, since signatures may be asked for after the engine has gone.
  const std::string name;
  const std::vector<anneal::plan::Param> arguments, results;
  std::vector<AnnealSignature> argumentSignatures, resultSignatures;
};

namespace anneal::capi {

struct HandleDeleter {
  template <typename T> void operator()(T *handle) const { destroyHandle(handle); }
};

/// Of an engine handle.
struct EngineState {
  Gate gate;
  std::unique_ptr<EngineBackend> backend;
  uint32_t generation = forkGeneration();
  /// Guards `programs`, some of which may have gone.
  std::mutex mutex;
  std::vector<std::weak_ptr<ProgramState>> programs;
};

} // namespace anneal::capi

struct AnnealProgram : anneal::capi::Handle {
  static constexpr uint64_t kMagic = 0x416e6e656150726f;
  AnnealProgram() : Handle{kMagic} {}
  std::shared_ptr<anneal::capi::ProgramState> state;
  std::string name;
  std::vector<std::unique_ptr<AnnealFunction, anneal::capi::HandleDeleter>> functions;
};

struct AnnealEngine : anneal::capi::Handle {
  static constexpr uint64_t kMagic = 0x416e6e6561456e67;
  AnnealEngine() : Handle{kMagic} {}
  std::shared_ptr<anneal::capi::EngineState> state;
};

#endif // ANNEAL_LIB_CAPI_HANDLES_H
