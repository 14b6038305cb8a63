//===- IntOps.cpp - Integer operations on strips --------------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Division.h"
#include "MathLoops.h"

#include <utility>

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {
namespace {

/// dst, dst2 = Op::apply(a, b).
template <class Op, class T, class T2> void mapExtended(const StripArgs &s) {
  T *d = static_cast<T *>(s.dst);
  T2 *d2 = static_cast<T2 *>(s.dst2);
  const T *a = static_cast<const T *>(s.a);
  const T *b = static_cast<const T *>(s.b);
  size_t n = s.n;
#pragma GCC ivdep
  for (size_t i = 0; i < n; ++i) {
    T first;
    T2 second;
    Op::apply(a[i], b[i], first, second);
    d[i] = first;
    d2[i] = second;
  }
}

template <class Op, class T> StripFn slowBinary(unsigned mask) {
  return pickExpanded<mapBinary<Op, T, T, T, 0>, sizeof(T), sizeof(T), sizeof(T)>(mask);
}

template <class Op, class T> StripFn division(unsigned mask) {
  constexpr size_t size = sizeof(T);
  if constexpr (size == 8)
    return pickExpanded<mapChecked2<SmallDivision<Op>, T>, size, size, size>(mask);
  else
    return slowBinary<Division<Op>, T>(mask);
}

template <class Op, class T, class T2> StripFn extended(unsigned mask) {
  return pickExpanded<mapExtended<Op, T, T2>, sizeof(T), sizeof(T), sizeof(T), sizeof(T2)>(mask);
}

/// Shifts: the amount is often uniform, what is shifted seldom.
template <class Op, class T> StripFn shift(unsigned mask) {
  return mask == 2 ? mapBinary<Op, T, T, T, 2> : slowBinary<Op, T>(mask);
}

template <class T> StripFn findSized(Opcode op, unsigned mask) {
  switch (op) {
  case Opcode::AddI:
    return pickCommutative<AddI, T, T>(mask);
  case Opcode::SubI:
    return pickBinary<SubI, T, T>(mask);
  case Opcode::MulI:
    return pickCommutative<MulI, T, T>(mask);
  case Opcode::DivSI:
    return division<DivSI, T>(mask);
  case Opcode::DivUI:
    return division<DivUI, T>(mask);
  case Opcode::CeilDivSI:
    return division<CeilDivSI, T>(mask);
  case Opcode::CeilDivUI:
    return division<CeilDivUI, T>(mask);
  case Opcode::FloorDivSI:
    return division<FloorDivSI, T>(mask);
  case Opcode::RemSI:
    return division<RemSI, T>(mask);
  case Opcode::RemUI:
    return division<RemUI, T>(mask);
  case Opcode::AndI:
    return pickCommutative<AndI, T, T>(mask);
  case Opcode::OrI:
    return pickCommutative<OrI, T, T>(mask);
  case Opcode::XOrI:
    return pickCommutative<XOrI, T, T>(mask);
  case Opcode::ShLI:
    return shift<ShLI, T>(mask);
  case Opcode::ShRSI:
    return shift<ShRSI, T>(mask);
  case Opcode::ShRUI:
    return shift<ShRUI, T>(mask);
  case Opcode::MaxSI:
    return pickCommutative<MaxSI, T, T>(mask);
  case Opcode::MaxUI:
    return pickCommutative<MaxUI, T, T>(mask);
  case Opcode::MinSI:
    return pickCommutative<MinSI, T, T>(mask);
  case Opcode::MinUI:
    return pickCommutative<MinUI, T, T>(mask);
  case Opcode::IPowI:
    return slowBinary<IPowI, T>(mask);
  case Opcode::AbsI:
    return mapUnary<AbsI, T, T>;
  case Opcode::CtLz:
    return mapUnary<CtLz, T, T>;
  case Opcode::CtTz:
    return mapUnary<CtTz, T, T>;
  case Opcode::CtPop:
    return mapUnary<CtPop, T, T>;
  case Opcode::AddUIExtended:
    return extended<AddUIExtended, T, uint8_t>(mask);
  case Opcode::SubUIExtended:
    return extended<SubUIExtended, T, uint8_t>(mask);
  case Opcode::MulSIExtended:
    return extended<MulSIExtended, T, T>(mask);
  case Opcode::MulUIExtended:
    return extended<MulUIExtended, T, T>(mask);
  default:
    return nullptr;
  }
}

/// A function of two bits: bit 2a+b of Table is the result.
template <unsigned Table> struct BitBinary {
  static uint8_t apply(uint8_t a, uint8_t b) {
    // Algebraic normal form: constant, a, b and a&b, those that are in it exclusive-ored.
    constexpr unsigned t0 = Table & 1, t1 = Table >> 1 & 1, t2 = Table >> 2 & 1, t3 = Table >> 3;
    uint8_t inA = t0 ^ t2 ? a : 0, inB = t0 ^ t1 ? b : 0;
    uint8_t inBoth = t0 ^ t1 ^ t2 ^ t3 ? a & b : 0;
    return static_cast<uint8_t>(t0 ^ inA ^ inB ^ inBoth);
  }
};

/// A function of a bit: bit a of Table is the result.
template <unsigned Table> struct BitUnary {
  static uint8_t apply(uint8_t a) { return (Table & 1) ^ ((Table ^ Table >> 1) & 1 ? a : 0); }
};

template <unsigned First, unsigned Second> struct BitExtended {
  static void apply(uint8_t a, uint8_t b, uint8_t &first, uint8_t &second) {
    first = BitBinary<First>::apply(a, b);
    second = BitBinary<Second>::apply(a, b);
  }
};

/// Table of an operation on I1, whose signed values are 0 and -1; -1: not a binary operation.
int bitTable(Opcode op) {
  constexpr int kAnd = 0b1000, kOr = 0b1110, kXOr = 0b0110, kXNor = 0b1001;
  constexpr int kAAndNotB = 0b0100, kBAndNotA = 0b0010, kA = 0b1100, kAOrNotB = 0b1101;
  constexpr int kBOrNotA = 0b1011, kTrue = 0b1111;
  switch (op) {
  case Opcode::MulI:
  case Opcode::AndI:
  case Opcode::MaxSI:
  case Opcode::MinUI:
    return kAnd;
  case Opcode::OrI:
  case Opcode::MinSI:
  case Opcode::MaxUI:
    return kOr;
  case Opcode::AddI:
  case Opcode::SubI:
  case Opcode::XOrI:
  case Opcode::CmpINe:
    return kXOr;
  case Opcode::CmpIEq:
    return kXNor;
  // By zero all ones, by one (or -1, which overflows to itself) the dividend.
  case Opcode::DivSI:
  case Opcode::DivUI:
  case Opcode::CeilDivSI:
  case Opcode::CeilDivUI:
  case Opcode::FloorDivSI:
  case Opcode::CmpISle:
  case Opcode::CmpIUge:
    return kAOrNotB;
  case Opcode::RemSI:
  case Opcode::RemUI:
  case Opcode::ShLI:
  case Opcode::ShRUI:
  case Opcode::CmpISlt:
  case Opcode::CmpIUgt:
    return kAAndNotB;
  case Opcode::CmpISgt:
  case Opcode::CmpIUlt:
    return kBAndNotA;
  case Opcode::CmpISge:
  case Opcode::CmpIUle:
    return kBOrNotA;
  case Opcode::ShRSI:
    return kA;
  // 0^-1 is all ones, -1^-1 is -1, x^0 is 1.
  case Opcode::IPowI:
    return kTrue;
  default:
    return -1;
  }
}

template <size_t... Tables>
StripFn pickBitBinary(unsigned table, unsigned mask, std::index_sequence<Tables...>) {
  using Find = StripFn (*)(unsigned);
  static constexpr Find find[] = {
      pickExpanded<mapBinary<BitBinary<Tables>, uint8_t, uint8_t, uint8_t, 0>, 1, 1, 1>...};
  return find[table](mask);
}

StripFn findBits(Opcode op, unsigned mask) {
  if (int table = bitTable(op); table >= 0)
    return pickBitBinary(static_cast<unsigned>(table), mask, std::make_index_sequence<16>());
  switch (op) {
  case Opcode::AbsI:
  case Opcode::CtPop:
    return mapUnary<BitUnary<0b10>, uint8_t, uint8_t>;
  case Opcode::CtLz:
  case Opcode::CtTz:
    return mapUnary<BitUnary<0b01>, uint8_t, uint8_t>;
  case Opcode::AddUIExtended:
    return extended<BitExtended<0b0110, 0b1000>, uint8_t, uint8_t>(mask);
  case Opcode::SubUIExtended:
    return extended<BitExtended<0b0110, 0b0010>, uint8_t, uint8_t>(mask);
  // -1 * -1 and 1 * 1 are both 01.
  case Opcode::MulSIExtended:
  case Opcode::MulUIExtended:
    return extended<BitExtended<0b1000, 0b0000>, uint8_t, uint8_t>(mask);
  default:
    return nullptr;
  }
}

} // namespace

StripFn findIntOp(Opcode op, DType type, unsigned mask) {
  switch (type) {
  case DType::I1:
    return findBits(op, mask);
  case DType::I8:
    return findSized<uint8_t>(op, mask);
  case DType::I16:
    return findSized<uint16_t>(op, mask);
  case DType::I32:
    return findSized<uint32_t>(op, mask);
  case DType::I64:
    return findSized<uint64_t>(op, mask);
  default:
    return nullptr;
  }
}

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE
