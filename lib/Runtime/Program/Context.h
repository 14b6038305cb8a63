//===- Context.h - The state of one running call ----------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_PROGRAM_CONTEXT_H
#define ANNEAL_LIB_RUNTIME_PROGRAM_CONTEXT_H

#include "Instance.h"
#include "UnitWork.h"

#include "anneal-c/UnitAbi.h"
#include "anneal/Runtime/Program.h"

#include <atomic>
#include <memory>
#include <vector>

namespace anneal::runtime {

/// Memory behind a base during a call: `data` is where offsets count from, [begin, end) what may be
/// reached.
struct BaseState {
  char *data = nullptr;
  char *begin = nullptr;
  char *end = nullptr;
};

/// A frame that is ready to be called.
struct UnitCall {
  AnnealUnitFn fn = nullptr;
  AnnealUnitFrame frame{};
  UnitWork work;
};

/// A tensor on its way from one block to another.
struct HandedTensor {
  BaseState base;
  BlockRef block;
  /// Where its sizes and strides stand in Context::handedDims.
  uint32_t firstDim = 0;
};

/// A unit that was bound during a call, kept for calls with the same shapes.
struct LateBind {
  uint32_t invoke = kNone;
  /// Sizes and strides of the operands, shape scalars.
  std::vector<int64_t> key;
  BoundEntry entry;
};

/// All that one call of an instance writes: registers, frames, views, where memory is. Made once
/// and used again by the calls of the instance, one at a time; not thread-safe but for `error`,
/// which units on many threads may set.
class Context {
public:
  explicit Context(const Instance &instance);
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  /// Gets the call's workspace and sets all views of known place. REQUIRES: arguments and results
  /// are set. Error: out of memory.
  absl::Status begin();
  /// Gives back all memory of the call.
  void end();

  /// Whether it is this call's turn to time the units (ProgramOptions::timeEvery).
  bool isTimedCall() { return shared.timeEvery != 0 && numCalls++ % shared.timeEvery == 0; }

  const Instance &instance;
  ProgramShared &shared;
  /// First elements of tensor arguments and of results that steps write, by position.
  std::vector<void *> arguments, results;
  /// Memory of those that are not the caller's.
  std::vector<BlockRef> inputCopies, resultBlocks;
  std::vector<uint64_t> registers;
  std::vector<uint64_t> unitScalars;
  std::vector<int64_t> dynamicDims;
  std::vector<AnnealView> views;
  std::vector<UnitCall> calls;
  /// By index of FunctionCode::bases; `blocks` are the memory of slots that own some.
  std::vector<BaseState> bases;
  std::vector<BlockRef> blocks;
  std::vector<HandedTensor> handed;
  std::vector<uint64_t> handedScalars;
  std::vector<int64_t> handedDims;
  /// Sizes and strides of the result that is looked at.
  std::vector<int64_t> resultDims;
  AnnealError error{};
  /// Of the call, if it may be stopped: long loops of units look at it between chunks.
  const CallOptions *stop = nullptr;
  UnitCounters *counters;
  /// One for each invoke; and for each view the bits that were set in its address in timed calls.
  std::unique_ptr<InvokeCounters[]> invokeCounters;
  std::unique_ptr<std::atomic<uint64_t>[]> addressBits;
  /// Workspace and scratch of units that are bound in the call.
  BlockRef lateMemory;
  std::vector<LateBind> lateBinds;
  std::vector<int64_t> lateKey;

private:
  void prepareCalls();
  void placeWorkspace(char *memory);

  uint64_t numCalls = 0;
  BlockRef workspace;
  /// What workspace views and frames point into; kept between calls.
  char *placed = nullptr;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_PROGRAM_CONTEXT_H
