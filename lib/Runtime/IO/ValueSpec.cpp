//===- ValueSpec.cpp - Input values from a command line -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/ValueSpec.h"

#include "anneal/Runtime/IO/Npy.h"
#include "anneal/Runtime/IO/ValueText.h"
#include "anneal/Support/Counted.h"
#include "anneal/Support/HalfFloat.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"

#include <cmath>
#include <cstring>

namespace anneal::runtime {
namespace {

using plan::DType;

absl::Status badSpec(absl::string_view text, absl::string_view why) {
  constexpr size_t kShown = 60;
  absl::string_view shown = text.substr(0, kShown);
  return absl::InvalidArgumentError(
      absl::StrCat("'", shown, text.size() > kShown ? "...'" : "'", ": ", why));
}

absl::optional<DType> dtypeNamed(absl::string_view text) {
  for (unsigned i = 0; i < plan::kNumDTypes; ++i) {
    std::string_view name = plan::name(static_cast<DType>(i));
    if (text == absl::string_view(name.data(), name.size()))
      return static_cast<DType>(i);
  }
  return absl::nullopt;
}

/// What stands before the '='.
struct SpecType {
  DType dtype = DType::F32;
  IntegerRange range = IntegerRange::Any;
  Dims dims;
};

/// "f32", "ui8", ...; false if there is no such type.
bool parseElementType(absl::string_view text, SpecType &type) {
  if (absl::StartsWith(text, "ui") && text != "ui1") {
    text.remove_prefix(1);
    type.range = IntegerRange::Unsigned;
  }
  absl::optional<DType> known = dtypeNamed(text);
  if (known)
    type.dtype = *known;
  return known.has_value() && (type.range == IntegerRange::Any || type.dtype != DType::Index);
}

/// "2x3xf32": sizes and the element type, split at 'x'.
absl::Status parseType(absl::string_view spec, absl::string_view text, SpecType &type) {
  // "index" has an 'x' of its own.
  bool isIndex = text == "index" || absl::EndsWith(text, "xindex");
  absl::string_view sizes = text;
  absl::string_view element = "index";
  if (isIndex) {
    sizes.remove_suffix(5);
  } else {
    size_t last = text.rfind('x');
    element = last == absl::string_view::npos ? text : text.substr(last + 1);
    sizes = text.substr(0, last == absl::string_view::npos ? 0 : last + 1);
  }
  if (!parseElementType(element, type))
    return badSpec(spec,
                   absl::StrCat("unknown element type '", element,
                                "'; use i1, i8, i16, i32, i64, index, f16, bf16, f32 or f64, or "
                                "ui8, ui16, ui32, ui64 for unsigned values"));
  while (!sizes.empty()) {
    size_t end = sizes.find('x');
    int64_t size = 0;
    if (!absl::SimpleAtoi(sizes.substr(0, end), &size) || size < 0)
      return badSpec(spec, absl::StrCat("'", sizes.substr(0, end), "' is not a size"));
    type.dims.push_back(size);
    sizes.remove_prefix(end + 1);
  }
  return absl::OkStatus();
}

/// The element type's form of `integer` or, for floats, of `number`.
void storeNumber(DType dtype, int64_t integer, double number, char *element) {
  switch (dtype) {
  case DType::F64:
    std::memcpy(element, &number, sizeof(number));
    return;
  case DType::F32: {
    auto single = static_cast<float>(number);
    std::memcpy(element, &single, sizeof(single));
    return;
  }
  case DType::F16:
  case DType::BF16: {
    uint16_t bits =
        dtype == DType::F16 ? doubleToHalf(number) : floatToBfloat(static_cast<float>(number));
    std::memcpy(element, &bits, sizeof(bits));
    return;
  }
  case DType::I1:
    integer &= 1;
    [[fallthrough]];
  default:
    std::memcpy(element, &integer, plan::sizeOf(dtype));
  }
}

absl::Status fillIota(absl::string_view spec, const SpecType &type, const Tensor &tensor) {
  int64_t count = tensor.numElements();
  if (plan::isInteger(type.dtype) && count > 0 &&
      static_cast<uint64_t>(count - 1) > largestInteger(type.dtype, type.range))
    return badSpec(spec, absl::StrCat("iota reaches ", count - 1, ", which does not fit the type"));
  size_t size = plan::sizeOf(type.dtype);
  for (int64_t i = 0; i < count; ++i)
    storeNumber(type.dtype, i, static_cast<double>(i),
                tensor.dataAs<char>() + static_cast<size_t>(i) * size);
  return absl::OkStatus();
}

/// The numbers of "low,high".
struct Bounds {
  int64_t low = 0, high = 0;
  double lowNumber = 0, highNumber = 0;
};

absl::Status parseBounds(absl::string_view spec, absl::string_view text, const SpecType &type,
                         Bounds &bounds) {
  std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  bool isFloat = plan::isFloat(type.dtype);
  bool ok = parts.size() == 2 &&
            (isFloat ? absl::SimpleAtod(parts[0], &bounds.lowNumber) &&
                           absl::SimpleAtod(parts[1], &bounds.highNumber) &&
                           std::isfinite(bounds.lowNumber) && std::isfinite(bounds.highNumber)
                     : absl::SimpleAtoi(parts[0], &bounds.low) &&
                           absl::SimpleAtoi(parts[1], &bounds.high));
  if (!ok)
    return badSpec(spec, absl::StrCat("rand needs two ", isFloat ? "numbers" : "integers",
                                      ", as in rand(0,10)"));
  if (isFloat)
    return absl::OkStatus();
  if (bounds.low >= bounds.high)
    return badSpec(spec, "rand(low,high) needs low < high");
  int64_t smallest = smallestInteger(type.dtype, type.range);
  uint64_t largest = largestInteger(type.dtype, type.range);
  if (bounds.low < smallest ||
      (bounds.high > 0 && static_cast<uint64_t>(bounds.high - 1) > largest))
    return badSpec(spec, absl::StrCat("the type takes ", smallest, " to ", largest,
                                      "; rand(low,high) gives low to high - 1"));
  return absl::OkStatus();
}

absl::Status fillRandom(absl::string_view spec, absl::string_view text, const SpecType &type,
                        NumpyRandom &random, const Tensor &tensor) {
  Bounds bounds;
  if (absl::Status status = parseBounds(spec, text, type, bounds); !status.ok())
    return status;
  bool isFloat = plan::isFloat(type.dtype);
  size_t size = plan::sizeOf(type.dtype);
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i) {
    int64_t integer = isFloat ? 0 : random.integer(bounds.low, bounds.high);
    double number = isFloat ? random.uniform(bounds.lowNumber, bounds.highNumber) : 0;
    storeNumber(type.dtype, integer, number, tensor.dataAs<char>() + static_cast<size_t>(i) * size);
  }
  return absl::OkStatus();
}

absl::Status fillElements(absl::string_view spec, absl::string_view values, const SpecType &type,
                          const Tensor &tensor) {
  std::vector<absl::string_view> words =
      absl::StrSplit(values, absl::ByAnyChar(" \t\n\r,[]"), absl::SkipEmpty());
  int64_t count = tensor.numElements();
  if (static_cast<int64_t>(words.size()) != count && words.size() != 1)
    return badSpec(spec, absl::StrCat("the type has ", counted(count, "element"), ", not ",
                                      words.size(), " (one would fill all)"));
  size_t size = plan::sizeOf(type.dtype);
  char *data = tensor.dataAs<char>();
  for (int64_t i = 0; i < count; ++i, data += size) {
    if (words.size() == 1 && i > 0) {
      std::memcpy(data, data - size, size);
      continue;
    }
    absl::Status status = parseElement(words[static_cast<size_t>(i)], type.dtype, data, type.range);
    if (!status.ok())
      return badSpec(spec, status.message());
  }
  return absl::OkStatus();
}

/// A file named without '@' may be a slip for another form.
absl::StatusOr<Tensor> readFileSpec(absl::string_view text) {
  bool isMarked = absl::ConsumePrefix(&text, "@");
  absl::StatusOr<Tensor> tensor = readNpy(std::string(text));
  if (isMarked || !absl::IsNotFound(tensor.status()))
    return tensor;
  constexpr absl::string_view kForms =
      "2x3xf32=1 2 3 4 5 6, 2x3xf32=0.5 (all elements), 2x3xf32=iota, 2x3xf32=rand(0,1) or @x.npy";
  SpecType type;
  if (parseType(text, text, type).ok())
    return badSpec(text, absl::StrCat("no values follow the type; write an input as ", kForms));
  return badSpec(text, absl::StrCat("there is no such file; write an input as ", kForms));
}

} // namespace

bool isFileSpec(absl::string_view text) {
  return absl::StartsWith(text, "@") || !absl::StrContains(text, '=');
}

absl::StatusOr<Tensor> parseValueSpec(absl::string_view text, NumpyRandom &random) {
  if (isFileSpec(text))
    return readFileSpec(text);
  std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  SpecType type;
  if (absl::Status status = parseType(text, absl::StripAsciiWhitespace(halves.first), type);
      !status.ok())
    return status;
  absl::StatusOr<Tensor> tensor = Tensor::allocate(type.dtype, type.dims);
  if (!tensor.ok())
    return tensor;

  absl::string_view values = absl::StripAsciiWhitespace(halves.second);
  absl::Status status;
  if (values == "iota")
    status = fillIota(text, type, *tensor);
  else if (absl::ConsumePrefix(&values, "rand(") && absl::ConsumeSuffix(&values, ")"))
    status = fillRandom(text, values, type, random, *tensor);
  else
    status = fillElements(text, values, type, *tensor);
  if (!status.ok())
    return status;
  return tensor;
}

} // namespace anneal::runtime
