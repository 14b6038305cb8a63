//===- Conversions.cpp - Conversions between types on strips --------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "ScalarFloat.h"

#include <limits>

#if ANNEAL_ISA >= 1
#include <immintrin.h>
#endif

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {
namespace {

//===----------------------------------------------------------------------===//
// Single values
//===----------------------------------------------------------------------===//

/// To an integer type of any size; D and the source tell how.
template <class D> struct IntCast {
  template <class S> static D apply(S a) { return static_cast<D>(a); }
};
/// From a signed I1.
template <class D> struct SignOfBit {
  static D apply(uint8_t a) { return static_cast<D>(D(0) - D(a)); }
};
struct LowBit {
  template <class S> static uint8_t apply(S a) { return static_cast<uint8_t>(a & 1); }
};

/// Saturating; 0 for NaN. S is signed.
template <class S> struct FloatToSigned {
  template <class F> static S apply(F x) {
    using Via = std::conditional_t<sizeof(S) < 4, int32_t, S>;
    constexpr S max = std::numeric_limits<S>::max();
    constexpr F low = -F(std::make_unsigned_t<S>(1) << (sizeof(S) * 8 - 1)), high = -low;
    F inside = x >= low && x < high ? x : F(0);
    S r = static_cast<S>(static_cast<Via>(inside));
    r = x >= high ? max : r;
    return x < low ? static_cast<S>(-max - 1) : r;
  }
};
template <class U> struct FloatToUnsigned {
  template <class F> static U apply(F x) {
    using Via =
        std::conditional_t<sizeof(U) < 4, int32_t, std::conditional_t<sizeof(U) == 4, int64_t, U>>;
    constexpr F high = F(U(1) << (sizeof(U) * 8 - 1)) * F(2);
    F inside = x > F(0) && x < high ? x : F(0);
    U r = static_cast<U>(static_cast<Via>(inside));
    return x >= high ? static_cast<U>(~U(0)) : r;
  }
};
/// The signed values of I1 are 0 and -1.
struct FloatToSignedBit {
  template <class F> static uint8_t apply(F x) { return x <= F(-1); }
};
struct FloatToUnsignedBit {
  template <class F> static uint8_t apply(F x) { return x >= F(1); }
};

template <class F> struct IntToFloat {
  template <class S> static F apply(S a) { return static_cast<F>(a); }
};
template <class F> struct SignedBitToFloat {
  static F apply(uint8_t a) { return a ? F(-1) : F(0); }
};
/// A 64-bit integer in f64 for one rounding to BF16 later on: where it has more than 40 bits, the
/// lowest 16 are replaced by one that says whether there were any (rounding to odd).
struct WideToOdd {
  static uint64_t odd(uint64_t u) {
    uint64_t kept = (u & ~uint64_t(0xffff)) | (u & 0xffff ? uint64_t(0x10000) : uint64_t(0));
    return u >> 40 ? kept : u;
  }
  static double apply(uint64_t a) { return static_cast<double>(odd(a)); }
  static double apply(int64_t a) {
    double positive = static_cast<double>(odd(a < 0 ? uint64_t(0) - uint64_t(a) : uint64_t(a)));
    return a < 0 ? -positive : positive;
  }
};

/// f64 to f32, rounded to odd, so that a further rounding to F16 or BF16 gives what a single one
/// would.
struct DoubleToOdd {
  static float apply(double x) {
    float nearest = static_cast<float>(x);
    double back = nearest;
    uint32_t bits = bitsOf(nearest);
    uint32_t other = absolute(back) < absolute(x) ? bits + 1 : bits - 1;
    return x == x && back != x && (bits & 1) == 0 ? fromBits<float>(other) : nearest;
  }
};

struct Bf16ToFloat {
  static float apply(uint16_t a) { return fromBits<float>(static_cast<uint32_t>(a) << 16); }
};
struct FloatToBf16 {
  static uint16_t apply(float x) {
    uint32_t bits = bitsOf(x);
    uint32_t rounded = bits + 0x7fff + (bits >> 16 & 1);
    uint32_t quiet = bits | 0x400000;
    return static_cast<uint16_t>((magnitude(x) > kInfBits<float> ? quiet : rounded) >> 16);
  }
};

/// Without the instruction.
struct F16ToFloat {
  static float apply(uint16_t a) {
    // Exponent and mantissa moved into place; the product with 2^112 corrects the exponent's bias
    // and normalises denormals.
    uint32_t moved = (static_cast<uint32_t>(a) & 0x7fff) << 13;
    float scaled = fromBits<float>(moved) * 0x1p112f;
    uint32_t bits = bitsOf(scaled);
    bits = moved >= 0x0f800000 ? moved | 0x7f800000 : bits;
    return fromBits<float>(bits | (static_cast<uint32_t>(a) & 0x8000) << 16);
  }
};
struct FloatToF16 {
  static uint16_t apply(float x) {
    uint32_t m = magnitude(x);
    // Normal: the bias changed, rounded to nearest even at bit 13.
    uint32_t normal = (m - (112u << 23) + 0xfff + (m >> 13 & 1)) >> 13;
    // Denormal: the sum with 0.5, whose last bit is worth 2^-24, rounds to it.
    uint32_t denormal = bitsOf(fromBits<float>(m) + 0.5f) - bitsOf(0.5f);
    uint32_t r = m < 0x38800000 ? denormal : normal;
    r = m >= 0x477ff000 ? 0x7c00 : r;
    r = m > kInfBits<float> ? 0x7e00 | (m >> 13 & 0x1ff) : r;
    return static_cast<uint16_t>(r | (bitsOf(x) >> 16 & 0x8000));
  }
};

//===----------------------------------------------------------------------===//
// Strips
//===----------------------------------------------------------------------===//

#if ANNEAL_ISA >= 1
void f16ToFloat(const StripArgs &s) {
  const uint16_t *a = static_cast<const uint16_t *>(s.a);
  float *d = static_cast<float *>(s.dst);
  size_t i = 0;
  for (; i + 8 <= s.n; i += 8)
    _mm256_storeu_ps(d + i,
                     _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(a + i))));
  for (; i < s.n; ++i)
    d[i] = _cvtsh_ss(a[i]);
}

void floatToF16(const StripArgs &s) {
  const float *a = static_cast<const float *>(s.a);
  uint16_t *d = static_cast<uint16_t *>(s.dst);
  size_t i = 0;
  for (; i + 8 <= s.n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i *>(d + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(a + i), _MM_FROUND_TO_NEAREST_INT));
  for (; i < s.n; ++i)
    d[i] = _cvtss_sh(a[i], _MM_FROUND_TO_NEAREST_INT);
}
#else
constexpr StripFn f16ToFloat = mapUnary<F16ToFloat, float, uint16_t>;
constexpr StripFn floatToF16 = mapUnary<FloatToF16, uint16_t, float>;
#endif
constexpr StripFn bf16ToFloat = mapUnary<Bf16ToFloat, float, uint16_t>;
constexpr StripFn floatToBf16 = mapUnary<FloatToBf16, uint16_t, float>;
constexpr StripFn doubleToOdd = mapUnary<DoubleToOdd, float, double>;
constexpr StripFn floatToDouble = mapUnary<IntToFloat<double>, double, float>;

/// First, then Second on what it gives, in chunks. A, D: element sizes of source and destination.
void runComposed(const StripArgs &s, StripFn first, StripFn second, size_t sizeA, size_t sizeD) {
  alignas(64) char between[kChunk * 8];
  for (size_t done = 0; done < s.n; done += kChunk) {
    StripArgs t;
    t.n = s.n - done < kChunk ? s.n - done : kChunk;
    t.a = static_cast<const char *>(s.a) + done * sizeA;
    t.dst = between;
    first(t);
    t.a = between;
    t.dst = static_cast<char *>(s.dst) + done * sizeD;
    second(t);
  }
}

template <StripFn First, StripFn Second, size_t A, size_t D> void composed(const StripArgs &s) {
  runComposed(s, First, Second, A, D);
}

/// Source as F16 or BF16, through f32.
template <StripFn FromFloat, size_t D> StripFn fromHalf(DType from) {
  return from == DType::F16 ? composed<f16ToFloat, FromFloat, 2, D>
                            : composed<bf16ToFloat, FromFloat, 2, D>;
}

/// Op from T where T is to be truncated or extended to a destination of `to`.
template <template <class> class Op, class S> StripFn toInt(DType to) {
  switch (to) {
  case DType::I1:
    return mapUnary<LowBit, uint8_t, S>;
  case DType::I8:
    return mapUnary<Op<uint8_t>, uint8_t, S>;
  case DType::I16:
    return mapUnary<Op<uint16_t>, uint16_t, S>;
  case DType::I32:
    return mapUnary<Op<uint32_t>, uint32_t, S>;
  case DType::I64:
    return mapUnary<Op<uint64_t>, uint64_t, S>;
  default:
    return nullptr;
  }
}

template <bool IsSigned> StripFn findExtension(DType to, DType from) {
  switch (from) {
  case DType::I1:
    return IsSigned ? toInt<SignOfBit, uint8_t>(to) : toInt<IntCast, uint8_t>(to);
  case DType::I8:
    return IsSigned ? toInt<IntCast, int8_t>(to) : toInt<IntCast, uint8_t>(to);
  case DType::I16:
    return IsSigned ? toInt<IntCast, int16_t>(to) : toInt<IntCast, uint16_t>(to);
  case DType::I32:
    return IsSigned ? toInt<IntCast, int32_t>(to) : toInt<IntCast, uint32_t>(to);
  default:
    return nullptr;
  }
}

StripFn findTruncation(DType to, DType from) {
  switch (from) {
  case DType::I8:
    return toInt<IntCast, uint8_t>(to);
  case DType::I16:
    return toInt<IntCast, uint16_t>(to);
  case DType::I32:
    return toInt<IntCast, uint32_t>(to);
  case DType::I64:
    return toInt<IntCast, uint64_t>(to);
  default:
    return nullptr;
  }
}

/// To one integer type from any float.
template <class Op, class D> StripFn floatTo(DType from) {
  constexpr StripFn fromFloat = mapUnary<Op, D, float>;
  return from == DType::F64   ? mapUnary<Op, D, double>
         : from == DType::F32 ? fromFloat
                              : fromHalf<fromFloat, sizeof(D)>(from);
}

template <bool IsSigned, class S, class U> StripFn floatToEither(DType from) {
  return IsSigned ? floatTo<FloatToSigned<S>, S>(from) : floatTo<FloatToUnsigned<U>, U>(from);
}

template <bool IsSigned> StripFn findFloatToInt(DType to, DType from) {
  switch (to) {
  case DType::I1:
    return IsSigned ? floatTo<FloatToSignedBit, uint8_t>(from)
                    : floatTo<FloatToUnsignedBit, uint8_t>(from);
  case DType::I8:
    return floatToEither<IsSigned, int8_t, uint8_t>(from);
  case DType::I16:
    return floatToEither<IsSigned, int16_t, uint16_t>(from);
  case DType::I32:
    return floatToEither<IsSigned, int32_t, uint32_t>(from);
  case DType::I64:
    return floatToEither<IsSigned, int64_t, uint64_t>(from);
  default:
    return nullptr;
  }
}

/// From one integer type S to any float. To F16 through f32: what f32 rounds is infinity in F16. To
/// BF16 through f64, where integers are exact or rounded to odd.
template <class ToFloat, class ToDouble, class S> StripFn toFloat(DType to) {
  constexpr StripFn viaFloat = mapUnary<ToFloat, float, S>;
  constexpr StripFn viaDouble = mapUnary<ToDouble, double, S>;
  switch (to) {
  case DType::F16:
    return composed<viaFloat, floatToF16, sizeof(S), 2>;
  case DType::BF16:
    return composed<composed<viaDouble, doubleToOdd, sizeof(S), 4>, floatToBf16, sizeof(S), 2>;
  case DType::F32:
    return viaFloat;
  case DType::F64:
    return sizeof(S) == 8 ? mapUnary<IntToFloat<double>, double, S> : viaDouble;
  default:
    return nullptr;
  }
}

template <class S> StripFn intToFloat(DType to) {
  using ToDouble = std::conditional_t<sizeof(S) == 8, WideToOdd, IntToFloat<double>>;
  return toFloat<IntToFloat<float>, ToDouble, S>(to);
}

template <bool IsSigned> StripFn findIntToFloat(DType to, DType from) {
  switch (from) {
  case DType::I1:
    return IsSigned ? toFloat<SignedBitToFloat<float>, SignedBitToFloat<double>, uint8_t>(to)
                    : intToFloat<uint8_t>(to);
  case DType::I8:
    return IsSigned ? intToFloat<int8_t>(to) : intToFloat<uint8_t>(to);
  case DType::I16:
    return IsSigned ? intToFloat<int16_t>(to) : intToFloat<uint16_t>(to);
  case DType::I32:
    return IsSigned ? intToFloat<int32_t>(to) : intToFloat<uint32_t>(to);
  case DType::I64:
    return IsSigned ? intToFloat<int64_t>(to) : intToFloat<uint64_t>(to);
  default:
    return nullptr;
  }
}

StripFn findFloatToFloat(DType to, DType from) {
  bool fromHalfType = from == DType::F16 || from == DType::BF16;
  switch (to) {
  case DType::F16:
    return from == DType::F64    ? composed<doubleToOdd, floatToF16, 8, 2>
           : from == DType::F32  ? floatToF16
           : from == DType::BF16 ? composed<bf16ToFloat, floatToF16, 2, 2>
                                 : nullptr;
  case DType::BF16:
    return from == DType::F64   ? composed<doubleToOdd, floatToBf16, 8, 2>
           : from == DType::F32 ? floatToBf16
           : from == DType::F16 ? composed<f16ToFloat, floatToBf16, 2, 2>
                                : nullptr;
  case DType::F32:
    return from == DType::F64    ? mapUnary<IntToFloat<float>, float, double>
           : from == DType::F16  ? f16ToFloat
           : from == DType::BF16 ? bf16ToFloat
                                 : nullptr;
  case DType::F64:
    return from == DType::F32 ? floatToDouble
           : fromHalfType     ? fromHalf<floatToDouble, 8>(from)
                              : nullptr;
  default:
    return nullptr;
  }
}

StripArgs conversion(void *dst, const void *src, size_t n) {
  StripArgs s;
  s.dst = dst;
  s.a = src;
  s.n = n;
  return s;
}

} // namespace

void widenHalf(DType type, float *dst, const uint16_t *src, size_t n) {
  (type == DType::F16 ? f16ToFloat : bf16ToFloat)(conversion(dst, src, n));
}

void narrowHalf(DType type, uint16_t *dst, const float *src, size_t n) {
  (type == DType::F16 ? floatToF16 : floatToBf16)(conversion(dst, src, n));
}

StripFn findConversion(Opcode op, DType to, DType from) {
  bool toInt = plan::isInteger(to), fromInt = plan::isInteger(from);
  switch (op) {
  case Opcode::ExtSI:
    return toInt && to > from ? findExtension<true>(to, from) : nullptr;
  case Opcode::ExtUI:
    return toInt && to > from ? findExtension<false>(to, from) : nullptr;
  case Opcode::TruncI:
    return fromInt && to < from ? findTruncation(to, from) : nullptr;
  case Opcode::ExtF:
  case Opcode::TruncF:
    return findFloatToFloat(to, from);
  case Opcode::SIToFP:
    return fromInt ? findIntToFloat<true>(to, from) : nullptr;
  case Opcode::UIToFP:
    return fromInt ? findIntToFloat<false>(to, from) : nullptr;
  case Opcode::FPToSI:
    return fromInt ? nullptr : findFloatToInt<true>(to, from);
  case Opcode::FPToUI:
    return fromInt ? nullptr : findFloatToInt<false>(to, from);
  default:
    return nullptr;
  }
}

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE
