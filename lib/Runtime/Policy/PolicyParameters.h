//===- PolicyParameters.h - Numbers by which a policy is tuned --*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_POLICY_POLICYPARAMETERS_H
#define ANNEAL_LIB_RUNTIME_POLICY_POLICYPARAMETERS_H

#include "anneal/Support/Tier.h"

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#include <string>
#include <vector>

namespace anneal::runtime {

/// A number of a policy, with its default until it is set.
struct PolicyParameter {
  std::string name;
  double value = 0;
  double least = 0;
  double most = 0;
  /// What it means, with its unit.
  std::string help;
};

/// " (did you mean 'eta'?)", for a message about a name that is none; empty if no name is near.
std::string didYouMean(absl::string_view misspelt, const std::vector<absl::string_view> &names);

/// "speedup-baseline": the name of a parameter that each tier has.
std::string tierParameter(absl::string_view prefix, Tier tier);

/// The parameters of one policy. A value.
class PolicyParameters {
public:
  PolicyParameters() = default;
  explicit PolicyParameters(std::vector<PolicyParameter> list) : list(std::move(list)) {}

  /// Sets one from "name=value". `policy`: its name, for messages. Errors: InvalidArgument.
  absl::Status set(absl::string_view policy, absl::string_view assignment);

  /// REQUIRES: there is one of that name.
  double operator[](absl::string_view name) const;

  const std::vector<PolicyParameter> &all() const { return list; }

private:
  std::vector<PolicyParameter> list;
};

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_POLICY_POLICYPARAMETERS_H
