//===- JitAttrs.cpp - Attributes of the jit dialect -----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitAttrs.h"

#include "NamedValues.h"

#include "anneal/IR/JitDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace anneal::jit;

#include "anneal/IR/JitEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "anneal/IR/JitAttrs.cpp.inc"

void JitDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "anneal/IR/JitAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Tier and mode
//===----------------------------------------------------------------------===//

/// Parses `<name>`, one of the `count` first values of an enum.
template <typename EnumT>
static FailureOr<EnumT> parseEnum(AsmParser &parser, StringRef what, unsigned count,
                                  function_ref<std::optional<EnumT>(StringRef)> symbolize) {
  StringRef name;
  if (parser.parseLess())
    return failure();
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseKeyword(&name))
    return failure();
  std::optional<EnumT> value = symbolize(name);
  if (!value) {
    InFlightDiagnostic error = parser.emitError(location)
                               << "unknown " << what << " '" << name << "'; known are ";
    llvm::ListSeparator comma;
    for (unsigned i = 0; i < count; ++i)
      error << StringRef(comma) << stringifyEnum(static_cast<EnumT>(i));
    return error;
  }
  if (parser.parseGreater())
    return failure();
  return *value;
}

Attribute TierAttr::parse(AsmParser &parser, Type) {
  FailureOr<Tier> tier = parseEnum<Tier>(parser, "tier", getMaxEnumValForTier() + 1,
                                         [](StringRef name) { return symbolizeTier(name); });
  return failed(tier) ? TierAttr() : get(parser.getContext(), *tier);
}

void TierAttr::print(AsmPrinter &printer) const { printer << "<" << getValue() << ">"; }

Attribute ModeAttr::parse(AsmParser &parser, Type) {
  FailureOr<Mode> mode = parseEnum<Mode>(parser, "mode", getMaxEnumValForMode() + 1,
                                         [](StringRef name) { return symbolizeMode(name); });
  return failed(mode) ? ModeAttr() : get(parser.getContext(), *mode);
}

void ModeAttr::print(AsmPrinter &printer) const { printer << "<" << getValue() << ">"; }

//===----------------------------------------------------------------------===//
// Hotness
//===----------------------------------------------------------------------===//

HotnessAttr HotnessAttr::get(MLIRContext *context, std::optional<int64_t> count,
                             std::optional<double> timeUs, std::optional<int64_t> bytes,
                             std::optional<int64_t> flops, std::optional<double> score) {
  return Base::get(context, count, getF64(context, timeUs), bytes, flops, getF64(context, score));
}

std::optional<double> HotnessAttr::getTimeUs() const { return getDouble(getTimeUsAttr()); }
std::optional<double> HotnessAttr::getScore() const { return getDouble(getScoreAttr()); }

LogicalResult HotnessAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  std::optional<int64_t> count, FloatAttr timeUs,
                                  std::optional<int64_t> bytes, std::optional<int64_t> flops,
                                  FloatAttr score) {
  if (!count && !timeUs && !bytes && !flops && !score)
    return emitError() << "a hotness needs at least one of count, time_us, bytes, flops, score";
  std::pair<StringRef, std::optional<int64_t>> integers[] = {
      {"count", count}, {"bytes", bytes}, {"flops", flops}};
  for (auto [name, value] : integers)
    if (value && *value < 0)
      return emitError() << "'" << name << "' must not be negative, but is " << *value;
  std::pair<StringRef, FloatAttr> floats[] = {{"time_us", timeUs}, {"score", score}};
  for (auto [name, attribute] : floats)
    if (attribute && failed(verifyAmount(emitError, name, attribute)))
      return failure();
  return success();
}

Attribute HotnessAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  std::optional<int64_t> count, bytes, flops;
  std::optional<double> timeUs, score;
  auto parseInteger = [&](std::optional<int64_t> &result) {
    return parser.parseInteger(result.emplace());
  };
  auto parseValue = [&](StringRef name, SMLoc location) -> ParseResult {
    if (name == "count")
      return parseInteger(count);
    if (name == "time_us")
      return parseDouble(parser, timeUs);
    if (name == "bytes")
      return parseInteger(bytes);
    if (name == "flops")
      return parseInteger(flops);
    if (name == "score")
      return parseDouble(parser, score);
    return parser.emitError(location)
           << "unknown name '" << name << "' in a hotness; known are count, time_us, bytes, flops, "
           << "score";
  };
  if (parseNamedValues(parser, parseValue))
    return {};
  MLIRContext *context = parser.getContext();
  return getChecked([&] { return parser.emitError(start); }, context, count,
                    getF64(context, timeUs), bytes, flops, getF64(context, score));
}

void HotnessAttr::print(AsmPrinter &printer) const {
  llvm::ListSeparator comma;
  auto printInteger = [&](StringRef name, std::optional<int64_t> value) {
    if (value)
      printer << StringRef(comma) << name << " = " << *value;
  };
  auto printFloat = [&](StringRef name, FloatAttr value) {
    if (!value)
      return;
    printer << StringRef(comma) << name << " = ";
    printer.printFloat(value.getValue());
  };
  printer << "<";
  printInteger("count", getCount());
  printFloat("time_us", getTimeUsAttr());
  printInteger("bytes", getBytes());
  printInteger("flops", getFlops());
  printFloat("score", getScoreAttr());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

/// Whether the text form can spell `name`.
static bool isBareIdentifier(StringRef name) {
  if (name.empty() || !(llvm::isAlpha(name.front()) || name.front() == '_'))
    return false;
  return llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   DictionaryAttr knobs) {
  if (!knobs || knobs.empty())
    return emitError() << "a schedule needs at least one named list of integers";
  for (NamedAttribute knob : knobs) {
    StringRef name = knob.getName();
    if (!isBareIdentifier(name))
      return emitError() << "'" << name << "' is no name for a list of a schedule";
    auto values = dyn_cast<DenseI64ArrayAttr>(knob.getValue());
    if (!values)
      return emitError() << "'" << name << "' must be a list of 64-bit integers, but is "
                         << knob.getValue();
    if (values.empty())
      return emitError() << "'" << name << "' is empty";
    for (int64_t value : values.asArrayRef())
      if (value < 0)
        return emitError() << "'" << name << "' must not hold negative numbers, but holds "
                           << value;
  }
  return success();
}

std::optional<ArrayRef<int64_t>> ScheduleAttr::lookup(StringRef name) const {
  if (auto values = getKnobs().getAs<DenseI64ArrayAttr>(name))
    return values.asArrayRef();
  return std::nullopt;
}

/// Parses `4` or `[8, 32]`.
static ParseResult parseIntegers(AsmParser &parser, SmallVectorImpl<int64_t> &values) {
  OptionalParseResult single = parser.parseOptionalInteger(values.emplace_back());
  if (single.has_value())
    return *single;
  values.clear();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(values.emplace_back()); });
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  Builder builder(parser.getContext());
  NamedAttrList knobs;
  auto parseValue = [&](StringRef name, SMLoc) -> ParseResult {
    SmallVector<int64_t> values;
    if (parseIntegers(parser, values))
      return failure();
    knobs.append(name, builder.getDenseI64ArrayAttr(values));
    return success();
  };
  if (parseNamedValues(parser, parseValue))
    return {};
  return getChecked([&] { return parser.emitError(start); }, parser.getContext(),
                    knobs.getDictionary(parser.getContext()));
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getKnobs(), printer, [&](NamedAttribute knob) {
    ArrayRef<int64_t> values = cast<DenseI64ArrayAttr>(knob.getValue()).asArrayRef();
    printer << knob.getName().getValue() << " = ";
    if (values.size() == 1) {
      printer << values.front();
      return;
    }
    printer << "[";
    llvm::interleaveComma(values, printer);
    printer << "]";
  });
  printer << ">";
}
