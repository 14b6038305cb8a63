//===- IntCompare.cpp - Comparisons of integers on strips -----------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include "ScalarInt.h"

namespace anneal::runtime::strip::ANNEAL_ISA_NAMESPACE {
namespace {

template <class T> StripFn findSized(Opcode op, unsigned mask) {
  switch (op) {
  case Opcode::CmpIEq:
    return pickCommutative<CmpIEq, uint8_t, T>(mask);
  case Opcode::CmpINe:
    return pickCommutative<CmpINe, uint8_t, T>(mask);
  case Opcode::CmpISlt:
    return pickBinary<CmpISlt, uint8_t, T>(mask);
  case Opcode::CmpISle:
    return pickBinary<CmpISle, uint8_t, T>(mask);
  case Opcode::CmpISgt:
    return pickSwapped<CmpISlt, uint8_t, T>(mask);
  case Opcode::CmpISge:
    return pickSwapped<CmpISle, uint8_t, T>(mask);
  case Opcode::CmpIUlt:
    return pickBinary<CmpIUlt, uint8_t, T>(mask);
  case Opcode::CmpIUle:
    return pickBinary<CmpIUle, uint8_t, T>(mask);
  case Opcode::CmpIUgt:
    return pickSwapped<CmpIUlt, uint8_t, T>(mask);
  case Opcode::CmpIUge:
    return pickSwapped<CmpIUle, uint8_t, T>(mask);
  default:
    return nullptr;
  }
}

} // namespace

StripFn findIntCompare(Opcode op, DType type, unsigned mask) {
  switch (type) {
  case DType::I1:
    return findIntOp(op, type, mask);
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
