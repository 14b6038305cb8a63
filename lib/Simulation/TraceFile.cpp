//===- TraceFile.cpp - Traces as files ------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/File.h"
#include "anneal/Simulation/Trace.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace anneal::simulation {

using Json = nlohmann::ordered_json;
using runtime::Attempt;
using runtime::UnitRole;

namespace {

constexpr int kVersion = 1;
constexpr char kFormatKey[] = "anneal_trace";
/// 30 years: the simulator's clock counts nanoseconds, and ends after 290.
constexpr double kMostSeconds = 1e9;

struct AttemptName {
  Attempt attempt;
  const char *name;
};
constexpr AttemptName kAttempts[] = {{Attempt::Installed, "installed"},
                                     {Attempt::NothingToCompile, "nothing-to-compile"},
                                     {Attempt::Failed, "failed"},
                                     {Attempt::TimedOut, "timed-out"},
                                     {Attempt::NoCodeMemory, "no-code-memory"}};

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::string line(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json headerOf(const Trace &trace) {
  Json tiers = Json::array();
  for (unsigned t = 0; t < kNumTiers; ++t)
    if (trace.tiers.contains(static_cast<Tier>(t)))
      tiers.push_back(name(static_cast<Tier>(t)));
  return {{kFormatKey, kVersion},
          {"model", trace.model},
          {"entry", trace.entry},
          {"deterministic", trace.isDeterministic},
          {"tiers", tiers},
          {"compiler_start_s", trace.compilerStartSeconds},
          {"units", trace.units.size()},
          {"classes", trace.classes.size()},
          {"calls", trace.numCalls()}};
}

Json jsonOf(const TracedUnit &unit) {
  Json compiles = Json::object();
  for (unsigned t = 1; t < kNumTiers; ++t) {
    const TracedCompile &compile = unit.compiles[t];
    for (const AttemptName &known : kAttempts)
      if (known.attempt == compile.attempt)
        compiles[std::string(name(static_cast<Tier>(t)))] = {{"result", known.name},
                                                             {"s", compile.seconds},
                                                             {"code_bytes", compile.codeBytes},
                                                             {"detail", compile.detail}};
  }
  return {{"unit", unit.name},
          {"kind", unit.kind},
          {"role", std::string(runtime::name(unit.role))},
          {"compiles", compiles}};
}

Json jsonOf(const CallClass &callClass, TierSet tiers) {
  Json work = Json::array();
  for (const TracedWork &each : callClass.work) {
    Json seconds = Json::array();
    for (unsigned t = 0; t < kNumTiers; ++t)
      if (tiers.contains(static_cast<Tier>(t)))
        seconds.push_back(each.seconds[t]);
    work.push_back({{"unit", each.unit},
                    {"calls", each.calls},
                    {"flops", each.flops},
                    {"bytes", each.bytes},
                    {"s", seconds}});
  }
  return {{"class", callClass.shapes},
          {"other_s", callClass.otherSeconds},
          {"instance_s", callClass.instanceSeconds},
          {"work", work}};
}

Json jsonOf(const TracedCalls &calls) {
  Json json = {{"call", calls.callClass}, {"count", calls.count}, {"new", calls.makesInstance}};
  if (calls.atSeconds)
    json["at_s"] = *calls.atSeconds;
  return json;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads a trace line by line; the first error ends it.
class Reader {
public:
  Reader(absl::string_view text, absl::string_view name) : text(text), file(name) {}

  absl::StatusOr<Trace> read() {
    for (absl::string_view row : absl::StrSplit(text, '\n')) {
      ++number;
      if (row.empty())
        continue;
      readLine(row);
      if (!status.ok())
        return status;
    }
    if (!hasHeader)
      return absl::InvalidArgumentError(absl::StrCat(file, ": error: the file is empty"));
    checkEnd();
    if (!status.ok())
      return status;
    return std::move(trace);
  }

private:
  void fail(absl::string_view what) {
    if (status.ok())
      status = absl::InvalidArgumentError(absl::StrCat(file, ":", number, ": error: ", what));
  }

  void readLine(absl::string_view row) {
    Json json = Json::parse(row.begin(), row.end(), nullptr, /*allow_exceptions=*/false);
    // A line that ends in the middle is the last one of a file that was cut off.
    if (json.is_discarded() && hasHeader && row.data() + row.size() == text.data() + text.size()) {
      status = absl::DataLossError(absl::StrCat(
          file, ":", number, ": error: the trace is cut off in this line: record it anew"));
      return;
    }
    if (!json.is_object())
      return fail(
          hasHeader
              ? "not a JSON object"
              : "not a trace: the first line is no JSON object; jit-run --record writes traces");
    if (!hasHeader)
      return readHeader(json);
    if (json.contains("unit"))
      return readUnit(json);
    if (json.contains("class"))
      return readClass(json);
    if (json.contains("call"))
      return readCalls(json);
    fail("neither a unit nor a class nor a call");
  }

  //===--- Values -----------------------------------------------------------===//

  const Json &get(const Json &json, const char *key) {
    static const Json kNothing;
    auto found = json.find(key);
    if (found != json.end())
      return *found;
    fail(absl::StrCat("'", key, "' is missing"));
    return kNothing;
  }

  std::string textAt(const Json &json, const char *key) {
    const Json &value = get(json, key);
    if (value.is_string())
      return value.get<std::string>();
    fail(absl::StrCat("'", key, "' is no text"));
    return "";
  }

  bool boolAt(const Json &json, const char *key) {
    const Json &value = get(json, key);
    if (value.is_boolean())
      return value.get<bool>();
    fail(absl::StrCat("'", key, "' is neither true nor false"));
    return false;
  }

  /// A finite number that is not negative; NaN and infinity have no JSON, and come as null.
  double numberOf(const Json &value, const char *key) {
    if (value.is_number())
      if (auto number = value.get<double>(); std::isfinite(number) && number >= 0)
        return number;
    fail(absl::StrCat("'", key, "' is ", value.dump(), ", not a number from 0 up"));
    return 0;
  }
  double numberAt(const Json &json, const char *key) { return numberOf(get(json, key), key); }

  uint64_t countAt(const Json &json, const char *key, uint64_t most) {
    const Json &value = get(json, key);
    if (value.is_number_unsigned())
      if (auto count = value.get<uint64_t>(); count <= most)
        return count;
    fail(absl::StrCat("'", key, "' is ", value.dump(), "; it is a whole number from 0 to ", most));
    return 0;
  }

  const Json &listAt(const Json &json, const char *key) {
    const Json &value = get(json, key);
    if (!value.is_array())
      fail(absl::StrCat("'", key, "' is no list"));
    return value;
  }

  //===--- Lines ------------------------------------------------------------===//

  void readHeader(const Json &json) {
    if (!json.contains(kFormatKey))
      return fail(absl::StrCat("not a trace: '", kFormatKey, "' is missing"));
    uint64_t version = countAt(json, kFormatKey, UINT64_MAX);
    if (version != kVersion)
      return fail(absl::StrCat("the trace has version ", version, "; version ", kVersion,
                               " is what can be read: record it anew"));
    hasHeader = true;
    trace.model = textAt(json, "model");
    trace.entry = textAt(json, "entry");
    trace.isDeterministic = boolAt(json, "deterministic");
    trace.compilerStartSeconds = numberAt(json, "compiler_start_s");
    numUnits = countAt(json, "units", kMostCalls);
    numClasses = countAt(json, "classes", kMostCalls);
    numCalls = countAt(json, "calls", kMostCalls);
    readTiers(listAt(json, "tiers"));
  }

  void readTiers(const Json &list) {
    trace.tiers = TierSet();
    for (const Json &each : list) {
      std::optional<Tier> tier =
          each.is_string() ? parseTier(each.get<std::string>()) : std::nullopt;
      if (!tier)
        return fail(absl::StrCat("there is no tier ", each.dump()));
      if (!tiers.empty() && *tier <= tiers.back())
        return fail("'tiers' are not in order");
      tiers.push_back(*tier);
      trace.tiers.add(*tier);
    }
    if (tiers.empty() || tiers.front() != Tier::Interpreter)
      fail("'tiers' do not begin with the interpreter");
  }

  void readUnit(const Json &json) {
    TracedUnit unit;
    unit.name = textAt(json, "unit");
    unit.kind = textAt(json, "kind");
    std::string role = textAt(json, "role");
    constexpr UnitRole kRoles[] = {UnitRole::Called, UnitRole::ConstantsOnly, UnitRole::Loop};
    const auto *found = std::find_if(std::begin(kRoles), std::end(kRoles),
                                     [&](UnitRole each) { return runtime::name(each) == role; });
    if (found == std::end(kRoles))
      return fail(absl::StrCat("there is no role '", role, "'"));
    unit.role = *found;
    const Json &compiles = get(json, "compiles");
    if (!compiles.is_object())
      return fail("'compiles' is no object");
    for (Tier tier : tiers)
      if (tier != Tier::Interpreter && unit.role == UnitRole::Called)
        unit.compiles[static_cast<size_t>(tier)] =
            compileOf(get(compiles, std::string(name(tier)).c_str()));
    if (!names.insert(unit.name).second)
      return fail(absl::StrCat("there are two units '", unit.name, "'"));
    trace.units.push_back(std::move(unit));
  }

  TracedCompile compileOf(const Json &json) {
    TracedCompile compile;
    std::string result = textAt(json, "result");
    const auto *found =
        std::find_if(std::begin(kAttempts), std::end(kAttempts),
                     [&](const AttemptName &known) { return known.name == result; });
    if (found == std::end(kAttempts)) {
      fail(absl::StrCat("there is no result '", result, "' of a compile"));
      return compile;
    }
    compile.attempt = found->attempt;
    compile.seconds = numberAt(json, "s");
    compile.codeBytes = countAt(json, "code_bytes", INT64_MAX);
    compile.detail = textAt(json, "detail");
    return compile;
  }

  void readClass(const Json &json) {
    CallClass callClass;
    callClass.shapes = textAt(json, "class");
    callClass.otherSeconds = numberAt(json, "other_s");
    callClass.instanceSeconds = numberAt(json, "instance_s");
    for (const Json &each : listAt(json, "work")) {
      callClass.work.push_back(workOf(each));
      if (!status.ok())
        return;
    }
    trace.classes.push_back(std::move(callClass));
  }

  TracedWork workOf(const Json &json) {
    TracedWork work;
    if (!json.is_object()) {
      fail("'work' is no list of objects");
      return work;
    }
    work.unit = static_cast<uint32_t>(countAt(json, "unit", UINT32_MAX));
    if (work.unit >= trace.units.size())
      fail(absl::StrCat("there is no unit ", work.unit));
    work.calls = countAt(json, "calls", INT64_MAX);
    work.flops = numberAt(json, "flops");
    work.bytes = numberAt(json, "bytes");
    const Json &seconds = listAt(json, "s");
    if (seconds.size() != tiers.size()) {
      fail(absl::StrCat("'s' has ", seconds.size(), " times; there are ", tiers.size(), " tiers"));
      return work;
    }
    for (size_t i = 0; i < tiers.size(); ++i)
      work.seconds[static_cast<size_t>(tiers[i])] = numberOf(seconds[i], "s");
    return work;
  }

  void readCalls(const Json &json) {
    TracedCalls calls;
    calls.callClass = static_cast<uint32_t>(countAt(json, "call", UINT32_MAX));
    if (calls.callClass >= trace.classes.size())
      return fail(absl::StrCat("there is no class ", calls.callClass));
    calls.count = countAt(json, "count", kMostCalls);
    calls.makesInstance = boolAt(json, "new");
    if (json.contains("at_s")) {
      calls.atSeconds = numberAt(json, "at_s");
      if (*calls.atSeconds < lastArrival)
        fail(absl::StrCat("'at_s' is ", *calls.atSeconds, ", before the call above, at ",
                          lastArrival));
      lastArrival = *calls.atSeconds;
    }
    numRead += calls.count;
    if (numRead > numCalls)
      fail(absl::StrCat("there are more calls than the ", numCalls, " of the first line"));
    trace.calls.push_back(calls);
  }

  /// The counts of the first line, since a file may be cut off between two lines.
  void checkEnd() {
    auto check = [&](const char *what, uint64_t have, uint64_t expected) {
      if (have == expected || !status.ok())
        return;
      status = absl::DataLossError(absl::StrCat(file, ": error: the trace is cut off: ", have,
                                                " of ", expected, " ", what, ": record it anew"));
    };
    check("units", trace.units.size(), numUnits);
    check("classes", trace.classes.size(), numClasses);
    check("calls", numRead, numCalls);
    if (double seconds = mostSeconds(); status.ok() && !(seconds <= kMostSeconds))
      status = absl::InvalidArgumentError(absl::StrCat(file, ": error: the run takes ", seconds,
                                                       " s; at most ", kMostSeconds,
                                                       " s can be simulated"));
  }

  /// What all calls and all compiles take at the slowest tiers.
  double mostSeconds() const {
    double sum = lastArrival;
    for (const TracedUnit &unit : trace.units)
      for (const TracedCompile &compile : unit.compiles)
        sum += compile.seconds + trace.compilerStartSeconds;
    for (const TracedCalls &calls : trace.calls) {
      const CallClass &callClass = trace.classes[calls.callClass];
      double ofCall = callClass.otherSeconds;
      for (const TracedWork &work : callClass.work)
        ofCall += *std::max_element(work.seconds.begin(), work.seconds.end());
      sum += static_cast<double>(calls.count) * ofCall + callClass.instanceSeconds;
    }
    return sum;
  }

  const absl::string_view text;
  const std::string file;
  size_t number = 0;
  bool hasHeader = false;
  absl::Status status;
  Trace trace;
  /// Of the trace, in order.
  std::vector<Tier> tiers;
  absl::flat_hash_set<std::string> names;
  uint64_t numUnits = 0, numClasses = 0, numCalls = 0, numRead = 0;
  double lastArrival = 0;
};

} // namespace

uint64_t Trace::numCalls() const {
  uint64_t sum = 0;
  for (const TracedCalls &each : calls)
    sum += each.count;
  return sum;
}

std::string toText(const Trace &trace) {
  std::string text = line(headerOf(trace));
  for (const TracedUnit &unit : trace.units)
    text += line(jsonOf(unit));
  for (const CallClass &callClass : trace.classes)
    text += line(jsonOf(callClass, trace.tiers));
  for (const TracedCalls &calls : trace.calls)
    text += line(jsonOf(calls));
  return text;
}

absl::StatusOr<Trace> parseTrace(absl::string_view text, absl::string_view name) {
  return Reader(text, name).read();
}

absl::StatusOr<Trace> readTrace(const std::string &path) {
  absl::StatusOr<std::string> text = runtime::readFile(path);
  if (!text.ok())
    return text.status();
  return parseTrace(*text, path);
}

absl::Status writeTrace(const Trace &trace, const std::string &path) {
  return runtime::writeFile(path, {toText(trace)});
}

} // namespace anneal::simulation
