//===- Why.cpp - The history of a unit in words ---------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Why.h"

#include "anneal/Engine/Report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace anneal::jitrun {
namespace {

using Json = nlohmann::ordered_json;

Json unitsOf(const engine::Model &model) {
  return Json::parse(engine::reportJson(model, {}))["units"];
}

std::string textOf(const Json &value) { return value.is_string() ? value.get<std::string>() : ""; }

/// JSON has no NaN and no infinity: they are `null`.
double numberOf(const Json &value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// "at call 5, after 12.1 ms: baseline, compiled in 3.2 ms, since it saves more than it costs".
std::string describePromotion(const Json &promotion) {
  std::string text = absl::StrCat("  after call ", promotion["at_call"].get<uint64_t>());
  if (promotion.contains("at_ms"))
    absl::StrAppendFormat(&text, ", %.1f ms after loading", numberOf(promotion["at_ms"]));
  absl::StrAppend(&text, ": to ", textOf(promotion["tier"]));
  if (double ms = numberOf(promotion["compile_ms"]); ms > 0)
    absl::StrAppendFormat(&text, ", compiled in %.1f ms", ms);
  return absl::StrCat(text, ": ", textOf(promotion["reason"]), "\n");
}

std::string describeDecision(const Json &decision) {
  std::string text = absl::StrCat("  last decision: ", textOf(decision["action"]), ": ",
                                  textOf(decision["reason"]));
  std::vector<std::string> terms;
  for (const auto &[name, value] : decision["terms"].items())
    terms.push_back(absl::StrFormat("%s = %.4g", name, numberOf(value)));
  if (!terms.empty())
    absl::StrAppend(&text, " (", absl::StrJoin(terms, ", "), ")");
  absl::StrAppend(&text, "\n");
  if (decision.contains("detail"))
    absl::StrAppend(&text, "  ", textOf(decision["detail"]), "\n");
  return text;
}

} // namespace

absl::Status checkUnit(const engine::Model &model, const std::string &unit) {
  if (unit.empty())
    return absl::OkStatus();
  std::vector<std::string> names;
  for (const Json &one : unitsOf(model)) {
    names.push_back(absl::StrCat("'", textOf(one["name"]), "'"));
    if (textOf(one["name"]) == unit)
      return absl::OkStatus();
  }
  return absl::NotFoundError(
      absl::StrCat("--why: there is no unit '", unit, "'; ",
                   names.empty() ? "the model has none"
                                 : absl::StrCat("there is ", absl::StrJoin(names, ", "))));
}

std::string explainUnit(const engine::Model &model, const std::string &unit) {
  Json found;
  for (const Json &one : unitsOf(model))
    if (textOf(one["name"]) == unit)
      found = one;
  std::string tier = textOf(found["tier"]);
  std::string text =
      absl::StrFormat("unit '%s' (%s): %d calls, %.1f us each; %s\n", unit, textOf(found["kind"]),
                      found["calls"].get<uint64_t>(), numberOf(found["us_per_call"]),
                      tier.empty() ? "not compiled" : absl::StrCat("tier ", tier));
  for (const Json &promotion : found["promotions"])
    absl::StrAppend(&text, describePromotion(promotion));
  if (found.contains("decision"))
    absl::StrAppend(&text, describeDecision(found["decision"]));
  return text;
}

} // namespace anneal::jitrun
