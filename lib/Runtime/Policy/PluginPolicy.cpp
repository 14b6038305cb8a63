//===- PluginPolicy.cpp - Policies from shared libraries ------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginPolicies.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <dlfcn.h>
#include <mutex>

namespace anneal::runtime {

namespace {

static_assert(kNumTiers <= ANNEAL_POLICY_MAX_TIERS);

constexpr char kSymbol[] = "annealPolicyPlugin";

class PluginPolicy final : public Policy {
public:
  PluginPolicy(const AnnealPolicyPlugin &plugin, void *policy) : plugin(plugin), policy(policy) {}
  ~PluginPolicy() override { plugin.destroy(policy); }

private:
  Decision choose(const UnitState &unit, const PolicyContext &context) const override {
    std::string kind(unit.kind);
    AnnealPolicyUnit described = describe(unit, context);
    described.kind = kind.c_str();
    AnnealPolicyProgram program = describe(context);
    AnnealPolicyAnswer answer{};
    plugin.decide(policy, &program, &described, &answer);
    return decisionOf(answer, unit, context);
  }

  static AnnealPolicyUnit describe(const UnitState &unit, const PolicyContext &context) {
    AnnealPolicyUnit described{};
    auto index = static_cast<size_t>(&unit - context.units.data());
    described.index = index < context.units.size() ? index : 0;
    described.tier = static_cast<unsigned>(unit.tier);
    described.calls = unit.calls;
    described.callsAtTier = unit.callsAtTier();
    described.callsPerProgramCall = unit.callsPerCall;
    for (size_t t = 0; t < kNumTiers; ++t) {
      described.secondsPerCall[t] = unit.times[t].secondsPerCall();
      described.timedCalls[t] = unit.times[t].timedCalls();
    }
    return described;
  }

  static AnnealPolicyProgram describe(const PolicyContext &context) {
    AnnealPolicyProgram program{};
    program.calls = context.programCalls;
    program.numTiers = kNumTiers;
    for (unsigned t = 0; t < kNumTiers; ++t) {
      auto tier = static_cast<Tier>(t);
      program.allowedTiers |= context.tiers.contains(tier) ? 1u << t : 0;
      program.compileSeconds[t] = context.experience.meanCompileSeconds(tier);
    }
    program.queueLength = context.queueLength;
    program.compileThreads = context.compileThreads;
    return program;
  }

  static Decision decisionOf(const AnnealPolicyAnswer &answer, const UnitState &unit,
                             const PolicyContext &context) {
    if (!makesSense(answer, unit, context))
      return Decision::pluginRefused(unit.tier, {{"action", static_cast<double>(answer.action)},
                                                 {"tier", static_cast<double>(answer.tier)},
                                                 {"gain", answer.gain}});
    Terms terms;
    for (size_t i = 0; i < answer.numTerms; ++i)
      terms.push_back({answer.terms[i].name, answer.terms[i].value});
    switch (answer.action) {
    case ANNEAL_POLICY_PROMOTE:
      return Decision::pluginPromotes(static_cast<Tier>(answer.tier), answer.gain,
                                      std::move(terms));
    case ANNEAL_POLICY_DEMOTE:
      return Decision::pluginDemotes(below(unit.tier, context), std::move(terms));
    default:
      return Decision::pluginStays(unit.tier, std::move(terms));
    }
  }

  static Tier below(Tier tier, const PolicyContext &context) {
    return context.tiers.highestUpTo(static_cast<Tier>(static_cast<unsigned>(tier) - 1));
  }

  static bool makesSense(const AnnealPolicyAnswer &answer, const UnitState &unit,
                         const PolicyContext &context) {
    if (answer.numTerms > ANNEAL_POLICY_MAX_TERMS)
      return false;
    for (size_t i = 0; i < answer.numTerms; ++i)
      if (!answer.terms[i].name)
        return false;
    switch (answer.action) {
    case ANNEAL_POLICY_STAY:
      return true;
    case ANNEAL_POLICY_PROMOTE:
      return answer.tier < kNumTiers && answer.tier > static_cast<unsigned>(unit.tier) &&
             context.tiers.contains(static_cast<Tier>(answer.tier)) && std::isfinite(answer.gain);
    case ANNEAL_POLICY_DEMOTE:
      return unit.tier > Tier::Interpreter;
    default:
      return false;
    }
  }

  const AnnealPolicyPlugin &plugin;
  void *const policy;
};

/// Those of this process.
class Registry {
public:
  static Registry &get() {
    static Registry registry;
    return registry;
  }

  std::vector<const AnnealPolicyPlugin *> all() {
    std::lock_guard<std::mutex> lock(mutex);
    return plugins;
  }

  /// Error: another one has its name.
  absl::Status add(const AnnealPolicyPlugin *plugin) {
    std::lock_guard<std::mutex> lock(mutex);
    for (const AnnealPolicyPlugin *other : plugins) {
      if (other == plugin)
        return absl::OkStatus();
      if (absl::string_view(other->name) == plugin->name)
        return absl::InvalidArgumentError(
            absl::StrCat("another plugin has a policy '", plugin->name, "'"));
    }
    plugins.push_back(plugin);
    return absl::OkStatus();
  }

private:
  std::mutex mutex;
  std::vector<const AnnealPolicyPlugin *> plugins;
};

bool isName(const char *name) {
  if (!name || !*name)
    return false;
  for (; *name; ++name)
    if (!absl::ascii_islower(*name) && !absl::ascii_isdigit(*name) && *name != '-')
      return false;
  return true;
}

/// What is wrong with a plugin; empty if nothing is.
std::string checkPlugin(const AnnealPolicyPlugin *plugin) {
  if (!plugin)
    return "it gives no plugin";
  if (plugin->version != ANNEAL_POLICY_PLUGIN_VERSION)
    return absl::StrCat("it is of version ", plugin->version, ", this is ",
                        ANNEAL_POLICY_PLUGIN_VERSION, "; build it anew");
  if (!isName(plugin->name))
    return "its name is not of small letters, digits and '-'";
  if (!plugin->help || !plugin->create || !plugin->destroy || !plugin->decide)
    return "its help or one of its functions is missing";
  for (size_t i = 0; i < plugin->numParameters; ++i) {
    const AnnealPolicyParameter &parameter = plugin->parameters[i];
    bool isRange = parameter.least <= parameter.value && parameter.value <= parameter.most;
    if (!isName(parameter.name) || !parameter.help || !isRange)
      return absl::StrCat("parameter ", i,
                          " has no name or help, or its value is not between its "
                          "bounds");
  }
  return "";
}

} // namespace

absl::Status loadPolicyPlugin(const std::string &path) {
  auto failed = [&](absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat("policy plugin '", path, "': ", why));
  };
  // Without a slash dlopen would search the system's folders.
  std::string file = path.find('/') == std::string::npos ? absl::StrCat("./", path) : path;
  void *library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return failed(dlerror());
  auto find = reinterpret_cast<AnnealPolicyPluginFn>(dlsym(library, kSymbol));
  if (!find)
    return failed(absl::StrCat("it exports no ", kSymbol));
  const AnnealPolicyPlugin *plugin = find();
  if (std::string wrong = checkPlugin(plugin); !wrong.empty())
    return failed(wrong);
  if (isBuiltInPolicy(plugin->name))
    return failed(absl::StrCat("there is a policy '", plugin->name, "' without it"));
  if (absl::Status status = Registry::get().add(plugin); !status.ok())
    return failed(status.message());
  return absl::OkStatus();
}

std::vector<const AnnealPolicyPlugin *> policyPlugins() { return Registry::get().all(); }

PolicyParameters pluginParameters(const AnnealPolicyPlugin &plugin) {
  std::vector<PolicyParameter> list;
  for (size_t i = 0; i < plugin.numParameters; ++i) {
    const AnnealPolicyParameter &from = plugin.parameters[i];
    list.push_back({from.name, from.value, from.least, from.most, from.help});
  }
  return PolicyParameters(std::move(list));
}

absl::StatusOr<std::unique_ptr<Policy>> makePluginPolicy(const AnnealPolicyPlugin &plugin,
                                                         const PolicyParameters &parameters) {
  std::vector<double> values;
  for (const PolicyParameter &parameter : parameters.all())
    values.push_back(parameter.value);
  void *policy = plugin.create(values.data());
  if (!policy)
    return absl::InvalidArgumentError(
        absl::StrCat("policy '", plugin.name, "': its plugin makes none with these parameters"));
  return std::make_unique<PluginPolicy>(plugin, policy);
}

} // namespace anneal::runtime
