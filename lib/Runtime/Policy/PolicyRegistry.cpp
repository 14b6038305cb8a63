//===- PolicyRegistry.cpp - Policies by name ------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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

absl::StatusOr<const PolicyEntry *> findPolicy(absl::string_view name) {
  for (const PolicyEntry &entry : kPolicies)
    if (entry.name == name)
      return &entry;
  std::vector<absl::string_view> names;
  for (const PolicyEntry &entry : kPolicies)
    names.push_back(entry.name);
  auto usages = [](std::string *out, const PolicyEntry &entry) {
    absl::StrAppend(out, usage(entry));
  };
  return absl::InvalidArgumentError(absl::StrCat("there is no policy '", name, "'",
                                                 didYouMean(name, names), "; there is ",
                                                 absl::StrJoin(kPolicies, ", ", usages)));
}

} // namespace

absl::StatusOr<std::unique_ptr<Policy>> makePolicy(absl::string_view specification) {
  std::vector<absl::string_view> parts = absl::StrSplit(specification, ',');
  std::pair<absl::string_view, absl::string_view> head =
      absl::StrSplit(parts[0], absl::MaxSplits(':', 1));
  absl::StatusOr<const PolicyEntry *> entry = findPolicy(head.first);
  if (!entry.ok())
    return entry.status();
  bool hasTier = head.first.size() != parts[0].size();
  std::optional<Tier> tier;
  if ((*entry)->takesTier) {
    tier = parseTier({head.second.data(), head.second.size()});
    if (!tier)
      return absl::InvalidArgumentError(
          absl::StrCat("policy '", usage(**entry), "': ",
                       hasTier ? absl::StrCat("there is no tier '", head.second, "'",
                                              didYouMean(head.second, tierNames()))
                               : std::string("the tier is missing"),
                       "; there is ", absl::StrJoin(tierNames(), ", ")));
  } else if (hasTier) {
    return absl::InvalidArgumentError(
        absl::StrCat("policy '", head.first, "' takes no ':", head.second, "'"));
  }
  PolicyParameters parameters = (*entry)->parameters();
  for (size_t i = 1; i < parts.size(); ++i)
    if (absl::Status status = parameters.set(head.first, parts[i]); !status.ok())
      return status;
  return (*entry)->make(tier.value_or(Tier::Interpreter), parameters);
}

std::string describePolicies() {
  std::string text;
  for (const PolicyEntry &entry : kPolicies) {
    absl::StrAppend(&text, usage(entry), "\n  ", entry.help, "\n");
    PolicyParameters parameters = entry.parameters();
    for (const PolicyParameter &parameter : parameters.all())
      absl::StrAppend(&text, "  ", parameter.name, "=", parameter.value, "  ", parameter.help,
                      "\n");
  }
  return text;
}

} // namespace anneal::runtime
