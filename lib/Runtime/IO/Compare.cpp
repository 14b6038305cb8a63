//===- Compare.cpp - Results against expected values ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/Runtime/IO/Compare.h"

#include "anneal/Runtime/IO/ValueText.h"
#include "anneal/Support/HalfFloat.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace anneal::runtime {
namespace {

using plan::DType;

double asNumber(DType dtype, const char *element) {
  uint16_t half;
  float single;
  double full;
  switch (dtype) {
  case DType::F16:
  case DType::BF16:
    std::memcpy(&half, element, sizeof(half));
    return dtype == DType::F16 ? halfToFloat(half) : bfloatToFloat(half);
  case DType::F32:
    std::memcpy(&single, element, sizeof(single));
    return single;
  default:
    std::memcpy(&full, element, sizeof(full));
    return full;
  }
}

/// How far beyond what is allowed: 0 or less if within. Infinite where no difference is allowed.
double excess(DType dtype, const char *actual, const char *expected, const Tolerance &tolerance) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (plan::isInteger(dtype))
    return std::memcmp(actual, expected, plan::sizeOf(dtype)) == 0 ? 0 : kInfinity;
  double a = asNumber(dtype, actual), e = asNumber(dtype, expected);
  if (std::isnan(a) || std::isnan(e))
    return std::isnan(a) && std::isnan(e) ? 0 : kInfinity;
  if (std::isinf(a) || std::isinf(e))
    return a == e ? 0 : kInfinity;
  return std::fabs(a - e) - (tolerance.atol + tolerance.rtol * std::fabs(e));
}

std::string position(const Tensor &tensor, int64_t linear) {
  Dims indices(tensor.rank());
  for (size_t d = tensor.rank(); d-- > 0;) {
    indices[d] = linear % tensor.dims()[d];
    linear /= tensor.dims()[d];
  }
  return absl::StrCat("[", absl::StrJoin(indices, ", "), "]");
}

} // namespace

std::string describeMismatch(const Tensor &actualTensor, const Tensor &expectedTensor,
                             const Tolerance &tolerance) {
  auto storage = [](DType type) { return type == DType::Index ? DType::I64 : type; };
  if (storage(actualTensor.dtype()) != storage(expectedTensor.dtype()) ||
      actualTensor.dims() != expectedTensor.dims())
    return absl::StrCat("expected ", expectedTensor.typeString(), ", got ",
                        actualTensor.typeString());
  absl::StatusOr<Tensor> actual = actualTensor.toDense();
  absl::StatusOr<Tensor> expected = expectedTensor.toDense();
  if (!actual.ok() || !expected.ok())
    return "out of memory while comparing";

  DType dtype = actual->dtype();
  size_t size = plan::sizeOf(dtype);
  int64_t count = actual->numElements(), numWrong = 0, worst = -1;
  double worstExcess = 0;
  for (int64_t i = 0; i < count; ++i) {
    size_t offset = static_cast<size_t>(i) * size;
    double over = excess(dtype, actual->dataAs<const char>() + offset,
                         expected->dataAs<const char>() + offset, tolerance);
    if (over <= 0)
      continue;
    ++numWrong;
    if (worst < 0 || over > worstExcess) {
      worst = i;
      worstExcess = over;
    }
  }
  if (numWrong == 0)
    return "";
  size_t offset = static_cast<size_t>(worst) * size;
  const char *a = actual->dataAs<const char>() + offset;
  const char *e = expected->dataAs<const char>() + offset;
  std::string text =
      absl::StrCat(numWrong, " of ", count, " elements differ; worst at ", position(*actual, worst),
                   ": expected ", elementText(dtype, e), ", got ", elementText(dtype, a));
  if (plan::isFloat(dtype))
    absl::StrAppend(&text, " (difference ", std::fabs(asNumber(dtype, a) - asNumber(dtype, e)),
                    ", rtol ", tolerance.rtol, ", atol ", tolerance.atol, ")");
  return text;
}

} // namespace anneal::runtime
