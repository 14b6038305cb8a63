//===- JitShapeBucket.cpp - The attribute jit.shape_bucket ----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "anneal/IR/JitAttrs.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace anneal;
using namespace anneal::jit;

//===----------------------------------------------------------------------===//
// DimBucket
//===----------------------------------------------------------------------===//

DimBucket DimBucket::size(int64_t size) { return DimBucket(Kind::Size, size, BucketStep()); }

DimBucket DimBucket::bucket(BucketIndex index, BucketStep step) {
  return index == kZeroBucket ? size(0) : DimBucket(Kind::Bucket, index, step);
}

DimBucket DimBucket::any() { return DimBucket(Kind::Any, 0, BucketStep()); }

bool DimBucket::contains(int64_t size) const {
  switch (kind) {
  case Kind::Size:
    return size == value;
  case Kind::Bucket:
    return bucketOf(static_cast<uint64_t>(size), step) == getIndex();
  case Kind::Any:
    return true;
  }
  llvm_unreachable("unknown kind");
}

std::optional<SizeRange> DimBucket::getSizes() const {
  constexpr uint64_t largest = std::numeric_limits<int64_t>::max();
  switch (kind) {
  case Kind::Size:
    return SizeRange{static_cast<uint64_t>(value), static_cast<uint64_t>(value)};
  case Kind::Bucket: {
    std::optional<SizeRange> sizes = sizesOf(getIndex(), step);
    if (!sizes || sizes->first > largest)
      return std::nullopt;
    return SizeRange{sizes->first, std::min(sizes->last, largest)};
  }
  case Kind::Any:
    return SizeRange{0, largest};
  }
  llvm_unreachable("unknown kind");
}

bool DimBucket::intersects(const DimBucket &other) const {
  std::optional<SizeRange> mine = getSizes(), theirs = other.getSizes();
  return mine && theirs && mine->first <= theirs->last && theirs->first <= mine->last;
}

bool DimBucket::covers(const DimBucket &other) const {
  std::optional<SizeRange> mine = getSizes(), theirs = other.getSizes();
  return !theirs || (mine && mine->first <= theirs->first && theirs->last <= mine->last);
}

namespace anneal::jit {
llvm::hash_code hash_value(const DimBucket &dim) {
  return llvm::hash_combine(dim.kind, dim.value, dim.step.num, dim.step.den);
}
} // namespace anneal::jit

//===----------------------------------------------------------------------===//
// Exponents
//===----------------------------------------------------------------------===//

namespace {
/// A rational that isn't negative, in lowest terms.
struct Exponent {
  uint64_t num;
  uint64_t den;

  static Exponent get(uint64_t num, uint64_t den) {
    uint64_t divisor = std::gcd(num, den);
    return {num / divisor, den / divisor};
  }
};
} // namespace

/// Parses `9/2` or `5`. Both numbers fit 32 bits, the second isn't 0.
static ParseResult parseExponent(AsmParser &parser, Exponent &result) {
  SMLoc location = parser.getCurrentLocation();
  uint32_t num = 0;
  uint32_t den = 1;
  if (parser.parseInteger(num))
    return failure();
  if (succeeded(parser.parseOptionalSlash()) && parser.parseInteger(den))
    return failure();
  if (den == 0)
    return parser.emitError(location) << "an exponent has the denominator 0";
  result = Exponent::get(num, den);
  return success();
}

static void printExponent(AsmPrinter &printer, Exponent exponent) {
  printer << exponent.num;
  if (exponent.den != 1)
    printer << "/" << exponent.den;
}

/// Parses what follows `exp2`: `(9/2 ... 5)`.
static FailureOr<DimBucket> parseBucket(AsmParser &parser) {
  SMLoc location = parser.getCurrentLocation();
  Exponent low, high;
  if (parser.parseLParen() || parseExponent(parser, low) || parser.parseEllipsis() ||
      parseExponent(parser, high) || parser.parseRParen())
    return failure();
  // Products of two numbers of 32 bits.
  uint64_t lowNum = low.num * high.den;
  uint64_t highNum = high.num * low.den;
  if (highNum <= lowNum)
    return parser.emitError(location) << "the exponents of a bucket must rise";
  uint64_t width = highNum - lowNum;
  Exponent step = Exponent::get(width, low.den * high.den);
  if (lowNum % width != 0)
    return parser.emitError(location) << "the exponents of a bucket must be neighbouring multiples "
                                         "of one step; they differ by "
                                      << step.num << "/" << step.den;
  uint64_t index = lowNum / width;
  if (step.den > kMaxStepDenominator || step.num > uint64_t(kMaxStep) * step.den ||
      index > uint64_t(kMaxStep) * step.den)
    return parser.emitError(location)
           << "the exponents of a bucket must not exceed " << kMaxStep
           << ", and their difference must be a fraction with a denominator of at most "
           << kMaxStepDenominator;
  return DimBucket::bucket(static_cast<BucketIndex>(index),
                           {static_cast<uint32_t>(step.num), static_cast<uint32_t>(step.den)});
}

//===----------------------------------------------------------------------===//
// ShapeBucketAttr
//===----------------------------------------------------------------------===//

ShapeBucketAttr ShapeBucketAttr::getForShape(MLIRContext *context, ArrayRef<int64_t> shape,
                                             BucketStep step) {
  SmallVector<DimBucket> dims;
  for (int64_t size : shape)
    dims.push_back(DimBucket::bucket(bucketOf(static_cast<uint64_t>(size), step), step));
  return get(context, dims);
}

bool ShapeBucketAttr::contains(ArrayRef<int64_t> shape) const {
  return shape.size() == getDims().size() &&
         llvm::all_of(llvm::zip(getDims(), shape), [](auto pair) {
           auto [dim, size] = pair;
           return dim.contains(size);
         });
}

LogicalResult ShapeBucketAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                      ArrayRef<DimBucket> dims) {
  for (auto [index, dim] : llvm::enumerate(dims)) {
    if (dim.getKind() == DimBucket::Kind::Size && dim.getSize() < 0)
      return emitError() << "size " << dim.getSize() << " of dimension #" << index
                         << " is negative";
    if (dim.getKind() != DimBucket::Kind::Bucket)
      continue;
    if (!isValid(dim.getStep()))
      return emitError() << "the step " << dim.getStep().num << "/" << dim.getStep().den
                         << " of dimension #" << index << " is not a positive fraction in lowest "
                         << "terms, of at most " << kMaxStep << ", with a denominator of at most "
                         << kMaxStepDenominator;
    if (dim.getIndex() < 0 || !sizesOf(dim.getIndex(), dim.getStep()))
      return emitError() << "the bucket of dimension #" << index << " holds no size";
  }
  return success();
}

/// Parses one of `8`, `exp2(9/2 ... 5)`, `?`.
static FailureOr<DimBucket> parseDim(AsmParser &parser) {
  if (succeeded(parser.parseOptionalQuestion()))
    return DimBucket::any();
  if (succeeded(parser.parseOptionalKeyword("exp2")))
    return parseBucket(parser);
  int64_t size;
  OptionalParseResult parsed = parser.parseOptionalInteger(size);
  if (!parsed.has_value())
    return parser.emitError(parser.getCurrentLocation())
           << "expected a size, a bucket such as exp2(4 ... 5), or '?'";
  if (failed(*parsed))
    return failure();
  return DimBucket::size(size);
}

Attribute ShapeBucketAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  SmallVector<DimBucket> dims;
  auto parseNext = [&]() -> ParseResult {
    FailureOr<DimBucket> dim = parseDim(parser);
    if (failed(dim))
      return failure();
    dims.push_back(*dim);
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseNext) ||
      parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(start); }, parser.getContext(),
                    ArrayRef<DimBucket>(dims));
}

void ShapeBucketAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getDims(), printer, [&](const DimBucket &dim) {
    switch (dim.getKind()) {
    case DimBucket::Kind::Size:
      printer << dim.getSize();
      return;
    case DimBucket::Kind::Bucket: {
      uint64_t index = static_cast<uint64_t>(dim.getIndex());
      BucketStep step = dim.getStep();
      printer << "exp2(";
      printExponent(printer, Exponent::get(index * step.num, step.den));
      printer << " ... ";
      printExponent(printer, Exponent::get((index + 1) * step.num, step.den));
      printer << ")";
      return;
    }
    case DimBucket::Kind::Any:
      printer << "?";
      return;
    }
  });
  printer << "]>";
}
