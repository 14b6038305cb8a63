//===- PrometheusText.h - Prometheus' text exposition format ----*- C++ -*-===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef ANNEAL_LIB_ENGINE_PROMETHEUSTEXT_H
#define ANNEAL_LIB_ENGINE_PROMETHEUSTEXT_H

#include "anneal/Engine/Metrics.h"

#include "absl/strings/string_view.h"

#include <string>
#include <utility>
#include <vector>

namespace anneal::engine {

/// Writes families of metrics, one after the other, each with its samples. Names begin with
/// "anneal_". A value.
class PrometheusText {
public:
  using Labels = std::vector<std::pair<absl::string_view, std::string>>;

  /// Begins a family, without that prefix; `help` is one sentence.
  void counter(absl::string_view name, absl::string_view help) { family(name, "counter", help); }
  void gauge(absl::string_view name, absl::string_view help) { family(name, "gauge", help); }
  void histogram(absl::string_view name, absl::string_view help) {
    family(name, "histogram", help);
  }
  void summary(absl::string_view name, absl::string_view help) { family(name, "summary", help); }

  /// A sample of the family; `suffix`: of those of a summary.
  void sample(const Labels &labels, double value, absl::string_view suffix = "");
  void sample(double value) { sample({}, value); }
  /// Those of one histogram.
  void samples(const Labels &labels, const Histogram &values);

  const std::string &text() const { return lines; }

private:
  void family(absl::string_view name, absl::string_view type, absl::string_view help);

  std::string current;
  std::string lines;
};

} // namespace anneal::engine

#endif // ANNEAL_LIB_ENGINE_PROMETHEUSTEXT_H
