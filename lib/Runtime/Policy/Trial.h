//===- Trial.h - Whether new code is as fast as what it replaced *- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_POLICY_TRIAL_H
#define ANNEAL_LIB_RUNTIME_POLICY_TRIAL_H

#include "PolicyParameters.h"

#include "anneal/Runtime/Policy/Decision.h"
#include "anneal/Runtime/Policy/UnitState.h"

namespace anneal::runtime {

/// Judges a unit at the tier that it was compiled at by its times at the tier before. One that is
/// slower goes back, and stays there (Policy::decide), so that no unit is thrown to and fro.
/// Immutable.
class Trial {
public:
  /// Adds `trial-calls` and `margin`.
  static void addParameters(std::vector<PolicyParameter> &list);
  explicit Trial(const PolicyParameters &parameters)
      : calls(parameters["trial-calls"]), margin(parameters["margin"]) {}

  /// slowerThanBelow or onTrial, which settle the matter; else noHigherTier or notComparable, for a
  /// unit that no higher tier is open to.
  Decision judge(const UnitState &unit) const;
  static bool isSettled(const Decision &judged) {
    return judged.reason() == Reason::SlowerThanBelow || judged.reason() == Reason::OnTrial;
  }

private:
  const double calls, margin;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_POLICY_TRIAL_H
