//===- Convert.cpp - Element types in and out of the kernels --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Convert.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace anneal::runtime::contraction {

using plan::DType;

std::optional<ComputeType> computeTypeOf(DType c) {
  switch (c) {
  case DType::I8:
  case DType::I16:
  case DType::I32:
    return ComputeType::I32;
  case DType::I64:
  case DType::Index:
    return ComputeType::I64;
  case DType::F16:
  case DType::BF16:
  case DType::F32:
    return ComputeType::F32;
  case DType::F64:
    return ComputeType::F64;
  case DType::I1:
    return std::nullopt;
  }
  return std::nullopt;
}

ResultConversion resultConversionOf(DType c) {
  switch (c) {
  case DType::F16:
    return ResultConversion::FloatToHalf;
  case DType::BF16:
    return ResultConversion::FloatToBFloat;
  case DType::I8:
    return ResultConversion::I32ToI8;
  case DType::I16:
    return ResultConversion::I32ToI16;
  default:
    return plan::sizeOf(c) == 4 ? ResultConversion::Move4 : ResultConversion::Move8;
  }
}

/// The vectorised conversion, where there is one.
static Conversion conversionOf(DType from, bool isUnsigned, DType via, ComputeType to) {
  const bool wide = to == ComputeType::I64;
  if (plan::isFloat(from)) {
    if (from == via)
      return from == DType::F16    ? Conversion::HalfToFloat
             : from == DType::BF16 ? Conversion::BFloatToFloat
             : from == DType::F32  ? Conversion::Move4
                                   : Conversion::Move8;
    if (via == DType::F32 && from == DType::F16)
      return Conversion::HalfToFloat;
    if (via == DType::F32 && from == DType::BF16)
      return Conversion::BFloatToFloat;
    return via == DType::F64 && from == DType::F32 ? Conversion::FloatToDouble : Conversion::None;
  }
  // Narrower targets wrap, and the low bits of a sum depend on the low bits of its terms alone:
  // what is above them may be anything, so the source is extended straight to the compute type.
  if (!isFloat(to)) {
    switch (from) {
    case DType::I8:
      return wide ? (isUnsigned ? Conversion::U8ToI64 : Conversion::I8ToI64)
                  : (isUnsigned ? Conversion::U8ToI32 : Conversion::I8ToI32);
    case DType::I16:
      return wide ? (isUnsigned ? Conversion::U16ToI64 : Conversion::I16ToI64)
                  : (isUnsigned ? Conversion::U16ToI32 : Conversion::I16ToI32);
    case DType::I32:
      return wide ? (isUnsigned ? Conversion::U32ToI64 : Conversion::I32ToI64) : Conversion::Move4;
    case DType::I64:
    case DType::Index:
      return wide ? Conversion::Move8 : Conversion::None;
    default:
      return Conversion::None;
    }
  }
  return Conversion::None;
}

std::optional<ElementReader> ElementReader::create(DType from, bool isUnsigned, DType via,
                                                   const IsaKernels &kernels) {
  std::optional<ComputeType> compute = computeTypeOf(via);
  if (!compute || (plan::isFloat(from) && plan::isInteger(via)))
    return std::nullopt;
  ElementReader reader;
  reader.from = from;
  reader.via = via;
  reader.to = *compute;
  reader.isUnsigned = isUnsigned;
  const Conversion conversion = conversionOf(from, isUnsigned, via, *compute);
  reader.identity = conversion == Conversion::Move4 || conversion == Conversion::Move8;
  if (conversion == Conversion::Move4)
    reader.insideFn = kernels.packInside;
  if (conversion != Conversion::None) {
    reader.packFn = kernels.pack[static_cast<int>(conversion)];
    reader.planeFn = kernels.plane[static_cast<int>(conversion)];
  }
  return reader;
}

namespace {

/// A scalar that is either exact as a double or an integer.
struct Scalar {
  bool isInteger;
  uint64_t integer; ///< extended to 64 bits
  double real;
};

float halfBitsToFloat(uint16_t bits) {
  const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
  double magnitude = exponent == 0    ? std::ldexp(fraction, -24)
                     : exponent != 31 ? std::ldexp(fraction + 1024, exponent - 25)
                     : fraction       ? std::numeric_limits<double>::quiet_NaN()
                                      : std::numeric_limits<double>::infinity();
  return static_cast<float>(bits & 0x8000 ? -magnitude : magnitude);
}

template <typename T> T read(const void *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename S, typename U> uint64_t readInteger(const void *from, bool isUnsigned) {
  return isUnsigned ? static_cast<uint64_t>(read<U>(from))
                    : static_cast<uint64_t>(static_cast<int64_t>(read<S>(from)));
}

Scalar readScalar(DType type, bool isUnsigned, const void *from) {
  switch (type) {
  case DType::I1: {
    const uint64_t bit = read<uint8_t>(from) & 1;
    return {true, isUnsigned ? bit : 0 - bit, 0};
  }
  case DType::I8:
    return {true, readInteger<int8_t, uint8_t>(from, isUnsigned), 0};
  case DType::I16:
    return {true, readInteger<int16_t, uint16_t>(from, isUnsigned), 0};
  case DType::I32:
    return {true, readInteger<int32_t, uint32_t>(from, isUnsigned), 0};
  case DType::I64:
  case DType::Index:
    return {true, read<uint64_t>(from), 0};
  case DType::F16:
    return {false, 0, halfBitsToFloat(read<uint16_t>(from))};
  case DType::BF16:
    return {false, 0, std::bit_cast<float>(static_cast<uint32_t>(read<uint16_t>(from)) << 16)};
  case DType::F32:
    return {false, 0, read<float>(from)};
  case DType::F64:
    return {false, 0, read<double>(from)};
  }
  return {true, 0, 0};
}

/// The integer as a double, rounded to odd where it does not fit: rounding that to fewer than 52
/// bits is the same as rounding the integer.
double toOddDouble(uint64_t integer, bool isUnsigned) {
  const bool negative = !isUnsigned && static_cast<int64_t>(integer) < 0;
  const uint64_t magnitude = negative ? 0 - integer : integer;
  const int excess = 11 - std::min(11, std::countl_zero(magnitude | 1));
  uint64_t kept = magnitude >> excess;
  if (kept << excess != magnitude)
    kept |= 1;
  const double value = std::ldexp(static_cast<double>(kept), excess);
  return negative ? -value : value;
}

/// Rounds to `bits` of significand and exponents not below `minExponent` (of the leading bit), to
/// nearest even; beyond `largest` is infinity.
float roundToNarrow(double value, int bits, int minExponent, double largest) {
  if (!std::isfinite(value) || value == 0)
    return static_cast<float>(value);
  const int exponent = std::max(std::ilogb(value), minExponent);
  const double unit = std::ldexp(1.0, exponent - bits + 1);
  // Doubles have at least 29 bits more, so the quotient is exact; nearbyint rounds to even.
  const double rounded = std::nearbyint(value / unit) * unit;
  if (std::fabs(rounded) > largest)
    return rounded < 0 ? -std::numeric_limits<float>::infinity()
                       : std::numeric_limits<float>::infinity();
  return static_cast<float>(rounded);
}

/// `value` rounded to the float type `via`, as f32.
float roundVia(double value, DType via) {
  if (via == DType::F16)
    return roundToNarrow(value, 11, -14, 65504.0);
  if (via == DType::BF16)
    return roundToNarrow(value, 8, -126, 0x1.fep127);
  return static_cast<float>(value);
}

} // namespace

void ElementReader::one(const void *source, void *target) const {
  const Scalar scalar = readScalar(from, isUnsigned, source);
  if (to == ComputeType::I32) {
    const uint32_t value = static_cast<uint32_t>(scalar.integer);
    std::memcpy(target, &value, sizeof value);
  } else if (to == ComputeType::I64) {
    std::memcpy(target, &scalar.integer, sizeof scalar.integer);
  } else if (to == ComputeType::F64) {
    const double value = !scalar.isInteger ? scalar.real
                         : isUnsigned ? static_cast<double>(scalar.integer)
                                      : static_cast<double>(static_cast<int64_t>(scalar.integer));
    std::memcpy(target, &value, sizeof value);
  } else {
    const double exact = scalar.isInteger ? toOddDouble(scalar.integer, isUnsigned) : scalar.real;
    const float value = roundVia(exact, via);
    std::memcpy(target, &value, sizeof value);
  }
}

void ElementReader::pack(void *target, int64_t toStep, const void *source, int64_t fromI,
                         int64_t fromK, int64_t numI, int64_t numK) const {
  if (packFn)
    return packFn(target, toStep, source, fromI, fromK, numI, numK);
  const int64_t targetBytes = bytesOf(to);
  for (int64_t k = 0; k < numK; ++k)
    for (int64_t i = 0; i < numI; ++i)
      one(static_cast<const char *>(source) + (i * fromI + k * fromK) * sourceBytes(),
          static_cast<char *>(target) + (k * toStep + i) * targetBytes);
}

void ElementReader::plane(const PlaneArgs &args) const {
  if (planeFn)
    return planeFn(args);
  const int64_t bytes = bytesOf(to);
  for (int64_t y = 0; y < args.rows; ++y)
    for (int64_t x = 0; x < args.columns; ++x) {
      char *target = static_cast<char *>(args.to) + (y * args.toRow + x) * bytes;
      const bool inside =
          y >= args.rowBegin && y < args.rowEnd && x >= args.columnBegin && x < args.columnEnd;
      const int64_t at =
          (y - args.rowBegin) * args.fromRow + (x - args.columnBegin) * args.fromColumn;
      if (inside)
        one(static_cast<const char *>(args.from) + at * sourceBytes(), target);
      else
        std::memcpy(target, args.pad, bytes);
    }
}

std::string ElementReader::name() const {
  std::string text(plan::name(from));
  if (plan::isInteger(from))
    text += isUnsigned ? "u" : "s";
  return text + ">" + std::string(plan::name(via));
}

} // namespace anneal::runtime::contraction
