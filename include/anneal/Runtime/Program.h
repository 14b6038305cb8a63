//===- Program.h - Running a plan -------------------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime half's entry: a plan (anneal/Plan/Plan.h) becomes a Program, whose functions are
// called with tensors. What happens in a call is told in docs/Architecture.md, "A call, in the
// runtime half".
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_PROGRAM_H
#define ANNEAL_RUNTIME_PROGRAM_H

#include "anneal/Plan/Plan.h"
#include "anneal/Runtime/Code/CodeSlot.h"
#include "anneal/Runtime/ConstantStore.h"
#include "anneal/Runtime/Foreign.h"
#include "anneal/Runtime/Tensor.h"
#include "anneal/Runtime/ThreadPool.h"

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace anneal::runtime {

class FunctionImpl;
class ProgramImpl;

/// Payloads of a call's error, where they are known: the unit's name, "file:line:col" in the model.
inline constexpr char kUnitPayload[] = "anneal/unit";
inline constexpr char kLocationPayload[] = "anneal/location";

/// What one call did.
struct CallStats {
  /// Unit calls, loop iterations counted each.
  uint64_t unitCalls = 0;
  /// The sizes of the inputs were new: an instance was made, in this time.
  bool newInstance = false;
  std::chrono::nanoseconds instanceTime{0};
  /// Of the instance: memory for intermediate tensors, unit temporaries and per-thread scratch,
  /// bytes.
  size_t workspaceBytes = 0;
};

/// How one call runs.
struct CallOptions {
  /// The call ends with Cancelled soon after this becomes true; may be null.
  const std::atomic<bool> *cancel = nullptr;
  /// The call ends with DeadlineExceeded soon after this.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  /// Also measures the time of each unit (ProgramStats::units), about 25 ns a unit call.
  bool collectTimes = false;
  /// Filled in if not null, also by a call that fails.
  CallStats *stats = nullptr;

  bool canStop() const {
    return cancel || deadline != std::chrono::steady_clock::time_point::max();
  }
  /// Whether it was cancelled or is past its deadline.
  bool mustStop() const {
    return (cancel && cancel->load(std::memory_order_relaxed)) ||
           (deadline != std::chrono::steady_clock::time_point::max() &&
            std::chrono::steady_clock::now() >= deadline);
  }
};

/// A function of a program.
///
/// Thread-safe: many threads may call one function at once; each call has a workspace of its own. A
/// call with sizes that are known takes no lock and allocates nothing, provided that results go to
/// the caller's memory or to pooled memory that is idle. Belongs to its Program.
class Function {
public:
  absl::string_view name() const;
  /// Name, type and sizes (plan::kDynamic where any) of each argument and result.
  absl::Span<const plan::Param> arguments() const;
  absl::Span<const plan::Param> results() const;
  /// Unit calls in its body, those in loops counted once.
  size_t numUnitCalls() const;

  /// Runs the function. `outputs` has one entry for each result: a tensor there is memory for the
  /// result and must have its type and sizes; an empty entry gets a new value, its memory pooled.
  /// An output may overlap inputs or other outputs; every result is written as if they did not.
  /// After an error the contents of outputs are unspecified, the entries that were empty still are.
  ///
  /// Errors: InvalidArgument (number, type or sizes of inputs or outputs, naming the argument;
  /// sizes that do not fit a unit), FailedPrecondition (an assert or check of the program: its
  /// message and place), OutOfRange (an index, with place), ResourceExhausted (memory; sizes that
  /// overflow), Cancelled, DeadlineExceeded.
  absl::Status call(absl::Span<const Value> inputs, absl::Span<Value> outputs,
                    const CallOptions &options = {}) const;

  /// The same, with all results in new values.
  absl::StatusOr<std::vector<Value>> call(absl::Span<const Value> inputs,
                                          const CallOptions &options = {}) const;

  ~Function();
  Function(const Function &) = delete;
  Function &operator=(const Function &) = delete;

private:
  friend class Program;
  explicit Function(std::unique_ptr<FunctionImpl> impl);
  std::unique_ptr<FunctionImpl> impl;
};

/// Is told of calls, by the threads that make them.
class CallListener {
public:
  virtual ~CallListener() = default;
  /// A call of a function of the program ended. Must be quick and take no lock; called by many
  /// threads at once.
  virtual void callEnded() noexcept = 0;
};

struct ProgramOptions {
  /// Shared by all callers, perhaps by other programs too; null: each call runs on its caller
  /// alone.
  std::shared_ptr<ThreadPool> pool;
  /// Instances (combinations of input sizes) kept for each function; at least 16. Beyond that the
  /// longest unused one goes.
  size_t maxInstances = 256;
  /// Every so many calls of a thread's context, units are timed as with CallOptions::collectTimes;
  /// 0: only where a call asks for it.
  unsigned timeEvery = 0;
  /// May be null; outlives the program.
  CallListener *listener = nullptr;
  /// Empty: functions without a plan can't be called.
  ForeignCodeMaker foreign;
};

/// Counters of one unit since the program was made.
struct UnitStats {
  std::string name;
  /// MLIR operation of its anchor, or of its first kernel: "linalg.matmul".
  std::string kind;
  uint64_t calls = 0;
  /// Calls made with CallOptions::collectTimes, and their time.
  uint64_t timedCalls = 0;
  std::chrono::nanoseconds time{0};
  /// Floating-point operations of those timed calls, counted from the kernels' iteration spaces and
  /// bodies (a fused multiply-add is two).
  double timedFlops = 0;
  /// What those timed calls read and wrote of their operands, each of them once.
  double timedBytes = 0;
};

/// An operand of a unit, as calls passed it.
struct OperandSeen {
  std::vector<int64_t> sizes;
  /// In elements.
  std::vector<int64_t> strides;
  /// Bits that are set in the address of its first element in any of the timed calls; 0: there was
  /// none.
  uint64_t addressBits = 0;
};

/// Calls of a unit with operands of certain sizes and strides.
struct ShapeClassStats {
  /// Index into module().units.
  uint32_t unit = 0;
  /// Inputs, then outputs.
  std::vector<OperandSeen> operands;
  uint64_t calls = 0;
  uint64_t timedCalls = 0;
  /// Of the timed calls.
  std::chrono::nanoseconds time{0};
  double flopsPerCall = 0;
  double bytesPerCall = 0;
};

struct ProgramStats {
  /// Instances now, made and dropped.
  size_t instances = 0;
  uint64_t instancesMade = 0;
  uint64_t instancesDropped = 0;
  /// Units bound to shapes now.
  size_t boundUnits = 0;
  /// Largest workspace of one call, bytes.
  size_t workspacePeakBytes = 0;
  /// Memory of workspaces, results and tensors made during calls: in use, idle, most in use at one
  /// time.
  size_t poolBytesInUse = 0;
  size_t poolBytesIdle = 0;
  size_t poolPeakBytes = 0;
  /// Constants (equal ones once), and their derived forms.
  size_t constantBytes = 0;
  size_t derivedBytes = 0;
  /// One for each unit of the plan, in its order.
  std::vector<UnitStats> units;
};

/// A plan that can be called.
///
/// Thread-safe. Owns its functions, constants and all memory of their calls; tensors that calls
/// gave out stay valid when it is destroyed. The destructor requires that no call is running.
class Program {
public:
  /// Checks the plan (plan::validate), places its constants, evaluates the computed ones. Errors:
  /// InvalidArgument for a plan that is not well formed, and what the init function's call may
  /// give.
  static absl::StatusOr<std::unique_ptr<Program>> create(plan::Module module,
                                                         ProgramOptions options = {});
  ~Program();
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  /// The public function of that name. Error: NotFound, naming those that exist.
  absl::StatusOr<const Function *> function(absl::string_view name) const;
  /// Public functions, in the order of the module.
  absl::Span<const std::unique_ptr<Function>> functions() const;

  const plan::Module &module() const;
  const ConstantStore &constants() const;

  ProgramStats stats() const;
  /// Calls by sizes, in order of units, then of calls; of the first 256 combinations of a unit. Not
  /// in it: calls whose sizes are not known before the call runs.
  std::vector<ShapeClassStats> shapeClasses() const;

  /// Where code of unit `unit` (an index into module().units) is installed: calls of the unit that
  /// begin afterwards run it instead of the interpreter. Its `fn` gets the interpreter's frame, in
  /// which AnnealCallbacks::runKernels finds the unit's bound form. Thread-safe.
  CodeSlot &codeSlot(uint32_t unit) const;
  /// Retires replaced code.
  Epochs &epochs() const;

  /// Frees idle pooled memory.
  void trim() const;

private:
  explicit Program(std::unique_ptr<ProgramImpl> impl);
  std::unique_ptr<ProgramImpl> impl;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_PROGRAM_H
