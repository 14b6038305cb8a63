//===- Synthetic.cpp - Traces that nobody recorded ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Simulation/Synthetic.h"

#include "anneal/Support/NearestName.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numeric>
#include <optional>
#include <string_view>

namespace anneal::simulation {

using runtime::Attempt;

namespace {

struct Parameter {
  const char *name;
  double value;
  double least;
  double most;
  bool isWhole;
  const char *help;
};

constexpr Parameter kParameters[] = {
    {"units", 100, 1, 1e6, true, "units of the program"},
    {"calls", 10000, 1, 1e7, true, "calls of the program"},
    {"seed", 1, 0, 1e15, true, "of the random numbers"},
    {"exponent", 1, 0, 10, false,
     "zipf, phases, bursts, drift: the unit of rank r is called as r^-exponent"},
    {"alpha", 1.16, 1.01, 10, false,
     "pareto: shape; 1.16 is 80 % of the calls for 20 % of the units"},
    {"phases", 2, 1, 1e6, true,
     "phases: how often the ranks begin anew, with other units in front"},
    {"burst", 50, 1, 1e6, true, "bursts: calls of one unit in a row"},
    {"burst-share", 0.5, 0, 1, false, "bursts: of all calls"},
    {"hot", 0.01, 0, 1, false, "cold: part of the units that is hot"},
    {"hot-share", 0.9, 0, 1, false, "cold: of all calls, those of the hot units"},
    {"call-us", 300, 0.001, 1e6, false,
     "typical time of a call in the interpreter; each unit has its own"},
    {"speedup", 1.5, 0.1, 1e6, false, "typical speed of compiled code over the interpreter"},
    {"compile-ms", 4, 0, 1e6, false, "typical time of a compile"},
};

/// The numbers of a specification.
class Parameters {
public:
  absl::Status set(absl::string_view assignment);
  double operator[](absl::string_view name) const {
    return values[static_cast<size_t>(indexOf(name))];
  }
  size_t count(absl::string_view name) const { return static_cast<size_t>((*this)[name]); }

private:
  static ptrdiff_t indexOf(absl::string_view name) {
    return std::find_if(std::begin(kParameters), std::end(kParameters),
                        [&](const Parameter &each) { return each.name == name; }) -
           std::begin(kParameters);
  }

  std::vector<double> values = [] {
    std::vector<double> defaults;
    for (const Parameter &parameter : kParameters)
      defaults.push_back(parameter.value);
    return defaults;
  }();
};

std::string nearest(absl::string_view misspelt, const std::vector<std::string_view> &names) {
  std::optional<std::string_view> name = nearestName({misspelt.data(), misspelt.size()}, names);
  return name ? absl::StrCat(" (did you mean '", std::string(*name), "'?)") : std::string();
}

absl::Status Parameters::set(absl::string_view assignment) {
  std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(assignment, absl::MaxSplits('=', 1));
  auto index = static_cast<size_t>(indexOf(parts.first));
  if (index == std::size(kParameters)) {
    std::vector<std::string_view> names;
    for (const Parameter &parameter : kParameters)
      names.emplace_back(parameter.name);
    return absl::InvalidArgumentError(
        absl::StrCat("a synthetic trace has no parameter '", parts.first, "'",
                     nearest(parts.first, names), "; there is ",
                     absl::StrJoin(kParameters, ", ", [](std::string *out, const Parameter &each) {
                       out->append(each.name);
                     })));
  }
  const Parameter &parameter = kParameters[index];
  double value = 0;
  bool isNumber = absl::SimpleAtod(parts.second, &value) && std::isfinite(value);
  bool fits = isNumber && value >= parameter.least && value <= parameter.most;
  if (!fits || (parameter.isWhole && value != std::floor(value)))
    return absl::InvalidArgumentError(absl::StrCat("'", parts.second, "' for ", parameter.name,
                                                   " is not a ", parameter.isWhole ? "whole " : "",
                                                   "number from ", parameter.least, " to ",
                                                   parameter.most));
  values[index] = value;
  return absl::OkStatus();
}

//===----------------------------------------------------------------------===//
// Which unit is called
//===----------------------------------------------------------------------===//

std::vector<double> zipfWeights(const Parameters &parameters) {
  std::vector<double> weights;
  for (size_t u = 0; u < parameters.count("units"); ++u)
    weights.push_back(std::pow(static_cast<double>(u + 1), -parameters["exponent"]));
  return weights;
}

/// The unit of each call.
using Calls = std::vector<size_t>;
using Draw = std::function<size_t(size_t call)>;

Calls drawn(const Parameters &parameters, const Draw &draw) {
  Calls calls(parameters.count("calls"));
  for (size_t i = 0; i < calls.size(); ++i)
    calls[i] = draw(i);
  return calls;
}

Calls zipf(const Parameters &parameters, Random &random) {
  WeightedChoice choice(zipfWeights(parameters));
  return drawn(parameters, [&](size_t) { return choice.draw(random); });
}

/// Each unit has the calls that its part of a Pareto distribution has: the part q that is called
/// most has q^(1 - 1/alpha) of all calls.
Calls pareto(const Parameters &parameters, Random &random) {
  std::vector<double> weights;
  auto share = [&](size_t unit) {
    return std::pow(static_cast<double>(unit) / parameters["units"], 1 - 1 / parameters["alpha"]);
  };
  for (size_t u = 0; u < parameters.count("units"); ++u)
    weights.push_back(share(u + 1) - share(u));
  WeightedChoice choice(weights);
  return drawn(parameters, [&](size_t) { return choice.draw(random); });
}

/// The ranks of Zipf's law, beginning with another unit in each part of the run.
Calls shifted(const Parameters &parameters, Random &random, size_t numParts) {
  WeightedChoice choice(zipfWeights(parameters));
  size_t units = parameters.count("units"), numCalls = parameters.count("calls");
  return drawn(parameters, [&](size_t call) {
    size_t part = call * numParts / numCalls;
    return (choice.draw(random) + part * units / numParts) % units;
  });
}

Calls phases(const Parameters &parameters, Random &random) {
  return shifted(parameters, random, parameters.count("phases"));
}
Calls drift(const Parameters &parameters, Random &random) {
  return shifted(parameters, random, parameters.count("units"));
}

Calls bursts(const Parameters &parameters, Random &random) {
  WeightedChoice choice(zipfWeights(parameters));
  double length = parameters["burst"], share = parameters["burst-share"];
  // A burst begins with probability p in place of a single call: p*length / (p*length + 1-p) =
  // share.
  double begins = share / (share + length * (1 - share));
  size_t left = 0, unit = 0;
  return drawn(parameters, [&](size_t) {
    if (left > 0) {
      --left;
      return unit;
    }
    if (random.uniform() >= begins)
      return choice.draw(random);
    left = static_cast<size_t>(length) - 1;
    unit = random.below(parameters.count("units"));
    return unit;
  });
}

Calls cold(const Parameters &parameters, Random &random) {
  size_t units = parameters.count("units");
  auto numHot = static_cast<size_t>(std::ceil(parameters["hot"] * parameters["units"]));
  return drawn(parameters, [&](size_t) {
    bool isHot = random.uniform() < parameters["hot-share"];
    if (numHot > 0 && (isHot || numHot == units))
      return random.below(numHot);
    return numHot + random.below(units - numHot);
  });
}

struct Kind {
  const char *name;
  const char *help;
  Calls (*calls)(const Parameters &parameters, Random &random);
};
constexpr Kind kKinds[] = {
    {"zipf", "popularity by Zipf's law", zipf},
    {"pareto", "popularity as a Pareto distribution has it", pareto},
    {"phases", "zipf, with other units in front in each phase", phases},
    {"bursts", "zipf, with bursts of calls of one unit, whichever", bursts},
    {"drift", "zipf, where the most popular unit changes bit by bit", drift},
    {"cold", "a few units are hot and all others hardly ever called", cold},
};

//===----------------------------------------------------------------------===//
// What a call costs
//===----------------------------------------------------------------------===//

/// From a third of `typical` to three times as much, evenly by its logarithm.
double around(double typical, Random &random) {
  return typical * std::pow(3.0, random.between(-1, 1));
}

TracedUnit makeUnit(size_t index, const Parameters &parameters, Random &random) {
  constexpr const char *kUnitKinds[] = {"linalg.generic", "linalg.matmul", "linalg.softmax"};
  TracedUnit unit;
  unit.name = absl::StrCat("u", index);
  unit.kind = kUnitKinds[random.below(std::size(kUnitKinds))];
  for (unsigned t = 1; t < kNumTiers; ++t)
    unit.compiles[t] = {Attempt::Installed, around(parameters["compile-ms"] * 1e-3, random), 4096,
                        ""};
  return unit;
}

CallClass makeClass(uint32_t unit, const Parameters &parameters, Random &random) {
  // What a core does; only its order of magnitude matters.
  constexpr double kFlopsPerSecond = 8e9, kBytesPerSecond = 1e10;
  TracedWork work;
  work.unit = unit;
  work.seconds[0] = around(parameters["call-us"] * 1e-6, random);
  work.flops = std::round(work.seconds[0] * kFlopsPerSecond);
  work.bytes = std::round(work.seconds[0] * kBytesPerSecond);
  // Of some units compiled code is slower.
  double speedup = parameters["speedup"] * random.between(0.6, 1.4);
  for (unsigned t = 1; t < kNumTiers; ++t)
    work.seconds[t] = work.seconds[t - 1] / speedup;
  return {absl::StrCat("u", unit), {work}, 0, 0};
}

Trace makeTrace(const Kind &kind, absl::string_view specification, const Parameters &parameters) {
  Random random(static_cast<uint64_t>(parameters["seed"]));
  Trace trace;
  trace.model = std::string(specification);
  trace.entry = "main";
  for (uint32_t u = 0; u < parameters.count("units"); ++u) {
    trace.units.push_back(makeUnit(u, parameters, random));
    trace.classes.push_back(makeClass(u, parameters, random));
  }
  for (size_t unit : kind.calls(parameters, random)) {
    auto callClass = static_cast<uint32_t>(unit);
    if (trace.calls.empty() || trace.calls.back().callClass != callClass)
      trace.calls.push_back({callClass, 0, false, {}});
    ++trace.calls.back().count;
  }
  return trace;
}

} // namespace

WeightedChoice::WeightedChoice(const std::vector<double> &weights) : sums(weights.size()) {
  std::partial_sum(weights.begin(), weights.end(), sums.begin());
}

size_t WeightedChoice::draw(Random &random) const {
  auto found = std::upper_bound(sums.begin(), sums.end(), random.uniform() * sums.back());
  return std::min(static_cast<size_t>(found - sums.begin()), sums.size() - 1);
}

absl::StatusOr<Trace> makeSyntheticTrace(absl::string_view specification) {
  std::vector<absl::string_view> parts = absl::StrSplit(specification, ',');
  const auto *kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const Kind &each) { return each.name == parts[0]; });
  if (kind == std::end(kKinds)) {
    std::vector<std::string_view> names;
    for (const Kind &each : kKinds)
      names.emplace_back(each.name);
    return absl::InvalidArgumentError(absl::StrCat(
        "there is no synthetic trace '", parts[0], "'", nearest(parts[0], names), "; there is ",
        absl::StrJoin(kKinds, ", ",
                      [](std::string *out, const Kind &each) { out->append(each.name); })));
  }
  Parameters parameters;
  for (size_t i = 1; i < parts.size(); ++i)
    if (absl::Status status = parameters.set(parts[i]); !status.ok())
      return status;
  return makeTrace(*kind, specification, parameters);
}

std::string describeSyntheticTraces() {
  std::string text;
  for (const Kind &kind : kKinds)
    absl::StrAppend(&text, "  ", kind.name, "  ", kind.help, "\n");
  for (const Parameter &parameter : kParameters)
    absl::StrAppend(&text, "  ", parameter.name, "=", parameter.value, "  ", parameter.help, "\n");
  return text;
}

} // namespace anneal::simulation
