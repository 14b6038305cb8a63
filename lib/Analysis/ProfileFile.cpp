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
#include <limits>

using namespace llvm;

namespace anneal {

std::optional<double> ProfiledUnit::getTimeUs() const {
  if (timeUs)
    return timeUs;
  return calls && usPerCall ? std::optional(static_cast<double>(*calls) * *usPerCall)
                            : std::nullopt;
}

static Error makeError(StringRef name, const Twine &message) {
  return createStringError(name + ": " + message);
}

namespace {

/// Reads the fields of one object, of which errors speak as `where`. A field that is missing or
/// null isn't known.
class FieldReader {
public:
  FieldReader(const json::Object &object, std::string where)
      : object(object), where(std::move(where)) {}

  Error makeError(const Twine &message) const { return anneal::makeError(where, message); }

  /// A number that is not negative and at most `most`.
  Error read(StringRef field, std::optional<double> &number,
             double most = std::numeric_limits<double>::max()) const {
    const json::Value *value = find(field);
    if (!value)
      return Error::success();
    number = value->getAsNumber();
    if (number && std::isfinite(*number) && *number >= 0 && *number <= most)
      return Error::success();
    return makeError("'" + field + "' must be a number " +
                     (most == 1 ? "from 0 to 1" : "that is not negative"));
  }

  /// A whole number that is not negative.
  Error read(StringRef field, std::optional<int64_t> &number) const {
    std::optional<double> any;
    if (Error error = read(field, any))
      return error;
    if (!any)
      return Error::success();
    number = find(field)->getAsInteger();
    return number ? Error::success()
                  : makeError("'" + field + "' must be a whole number of at most 64 bits");
  }

  /// A list, each element of which `readElement` reads; it calls the element "'field'[index]".
  Error readList(StringRef field,
                 function_ref<Error(const json::Value &, const Twine &)> readElement,
                 bool &isThere) const {
    const json::Value *value = find(field);
    isThere = value;
    if (!value)
      return Error::success();
    const json::Array *list = value->getAsArray();
    if (!list)
      return makeError("'" + field + "' must be a list");
    for (auto [index, element] : enumerate(*list))
      if (Error error = readElement(element, "'" + field + "'[" + Twine(index) + "]"))
        return error;
    return Error::success();
  }

private:
  const json::Value *find(StringRef field) const {
    const json::Value *value = object.get(field);
    return value && value->getAsNull() ? nullptr : value;
  }

  const json::Object &object;
  const std::string where;
};

} // namespace

/// A list of whole numbers.
static bool readIntegers(const json::Value &value, std::vector<int64_t> &numbers) {
  const json::Array *list = value.getAsArray();
  if (!list)
    return false;
  for (const json::Value &element : *list) {
    std::optional<int64_t> number = element.getAsInteger();
    if (!number)
      return false;
    numbers.push_back(*number);
  }
  return true;
}

static Error readShapes(const FieldReader &reader, ProfiledUnit &unit) {
  std::vector<ProfiledShape> shapes;
  auto readShape = [&](const json::Value &value, const Twine &where) -> Error {
    const json::Object *object = value.getAsObject();
    const json::Array *sizes = object ? object->getArray("sizes") : nullptr;
    std::optional<int64_t> count = object ? object->getInteger("count") : std::nullopt;
    ProfiledShape &shape = shapes.emplace_back();
    bool isRead = sizes && count && all_of(*sizes, [&](const json::Value &argument) {
                    return readIntegers(argument, shape.sizes.emplace_back());
                  });
    if (!isRead)
      return reader.makeError(where + " is not an object with \"sizes\", a list of sizes for each "
                                      "argument, and a \"count\"");
    shape.count = *count;
    return Error::success();
  };
  bool isThere = false;
  if (Error error = reader.readList("shapes", readShape, isThere))
    return error;
  if (isThere)
    unit.shapes = std::move(shapes);
  return Error::success();
}

static Error readBranches(const FieldReader &reader, ProfiledUnit &unit) {
  std::vector<double> branches;
  auto readBranch = [&](const json::Value &value, const Twine &where) -> Error {
    std::optional<double> share = value.getAsNumber();
    if (!share || !(*share >= 0 && *share <= 1))
      return reader.makeError(where + " must be a share from 0 to 1");
    branches.push_back(*share);
    return Error::success();
  };
  bool isThere = false;
  if (Error error = reader.readList("branches", readBranch, isThere))
    return error;
  if (isThere)
    unit.branches = std::move(branches);
  return Error::success();
}

static Error readMemory(const FieldReader &reader, StringRef unitName, ProfiledUnit &unit) {
  std::vector<ProfiledAccess> memory;
  auto readAccess = [&](const json::Value &value, const Twine &where) -> Error {
    const json::Object *object = value.getAsObject();
    if (!object)
      return reader.makeError(where + " is not an object");
    FieldReader fields(*object, (unitName + ": " + where).str());
    ProfiledAccess &access = memory.emplace_back();
    if (Error error = fields.read("contiguity", access.contiguity, /*most=*/1))
      return error;
    if (Error error = fields.read("alignment", access.alignment))
      return error;
    const json::Value *strides = object->get("strides");
    if (strides && !strides->getAsNull() && !readIntegers(*strides, access.strides.emplace()))
      return fields.makeError("'strides' must be a list of whole numbers");
    return Error::success();
  };
  bool isThere = false;
  if (Error error = reader.readList("memory", readAccess, isThere))
    return error;
  if (isThere)
    unit.memory = std::move(memory);
  return Error::success();
}

static Error readUnit(const json::Object &object, const std::string &where, ProfiledUnit &unit) {
  FieldReader reader(object, where);
  for (auto [field, number] : std::initializer_list<std::pair<StringRef, std::optional<double> *>>{
           {"us_per_call", &unit.usPerCall}, {"time_us", &unit.timeUs}, {"score", &unit.score}})
    if (Error error = reader.read(field, *number))
      return error;
  for (auto [field, number] : std::initializer_list<std::pair<StringRef, std::optional<int64_t> *>>{
           {"calls", &unit.calls}, {"bytes", &unit.bytes}, {"flops", &unit.flops}})
    if (Error error = reader.read(field, *number))
      return error;
  if (Error error = readShapes(reader, unit))
    return error;
  if (Error error = readBranches(reader, unit))
    return error;
  return readMemory(reader, where, unit);
}

/// A file of a newer format may mean something else by a field.
static Error checkVersion(const json::Object &object, StringRef name) {
  const json::Value *version = object.get("profile_version");
  std::optional<int64_t> number = version ? version->getAsInteger() : kProfileVersion;
  if (number && *number >= 1 && *number <= kProfileVersion)
    return Error::success();
  return makeError(name, "'profile_version' must be a whole number from 1 to " +
                             Twine(kProfileVersion) + ", the newest that is known here");
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
  if (Error error = checkVersion(*object, name))
    return error;

  ProfiledUnits units;
  for (auto [index, value] : enumerate(*list)) {
    const json::Object *entry = value.getAsObject();
    std::optional<StringRef> unitName = entry ? entry->getString("name") : std::nullopt;
    if (!unitName)
      return makeError(name, "units[" + Twine(index) + "] is not an object with a \"name\"");
    std::string where = (name + ": unit '" + *unitName + "'").str();
    auto [unit, isNew] = units.try_emplace(*unitName);
    if (!isNew)
      return createStringError(where + " is there twice");
    if (Error error = readUnit(*entry, where, unit->second))
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
