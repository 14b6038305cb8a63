//===- PrometheusText.cpp - Prometheus' text exposition format ------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrometheusText.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace anneal::engine {

namespace {

/// The shortest text that is read as this number.
std::string textOf(double value) {
  if (std::isnan(value))
    return "NaN";
  if (std::isinf(value))
    return value > 0 ? "+Inf" : "-Inf";
  char text[32];
  return {text, std::to_chars(text, text + sizeof(text), value).ptr};
}

/// The format is UTF-8; names in a model may be any bytes.
std::string validUtf8(const std::string &text) {
  using Json = nlohmann::json;
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
      .get<std::string>();
}

std::string escapeLabel(const std::string &value) {
  return absl::StrReplaceAll(validUtf8(value), {{"\\", "\\\\"}, {"\"", "\\\""}, {"\n", "\\n"}});
}

} // namespace

void PrometheusText::family(absl::string_view name, absl::string_view type,
                            absl::string_view help) {
  current = absl::StrCat("anneal_", name);
  absl::StrAppend(&lines, "# HELP ", current, " ",
                  absl::StrReplaceAll(help, {{"\\", "\\\\"}, {"\n", "\\n"}}), "\n# TYPE ", current,
                  " ", type, "\n");
}

void PrometheusText::sample(const Labels &labels, double value, absl::string_view suffix) {
  absl::StrAppend(&lines, current, suffix);
  char separator = '{';
  for (const auto &[name, text] : labels) {
    absl::StrAppend(&lines, std::string(1, separator), name, "=\"", escapeLabel(text), "\"");
    separator = ',';
  }
  absl::StrAppend(&lines, labels.empty() ? " " : "} ", textOf(value), "\n");
}

void PrometheusText::samples(const Labels &labels, const Histogram &values) {
  for (const Histogram::Bucket &bucket : values.cumulative()) {
    Labels all = labels;
    all.emplace_back("le", textOf(bucket.bound));
    sample(all, static_cast<double>(bucket.count), "_bucket");
  }
  sample(labels, values.sum(), "_sum");
  sample(labels, static_cast<double>(values.count()), "_count");
}

} // namespace anneal::engine
