//===- PayBack.cpp - Whether a compile has paid ---------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Policy/PayBack.h"

#include "absl/strings/str_format.h"

#include <cmath>
#include <limits>

namespace anneal::runtime {

double PayBack::breakEvenCalls() const {
  return savedPerCall() > 0 ? compileSeconds / savedPerCall()
                            : std::numeric_limits<double>::infinity();
}

std::string PayBack::toText() const {
  if (!isMeasured())
    return absl::StrFormat(
        "pay-back not known: not timed before and after on calls of equal work, had %d calls",
        calls);
  if (!(savedPerCall() > 0))
    return absl::StrFormat("never pays back: %.4g us a call, %.4g us before; had %d calls",
                           secondsAt * 1e6, secondsBefore * 1e6, calls);
  double needed = std::ceil(breakEvenCalls());
  if (isPaid())
    return absl::StrFormat("paid back after %.0f calls, had %d", needed, calls);
  return absl::StrFormat("not paid back yet: needs %.0f more calls, had %d of %.0f",
                         needed - static_cast<double>(calls), calls, needed);
}

PayBack payBackOf(const UnitState &unit, double compileSeconds) {
  PayBack result;
  result.calls = unit.callsAtTier();
  result.compileSeconds = compileSeconds;
  const TierTimes &times = unit.timesAt(unit.tier);
  TimeComparison compared = times.comparedWith(unit.timesAt(unit.tierBefore));
  if (compared.timedCalls == 0 || unit.tier == unit.tierBefore)
    return result;
  result.secondsAt = times.secondsPerCall();
  result.secondsBefore = result.secondsAt / compared.ratio;
  return result;
}

} // namespace anneal::runtime
