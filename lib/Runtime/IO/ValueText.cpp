//===- ValueText.cpp - Values as text -------------------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/ValueText.h"

#include "anneal/Support/HalfFloat.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace anneal::runtime {
namespace {

using plan::DType;

template <typename T> T load(const void *element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

template <typename T> std::string floatText(T value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[32];
  std::to_chars_result end = std::to_chars(buffer, buffer + sizeof(buffer), value);
  return std::string(buffer, end.ptr);
}

/// Shortest text by which `value`, widened from 16 bits, reads back to the same 16 bits; the value
/// itself if its own is no longer.
template <typename Narrow> std::string narrowFloatText(float value, Narrow narrow) {
  if (!std::isfinite(value))
    return floatText(value);
  for (int digits = 1; digits <= 6; ++digits) {
    char buffer[32];
    std::to_chars_result end =
        std::to_chars(buffer, buffer + sizeof(buffer), value, std::chars_format::general, digits);
    float back = 0;
    std::from_chars(buffer, end.ptr, back);
    if (narrow(back) != narrow(value))
      continue;
    std::string rounded = floatText(back), exact = floatText(value);
    return exact.size() <= rounded.size() ? exact : rounded;
  }
  return floatText(value);
}

/// Why an integer text was not taken.
enum class IntegerError { None, NotAnInteger, OutOfRange };

/// Integer text into a 64-bit pattern.
IntegerError parseInteger(absl::string_view text, DType dtype, IntegerRange range,
                          uint64_t &value) {
  bool negative = absl::ConsumePrefix(&text, "-");
  if (!negative)
    absl::ConsumePrefix(&text, "+");
  bool isHex = absl::ConsumePrefix(&text, "0x") || absl::ConsumePrefix(&text, "0X");
  uint64_t magnitude = 0;
  const char *end = text.data() + text.size();
  std::from_chars_result result = std::from_chars(text.data(), end, magnitude, isHex ? 16 : 10);
  bool overflows = result.ec == std::errc::result_out_of_range;
  if (text.empty() || (result.ec != std::errc() && !overflows) || result.ptr != end)
    return IntegerError::NotAnInteger;
  uint64_t limit = negative ? 0 - static_cast<uint64_t>(smallestInteger(dtype, range))
                            : largestInteger(dtype, isHex ? IntegerRange::Unsigned : range);
  value = negative ? 0 - magnitude : magnitude;
  return overflows || magnitude > limit ? IntegerError::OutOfRange : IntegerError::None;
}

std::string typeText(DType dtype, IntegerRange range) {
  std::string text(range == IntegerRange::Unsigned ? "u" : "");
  return text.append(plan::name(dtype));
}

absl::Status notAValue(absl::string_view text, absl::string_view type) {
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' is not a value of type ", type));
}

absl::Status parseIntegerElement(absl::string_view text, DType dtype, void *element,
                                 IntegerRange range) {
  uint64_t value = 0;
  std::string lower = absl::AsciiStrToLower(text);
  IntegerError error = IntegerError::None;
  if (lower == "true" || lower == "false")
    value = lower == "true";
  else
    error = parseInteger(text, dtype, range, value);
  if (error == IntegerError::NotAnInteger)
    return notAValue(text, typeText(dtype, range));
  if (error == IntegerError::OutOfRange)
    return absl::InvalidArgumentError(
        absl::StrCat("'", text, "' does not fit ", typeText(dtype, range), ", which takes ",
                     smallestInteger(dtype, range), " to ", largestInteger(dtype, range)));
  if (dtype == DType::I1)
    value &= 1;
  std::memcpy(element, &value, plan::sizeOf(dtype));
  return absl::OkStatus();
}

template <typename T> bool parseFloat(absl::string_view text, T &value) {
  bool negative = absl::ConsumePrefix(&text, "-");
  if (!negative)
    absl::ConsumePrefix(&text, "+");
  const char *end = text.data() + text.size();
  std::from_chars_result result = std::from_chars(text.data(), end, value);
  if (text.empty() || absl::StartsWith(text, "-") || result.ptr != end)
    return false;
  if (result.ec == std::errc::result_out_of_range)
    value = absl::StrContains(text, "e-") ? T(0) : std::numeric_limits<T>::infinity();
  else if (result.ec != std::errc())
    return false;
  value = negative ? -value : value;
  return true;
}

void appendNested(std::string &out, const Tensor &tensor, size_t dim, const char *data,
                  bool elide) {
  if (dim == tensor.rank()) {
    absl::StrAppend(&out, elementText(tensor.dtype(), data));
    return;
  }
  constexpr int64_t kEdge = 3;
  int64_t size = tensor.dims()[dim];
  int64_t step = tensor.strides()[dim] * static_cast<int64_t>(plan::sizeOf(tensor.dtype()));
  out += '[';
  for (int64_t i = 0; i < size; ++i) {
    if (i > 0)
      out += ", ";
    if (elide && size > 2 * kEdge && i == kEdge) {
      out += "...";
      i = size - kEdge - 1;
      continue;
    }
    appendNested(out, tensor, dim + 1, data + i * step, elide);
  }
  out += ']';
}

} // namespace

std::string elementText(DType dtype, const void *element) {
  switch (dtype) {
  case DType::I1:
    return load<uint8_t>(element) ? "true" : "false";
  case DType::I8:
    return absl::StrCat(static_cast<int>(load<int8_t>(element)));
  case DType::I16:
    return absl::StrCat(load<int16_t>(element));
  case DType::I32:
    return absl::StrCat(load<int32_t>(element));
  case DType::I64:
  case DType::Index:
    return absl::StrCat(load<int64_t>(element));
  case DType::F16:
    return narrowFloatText(halfToFloat(load<uint16_t>(element)), floatToHalf);
  case DType::BF16:
    return narrowFloatText(bfloatToFloat(load<uint16_t>(element)), floatToBfloat);
  case DType::F32:
    return floatText(load<float>(element));
  case DType::F64:
    return floatText(load<double>(element));
  }
  return "";
}

uint64_t largestInteger(DType dtype, IntegerRange range) {
  unsigned bits = plan::bitWidth(dtype);
  return ~uint64_t(0) >> (bits == 64 && range == IntegerRange::Any ? 1 : 64 - bits);
}

int64_t smallestInteger(DType dtype, IntegerRange range) {
  return range == IntegerRange::Unsigned ? 0 : INT64_MIN >> (64 - plan::bitWidth(dtype));
}

absl::Status parseElement(absl::string_view text, DType dtype, void *element, IntegerRange range) {
  if (plan::isInteger(dtype))
    return parseIntegerElement(text, dtype, element, range);
  float single = 0;
  double full = 0;
  if (dtype == DType::F64 ? !parseFloat(text, full) : !parseFloat(text, single))
    return notAValue(text, typeText(dtype, range));
  uint16_t half = dtype == DType::F16 ? floatToHalf(single) : floatToBfloat(single);
  const void *source = dtype == DType::F64   ? static_cast<const void *>(&full)
                       : dtype == DType::F32 ? static_cast<const void *>(&single)
                                             : static_cast<const void *>(&half);
  std::memcpy(element, source, plan::sizeOf(dtype));
  return absl::OkStatus();
}

std::string valueText(const Value &value, int64_t elideAbove) {
  if (value.isEmpty())
    return "nothing";
  std::string out;
  if (value.isScalar()) {
    DType dtype = value.scalar().dtype;
    out.append(plan::name(dtype));
    return absl::StrCat(out, "=", elementText(dtype, &value.scalar().bits));
  }
  const Tensor &tensor = value.tensor();
  for (int64_t size : tensor.dims())
    absl::StrAppend(&out, size, "x");
  out.append(plan::name(tensor.dtype()));
  out += '=';
  // Rows without elements can be more than anyone wants to read.
  bool elide = tensor.numElements() == 0 || (elideAbove >= 0 && tensor.numElements() > elideAbove);
  appendNested(out, tensor, 0, tensor.dataAs<const char>(), elide);
  return out;
}

} // namespace anneal::runtime
