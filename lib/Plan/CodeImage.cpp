//===- CodeImage.cpp - Compiled code as plain data ------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Plan/CodeImage.h"

#include "Archive.h"

#include <algorithm>
#include <bit>

namespace anneal::plan {

namespace {

constexpr std::string_view kMagic = "ANNLCODE";

/// What is wrong with a function's place, or nothing.
std::optional<std::string> checkSymbol(const CodeSymbol &symbol, const CodeImage &image) {
  if (symbol.name.empty())
    return "a function without a name";
  if (symbol.offset >= image.textSize || symbol.size > image.textSize - symbol.offset)
    return "function '" + symbol.name + "' lies outside the code";
  return std::nullopt;
}

} // namespace

const CodeSymbol *CodeImage::findEntry(std::string_view name) const {
  auto it = std::lower_bound(
      entries.begin(), entries.end(), name,
      [](const CodeSymbol &entry, std::string_view wanted) { return entry.name < wanted; });
  return it != entries.end() && it->name == name ? &*it : nullptr;
}

std::optional<std::string> validate(const CodeImage &image) {
  if (image.bytes.empty() || image.textSize == 0)
    return "there is no code";
  if (image.textSize > image.bytes.size())
    return "the code is longer than the image";
  if (!std::has_single_bit(image.alignment) || image.alignment > kMaxCodeAlignment)
    return "the alignment " + std::to_string(image.alignment) + " is not possible";
  if (image.architecture.empty())
    return "the architecture is missing";
  if (image.entries.empty())
    return "there is no entry";
  for (size_t i = 0; i < image.entries.size(); ++i) {
    if (std::optional<std::string> problem = checkSymbol(image.entries[i], image))
      return problem;
    if (i > 0 && image.entries[i - 1].name >= image.entries[i].name)
      return "the entries are not sorted by name";
  }
  for (const CodeSymbol &symbol : image.internals)
    if (std::optional<std::string> problem = checkSymbol(symbol, image))
      return problem;
  return std::nullopt;
}

std::string serialize(const CodeImage &image) {
  Writer writer;
  writer.bytes = kMagic;
  writer(kCodeImageVersion, image);
  return std::move(writer.bytes);
}

std::variant<CodeImage, std::string> parseCodeImage(std::string_view bytes) {
  if (!bytes.starts_with(kMagic))
    return "not a code image";
  Reader reader(bytes.substr(kMagic.size()));
  uint32_t version = 0;
  reader(version);
  if (!reader.failed() && version != kCodeImageVersion)
    return "a code image of version " + std::to_string(version) + ", this program reads version " +
           std::to_string(kCodeImageVersion);
  CodeImage image;
  reader(image);
  if (reader.failed() || !reader.isAtEnd())
    return "the code image is truncated or damaged";
  if (std::optional<std::string> problem = validate(image))
    return "the code image is not valid: " + *problem;
  return image;
}

} // namespace anneal::plan
