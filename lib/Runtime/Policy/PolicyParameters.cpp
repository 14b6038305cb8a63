//===- PolicyParameters.cpp - Numbers by which a policy is tuned ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PolicyParameters.h"

#include "anneal/Runtime/Policy/Decision.h"
#include "anneal/Support/NearestName.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace anneal::runtime {

std::string didYouMean(absl::string_view misspelt, const std::vector<absl::string_view> &names) {
  std::vector<std::string_view> views;
  for (absl::string_view name : names)
    views.emplace_back(name.data(), name.size());
  std::optional<std::string_view> nearest = nearestName({misspelt.data(), misspelt.size()}, views);
  return nearest ? absl::StrCat(" (did you mean '", std::string(*nearest), "'?)") : std::string();
}

std::string tierParameter(absl::string_view prefix, Tier tier) {
  return absl::StrCat(prefix, tierName(tier));
}

absl::Status PolicyParameters::set(absl::string_view policy, absl::string_view assignment) {
  std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(assignment, absl::MaxSplits('=', 1));
  auto found = std::find_if(list.begin(), list.end(), [&](const PolicyParameter &parameter) {
    return parameter.name == parts.first;
  });
  if (found == list.end()) {
    std::vector<absl::string_view> names;
    for (const PolicyParameter &parameter : list)
      names.emplace_back(parameter.name);
    return absl::InvalidArgumentError(absl::StrCat(
        "policy '", policy, "' has no parameter '", parts.first, "'",
        didYouMean(parts.first, names), "; ",
        list.empty() ? "it has none" : absl::StrCat("there is ", absl::StrJoin(names, ", "))));
  }
  double value = 0;
  bool isNumber = absl::SimpleAtod(parts.second, &value) && std::isfinite(value);
  if (!isNumber || value < found->least || value > found->most)
    return absl::InvalidArgumentError(absl::StrCat("policy '", policy, "': '", parts.second,
                                                   "' for ", found->name, " is not a number from ",
                                                   found->least, " to ", found->most));
  found->value = value;
  return absl::OkStatus();
}

double PolicyParameters::operator[](absl::string_view name) const {
  for (const PolicyParameter &parameter : list)
    if (parameter.name == name)
      return parameter.value;
  std::abort();
}

} // namespace anneal::runtime
