//===- TierFile.cpp - Tiers from a file -----------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TierOptions.h"
#include "anneal/Runtime/IO/File.h"

#include "absl/strings/str_cat.h"

#include <nlohmann/json.hpp>

namespace anneal::jitrun {
namespace {

using Json = nlohmann::json;

absl::Status wrong(const std::string &where, const std::string &what) {
  return absl::InvalidArgumentError(absl::StrCat(where, ": ", what));
}

/// Reads `codegen`: values may be written as strings or numbers.
absl::Status readCodegen(const Json &json, const std::string &where, CodegenOptions &options) {
  if (!json.is_object())
    return wrong(where, "\"codegen\" is not an object");
  for (const auto &[name, value] : json.items()) {
    if (value.is_string())
      options[name] = value.get<std::string>();
    else if (value.is_number_integer())
      options[name] = value.dump();
    else
      return wrong(where,
                   absl::StrCat("\"codegen\": \"", name, "\" is neither a string nor an integer"));
  }
  return absl::OkStatus();
}

/// Reads one value of a tier.
absl::Status readKey(const std::string &key, const Json &value, const std::string &where,
                     TierOverride &tier) {
  if (key == "name" || key == "pipeline") {
    if (!value.is_string())
      return wrong(where, absl::StrCat("\"", key, "\" is not a string"));
    if (key == "name")
      tier.name = value.get<std::string>();
    else
      tier.pipeline = value.get<std::string>();
    return absl::OkStatus();
  }
  if (key == "codegen")
    return readCodegen(value, where, tier.codegen);
  if (key != "llvm_level")
    return wrong(where,
                 absl::StrCat("a tier has no \"", key,
                              "\"; it has \"name\", \"pipeline\", \"llvm_level\", \"codegen\""));
  constexpr uint64_t kMost = 3;
  if (!value.is_number_unsigned() || value.get<uint64_t>() > kMost)
    return wrong(where, absl::StrCat("\"llvm_level\" is not an integer from 0 to ", kMost));
  tier.llvmLevel = value.get<unsigned>();
  return absl::OkStatus();
}

absl::Status readTiers(const Json &json, const std::string &file,
                       std::vector<TierOverride> &overrides) {
  bool isRight =
      json.is_object() && json.size() == 1 && json.contains("tiers") && json["tiers"].is_array();
  if (!isRight)
    return wrong(file, "expected {\"tiers\": [...]}, as `jit-opt --print-tiers` prints it");
  for (size_t i = 0; i < json["tiers"].size(); ++i) {
    const Json &one = json["tiers"][i];
    std::string where = absl::StrCat(file, ": tiers[", i, "]");
    if (!one.is_object())
      return wrong(where, "is not an object");
    TierOverride tier;
    for (const auto &[key, value] : one.items())
      if (absl::Status status = readKey(key, value, where, tier); !status.ok())
        return status;
    if (tier.name.empty())
      return wrong(where, "has no \"name\"");
    overrides.push_back(std::move(tier));
  }
  return absl::OkStatus();
}

} // namespace

absl::Status readTierFiles(TierOptions &options) {
  for (const std::string &file : options.tierFiles) {
    auto text = runtime::readFile(file);
    if (!text.ok())
      return text.status();
    try {
      absl::Status status = readTiers(Json::parse(*text), file, options.tiering.tierOverrides);
      if (!status.ok())
        return status;
    } catch (const Json::parse_error &error) {
      return wrong(file, error.what());
    }
  }
  return absl::OkStatus();
}

} // namespace anneal::jitrun
