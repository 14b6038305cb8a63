//===- Policy.cpp - Decides what is compiled, and when --------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Policy/Policy.h"

namespace anneal::runtime {

Decision Policy::decide(const UnitState &unit, const PolicyContext &context) const {
  for (Attempt attempt : unit.attempts)
    switch (attempt) {
    case Attempt::None:
    case Attempt::Installed:
      break;
    case Attempt::NothingToCompile:
      return Decision::nothingToCompile(unit.tier);
    case Attempt::Failed:
      return Decision::compileFailed(unit.tier);
    case Attempt::TimedOut:
      return Decision::compileTimedOut(unit.tier);
    case Attempt::NoCodeMemory:
      return Decision::noCodeMemory(unit.tier);
    case Attempt::SlowerThanBelow:
      return Decision::rolledBack(unit.tier);
    }
  return choose(unit, context);
}

} // namespace anneal::runtime
