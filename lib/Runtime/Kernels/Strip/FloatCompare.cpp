//===- FloatCompare.cpp - Comparisons of floats on strips -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Entry.h"
#include "Loops.h"
#include "ScalarFloat.h"

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {
namespace {

template <uint8_t Value> void constant(const StripArgs &s) { memset(s.dst, Value, s.n); }

template <class T> StripFn findTyped(Opcode op, unsigned mask) {
  switch (op) {
  case Opcode::CmpFFalse:
    return constant<0>;
  case Opcode::CmpFOeq:
    return pickCommutative<CmpFOeq, uint8_t, T>(mask);
  case Opcode::CmpFOgt:
    return pickSwapped<CmpFOlt, uint8_t, T>(mask);
  case Opcode::CmpFOge:
    return pickSwapped<CmpFOle, uint8_t, T>(mask);
  case Opcode::CmpFOlt:
    return pickBinary<CmpFOlt, uint8_t, T>(mask);
  case Opcode::CmpFOle:
    return pickBinary<CmpFOle, uint8_t, T>(mask);
  case Opcode::CmpFOne:
    return pickCommutative<CmpFOne, uint8_t, T>(mask);
  case Opcode::CmpFOrd:
    return pickCommutative<CmpFOrd, uint8_t, T>(mask);
  case Opcode::CmpFUeq:
    return pickCommutative<CmpFUeq, uint8_t, T>(mask);
  case Opcode::CmpFUgt:
    return pickSwapped<CmpFUlt, uint8_t, T>(mask);
  case Opcode::CmpFUge:
    return pickSwapped<CmpFUle, uint8_t, T>(mask);
  case Opcode::CmpFUlt:
    return pickBinary<CmpFUlt, uint8_t, T>(mask);
  case Opcode::CmpFUle:
    return pickBinary<CmpFUle, uint8_t, T>(mask);
  case Opcode::CmpFUne:
    return pickCommutative<CmpFUne, uint8_t, T>(mask);
  case Opcode::CmpFUno:
    return pickCommutative<CmpFUno, uint8_t, T>(mask);
  case Opcode::CmpFTrue:
    return constant<1>;
  default:
    return nullptr;
  }
}

/// The source that a comparison points to.
template <class Compare> struct First {
  template <class T> static T apply(T a, T b) { return Compare::apply(a, b) ? a : b; }
};
template <class Compare> struct Second {
  template <class T> static T apply(T a, T b) { return Compare::apply(a, b) ? b : a; }
};

template <class T, template <class> class Choice>
StripFn findChoice(Opcode compare, unsigned mask) {
  switch (compare) {
  case Opcode::CmpFOeq:
    return pickBinary<Choice<CmpFOeq>, T, T>(mask);
  case Opcode::CmpFOlt:
    return pickBinary<Choice<CmpFOlt>, T, T>(mask);
  case Opcode::CmpFOle:
    return pickBinary<Choice<CmpFOle>, T, T>(mask);
  case Opcode::CmpFUlt:
    return pickBinary<Choice<CmpFUlt>, T, T>(mask);
  case Opcode::CmpFUle:
    return pickBinary<Choice<CmpFUle>, T, T>(mask);
  default:
    return nullptr;
  }
}

/// `compare` as one of those above, or its negation: a > b unordered is not a <= b ordered.
Opcode negated(Opcode compare) {
  switch (compare) {
  case Opcode::CmpFOgt:
    return Opcode::CmpFUle;
  case Opcode::CmpFOge:
    return Opcode::CmpFUlt;
  case Opcode::CmpFUgt:
    return Opcode::CmpFOle;
  case Opcode::CmpFUge:
    return Opcode::CmpFOlt;
  case Opcode::CmpFUne:
    return Opcode::CmpFOeq;
  default:
    return compare;
  }
}

template <class T> StripFn findTypedChoice(Opcode compare, bool first, unsigned mask) {
  Opcode positive = negated(compare);
  return first == (positive == compare) ? findChoice<T, First>(positive, mask)
                                        : findChoice<T, Second>(positive, mask);
}

} // namespace

StripFn findCompareSelect(Opcode compare, DType type, bool first, unsigned mask) {
  return type == DType::F32   ? findTypedChoice<float>(compare, first, mask)
         : type == DType::F64 ? findTypedChoice<double>(compare, first, mask)
                              : nullptr;
}

StripFn findFloatCompare(Opcode op, DType type, unsigned mask) {
  return type == DType::F32   ? findTyped<float>(op, mask)
         : type == DType::F64 ? findTyped<double>(op, mask)
                              : nullptr;
}

} // namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE
