//===- IntOpsTest.cpp - Integer operations on strips ----------------------===//
//
// Part of the Anneal project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripTesting.h"

#include <gtest/gtest.h>

using namespace anneal;
using namespace anneal::runtime;
using namespace anneal::runtime::testing;

namespace {

__extension__ typedef __int128 Int;

/// The mathematical quotient, rounded towards minus infinity.
Int floorDiv(Int a, Int b) {
  Int q = a / b;
  return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

/// An operation on one type, by arithmetic on numbers that are wide enough.
struct Reference {
  DType type;
  Raw a, b;

  Int sa() const { return signedValue(type, a); }
  Int sb() const { return signedValue(type, b); }
  Int width() const { return plan::bitWidth(type); }
  Raw wrap(Int value) const { return wrapped(type, static_cast<Raw>(value)); }

  Raw divide(Opcode op) const {
    if (b == 0)
      return wrap(-1);
    switch (op) {
    case Opcode::DivSI:
      return wrap(sa() / sb());
    case Opcode::DivUI:
      return wrap(Int(a) / Int(b));
    case Opcode::CeilDivSI:
      return wrap(-floorDiv(-sa(), sb()));
    case Opcode::CeilDivUI:
      return wrap((Int(a) + Int(b) - 1) / Int(b));
    default:
      return wrap(floorDiv(sa(), sb()));
    }
  }

  Raw power() const {
    if (sb() < 0) {
      if (a == 0)
        return wrap(-1);
      return sa() == 1 ? wrap(1) : sa() == -1 ? (b & 1 ? wrap(-1) : wrap(1)) : 0;
    }
    // By multiplying one factor after the other, as far as that ends; odd powers of larger ones
    // repeat.
    Raw result = 1, base = a, n = b;
    for (; n > 0; n /= 2) {
      result = n % 2 ? wrapped(type, result * base) : result;
      base = wrapped(type, base * base);
    }
    return wrapped(type, result);
  }

  Raw binary(Opcode op) const {
    switch (op) {
    case Opcode::AddI:
      return wrap(Int(a) + Int(b));
    case Opcode::SubI:
      return wrap(Int(a) - Int(b));
    case Opcode::MulI:
      return wrapped(type, a * b);
    case Opcode::RemSI:
      return b == 0 ? a : wrap(sa() % sb());
    case Opcode::RemUI:
      return b == 0 ? a : a % b;
    case Opcode::AndI:
      return a & b;
    case Opcode::OrI:
      return a | b;
    case Opcode::XOrI:
      return a ^ b;
    case Opcode::ShLI:
      return Int(b) < width() ? wrapped(type, a << b) : 0;
    case Opcode::ShRUI:
      return Int(b) < width() ? a >> b : 0;
    case Opcode::ShRSI:
      return wrap(floorDiv(sa(), Int(1) << (Int(b) < width() ? int(b) : 64)));
    case Opcode::MaxSI:
      return wrap(std::max(sa(), sb()));
    case Opcode::MinSI:
      return wrap(std::min(sa(), sb()));
    case Opcode::MaxUI:
      return std::max(a, b);
    case Opcode::MinUI:
      return std::min(a, b);
    case Opcode::IPowI:
      return power();
    default:
      return divide(op);
    }
  }

  Raw unary(Opcode op) const {
    Raw leading = 0, trailing = 0, ones = 0;
    for (int bit = 0; bit < width(); ++bit) {
      bool isSet = (a >> bit & 1) != 0;
      ones += isSet;
      leading = isSet ? 0 : leading + 1;
      trailing += !isSet && (a & ((Raw(1) << bit) - 1)) == 0;
    }
    return op == Opcode::AbsI    ? wrap(sa() < 0 ? -sa() : sa())
           : op == Opcode::CtLz  ? leading
           : op == Opcode::CtPop ? ones
                                 : trailing;
  }

  bool compare(Opcode op) const {
    switch (op) {
    case Opcode::CmpIEq:
      return a == b;
    case Opcode::CmpINe:
      return a != b;
    case Opcode::CmpISlt:
      return sa() < sb();
    case Opcode::CmpISle:
      return sa() <= sb();
    case Opcode::CmpISgt:
      return sa() > sb();
    case Opcode::CmpISge:
      return sa() >= sb();
    case Opcode::CmpIUlt:
      return a < b;
    case Opcode::CmpIUle:
      return a <= b;
    case Opcode::CmpIUgt:
      return a > b;
    default:
      return a >= b;
    }
  }

  std::pair<Raw, Raw> extended(Opcode op) const {
    __extension__ typedef unsigned __int128 UInt;
    switch (op) {
    case Opcode::AddUIExtended:
      return {wrap(Int(a) + Int(b)), Int(a) + Int(b) >= Int(1) << width()};
    case Opcode::SubUIExtended:
      return {wrap(Int(a) - Int(b)), a < b};
    case Opcode::MulSIExtended:
      return {wrap(sa() * sb()), wrap(sa() * sb() >> width())};
    default: {
      UInt product = UInt(a) * UInt(b);
      return {wrapped(type, Raw(product)), wrapped(type, Raw(product >> width()))};
    }
    }
  }
};

/// Every pair of edge values, and random pairs.
std::array<std::vector<Raw>, 3> pairs(DType type) {
  std::array<std::vector<Raw>, 3> sources;
  std::vector<Raw> edges = edgeValues(type);
  for (Raw a : edges)
    for (Raw b : edges) {
      sources[0].push_back(a);
      sources[1].push_back(b);
    }
  for (unsigned k = 0; k < 2; ++k)
    for (Raw value : randomValues(type, 300, k + 1))
      sources[k].push_back(k == 1 && value % 3 == 0 ? wrapped(type, value % 40) : value);
  return sources;
}

void check(const plan::Instr &instr, Isa isa) {
  SCOPED_TRACE(describe(instr) + " " + std::string(name(isa)));
  std::array<std::vector<Raw>, 3> sources = pairs(instr.type);
  size_t n = sources[0].size();
  Results results = run(instr, 0, isa, sources, n);
  ASSERT_EQ(results.first.size(), n);
  for (size_t i = 0; i < n; ++i) {
    Reference reference{instr.type, sources[0][i], sources[1][i]};
    Raw expected = 0;
    switch (plan::classOf(instr.op)) {
    case plan::OpClass::IntUnary:
      expected = reference.unary(instr.op);
      break;
    case plan::OpClass::IntCompare:
      expected = reference.compare(instr.op);
      break;
    case plan::OpClass::IntExtended: {
      auto [first, second] = reference.extended(instr.op);
      expected = first;
      ASSERT_EQ(results.second[i], second) << reference.a << ", " << reference.b;
      break;
    }
    default:
      expected = reference.binary(instr.op);
    }
    ASSERT_EQ(results.first[i], expected) << reference.a << ", " << reference.b;
  }
}

TEST(IntOpsTest, EveryOperationAgreesWithWideArithmetic) {
  for (const plan::Instr &instr : allInstructions())
    if (plan::classOf(instr.op) <= plan::OpClass::IntExtended)
      for (Isa isa : availableIsas())
        check(instr, isa);
}

TEST(IntOpsTest, IndexIsA64BitInteger) {
  plan::Instr instr;
  instr.op = Opcode::AddI;
  instr.type = DType::Index;
  for (Isa isa : availableIsas()) {
    StripFn index = findStripOp(instr, 0, isa);
    plan::Instr wide = instr;
    wide.type = DType::I64;
    EXPECT_NE(index, nullptr);
    EXPECT_EQ(index, findStripOp(wide, 0, isa));
  }
}

} // namespace
