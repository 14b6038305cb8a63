//===- RunningPass.h - The pass that crashed --------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_COMPILER_RUNNINGPASS_H
#define ANNEAL_LIB_COMPILER_RUNNINGPASS_H

#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/SmallVector.h"

#include <memory>
#include <string>

namespace anneal::compiler {

/// Which pass a pass manager runs, so that after a crash it can be named. Not thread-safe: for
/// contexts without threads.
class RunningPass {
public:
  /// What the pass manager gets; this object outlives it.
  std::unique_ptr<mlir::PassInstrumentation> instrumentation();

  /// After a run: the pass that began and did not end, as pipelines name it; empty if all ended.
  std::string takeUnfinished();

private:
  class Instrumentation;
  /// The innermost pass last.
  llvm::SmallVector<std::string> running;
};

} // namespace anneal::compiler

#endif // ANNEAL_LIB_COMPILER_RUNNINGPASS_H
