//===- ValueSpec.cpp - Input values from a command line -------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/ValueSpec.h"

#include "anneal/Runtime/IO/Npy.h"
#include "anneal/Runtime/IO/ValueText.h"
#include "anneal/Support/HalfFloat.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/types/optional.h"

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

/// "2x3xf32": sizes and the element type, split at 'x'.
absl::Status parseType(absl::string_view spec, absl::string_view type, Dims &dims, DType &dtype) {
  // "index" has an 'x' of its own.
  bool isIndex = type == "index" || absl::EndsWith(type, "xindex");
  absl::string_view sizes = type;
  absl::string_view element = "index";
  if (isIndex) {
    sizes.remove_suffix(5);
  } else {
    size_t last = type.rfind('x');
    element = last == absl::string_view::npos ? type : type.substr(last + 1);
    sizes = type.substr(0, last == absl::string_view::npos ? 0 : last + 1);
  }
  absl::optional<DType> known = dtypeNamed(element);
  if (!known)
    return badSpec(spec,
                   absl::StrCat("unknown element type '", element,
                                "'; use i1, i8, i16, i32, i64, index, f16, bf16, f32 or f64"));
  dtype = *known;
  while (!sizes.empty()) {
    size_t end = sizes.find('x');
    int64_t size = 0;
    if (!absl::SimpleAtoi(sizes.substr(0, end), &size) || size < 0)
      return badSpec(spec, absl::StrCat("'", sizes.substr(0, end), "' is not a size"));
    dims.push_back(size);
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

void fillIota(const Tensor &tensor) {
  size_t size = plan::sizeOf(tensor.dtype());
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i)
    storeNumber(tensor.dtype(), i, static_cast<double>(i),
                tensor.dataAs<char>() + static_cast<size_t>(i) * size);
}

absl::Status fillRandom(absl::string_view spec, absl::string_view bounds, NumpyRandom &random,
                        const Tensor &tensor) {
  std::vector<absl::string_view> parts = absl::StrSplit(bounds, ',');
  int64_t low = 0, high = 0;
  double lowNumber = 0, highNumber = 0;
  bool isFloat = plan::isFloat(tensor.dtype());
  bool ok =
      parts.size() == 2 &&
      (isFloat ? absl::SimpleAtod(parts[0], &lowNumber) && absl::SimpleAtod(parts[1], &highNumber)
               : absl::SimpleAtoi(parts[0], &low) && absl::SimpleAtoi(parts[1], &high));
  if (!ok)
    return badSpec(spec, absl::StrCat("rand needs two ", isFloat ? "numbers" : "integers",
                                      ", as in rand(0,10)"));
  if (!isFloat && low >= high)
    return badSpec(spec, "rand(low,high) needs low < high");
  size_t size = plan::sizeOf(tensor.dtype());
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i) {
    int64_t integer = isFloat ? 0 : random.integer(low, high);
    double number = isFloat ? random.uniform(lowNumber, highNumber) : 0;
    storeNumber(tensor.dtype(), integer, number,
                tensor.dataAs<char>() + static_cast<size_t>(i) * size);
  }
  return absl::OkStatus();
}

absl::Status fillElements(absl::string_view spec, absl::string_view values, const Tensor &tensor) {
  std::vector<absl::string_view> words =
      absl::StrSplit(values, absl::ByAnyChar(" \t\n\r,[]"), absl::SkipEmpty());
  int64_t count = tensor.numElements();
  if (static_cast<int64_t>(words.size()) != count && words.size() != 1)
    return badSpec(spec, absl::StrCat("the type has ", count, " elements, ", words.size(),
                                      " are given (one would fill all)"));
  size_t size = plan::sizeOf(tensor.dtype());
  char *data = tensor.dataAs<char>();
  for (int64_t i = 0; i < count; ++i, data += size) {
    if (words.size() == 1 && i > 0) {
      std::memcpy(data, data - size, size);
      continue;
    }
    absl::string_view word = words[static_cast<size_t>(i)];
    if (!parseElement(word, tensor.dtype(), data)) {
      std::string type(plan::name(tensor.dtype()));
      return badSpec(spec, absl::StrCat("'", word, "' is not a value of type ", type));
    }
  }
  return absl::OkStatus();
}

} // namespace

bool isFileSpec(absl::string_view text) {
  return absl::StartsWith(text, "@") || !absl::StrContains(text, '=');
}

absl::StatusOr<Tensor> parseValueSpec(absl::string_view text, NumpyRandom &random) {
  if (isFileSpec(text)) {
    absl::ConsumePrefix(&text, "@");
    return readNpy(std::string(text));
  }
  std::pair<absl::string_view, absl::string_view> halves =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  DType dtype = DType::F32;
  Dims dims;
  if (absl::Status status = parseType(text, absl::StripAsciiWhitespace(halves.first), dims, dtype);
      !status.ok())
    return status;
  absl::StatusOr<Tensor> tensor = Tensor::allocate(dtype, dims);
  if (!tensor.ok())
    return tensor;

  absl::string_view values = absl::StripAsciiWhitespace(halves.second);
  absl::Status status;
  if (values == "iota")
    fillIota(*tensor);
  else if (absl::ConsumePrefix(&values, "rand(") && absl::ConsumeSuffix(&values, ")"))
    status = fillRandom(text, values, random, *tensor);
  else
    status = fillElements(text, values, *tensor);
  if (!status.ok())
    return status;
  return tensor;
}

} // namespace anneal::runtime
