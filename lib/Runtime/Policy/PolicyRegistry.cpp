//===- PolicyRegistry.cpp - Policies by name ------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PluginPolicies.h"
#include "Policies.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

#include <optional>
#include <vector>

namespace anneal::runtime {

namespace {

/// A policy in the registry.
struct PolicyEntry {
  absl::string_view name;
  /// It is written `name:<tier>`.
  bool takesTier;
  absl::string_view help;
  PolicyParameters (*parameters)();
  absl::StatusOr<std::unique_ptr<Policy>> (*make)(Tier tier, const PolicyParameters &parameters);
};

using MadePolicy = absl::StatusOr<std::unique_ptr<Policy>>;

PolicyParameters noParameters() { return {}; }

constexpr PolicyEntry kPolicies[] = {
    {"cost-benefit", false,
     "compiles a unit when the time that it is expected to save exceeds the time that compiling it "
     "takes, and takes the code away again if it is slower",
     costBenefitParameters,
     [](Tier, const PolicyParameters &given) -> MadePolicy {
       return makeCostBenefitPolicy(given);
     }},
    {"chapter", false,
     "compiles a unit that is hot by its share of all calls or by its score, at the tier of the "
     "largest benefit among those whose thresholds its calls exceed",
     chapterParameters,
     [](Tier, const PolicyParameters &given) -> MadePolicy { return makeChapterPolicy(given); }},
    {"sqrt-n", false,
     "brings a unit to the next tier when its calls at the present one exceed the square root of "
     "the "
     "calls of all units",
     noParameters, [](Tier, const PolicyParameters &) -> MadePolicy { return makeSqrtNPolicy(); }},
    {"hotspot", false,
     "brings a unit to the next tier when its calls at the present one exceed a threshold, which "
     "grows with the queue",
     hotSpotParameters,
     [](Tier, const PolicyParameters &given) -> MadePolicy { return makeHotSpotPolicy(given); }},
    {"aot", false, "compiles each unit at the highest tier before the first call", noParameters,
     [](Tier, const PolicyParameters &) -> MadePolicy { return makeAotPolicy(); }},
    {"fixed", true, "brings each unit to that tier as soon as it was called", noParameters,
     [](Tier tier, const PolicyParameters &) -> MadePolicy { return makeFixedPolicy(tier); }}};

std::string usage(const PolicyEntry &entry) {
  return absl::StrCat(entry.name, entry.takesTier ? ":<tier>" : "");
}

std::vector<absl::string_view> tierNames() {
  std::vector<absl::string_view> names;
  for (unsigned t = 0; t < kNumTiers; ++t)
    names.push_back(tierName(static_cast<Tier>(t)));
  return names;
}

const PolicyEntry *findBuiltIn(absl::string_view name) {
  for (const PolicyEntry &entry : kPolicies)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

absl::Status unknownPolicy(absl::string_view name) {
  std::vector<absl::string_view> names;
  std::vector<std::string> usages;
  for (const PolicyEntry &entry : kPolicies) {
    names.push_back(entry.name);
    usages.push_back(usage(entry));
  }
  for (const AnnealPolicyPlugin *plugin : policyPlugins()) {
    names.emplace_back(plugin->name);
    usages.emplace_back(plugin->name);
  }
  return absl::InvalidArgumentError(absl::StrCat("there is no policy '", name, "'",
                                                 didYouMean(name, names), "; there is ",
                                                 absl::StrJoin(usages, ", ")));
}

/// The tier that a specification names behind its policy.
absl::StatusOr<Tier> readTier(const PolicyEntry &entry, absl::optional<absl::string_view> text) {
  if (!entry.takesTier) {
    if (!text)
      return Tier::Interpreter;
    return absl::InvalidArgumentError(
        absl::StrCat("policy '", entry.name, "' takes no ':", *text, "'"));
  }
  std::optional<Tier> tier = parseTier(text ? std::string_view(text->data(), text->size()) : "");
  if (tier)
    return *tier;
  return absl::InvalidArgumentError(absl::StrCat(
      "policy '", usage(entry), "': ",
      text ? absl::StrCat("there is no tier '", *text, "'", didYouMean(*text, tierNames()))
           : std::string("the tier is missing"),
      "; there is ", absl::StrJoin(tierNames(), ", ")));
}

absl::Status setAll(absl::string_view policy, absl::Span<const absl::string_view> assignments,
                    PolicyParameters &parameters) {
  for (absl::string_view assignment : assignments)
    if (absl::Status status = parameters.set(policy, assignment); !status.ok())
      return status;
  return absl::OkStatus();
}

/// Paragraph of a policy for help.
std::string describe(absl::string_view usage, absl::string_view help,
                     const PolicyParameters &parameters) {
  std::string text = absl::StrCat(usage, "\n  ", help, "\n");
  for (const PolicyParameter &parameter : parameters.all())
    absl::StrAppend(&text, "  ", parameter.name, "=", parameter.value, "  ", parameter.help, "\n");
  return text;
}

} // namespace

bool isBuiltInPolicy(absl::string_view name) { return findBuiltIn(name) != nullptr; }

absl::StatusOr<std::unique_ptr<Policy>> makePolicy(absl::string_view specification) {
  std::vector<absl::string_view> parts = absl::StrSplit(specification, ',');
  auto assignments = absl::MakeConstSpan(parts).subspan(1);
  for (const AnnealPolicyPlugin *plugin : policyPlugins()) {
    if (parts[0] != plugin->name)
      continue;
    PolicyParameters parameters = pluginParameters(*plugin);
    if (absl::Status status = setAll(plugin->name, assignments, parameters); !status.ok())
      return status;
    return makePluginPolicy(*plugin, parameters);
  }
  std::pair<absl::string_view, absl::string_view> head =
      absl::StrSplit(parts[0], absl::MaxSplits(':', 1));
  const PolicyEntry *entry = findBuiltIn(head.first);
  if (!entry)
    return unknownPolicy(head.first);
  absl::optional<absl::string_view> tierText;
  if (head.first.size() != parts[0].size())
    tierText = head.second;
  absl::StatusOr<Tier> tier = readTier(*entry, tierText);
  if (!tier.ok())
    return tier.status();
  PolicyParameters parameters = entry->parameters();
  if (absl::Status status = setAll(head.first, assignments, parameters); !status.ok())
    return status;
  return entry->make(*tier, parameters);
}

std::string describePolicies() {
  std::string text;
  for (const PolicyEntry &entry : kPolicies)
    absl::StrAppend(&text, describe(usage(entry), entry.help, entry.parameters()));
  for (const AnnealPolicyPlugin *plugin : policyPlugins())
    absl::StrAppend(&text, describe(plugin->name, plugin->help, pluginParameters(*plugin)));
  return text;
}

} // namespace anneal::runtime
