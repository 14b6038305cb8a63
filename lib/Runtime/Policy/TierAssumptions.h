//===- TierAssumptions.h - What is assumed until it is measured -*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_POLICY_TIERASSUMPTIONS_H
#define ANNEAL_LIB_RUNTIME_POLICY_TIERASSUMPTIONS_H

#include "PolicyParameters.h"

#include "anneal/Runtime/Policy/Experience.h"

#include <array>

namespace anneal::runtime {

/// Speed and compile time of each tier, from parameters, corrected by experience. Immutable.
class TierAssumptions {
public:
  /// Adds `speedup-<tier>` and `compile-ms-<tier>` for each tier that compiles.
  static void addParameters(std::vector<PolicyParameter> &list);
  explicit TierAssumptions(const PolicyParameters &parameters);

  /// Time of a call of units of `kind` at `to` over that at `from`.
  double timeRatio(absl::string_view kind, Tier from, Tier to, const Experience &experience) const;
  /// Seconds that a compile takes.
  double compileSeconds(Tier tier, const Experience &experience) const;

private:
  struct Assumption {
    double speedup = 1;
    double compileMs = 0;
  };
  static Assumption defaultFor(unsigned tier);
  double ratioToInterpreter(absl::string_view kind, Tier tier, const Experience &experience) const;

  std::array<Assumption, kNumTiers> assumed;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_POLICY_TIERASSUMPTIONS_H
