//===- NamedValues.cpp - Text form of attributes with named values --------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NamedValues.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallSet.h"

using namespace mlir;

ParseResult anneal::jit::parseNamedValues(
    AsmParser &parser, function_ref<ParseResult(StringRef name, SMLoc location)> parseValue) {
  llvm::SmallDenseSet<StringRef> seen;
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&]() -> ParseResult {
    StringRef name;
    SMLoc location = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    if (!seen.insert(name).second)
      return parser.emitError(location) << "'" << name << "' is given twice";
    return failure(parser.parseEqual() || parseValue(name, location));
  });
}

/// Whether the next token is "0x...".
static bool isAtHexadecimal(AsmParser &parser) {
  const char *next = parser.getCurrentLocation().getPointer();
  return next && next[0] == '0' && next[1] == 'x';
}

ParseResult anneal::jit::parseDouble(AsmParser &parser, std::optional<double> &result) {
  // The bits of a number, which is how the printer writes infinities and NaNs.
  if (isAtHexadecimal(parser)) {
    APFloat bits(0.0);
    if (parser.parseFloat(bits.getSemantics(), bits))
      return failure();
    result = bits.convertToDouble();
    return success();
  }
  bool isNegative = succeeded(parser.parseOptionalMinus());
  uint64_t integer = 0;
  double value = 0;
  OptionalParseResult parsed = parser.parseOptionalInteger(integer);
  if (!parsed.has_value())
    parsed = parser.parseFloat(value);
  else
    value = static_cast<double>(integer);
  result = isNegative ? -value : value;
  return *parsed;
}

ParseResult anneal::jit::parseList(AsmParser &parser, SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(values.emplace_back()); });
}

FloatAttr anneal::jit::getF64(MLIRContext *context, std::optional<double> value) {
  return value ? FloatAttr::get(Float64Type::get(context), *value) : FloatAttr();
}

std::optional<double> anneal::jit::getDouble(FloatAttr attribute) {
  if (!attribute)
    return std::nullopt;
  return attribute.getValueAsDouble();
}

/// That the attribute is an f64.
static LogicalResult verifyF64(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                               FloatAttr attribute) {
  if (!attribute.getType().isF64())
    return emitError() << "'" << name << "' must be an f64, but is " << attribute;
  return success();
}

LogicalResult anneal::jit::verifyAmount(function_ref<InFlightDiagnostic()> emitError,
                                        StringRef name, FloatAttr attribute) {
  if (failed(verifyF64(emitError, name, attribute)))
    return failure();
  APFloat value = attribute.getValue();
  if (!value.isFinite() || value.isNegative())
    return emitError() << "'" << name << "' must be finite and not negative, but is "
                       << attribute.getValueAsDouble();
  return success();
}

LogicalResult anneal::jit::verifyShare(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                                       FloatAttr attribute) {
  if (failed(verifyF64(emitError, name, attribute)))
    return failure();
  double value = attribute.getValueAsDouble();
  if (!(value >= 0 && value <= 1))
    return emitError() << "'" << name << "' must be a share from 0 to 1, but is " << value;
  return success();
}
