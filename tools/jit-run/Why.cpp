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
#include <optional>
#include <utility>
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

/// The events on a unit; each decision with how often it was made again, which the next one knows.
std::vector<engine::TieringEvent> storyOf(const engine::EventLog &log, const std::string &unit) {
  std::vector<engine::TieringEvent> story;
  std::optional<size_t> lastDecision;
  for (engine::TieringEvent &event : log.events()) {
    if (event.unit != unit)
      continue;
    if (event.isDecision()) {
      uint64_t repeats = std::exchange(event.repeats, 0);
      if (lastDecision)
        story[*lastDecision].repeats = repeats;
      lastDecision = story.size();
    }
    story.push_back(std::move(event));
  }
  return story;
}

/// "  after call 5, 12.1 ms after loading: promote to baseline: ..., 3 times more".
std::string describe(const engine::TieringEvent &event) {
  std::string text = absl::StrFormat("  after call %d, %.1f ms after loading: %s", event.atCall,
                                     event.atMs, engine::toText(event));
  if (event.repeats > 0)
    absl::StrAppend(&text, "; ", event.repeats, " times more");
  return absl::StrCat(text, "\n");
}

/// What was decided and done, in order. Details, as the message of a compiler, come once.
std::string describeStory(const engine::EventLog &log, const std::string &unit) {
  std::string text, detail;
  for (const engine::TieringEvent &event : storyOf(log, unit)) {
    text += describe(event);
    if (!event.detail.empty() && event.detail != detail)
      absl::StrAppend(&text, "    ", event.detail, "\n");
    detail = event.detail;
  }
  if (uint64_t dropped = log.numDroppedEvents())
    absl::StrAppend(&text, "  ", dropped, " events on the units of the model are not kept\n");
  return text;
}

/// M1: "  at baseline: paid back after 34 calls, had 1200 (3 us a call, 5 us before)".
std::string describePayBack(const Json &promotion) {
  if (!promotion.contains("pay_back"))
    return "";
  const Json &payBack = promotion["pay_back"];
  std::string text =
      absl::StrCat("  at ", textOf(promotion["tier"]), ": ", textOf(payBack["text"]));
  if (payBack["break_even_calls"].is_number())
    absl::StrAppendFormat(&text, " (%.4g us a call, %.4g us before, compiled in %.1f ms)",
                          numberOf(payBack["after_us"]), numberOf(payBack["before_us"]),
                          numberOf(promotion["compile_ms"]));
  return absl::StrCat(text, "\n");
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

std::string explainUnit(const engine::Model &model, const engine::EventLog &log,
                        const std::string &unit) {
  Json found;
  for (const Json &one : unitsOf(model))
    if (textOf(one["name"]) == unit)
      found = one;
  std::string tier = textOf(found["tier"]);
  std::string text =
      absl::StrFormat("unit '%s' (%s): %d calls, %.1f us each; %s\n", unit, textOf(found["kind"]),
                      found["calls"].get<uint64_t>(), numberOf(found["us_per_call"]),
                      tier.empty() ? "not compiled" : absl::StrCat("tier ", tier));
  text += describeStory(log, unit);
  for (const Json &promotion : found["promotions"])
    text += describePayBack(promotion);
  if (found.contains("decision"))
    absl::StrAppend(&text, describeDecision(found["decision"]));
  return text;
}

} // namespace anneal::jitrun
