//===- Requests.cpp - The calls that are to be made -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Requests.h"

#include "anneal/Runtime/IO/File.h"
#include "anneal/Runtime/IO/Npy.h"
#include "anneal/Runtime/IO/ValueSpec.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace anneal::jitrun {
namespace {

using runtime::Tensor;

absl::StatusOr<std::vector<Tensor>> readNumbered(const std::string &folder,
                                                 const std::string &stem) {
  std::vector<Tensor> tensors;
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    return absl::NotFoundError(absl::StrCat("'", folder, "' is not a folder"));
  for (size_t i = 0;; ++i) {
    std::string path = absl::StrCat(folder, "/", stem, i, ".npy");
    if (!std::filesystem::exists(path, error))
      return tensors;
    absl::StatusOr<Tensor> tensor = runtime::readNpy(path);
    if (!tensor.ok())
      return tensor.status();
    tensors.push_back(*std::move(tensor));
  }
}

absl::StatusOr<std::vector<Tensor>> readSpecs(const std::vector<std::string> &specs,
                                              runtime::NumpyRandom &random) {
  std::vector<Tensor> tensors;
  for (const std::string &spec : specs) {
    absl::StatusOr<Tensor> tensor = runtime::parseValueSpec(spec, random);
    if (!tensor.ok())
      return tensor.status();
    tensors.push_back(*std::move(tensor));
  }
  return tensors;
}

/// A file name as it stands, or as seen from the requests file, whichever exists.
std::string resolveFile(const std::string &spec, const std::filesystem::path &folder) {
  if (!runtime::isFileSpec(spec))
    return spec;
  std::string name = spec.substr(spec.rfind('@', 0) == 0 ? 1 : 0);
  std::error_code error;
  std::filesystem::path beside = folder / name;
  bool useBeside = !std::filesystem::exists(name, error) && std::filesystem::exists(beside, error);
  return absl::StrCat("@", useBeside ? beside.string() : name);
}

absl::StatusOr<std::vector<std::string>> stringsOf(const nlohmann::json &object, const char *key,
                                                   const std::filesystem::path &folder) {
  std::vector<std::string> strings;
  auto entry = object.find(key);
  if (entry == object.end())
    return strings;
  if (!entry->is_array())
    return absl::InvalidArgumentError(absl::StrCat("\"", key, "\" is not an array of strings"));
  for (const nlohmann::json &element : *entry) {
    if (!element.is_string())
      return absl::InvalidArgumentError(absl::StrCat("\"", key, "\" is not an array of strings"));
    strings.push_back(resolveFile(element.get<std::string>(), folder));
  }
  return strings;
}

absl::Status checkKeys(const nlohmann::json &object) {
  for (const auto &[key, value] : object.items())
    if (key != "inputs" && key != "expected" && key != "at_ms")
      return absl::InvalidArgumentError(
          absl::StrCat("unknown key \"", key, "\"; known are inputs, expected, at_ms"));
  return absl::OkStatus();
}

absl::StatusOr<Request> parseRequest(absl::string_view text, const std::filesystem::path &folder,
                                     runtime::NumpyRandom &random) {
  nlohmann::json object =
      nlohmann::json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return absl::InvalidArgumentError("not a JSON object");
  if (absl::Status status = checkKeys(object); !status.ok())
    return status;
  Request request;
  for (auto [key, target] :
       {std::pair{"inputs", &request.inputs}, {"expected", &request.expected}}) {
    absl::StatusOr<std::vector<std::string>> specs = stringsOf(object, key, folder);
    if (!specs.ok())
      return specs.status();
    absl::StatusOr<std::vector<Tensor>> tensors = readSpecs(*specs, random);
    if (!tensors.ok())
      return tensors.status();
    *target = *std::move(tensors);
  }
  if (auto at = object.find("at_ms"); at != object.end()) {
    constexpr double kMostMs = 1e12;
    if (!at->is_number() || at->get<double>() < 0 || at->get<double>() > kMostMs)
      return absl::InvalidArgumentError("\"at_ms\" is not a time in milliseconds");
    request.arrivalMs = at->get<double>();
  }
  return request;
}

} // namespace

absl::StatusOr<Request> requestFromOptions(const Options &options) {
  runtime::NumpyRandom random(options.seed);
  Request request;
  absl::StatusOr<std::vector<Tensor>> inputs = options.inputsDir.empty()
                                                   ? readSpecs(options.inputs, random)
                                                   : readNumbered(options.inputsDir, "in");
  if (!inputs.ok())
    return inputs.status();
  request.inputs = *std::move(inputs);
  absl::StatusOr<std::vector<Tensor>> expected = options.expectedDir.empty()
                                                     ? readSpecs(options.expected, random)
                                                     : readNumbered(options.expectedDir, "out");
  if (!expected.ok())
    return expected.status();
  request.expected = *std::move(expected);
  if (!options.expectedDir.empty() && request.expected.empty())
    return absl::NotFoundError(absl::StrCat("no out0.npy in '", options.expectedDir, "'"));
  return request;
}

absl::StatusOr<Requests> requestsFromFile(const std::string &path, uint64_t seed) {
  absl::StatusOr<std::string> text = runtime::readFile(path);
  if (!text.ok())
    return text.status();
  Requests requests;
  runtime::NumpyRandom random(seed);
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  size_t number = 0;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    ++number;
    if (absl::StripAsciiWhitespace(line).empty())
      continue;
    absl::StatusOr<Request> request = parseRequest(line, folder, random);
    if (!request.ok()) {
      requests.error = absl::StrCat(path, ":", number, ": error: ", request.status().message());
      return requests;
    }
    request->line = number;
    requests.list.push_back(*std::move(request));
  }
  return requests;
}

std::vector<runtime::Value> argumentsFor(const runtime::Function &function,
                                         const std::vector<Tensor> &inputs) {
  using plan::DType;
  std::vector<runtime::Value> values;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Tensor tensor = inputs[i];
    if (i >= function.arguments().size()) {
      values.emplace_back(tensor);
      continue;
    }
    const plan::Param &param = function.arguments()[i];
    bool bothIndex = plan::sizeOf(tensor.dtype()) == 8 && plan::isInteger(tensor.dtype()) &&
                     plan::sizeOf(param.dtype) == 8 && plan::isInteger(param.dtype);
    DType dtype = bothIndex ? param.dtype : tensor.dtype();
    if (param.isScalar && tensor.rank() == 0) {
      runtime::Scalar scalar{dtype, 0};
      std::memcpy(&scalar.bits, tensor.data(), plan::sizeOf(dtype));
      values.emplace_back(scalar);
    } else if (dtype != tensor.dtype()) {
      auto owner = std::make_shared<Tensor>(tensor);
      values.emplace_back(Tensor::view(dtype, tensor.dims(), tensor.data(), owner));
    } else {
      values.emplace_back(tensor);
    }
  }
  return values;
}

} // namespace anneal::jitrun
