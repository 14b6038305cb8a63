//===- PassTimes.h - How long each pass of a compile takes ------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_PASSTIMES_H
#define ANNEAL_LIB_COMPILER_PASSTIMES_H

#include "anneal/Compiler/CompilerApi.h"

#include "mlir/Pass/PassInstrumentation.h"

#include <chrono>

namespace anneal::compiler {

/// Sums the time of each pass, by its argument. Two reads of the clock a pass. Not thread-safe: for
/// contexts without threads.
class PassTimes {
public:
  /// What `pm` gets; this object outlives it.
  std::unique_ptr<mlir::PassInstrumentation> instrumentation();

  void add(llvm::StringRef name, std::chrono::steady_clock::duration time);
  /// What has been summed since it was last taken.
  std::vector<PassTime> take() { return std::exchange(times, {}); }

private:
  std::vector<PassTime> times;
};

/// Runs `work` and adds its time.
template <typename Work> auto timed(PassTimes &times, llvm::StringRef name, Work &&work) {
  auto start = std::chrono::steady_clock::now();
  auto result = work();
  times.add(name, std::chrono::steady_clock::now() - start);
  return result;
}

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_PASSTIMES_H
