//===- PluginPolicies.h - Policies from shared libraries --------*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_RUNTIME_POLICY_PLUGINPOLICIES_H
#define ANNEAL_LIB_RUNTIME_POLICY_PLUGINPOLICIES_H

#include "PolicyParameters.h"

#include "anneal-c/PolicyPlugin.h"
#include "anneal/Runtime/Policy/Policy.h"

#include <vector>

namespace anneal::runtime {

/// Those that loadPolicyPlugin has loaded, in that order.
std::vector<const AnnealPolicyPlugin *> policyPlugins();

PolicyParameters pluginParameters(const AnnealPolicyPlugin &plugin);

/// Error: InvalidArgument, if the plugin makes none.
absl::StatusOr<std::unique_ptr<Policy>> makePluginPolicy(const AnnealPolicyPlugin &plugin,
                                                         const PolicyParameters &parameters);

/// Whether a policy of that name is there without plugins.
bool isBuiltInPolicy(absl::string_view name);

} // namespace anneal::runtime

#endif // ANNEAL_LIB_RUNTIME_POLICY_PLUGINPOLICIES_H
