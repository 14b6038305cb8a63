//===- Reference.h - A naive interpreter to compare with --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the kernels of a unit element by element, following the numeric rule (DESIGN.md D4) to the
// letter, and runs units through BoundUnit as the runtime would.
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_TEST_UNIT_RUNTIME_INTERPRETER_REFERENCE_H
#define ANNEAL_TEST_UNIT_RUNTIME_INTERPRETER_REFERENCE_H

#include "UnitBuilder.h"

#include "anneal-c/UnitAbi.h"
#include "anneal/Runtime/DerivedConstants.h"
#include "anneal/Runtime/Kernels/Isa.h"

#include "absl/status/status.h"
#include "absl/types/optional.h"

#include <string>
#include <vector>

namespace anneal::runtime::test {

/// How the outputs of a kernel are accumulated; stated by each test, not read off the kernel.
enum class Order {
  /// The body at each point, in order, on the output itself.
  Body,
  /// acc = combiner(acc, value) in order; half types in f32, rounded once.
  Chain,
  /// Values dealt to 16 lanes.
  Lanes,
  /// Chain and Lanes of fused multiply-adds.
  FmaChain,
  FmaLanes
};

/// Runs all kernels of the unit on its tensors; `orders` has one entry for each kernel (Body if
/// missing). Asserts and bounds are not checked.
void runReference(UnitBuilder &unit, const std::vector<uint64_t> &scalars,
                  const std::vector<Order> &orders = {});

/// What a run of a unit gave.
struct RunResult {
  absl::Status bindStatus;
  int32_t status = ANNEAL_OK;
  AnnealError error = {};
  /// Calls of parallelFor.
  int numLoops = 0;
  size_t workspaceBytes = 0;
};

struct RunOptions {
  unsigned numThreads = 1;
  absl::optional<Isa> isa;
  std::vector<uint64_t> scalars;
  /// Inputs that are constants of the module.
  std::vector<uint32_t> constants;
  DerivedConstants *derived = nullptr;
  /// What runs instead of the interpreter, on a frame of the bound unit.
  AnnealUnitFn code = nullptr;
};

/// Binds and runs the unit; outputs land in the builder's tensors.
RunResult runUnit(UnitBuilder &unit, const RunOptions &options = {});

/// Number of elements in which two tensors differ bit by bit, NaN being equal to NaN; a text about
/// the first of them. Compares the whole memory, gaps too.
std::string difference(const TestTensor &actual, const TestTensor &expected);

/// Runs the unit on 1 to 4 threads, with each instruction set that there is, and compares all
/// outputs with those of `expected`.
void expectMatches(const UnitBuilder &unit, const UnitBuilder &expected,
                   const RunOptions &options = {});

/// The same with the reference's outputs.
void expectMatchesReference(const UnitBuilder &unit, const std::vector<Order> &orders = {},
                            const RunOptions &options = {});

} // namespace anneal::runtime::test

#endif // ANNEAL_TEST_UNIT_RUNTIME_INTERPRETER_REFERENCE_H
