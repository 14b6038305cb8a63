//===- HalfOps.cpp - Operations on F16 and BF16 through f32 ---------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources are widened to f32 chunk by chunk, the f32 operation runs, and its result is rounded.
//
//===----------------------------------------------------------------------===//

#include "Loops.h"

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {
namespace {

/// What to do: `f32` on `arity` widened sources.
struct HalfCall {
  StripFn f32;
  DType type;
  unsigned mask;
  unsigned arity;
  /// The result is a byte for each element, not a float.
  bool givesBytes;
  /// Bytes of an element of source b that stays as it is (exponents of FPowI); 0: it is widened
  /// too.
  size_t sizeB;
};

void runHalf(const StripArgs &s, const HalfCall &call) {
  alignas(64) float wide[4][kChunk];
  const void *sources[] = {s.a, s.b, s.c};
  const void **widened[3];
  StripArgs t;
  widened[0] = &t.a, widened[1] = &t.b, widened[2] = &t.c;
  for (size_t done = 0; done < s.n; done += kChunk) {
    t.n = s.n - done < kChunk ? s.n - done : kChunk;
    for (unsigned k = 0; k < call.arity; ++k) {
      bool uniform = (call.mask >> k & 1) != 0;
      size_t first = uniform ? 0 : done;
      if (k == 1 && call.sizeB) {
        *widened[k] = static_cast<const char *>(sources[k]) + first * call.sizeB;
        continue;
      }
      widenHalf(call.type, wide[k], static_cast<const uint16_t *>(sources[k]) + first,
                uniform ? 1 : t.n);
      *widened[k] = wide[k];
    }
    t.dst = call.givesBytes ? static_cast<void *>(static_cast<uint8_t *>(s.dst) + done) : wide[3];
    call.f32(t);
    if (!call.givesBytes)
      narrowHalf(call.type, static_cast<uint16_t *>(s.dst) + done, wide[3], t.n);
  }
}

enum class Kind { Unary, Binary, Ternary, Compare };

StripFn findF32(Opcode op, unsigned mask, Kind kind) {
  if (kind == Kind::Compare)
    return findFloatCompare(op, DType::F32, mask);
  StripFn fn = findFloatOp(op, DType::F32, mask);
  return fn ? fn : findMathF32(op, mask);
}

template <Opcode Op, Kind K, DType Type, unsigned Mask> void half(const StripArgs &s) {
  constexpr unsigned arity = K == Kind::Unary ? 1 : K == Kind::Ternary ? 3 : 2;
  constexpr bool givesBytes = K == Kind::Compare;
  runHalf(s, {findF32(Op, Mask, K), Type, Mask, arity, givesBytes, 0});
}

template <Opcode Op, Kind K, DType Type> StripFn pick(unsigned mask) {
  if constexpr (K == Kind::Unary) {
    return half<Op, K, Type, 0>;
  } else if constexpr (K == Kind::Ternary) {
    static constexpr StripFn fns[] = {
        half<Op, K, Type, 0>, half<Op, K, Type, 1>, half<Op, K, Type, 2>, half<Op, K, Type, 3>,
        half<Op, K, Type, 4>, half<Op, K, Type, 5>, half<Op, K, Type, 6>};
    return fns[mask];
  } else {
    return mask == 1   ? half<Op, K, Type, 1>
           : mask == 2 ? half<Op, K, Type, 2>
                       : half<Op, K, Type, 0>;
  }
}

/// IsFinite, IsInf, IsNaN, IsNormal: on the bits, as a denormal is not one any more in f32.
template <Opcode Op, DType Type> struct HalfTest {
  static uint8_t apply(uint16_t a) {
    constexpr uint16_t infinity = Type == DType::F16 ? 0x7c00 : 0x7f80;
    constexpr uint16_t smallestNormal = Type == DType::F16 ? 0x0400 : 0x0080;
    uint16_t magnitude = a & 0x7fff;
    return Op == Opcode::IsFinite ? magnitude < infinity
           : Op == Opcode::IsInf  ? magnitude == infinity
           : Op == Opcode::IsNaN  ? magnitude > infinity
                                  : (magnitude >= smallestNormal) & (magnitude < infinity);
  }
};

template <DType Type> StripFn findTyped(Opcode op, unsigned mask) {
// The cases of Opcodes.def whose class is that of a float operation.
#define ANNEAL_CASE_FloatUnary(Name)                                                               \
  case Opcode::Name:                                                                               \
    return pick<Opcode::Name, Kind::Unary, Type>(mask);
#define ANNEAL_CASE_FloatBinary(Name)                                                              \
  case Opcode::Name:                                                                               \
    return pick<Opcode::Name, Kind::Binary, Type>(mask);
#define ANNEAL_CASE_FloatTernary(Name)                                                             \
  case Opcode::Name:                                                                               \
    return pick<Opcode::Name, Kind::Ternary, Type>(mask);
#define ANNEAL_CASE_FloatCompare(Name)                                                             \
  case Opcode::Name:                                                                               \
    return pick<Opcode::Name, Kind::Compare, Type>(mask);
#define ANNEAL_CASE_FloatTest(Name)                                                                \
  case Opcode::Name:                                                                               \
    return mapUnary<HalfTest<Opcode::Name, Type>, uint8_t, uint16_t>;
#define ANNEAL_CASE_IntBinary(Name)
#define ANNEAL_CASE_IntUnary(Name)
#define ANNEAL_CASE_IntCompare(Name)
#define ANNEAL_CASE_IntExtended(Name)
#define ANNEAL_CASE_FloatInt(Name)
#define ANNEAL_CASE_Convert(Name)
#define ANNEAL_CASE_Special(Name)
  switch (op) {
#define ANNEAL_OPCODE(Name, Class, NumSources) ANNEAL_CASE_##Class(Name)
#include "anneal/Plan/Opcodes.def"
  default:
    return nullptr;
  }
#undef ANNEAL_CASE_FloatUnary
#undef ANNEAL_CASE_FloatBinary
#undef ANNEAL_CASE_FloatTernary
#undef ANNEAL_CASE_FloatCompare
#undef ANNEAL_CASE_FloatTest
#undef ANNEAL_CASE_IntBinary
#undef ANNEAL_CASE_IntUnary
#undef ANNEAL_CASE_IntCompare
#undef ANNEAL_CASE_IntExtended
#undef ANNEAL_CASE_FloatInt
#undef ANNEAL_CASE_Convert
#undef ANNEAL_CASE_Special
}

template <DType Type, DType Exponent, size_t Size, unsigned Mask>
void halfPowI(const StripArgs &s) {
  runHalf(s, {findFPowI(DType::F32, Exponent, Mask), Type, Mask, 2, false, Size});
}

template <DType Exponent, size_t Size> StripFn pickPowI(DType type, unsigned mask) {
  static constexpr StripFn fns[2][3] = {
      {halfPowI<DType::F16, Exponent, Size, 0>, halfPowI<DType::F16, Exponent, Size, 1>,
       halfPowI<DType::F16, Exponent, Size, 2>},
      {halfPowI<DType::BF16, Exponent, Size, 0>, halfPowI<DType::BF16, Exponent, Size, 1>,
       halfPowI<DType::BF16, Exponent, Size, 2>}};
  return fns[type == DType::BF16][mask];
}

} // namespace

StripFn findHalfOp(Opcode op, DType type, unsigned mask) {
  return type == DType::F16 ? findTyped<DType::F16>(op, mask) : findTyped<DType::BF16>(op, mask);
}

StripFn findHalfPowI(DType type, DType exponent, unsigned mask) {
  switch (exponent) {
  case DType::I8:
    return pickPowI<DType::I8, 1>(type, mask);
  case DType::I16:
    return pickPowI<DType::I16, 2>(type, mask);
  case DType::I32:
    return pickPowI<DType::I32, 4>(type, mask);
  case DType::I64:
    return pickPowI<DType::I64, 8>(type, mask);
  default:
    return nullptr;
  }
}

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE
