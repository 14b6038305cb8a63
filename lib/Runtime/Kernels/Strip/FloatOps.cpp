//===- FloatOps.cpp - Float operations on strips --------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "ScalarFloat.h"

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {
namespace {

/// Op (MaximumF or MinimumF) with a value b that is uniform: what is special about it is looked at
/// once.
template <class Op, class T> void extremumUniform(const StripArgs &s) {
  struct WithPositive {
    static T apply(T a, T b) { return Op::withPositive(a, b); }
  };
  struct WithNegative {
    static T apply(T a, T b) { return Op::withNegative(a, b); }
  };
  T b = *static_cast<const T *>(s.b);
  if (b != b)
    fill(static_cast<T *>(s.dst), b, s.n);
  else if (bitsOf(b) & kSignBit<T>)
    mapBinary<WithNegative, T, T, T, 2>(s);
  else
    mapBinary<WithPositive, T, T, T, 2>(s);
}

template <class Op, class T> StripFn extremum(unsigned mask) {
  return mask == 1   ? swapped<extremumUniform<Op, T>>
         : mask == 2 ? extremumUniform<Op, T>
                     : mapBinary<Op, T, T, T, 0>;
}

template <class T, unsigned Mask>
constexpr StripFn expandedClamp = expanded<mapTernary<ClampF, T, T, T, T, 0>, Mask, sizeof(T), 0,
                                           sizeof(T), sizeof(T), sizeof(T)>;

/// Clamps to bounds that are uniform.
template <class T> void clampUniform(const StripArgs &s) {
  T high = *static_cast<const T *>(s.c);
  extremumUniform<MaximumF, T>(s);
  StripArgs upper = s;
  upper.a = s.dst;
  upper.b = &high;
  extremumUniform<MinimumF, T>(upper);
}

template <class T> StripFn findClamp(unsigned mask) {
  static constexpr StripFn fns[] = {mapTernary<ClampF, T, T, T, T, 0>,
                                    expandedClamp<T, 1>,
                                    expandedClamp<T, 2>,
                                    expandedClamp<T, 3>,
                                    expandedClamp<T, 4>,
                                    expandedClamp<T, 5>,
                                    clampUniform<T>};
  return fns[mask];
}

template <class T> StripFn findFma(unsigned mask) {
  static constexpr StripFn fns[] = {
      mapTernary<Fma, T, T, T, T, 0>, swapped<mapTernary<Fma, T, T, T, T, 2>>,
      mapTernary<Fma, T, T, T, T, 2>, mapTernary<Fma, T, T, T, T, 3>,
      mapTernary<Fma, T, T, T, T, 4>, swapped<mapTernary<Fma, T, T, T, T, 6>>,
      mapTernary<Fma, T, T, T, T, 6>};
  return fns[mask];
}

template <class T> StripFn findTyped(Opcode op, unsigned mask) {
  switch (op) {
  case Opcode::AddF:
    return pickCommutative<AddF, T, T>(mask);
  case Opcode::SubF:
    return pickBinary<SubF, T, T>(mask);
  case Opcode::MulF:
    return pickCommutative<MulF, T, T>(mask);
  case Opcode::DivF:
    return pickBinary<DivF, T, T>(mask);
  case Opcode::MaximumF:
    return extremum<MaximumF, T>(mask);
  case Opcode::MinimumF:
    return extremum<MinimumF, T>(mask);
  case Opcode::MaxNumF:
    return pickCommutative<MaxNumF, T, T>(mask);
  case Opcode::MinNumF:
    return pickCommutative<MinNumF, T, T>(mask);
  case Opcode::CopySign:
    return pickBinary<CopySign, T, T>(mask);
  case Opcode::NegF:
    return mapUnary<NegF, T, T>;
  case Opcode::AbsF:
    return mapUnary<AbsF, T, T>;
  case Opcode::Sqrt:
    return mapUnary<Sqrt, T, T>;
  case Opcode::Rsqrt:
    return mapUnary<Rsqrt, T, T>;
  case Opcode::Ceil:
    return mapUnary<Ceil, T, T>;
  case Opcode::Floor:
    return mapUnary<Floor, T, T>;
  case Opcode::Trunc:
    return mapUnary<Trunc, T, T>;
  case Opcode::Round:
    return mapUnary<Round, T, T>;
  case Opcode::RoundEven:
    return mapUnary<RoundEven, T, T>;
  case Opcode::IsFinite:
    return mapUnary<IsFinite, uint8_t, T>;
  case Opcode::IsInf:
    return mapUnary<IsInf, uint8_t, T>;
  case Opcode::IsNaN:
    return mapUnary<IsNaN, uint8_t, T>;
  case Opcode::IsNormal:
    return mapUnary<IsNormal, uint8_t, T>;
  case Opcode::Fma:
    return findFma<T>(mask);
  case Opcode::ClampF:
    return findClamp<T>(mask);
  default:
    return nullptr;
  }
}

} // namespace

StripFn findFloatOp(Opcode op, DType type, unsigned mask) {
  return type == DType::F32   ? findTyped<float>(op, mask)
         : type == DType::F64 ? findTyped<double>(op, mask)
                              : nullptr;
}

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE
