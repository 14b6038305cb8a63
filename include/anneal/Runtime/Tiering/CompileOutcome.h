//===- CompileOutcome.h - What came out of a compile ------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_TIERING_COMPILEOUTCOME_H
#define ANNEAL_RUNTIME_TIERING_COMPILEOUTCOME_H

#include "anneal/Runtime/Code/CodeSlot.h"
#include "anneal/Runtime/Policy/UnitState.h"
#include "anneal/Runtime/Tiering/TieringHistory.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace anneal::runtime {

/// What came out of a compile.
struct CompileOutcome {
  /// Installed: there is code, which nobody calls yet.
  Attempt attempt = Attempt::Failed;
  /// Null where compiles are simulated.
  std::unique_ptr<UnitCode> code;
  /// Why there is none.
  std::string detail;
  /// There will never be any: the compiler itself cannot be used.
  bool isCompilerBroken = false;
  double compileMs = 0;
  /// Of the image.
  uint64_t codeBytes = 0;
  /// The compiler's first, which takes much longer than those that follow.
  bool isFirst = false;
  /// Placing the code in memory.
  double loadMs = 0;
  /// What the passes of the compile took.
  std::vector<PassTotal> passes;
};

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_TIERING_COMPILEOUTCOME_H
