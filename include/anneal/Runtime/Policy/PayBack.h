//===- PayBack.h - Whether a compile has paid -------------------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_RUNTIME_POLICY_PAYBACK_H
#define ANNEAL_RUNTIME_POLICY_PAYBACK_H

#include "anneal/Runtime/Policy/UnitState.h"

#include <cstdint>
#include <string>

namespace anneal::runtime {

/// REQUIREMENTS.md M1 for one compile, by measured times: it has paid when the calls of its code
/// have saved the time that it took. A value.
struct PayBack {
  /// Of the unit, by the code that was compiled.
  uint64_t calls = 0;
  double compileSeconds = 0;
  /// Of a call before and with that code, over calls of equal work; both 0 where no such calls were
  /// timed.
  double secondsBefore = 0;
  double secondsAt = 0;

  bool isMeasured() const { return secondsBefore > 0 && secondsAt > 0; }
  double savedPerCall() const { return secondsBefore - secondsAt; }
  /// c / (t_before - t_at): infinite where the code is not faster. REQUIRES: isMeasured.
  double breakEvenCalls() const;
  bool isPaid() const { return isMeasured() && static_cast<double>(calls) >= breakEvenCalls(); }

  /// "paid back after 34 calls, had 1200"; "not paid back yet: needs 22 more calls, had 12 of 34";
  /// "never pays back: ..."; "pay-back not known: ...".
  std::string toText() const;
};

/// Of the code that a unit is at now, against the one before it.
PayBack payBackOf(const UnitState &unit, double compileSeconds);

} // namespace anneal::runtime

#endif // ANNEAL_RUNTIME_POLICY_PAYBACK_H
