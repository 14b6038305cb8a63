//===- ProfileJson.cpp - Profiles as JSON ---------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/Profile/RunProfile.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace anneal::runtime {

using Json = nlohmann::ordered_json;

namespace {

/// Counters are written as signed numbers of 64 bits.
int64_t counted(uint64_t count) {
  return static_cast<int64_t>(std::min<uint64_t>(count, INT64_MAX));
}

/// The same of a sum that was scaled.
int64_t counted(double count) {
  constexpr double kMost = 9.2e18;
  return std::isfinite(count) ? std::llround(std::clamp(count, 0.0, kMost)) : 0;
}

Json jsonOf(const TierTimes &times) {
  Json entries = Json::array();
  for (const TierTimes::Kept &kept : times.kept())
    entries.push_back({{"timed_calls", counted(kept.timedCalls)},
                       {"ticks", kept.ticks},
                       {"us", kept.work * kept.secondsPerWork * 1e6},
                       {"flops", kept.hasFlops ? Json(kept.work) : Json()}});
  return entries;
}

Json jsonOf(const UnitProfile &unit) {
  Json json = {{"name", unit.name}, {"calls", counted(unit.calls)}};
  json["calls_per_call"] = unit.callsPerCall;
  if (unit.timed.calls > 0) {
    double scale = static_cast<double>(unit.calls) / static_cast<double>(unit.timed.calls);
    json["time_us"] = unit.timed.seconds * 1e6 * scale;
    json["flops"] = counted(unit.timed.flops * scale);
    json["bytes"] = counted(unit.timed.bytes * scale);
    json["timed_calls"] = counted(unit.timed.calls);
  }
  for (const ShapeProfile &shape : unit.shapes) {
    Json entry = {{"sizes", shape.sizes},
                  {"count", counted(shape.calls)},
                  {"flops_per_call", shape.flops},
                  {"bytes_per_call", shape.bytes}};
    if (shape.usPerCall > 0)
      entry["us_per_call"] = shape.usPerCall;
    json["shapes"].push_back(std::move(entry));
  }
  for (const AccessProfile &access : unit.memory) {
    Json entry = {{"contiguity", access.contiguity}, {"strides", access.strides}};
    if (access.alignment > 0)
      entry["alignment"] = access.alignment;
    json["memory"].push_back(std::move(entry));
  }
  for (unsigned t = 0; t < kNumTiers; ++t)
    if (unit.times[t].ticks() > 0)
      json["tiers"][std::string(name(static_cast<Tier>(t)))] = jsonOf(unit.times[t]);
  return json;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Reads fields of objects and remembers the first that makes no sense.
class ProfileReader {
public:
  bool isGood() const { return problem.empty(); }
  std::string problem;

  /// 0 where it is missing or null.
  double number(const Json &object, const char *field, double most = 1e300) {
    const Json *value = find(object, field);
    if (!value)
      return 0;
    double number = value->is_number() ? value->get<double>() : -1;
    if (number >= 0 && number <= most)
      return number;
    refuse(field, most == 1 ? "a number from 0 to 1" : "a number of at least 0");
    return 0;
  }

  uint64_t count(const Json &object, const char *field) {
    const Json *value = find(object, field);
    if (!value)
      return 0;
    if (value->is_number_integer() && !(value->is_number_unsigned() == false && *value < 0) &&
        value->get<uint64_t>() <= INT64_MAX)
      return value->get<uint64_t>();
    refuse(field, "a whole number from 0 to 2^63 - 1");
    return 0;
  }

  const Json &list(const Json &object, const char *field) {
    static const Json kEmpty = Json::array();
    const Json *value = find(object, field);
    if (value && !value->is_array())
      refuse(field, "a list");
    return value && value->is_array() ? *value : kEmpty;
  }

  std::vector<int64_t> integers(const Json &value, const char *field) {
    std::vector<int64_t> numbers;
    if (!value.is_array())
      refuse(field, "a list of whole numbers");
    else
      for (const Json &element : value)
        if (element.is_number_integer())
          numbers.push_back(element.get<int64_t>());
        else
          refuse(field, "a list of whole numbers");
    return numbers;
  }

private:
  static const Json *find(const Json &object, const char *field) {
    auto found = object.is_object() ? object.find(field) : object.end();
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }
  void refuse(const char *field, const char *wanted) {
    if (problem.empty())
      problem = absl::StrCat("'", field, "' is not ", wanted);
  }
};

void readTimes(const Json &entry, ProfileReader &reader, TierTimes &times) {
  TierTimes::Kept kept;
  kept.timedCalls = reader.count(entry, "timed_calls");
  kept.ticks = static_cast<uint32_t>(std::min<uint64_t>(reader.count(entry, "ticks"), UINT32_MAX));
  double flops = reader.number(entry, "flops");
  kept.hasFlops = flops > 0;
  kept.work = kept.hasFlops ? flops : static_cast<double>(kept.timedCalls);
  double us = reader.number(entry, "us");
  kept.secondsPerWork = kept.work > 0 ? us * 1e-6 / kept.work : 0;
  times.restore(kept);
}

UnitProfile readUnit(const Json &json, ProfileReader &reader) {
  UnitProfile unit;
  unit.calls = reader.count(json, "calls");
  unit.callsPerCall = reader.number(json, "calls_per_call");
  unit.timed.calls = reader.count(json, "timed_calls");
  if (unit.calls > 0 && unit.timed.calls > 0) {
    double share = static_cast<double>(unit.timed.calls) / static_cast<double>(unit.calls);
    unit.timed.seconds = reader.number(json, "time_us") * 1e-6 * share;
    unit.timed.flops = reader.number(json, "flops") * share;
    unit.timed.bytes = reader.number(json, "bytes") * share;
  }
  for (const Json &entry : reader.list(json, "shapes")) {
    ShapeProfile &shape = unit.shapes.emplace_back();
    for (const Json &argument : reader.list(entry, "sizes"))
      shape.sizes.push_back(reader.integers(argument, "sizes"));
    shape.calls = reader.count(entry, "count");
    shape.usPerCall = reader.number(entry, "us_per_call");
    shape.flops = reader.number(entry, "flops_per_call");
    shape.bytes = reader.number(entry, "bytes_per_call");
  }
  for (const Json &entry : reader.list(json, "memory")) {
    AccessProfile &access = unit.memory.emplace_back();
    access.contiguity = reader.number(entry, "contiguity", 1);
    access.alignment = reader.count(entry, "alignment");
    access.strides = reader.integers(reader.list(entry, "strides"), "strides");
  }
  for (unsigned t = 0; t < kNumTiers; ++t)
    if (auto tiers = json.find("tiers"); tiers != json.end() && tiers->is_object())
      for (const Json &entry : reader.list(*tiers, std::string(name(static_cast<Tier>(t))).c_str()))
        readTimes(entry, reader, unit.times[t]);
  return unit;
}

std::string textOf(const Json &object, const char *field) {
  auto found = object.find(field);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

} // namespace

std::string profileJson(const RunProfile &profile) {
  Json json = {{"profile_version", kRunProfileVersion},
               {"program", profile.program},
               {"cpu", profile.cpu},
               {"calls", counted(profile.programCalls)},
               {"compiles", Json::object()}};
  for (unsigned t = 1; t < kNumTiers; ++t)
    if (const CompileProfile &compiles = profile.compiles[t]; compiles.count > 0)
      json["compiles"][std::string(name(static_cast<Tier>(t)))] = {
          {"count", counted(compiles.count)}, {"mean_ms", compiles.meanSeconds * 1e3}};
  json["units"] = Json::array();
  for (const UnitProfile &unit : profile.units)
    json["units"].push_back(jsonOf(unit));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

absl::StatusOr<RunProfile> parseRunProfile(absl::string_view text) {
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded())
    return absl::InvalidArgumentError("it is no JSON: damaged, or not whole");
  if (!json.is_object() || !json.contains("units") || !json["units"].is_array())
    return absl::InvalidArgumentError("it has no list \"units\"");
  Json version = json.value("profile_version", Json(kRunProfileVersion));
  if (!version.is_number_integer() || version < 1 || version > kRunProfileVersion)
    return absl::InvalidArgumentError(absl::StrCat("it has profile_version ", version.dump(),
                                                   ", the newest that is known here is ",
                                                   kRunProfileVersion));
  RunProfile profile;
  ProfileReader reader;
  profile.program = textOf(json, "program");
  profile.cpu = textOf(json, "cpu");
  profile.programCalls = reader.count(json, "calls");
  for (unsigned t = 1; t < kNumTiers; ++t)
    if (json.contains("compiles") && json["compiles"].is_object()) {
      Json entry = json["compiles"].value(std::string(name(static_cast<Tier>(t))), Json::object());
      profile.compiles[t] = {reader.count(entry, "count"), reader.number(entry, "mean_ms") * 1e-3};
    }
  if (!reader.isGood())
    return absl::InvalidArgumentError(reader.problem);
  for (const Json &entry : json["units"]) {
    std::string unitName = entry.is_object() ? textOf(entry, "name") : "";
    ProfileReader ofUnit;
    UnitProfile unit = unitName.empty() ? UnitProfile() : readUnit(entry, ofUnit);
    unit.name = unitName;
    if (unitName.empty())
      profile.remarks.push_back("an entry of \"units\" without a name is left out");
    else if (!ofUnit.isGood())
      profile.remarks.push_back(
          absl::StrCat("unit '", unitName, "' is left out: ", ofUnit.problem));
    else
      profile.units.push_back(std::move(unit));
  }
  return profile;
}

} // namespace anneal::runtime
