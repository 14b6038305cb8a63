//===- ProfileFile.cpp - What was measured of units, from a file ----------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Analysis/ProfileFile.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cmath>

using namespace llvm;

namespace anneal {

static Error makeError(StringRef name, const Twine &message) {
  return createStringError(name + ": " + message);
}

/// A number that is not negative, if the field is there (null counts as not there).
static Error readNumber(const json::Object &unit, StringRef field, const Twine &where,
                        StringRef name, std::optional<double> &number) {
  const json::Value *value = unit.get(field);
  if (!value || value->getAsNull())
    return Error::success();
  number = value->getAsNumber();
  if (!number || !std::isfinite(*number) || *number < 0)
    return makeError(name, where + ": '" + field + "' must be a number that is not negative");
  return Error::success();
}

Expected<ProfiledUnits> parseProfile(StringRef text, StringRef name) {
  // Of what isn't JSON, the parser's message has line and column.
  Expected<json::Value> root = json::parse(text);
  if (!root)
    return makeError(name, toString(root.takeError()));
  const json::Object *object = root->getAsObject();
  const json::Array *list = object ? object->getArray("units") : nullptr;
  if (!list)
    return makeError(name, "a profile is an object with a list \"units\"");

  ProfiledUnits units;
  for (auto [index, value] : enumerate(*list)) {
    const json::Object *entry = value.getAsObject();
    std::optional<StringRef> unitName = entry ? entry->getString("name") : std::nullopt;
    if (!unitName)
      return makeError(name, "units[" + Twine(index) + "] is not an object with a \"name\"");
    std::string where = ("unit '" + *unitName + "'").str();
    auto [unit, isNew] = units.try_emplace(*unitName);
    if (!isNew)
      return makeError(name, where + " is there twice");
    for (auto [field, number] :
         std::initializer_list<std::pair<StringRef, std::optional<double> *>>{
             {"calls", &unit->second.calls},
             {"us_per_call", &unit->second.usPerCall},
             {"score", &unit->second.score}})
      if (Error error = readNumber(*entry, field, where, name, *number))
        return error;
  }
  return units;
}

Expected<ProfiledUnits> readProfileFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return makeError(path, "cannot read the profile: " + buffer.getError().message());
  return parseProfile((*buffer)->getBuffer(), path);
}

} // namespace anneal
